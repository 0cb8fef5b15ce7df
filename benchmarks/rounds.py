"""Samples in turns: every sample a fresh process, ratios formed within one round.

The machine's speed may change between rounds and neighbours may take a core; a ratio of two samples of one round
suffers least from both. A run whose base itself moved by more than MOST_MOVED between rounds is measured once more, and
rejected if that did not help.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_MOVED = 1.5
SAMPLE_LIMIT_S = 560
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
    found: Mapping[str, Any]
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

    def found(self, key: str) -> Mapping[str, Any]:
        """What the first sample of a task found."""
        return self.samples[key][0].found if self.samples.get(key) else {}

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
                samples[task.key].append(sample(task))
    return Rounds(samples, base)


def sample(task: Task) -> Sample:
    """One measurement in a fresh process. Raises RuntimeError if it fails, unless it may."""
    command = [task.python, "-m", "benchmarks.sample", task.work, *task.arguments]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TB_PERFCOMPARE_CACHE": "off", **task.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled once, not in every process
    busy, start = _busy_s(), time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=SAMPLE_LIMIT_S, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        words = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        why = f"{type(error).__name__}: {words[-1][:200] if words else error}"
        if not task.may_fail:
            text = "\n".join(words[-20:])
            raise RuntimeError(f"{task.key} {' '.join(task.arguments)}: {why}\n{text}") from error
        _say(f"  {task.key}: failed, {why}")
        return Sample(0, 0, 0, 0, {}, 0, failure=why)
    wall = time.monotonic() - start
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    own = answer.get("lifetime_cpu_seconds", 0.0)
    neighbours = max(0.0, _busy_s() - busy - own) / max(wall, 1e-3) if busy >= 0 and own else 0.0
    peak = answer["peak_bytes"]
    _say(f"  {task.key}: {answer['seconds']:.3f} s, {answer['cpu_seconds']:.3f} s of CPU, {peak / 1e6:.0f} MB")
    return Sample(answer["seconds"], answer["cpu_seconds"], peak - answer["imports_bytes"], peak, answer, neighbours)


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
