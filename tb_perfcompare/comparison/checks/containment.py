"""Work that both sides have in a step, by operators with their input shapes or by name."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.result.wording import number_text
from tb_perfcompare.comparison.statistics.containment import Work, inside
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.summary import GroupTable, Summary
from tb_perfcompare.quick_dataclass import dataclass

CONTAINED, PARTLY = 0.8, 0.5
"""Share of one side's time above which the other side contains its work, and above which they have part of it in
common."""

MIN_OPERATORS = 10
"""Fewest different operators with time in a contained side: any program may have fewer in common."""

_LIKE_ITERATIONS = 0.02
_ITERATION = ("enumerate(DataLoader)", "Optimizer.step#")
_MAX_NAMED = 3

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Containment:
    """Shares by time of the baseline's work in the candidate, and of the candidate's in the baseline; the number of
    operators with time on each side."""

    baseline: float
    candidate: float
    operators: tuple[int, int]

    @property
    def contained(self) -> tuple[bool, bool]:
        """Whether the candidate contains the baseline's work, and the baseline the candidate's."""
        return (
            self.baseline >= CONTAINED and self.operators[0] >= MIN_OPERATORS,
            self.candidate >= CONTAINED and self.operators[1] >= MIN_OPERATORS,
        )

    @property
    def largest(self) -> float:
        """The larger of the two shares."""
        return max(self.baseline, self.candidate)


BY_SHAPE, BY_NAME = "operators_by_shape", "operators"


def containment(a: Summary, b: Summary, table: str = BY_SHAPE) -> Containment | None:
    """Computes the containment; None unless both sides have the table, or if a step holds a different number of
    batches or optimizer steps."""
    work_a, work_b = _work(a, table), _work(b, table)
    if work_a is None or work_b is None or not _same_iterations(a, b):
        return None
    operators = tuple(len({key[0] for key, work in side.items() if work.time_ns > 0}) for side in (work_a, work_b))
    return Containment(inside(work_a, work_b), inside(work_b, work_a), (operators[0], operators[1]))


def more_calls(a: Summary, b: Summary) -> str:
    """Additional calls of b: "120 more operator calls per step (aten::isfinite 100, aten::all 20)", "" if there are
    none."""
    calls_a, calls_b = _calls(a), _calls(b)
    more = {
        name: calls - calls_a.get(name, 0.0) for name, calls in calls_b.items() if calls > calls_a.get(name, 0.0) + 1e-9
    }
    if not more:
        return ""
    largest = sorted(more, key=lambda name: (-more[name], name))
    named = ", ".join(f"{name} {number_text(more[name])}" for name in largest[:_MAX_NAMED])
    dots = ", …" if len(largest) > _MAX_NAMED else ""
    return f"{number_text(round(sum(more.values()), 2))} more operator calls per step ({named}{dots})"


def _work(summary: Summary, name: str) -> dict[Key, Work] | None:
    table = summary.groups.get(name)
    if table is None or not len(summary.steps):
        return None
    steps = len(summary.steps)
    times, calls = self_times(table) / steps, table.calls.sum(axis=1) / steps
    rows = zip(table.keys, times.tolist(), calls.tolist(), strict=True)
    return {tuple(key): Work(time, calls) for key, time, calls in rows}


def self_times(table: GroupTable) -> Floats:
    """(g,) nanoseconds on the host and the device together, as far as the source has them."""
    total: Floats = step_self_times(table).sum(axis=1)
    return total


def step_self_times(table: GroupTable) -> Floats:
    """(g, s) self times as in `self_times`, for each step."""
    times = [table.measures_ns[name] for name in ("host_self", "device_self") if name in table.measures_ns]
    return np.sum(times, axis=0, dtype=np.float64) if times else np.zeros(table.calls.shape)


def _calls(summary: Summary) -> dict[str, float]:
    table = summary.groups.get("operators")
    if table is None:
        return {}
    calls = (table.calls.sum(axis=1) / max(len(summary.steps), 1)).tolist()
    return {key[0]: count for key, count in zip(table.keys, calls, strict=True)}


def _same_iterations(a: Summary, b: Summary) -> bool:
    for beginning in _ITERATION:
        pair = [_named(side, beginning) for side in (a, b)]
        if all(pair) and max(pair) > (1 + _LIKE_ITERATIONS) * min(pair):
            return False
    return True


def _named(summary: Summary, beginning: str) -> float:
    rows = [row for row, key in enumerate(summary.owned.key) if key.startswith(beginning)]
    return float(summary.owned.calls[rows].sum()) / max(len(summary.steps), 1)
