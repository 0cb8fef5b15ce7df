"""The shortest call of an operator: what other work on the processor cannot make longer."""

from __future__ import annotations

from tb_perfcompare.comparison.causes.evidence.rule_context import NOTHING, Key, RuleContext
from tb_perfcompare.model.arrays import Nanoseconds

TICKS = 10
"""Calls shorter than this many ticks of the recording's clock do not show how much longer they take."""

ITS_OWN = 0.8
"""A call's time is the operator's own if children and API calls take at most what this leaves of it."""


def fastest_calls(pair: RuleContext, table: str) -> dict[Key, tuple[int, int]]:
    """Key of a group table -> shortest single call on both sides, nanoseconds, where both have one. Children and API
    calls are inside."""
    a, b = pair.baseline.groups.get(table), pair.candidate.groups.get(table)
    if a is None or b is None or a.min_ns is None or b.min_ns is None:
        return {}
    found = dict(zip(b.keys, b.min_ns.tolist(), strict=True))
    both = ((key, low, found.get(key, 0)) for key, low in zip(a.keys, a.min_ns.tolist(), strict=True))
    least = TICKS * _tick_ns(a.min_ns, b.min_ns)
    return {key: (low, other) for key, low, other in both if min(low, other) >= least}


def _tick_ns(*lows: Nanoseconds) -> int:
    """What durations are recorded in: whole microseconds, as old profilers do, or nanoseconds."""
    return 1 if any((low % 1000).any() for low in lows) else 1000


def table_of_calls(pair: RuleContext) -> str:
    """The table whose rows are calls of one kind: apart by input shape where both sides recorded it, as the shortest of
    all calls would be that of the smallest input."""
    return next((table for table in ("operators_by_shape", "operators") if fastest_calls(pair, table)), "operators")


def fastest_own_calls(pair: RuleContext, table: str) -> dict[Key, tuple[int, int]]:
    """The same of operators whose time is their own; of all operators where there are none such: then children and API
    calls that take longer cannot be distinguished from slower operators."""
    found = fastest_calls(pair, table)
    own, whole = pair.amounts(table, "host_self"), pair.amounts(table, "host_total")
    pure = {}
    for key, low in found.items():
        mine, every = own.get(key, NOTHING), whole.get(key, NOTHING)
        if mine.us_a >= ITS_OWN * every.us_a and mine.us_b >= ITS_OWN * every.us_b:
            pure[key] = low
    return pure or found
