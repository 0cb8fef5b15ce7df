"""Measures tasks in turns: every sample is a new process, and ratios are formed within a round.

The machine's speed may change between rounds and other processes may take a core; ratios within a round are least
affected. If the base task's CPU time changes between rounds by more than a factor of MOST_MOVED, all tasks are measured
again, and rejected if that does not help.

Quick runs have a single round, whose times mean nothing: the first work gets a new process, all others get forks of
this one, which has imported them already.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.sample import imported, measured

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_MOVED = 1.5
SAMPLE_LIMIT_S = 560
_UNCACHED = {"TB_PERFCOMPARE_CACHE": "off"}
_begun: set[str] = set()
"""Works that have run in a new process before."""

_STEADY_S = 0.05
"""A base that takes less time than this is not checked for changes, as one interrupt would change it."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to measure: a work by name (sample.py) and its arguments; `key` names it in tables."""

    key: str
    work: str
    arguments: tuple[str, ...]
    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=dict)
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement. `neighbors` is the number of cores that other processes kept busy meanwhile; `failure` says why
    the measurement failed, "" if it did not."""

    seconds: float
    cpu_seconds: float
    above_imports_bytes: int
    peak_bytes: int
    result: Mapping[str, Any]
    neighbors: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Samples by task, one per round; `base` is the key of the task that ratios refer to."""

    samples: Mapping[str, Sequence[Sample]]
    base: str

    def of(self, key: str, what: str = "seconds") -> list[float]:
        """Returns a figure of a task per round; empty if the task failed."""
        samples = self.samples.get(key, ())
        return [] if any(sample.failure for sample in samples) else [getattr(sample, what) for sample in samples]

    def ratios(self, above: str, below: str, what: str = "seconds") -> list[float]:
        """Returns the ratio of two tasks per round, `above` / `below`; empty if one of them failed."""
        return [a / b for a, b in zip(self.of(above, what), self.of(below, what), strict=False) if b > 0]

    def result(self, key: str) -> Mapping[str, Any]:
        """Returns the result of a task's first sample; empty if there is none."""
        return self.samples[key][0].result if self.samples.get(key) else {}

    def figures(self, key: str, what: str, factor: float = 1.0) -> list[float]:
        """Returns a figure of a task's result per round, times `factor`."""
        return [factor * sample.result[what] for sample in self.samples[key]]

    def failure(self, key: str) -> str:
        """Returns why the task failed, "" if it did not."""
        return next((one.failure for one in self.samples.get(key, ()) if one.failure), "")

    @property
    def moved(self) -> float:
        """Largest / smallest CPU time of the base, 1 if it is too short to tell."""
        base = self.of(self.base, "cpu_seconds")
        return max(base) / min(base) if base and min(base) > _STEADY_S else 1.0

    @property
    def rejected(self) -> bool:
        """Whether the machine's speed changed too much for these rounds to count."""
        return self.moved > MOST_MOVED

    @property
    def neighbors(self) -> float:
        """Mean number of cores that other processes kept busy."""
        return statistics.fmean([sample.neighbors for samples in self.samples.values() for sample in samples] or [0.0])

    @property
    def noisy(self) -> bool:
        """Whether other processes took so much CPU that elapsed times mean little."""
        return self.neighbors > 0.25


def measure(tasks: Sequence[Task], rounds: int, base: str) -> Rounds:
    """Measures all tasks in `rounds` rounds, each beginning with another task; tries again if the base changed too
    much."""
    result = _measure(tasks, rounds, base)
    if result.rejected:
        _say(f"{base} moved {result.moved:.2f}x between rounds; once more")
        result = min(result, _measure(tasks, rounds, base), key=lambda attempt: attempt.moved)
    return result


def _measure(tasks: Sequence[Task], rounds: int, base: str) -> Rounds:
    samples: dict[str, list[Sample]] = {task.key: [] for task in tasks}
    for turn in range(rounds):
        start = turn % len(tasks)
        for task in [*tasks[start:], *tasks[:start]]:
            if not any(earlier.failure for earlier in samples[task.key]):
                samples[task.key].append(sample(task, quick=rounds == 1))
    return Rounds(samples, base)


def sample(task: Task, *, quick: bool = False, limit_s: float = SAMPLE_LIMIT_S) -> Sample:
    """Takes one measurement in a new process. Raises RuntimeError if it fails, unless the task may fail."""
    busy, start = _busy_s(), time.monotonic()
    try:
        answer = _copied(task) if quick and _known(task) else _fresh(task, limit_s)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        words = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        why = f"{type(error).__name__}: {words[-1][:200] if words else error}"
        if not task.may_fail:
            text = "\n".join(words[-20:])
            raise RuntimeError(f"{task.key} {' '.join(task.arguments)}: {why}\n{text}") from error
        _say(f"  {task.key}: failed, {why}")
        return Sample(0, 0, 0, 0, {}, 0, failure=why)
    wall = time.monotonic() - start
    own = answer.get("lifetime_cpu_seconds", 0.0)
    neighbors = max(0.0, _busy_s() - busy - own) / max(wall, 1e-3) if busy >= 0 and own else 0.0
    peak = answer["peak_bytes"]
    _say(f"  {task.key}: {answer['seconds']:.3f} s, {answer['cpu_seconds']:.3f} s of CPU, {peak / 1e6:.0f} MB")
    return Sample(answer["seconds"], answer["cpu_seconds"], peak - answer["imports_bytes"], peak, answer, neighbors)


def _fresh(task: Task, limit_s: float) -> dict[str, Any]:
    command = [task.python, "-m", "benchmarks.sample", task.work, *task.arguments]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **_UNCACHED, **task.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # to compile modules once and not in every process
    done = subprocess.run(command, capture_output=True, env=environment, timeout=limit_s, check=True)
    _begun.add(task.work)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _known(task: Task) -> bool:
    """Whether a fork of this process can do the work: one has succeeded in a new process, and neither the interpreter
    nor the modules that it finds are others."""
    same_setup = task.python == sys.executable and "PYTHONPATH" not in task.environment
    return same_setup and bool(_begun) and "fork" in multiprocessing.get_all_start_methods()


def _copied(task: Task) -> dict[str, Any]:
    imported(task.work)
    fork = multiprocessing.get_context("fork")
    receiving, sending = fork.Pipe(duplex=False)
    process = fork.Process(target=_answer, args=(sending, task))
    process.start()
    sending.close()
    try:
        answer: dict[str, Any] | str = receiving.recv()
    except EOFError:
        answer = "ended without an answer"
    process.join()
    if isinstance(answer, str):
        raise subprocess.CalledProcessError(1, [task.work, *task.arguments], stderr=answer.encode())
    return answer


def _answer(sending: Connection, task: Task) -> None:
    os.environ.update({**_UNCACHED, **task.environment})
    try:
        sending.send(measured(task.work, *task.arguments))
    except Exception:
        sending.send(traceback.format_exc())


def _busy_s() -> float:
    """CPU seconds that all processes of the machine have spent, -1 where that is unknown."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = file.readline().split()
    except OSError:
        return -1.0
    user, nice, system, _idle, _wait, irq, soft, steal = (int(field) for field in fields[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
