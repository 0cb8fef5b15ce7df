"""Fastest calls of operators, which other work on the processor cannot lengthen."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Key
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.arrays import Nanoseconds
from tb_perfcompare.model.summary.tables import GroupTable

BY_SHAPE, LAUNCHES = "operators_by_shape", "kernels_by_launch"

TICKS = 10
"""Ticks of the recording's clock that calls must last for a change to show."""

INTERRUPTED = 0.35
"""Largest share of the ratio of all calls that the fastest ones explain, both as logarithms, if the calls were
interrupted. Not zero, because other work affects caches, too."""

ITS_OWN = 0.8
"""Share of a call's time that must be the operator's own, not of children and API calls."""


def fastest_calls(context: RuleContext, table: str) -> dict[Key, tuple[int, int]]:
    """Key of a group table -> shortest single call on both sides, nanoseconds, if both have one. Includes children
    and API calls."""
    a, b = context.baseline.groups.get(table), context.candidate.groups.get(table)
    if a is None or b is None or a.min_ns is None or b.min_ns is None:
        return {}
    candidate = dict(zip(b.keys, b.min_ns.tolist(), strict=True))
    both = ((key, low, candidate.get(key, 0)) for key, low in zip(a.keys, a.min_ns.tolist(), strict=True))
    least = TICKS * _tick_ns(a.min_ns, b.min_ns)
    return {key: (low, other) for key, low, other in both if min(low, other) >= least}


def fastest_steps(context: RuleContext, table: str) -> dict[Key, tuple[float, float]]:
    """Key of a group table -> lowest mean call time of any step, on both sides, in nanoseconds. Calls on inputs of all
    sizes count."""
    return _by_step(context, table, 0.0)


def typical_steps(context: RuleContext, table: str) -> dict[Key, tuple[float, float]]:
    """Key of a group table -> mean call time of the median step, on both sides, in nanoseconds: one long call in a few
    steps does not change it."""
    return _by_step(context, table, 0.5)


def _by_step(context: RuleContext, table: str, rank: float) -> dict[Key, tuple[float, float]]:
    a, b = (_step_quantiles(side.groups.get(table), rank) for side in context.sides)
    return {key: (a[key], b[key]) for key in a if key in b}


def _step_quantiles(group: GroupTable | None, rank: float) -> dict[Key, float]:
    """Key -> quantile, over the steps that call it, of the mean call time; without those that take no time."""
    if group is None:
        return {}
    own = group.measures_ns["host_self"]
    means = np.sort(np.where(group.calls > 0, own / np.maximum(group.calls, 1), np.inf), axis=1)
    at = (rank * (np.count_nonzero(group.calls, axis=1) - 1)).astype(np.int64)
    ranked = np.take_along_axis(means, np.maximum(at, 0)[:, None], axis=1)[:, 0]
    return {key: ns for key, ns in zip(group.keys, ranked.tolist(), strict=True) if 0 < ns < np.inf}


def _tick_ns(*lows: Nanoseconds) -> int:
    """Resolution of recorded durations: whole microseconds, as in old profilers, or nanoseconds."""
    return 1 if any((low % 1000).any() for low in lows) else 1000


def table_of_calls(context: RuleContext) -> str:
    """Table to take fastest calls from: by input shape if both sides recorded it, because the shortest of all calls
    is that of the smallest input."""
    return next((table for table in (BY_SHAPE, "operators") if fastest_calls(context, table)), "operators")


def fastest_own_calls(context: RuleContext, table: str) -> dict[Key, tuple[int, int]]:
    """fastest_calls of operators whose time is their own; of all operators if there are none, in which case children
    and API calls that take longer look like slower operators."""
    fastest = fastest_calls(context, table)
    own, whole = context.amounts(table, "host_self"), context.amounts(table, "host_total")
    pure = {}
    for key, low in fastest.items():
        mine, every = own.get(key, NOTHING), whole.get(key, NOTHING)
        if mine.us_a >= ITS_OWN * every.us_a and mine.us_b >= ITS_OWN * every.us_b:
            pure[key] = low
    return pure or fastest
