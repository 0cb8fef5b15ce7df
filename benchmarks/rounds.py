"""Samples in turns: every sample a fresh process, ratios formed within one round.

The machine's speed may change between rounds and neighbours may take a core; a ratio of two samples of one round
suffers least from both. A run whose base itself moved by more than MOST_MOVED between rounds is measured once more, and
rejected if that did not help.

A single round, a quick run's, measures nothing: there a work has a fresh process once, and then copies of this one,
which have imported it.
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
"""Works that a fresh process has done."""

_STEADY_S = 0.05
"""A base that takes less than this is moved by one interrupt."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some work to measure. `key` names it in tables."""

    key: str
    work: str
    arguments: tuple[str, ...]
    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=dict)
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement. `neighbours` is how many cores others kept busy meanwhile; `failure` says why there is none."""

    seconds: float
    cpu_seconds: float
    above_imports_bytes: int
    peak_bytes: int
    result: Mapping[str, Any]
    neighbours: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Samples by task, one per round, and what was said about them."""

    samples: Mapping[str, Sequence[Sample]]
    base: str

    def of(self, key: str, what: str = "seconds") -> list[float]:
        """A figure of a task, round by round; empty if the task failed."""
        found = self.samples.get(key, ())
        return [] if any(one.failure for one in found) else [getattr(one, what) for one in found]

    def ratios(self, above: str, below: str, what: str = "seconds") -> list[float]:
        """`above` over `below`, round by round; empty if one of them failed."""
        return [a / b for a, b in zip(self.of(above, what), self.of(below, what), strict=False) if b > 0]

    def result(self, key: str) -> Mapping[str, Any]:
        """Of the first sample of a task."""
        return self.samples[key][0].result if self.samples.get(key) else {}

    def failure(self, key: str) -> str:
        """Why the task failed, "" if it did not."""
        return next((one.failure for one in self.samples.get(key, ()) if one.failure), "")

    @property
    def moved(self) -> float:
        """Largest over smallest processor time of the base, 1 if it is too short to tell."""
        base = self.of(self.base, "cpu_seconds")
        return max(base) / min(base) if base and min(base) > _STEADY_S else 1.0

    @property
    def rejected(self) -> bool:
        """The machine was too unsteady for these rounds to count."""
        return self.moved > MOST_MOVED

    @property
    def neighbours(self) -> float:
        """Cores that others kept busy, on average over samples."""
        return statistics.fmean([one.neighbours for found in self.samples.values() for one in found] or [0.0])

    @property
    def noisy(self) -> bool:
        """Others took so much that elapsed time says little."""
        return self.neighbours > 0.25


def measure(tasks: Sequence[Task], rounds: int, base: str) -> Rounds:
    """`rounds` rounds of all tasks; who goes first changes from round to round. A second try if the base moved."""
    found = _measure(tasks, rounds, base)
    if found.rejected:
        _say(f"{base} moved {found.moved:.2f}x between rounds; once more")
        found = min(found, _measure(tasks, rounds, base), key=lambda one: one.moved)
    return found


def _measure(tasks: Sequence[Task], rounds: int, base: str) -> Rounds:
    samples: dict[str, list[Sample]] = {task.key: [] for task in tasks}
    for turn in range(rounds):
        start = turn % len(tasks)
        for task in [*tasks[start:], *tasks[:start]]:
            if not any(one.failure for one in samples[task.key]):
                samples[task.key].append(sample(task, quick=rounds == 1))
    return Rounds(samples, base)


def sample(task: Task, *, quick: bool = False) -> Sample:
    """One measurement in a fresh process. Raises RuntimeError if it fails, unless it may."""
    busy, start = _busy_s(), time.monotonic()
    try:
        answer = _copied(task) if quick and _known(task) else _fresh(task)
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
    neighbours = max(0.0, _busy_s() - busy - own) / max(wall, 1e-3) if busy >= 0 and own else 0.0
    peak = answer["peak_bytes"]
    _say(f"  {task.key}: {answer['seconds']:.3f} s, {answer['cpu_seconds']:.3f} s of CPU, {peak / 1e6:.0f} MB")
    return Sample(answer["seconds"], answer["cpu_seconds"], peak - answer["imports_bytes"], peak, answer, neighbours)


def _fresh(task: Task) -> dict[str, Any]:
    command = [task.python, "-m", "benchmarks.sample", task.work, *task.arguments]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **_UNCACHED, **task.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled once, not in every process
    done = subprocess.run(command, capture_output=True, env=environment, timeout=SAMPLE_LIMIT_S, check=True)
    _begun.add(task.work)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _known(task: Task) -> bool:
    """A fresh process has shown that the work can be done, and a copy of this one can do it."""
    alike = task.python == sys.executable and not task.environment
    return alike and task.work in _begun and "fork" in multiprocessing.get_all_start_methods()


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
    os.environ.update(_UNCACHED)
    try:
        sending.send(measured(task.work, *task.arguments))
    except Exception:
        sending.send(traceback.format_exc())


def _busy_s() -> float:
    """Processor seconds that the machine has spent, -1 where it does not say."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = file.readline().split()
    except OSError:
        return -1.0
    user, nice, system, _idle, _wait, irq, soft, steal = (int(field) for field in fields[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
