"""Work that both sides have in a step, by operators with their input shapes or by name."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.checks.shared_work import operator_calls, per_iteration
from tb_perfcompare.comparison.result.wording import number_text
from tb_perfcompare.comparison.statistics.weights import Work, inside
from tb_perfcompare.model.arrays import Floats, each_side
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

CONTAINED, PARTLY = 0.8, 0.5
"""Share of one side's time above which the other side contains its work, and above which they have part of it in
common."""

MIN_OPERATORS = 10
"""Fewest different operators with time in a contained side: any program may have fewer in common."""

_LIKE_ITERATIONS = 0.02
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
        shares = self.baseline, self.candidate
        return each_side(lambda share, many: share >= CONTAINED and many >= MIN_OPERATORS, shares, self.operators)

    @property
    def is_partly(self) -> bool:
        """Whether they have part of their work in common."""
        return max(self.baseline, self.candidate) >= PARTLY and max(self.operators) >= MIN_OPERATORS


BY_SHAPE, BY_NAME = "operators_by_shape", "operators"


def containment(a: Summary, b: Summary, table: str = BY_SHAPE) -> Containment | None:
    """Computes the containment; None unless both sides have the table, or if a step holds a different number of
    batches or optimizer steps."""
    work_a, work_b = _work(a, table), _work(b, table)
    if work_a is None or work_b is None or not _same_iterations(a, b):
        return None
    counts = each_side(lambda side: len({key[0] for key, work in side.items() if work.time_ns > 0}), (work_a, work_b))
    return Containment(inside(work_a, work_b), inside(work_b, work_a), counts)


def more_calls(a: Summary, b: Summary) -> str:
    """Additional calls of b: "120 more operator calls per step (aten::isfinite 100, aten::all 20)", "" if there are
    none."""
    calls_a, calls_b = operator_calls(a), operator_calls(b)
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
    times, calls = step_self_times(table).sum(axis=1) / steps, table.calls.sum(axis=1) / steps
    rows = zip(table.keys, times.tolist(), calls.tolist(), strict=True)
    return {tuple(key): Work(time, calls) for key, time, calls in rows}


def step_self_times(table: GroupTable) -> Floats:
    """(g, s) nanoseconds on the host and the device together, as far as the source has them."""
    times = [table.measures_ns[name] for name in ("host_self", "device_self") if name in table.measures_ns]
    return np.sum(times, axis=0, dtype=np.float64) if times else np.zeros(table.calls.shape)


def _same_iterations(a: Summary, b: Summary) -> bool:
    pairs = zip(per_iteration(a).values(), per_iteration(b).values(), strict=True)
    return not any(min(pair) and max(pair) > (1 + _LIKE_ITERATIONS) * min(pair) for pair in pairs)
