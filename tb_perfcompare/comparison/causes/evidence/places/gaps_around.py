"""Untraced host time by the operators around it: the Python code between them, which has no event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import permutations
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import short_apart
from tb_perfcompare.model.arrays import Ints, are_in
from tb_perfcompare.model.summary.categories import NOTHING_RECORDED, OTHER
from tb_perfcompare.model.summary.summary import Summary

MAX_RATIO, MAX_PER_CALL_US = 2.0, 20.0
"""Largest change of the gaps, relative to the sum of the operators' own absolute changes, or per additional call: the
Python code around an operator takes 5 to 15 µs in recordings."""

MAIN_SHARE, OF_TWO = 0.5, 0.6
"""Share of the change of untraced time from which a gap, or two successive ones, are named."""

MAX_GAPS = 8
"""Number of the largest gaps that are tried as successive ones."""


def gaps_around(context: RuleContext, operators: AbstractSet[str], own: Iterable[float]) -> dict[Part, float]:
    """Change of the step's untraced time from gaps next to these operators, microseconds per step; empty if that is
    little, or far more than the change of the operators' `own` times: then something else happens there.

    A gap is identified by its neighbors. One-sided gaps count if an operator is one of the neighbors, or if one
    was inserted in between; gaps of both sides if both neighbors are such operators. Together at most the change of
    untraced time.
    """
    gaps, between = context.once(_one_sided_gaps), gaps_between(context, operators)
    if gaps is None or between is None:
        return {}
    inner = [fsum(us for ends, us in side.items() if operators >= {*ends}) for side in gaps]
    beside = [{ends for ends in side if not operators.isdisjoint(ends)} for side in gaps]
    reached = [frozenset().union(*side) - {*operators} for side in beside]
    sums = [
        fsum(us for ends, us in gaps[side].items() if ends in beside[side] or reached[1 - side].issuperset(ends))
        for side in (0, 1)
    ]
    one_sided, exposed = sums[1] - sums[0], context.exposed(OTHER)
    calls, own = context.amounts("operators", "host_total"), [*own]
    more = [abs(calls[name,].more_calls) for name in operators if (name,) in calls]
    for us in (one_sided + between - (inner[1] - inner[0]), one_sided):
        us = min(us, exposed, key=abs) if us * exposed > 0 else 0.0
        if is_of_gaps(context, us, own, more):
            return {(OTHER, NOTHING_RECORDED): us}
    return {}


def gaps_between(context: RuleContext, operators: AbstractSet[str]) -> float | None:
    """Change of the step's untraced time in gaps with only these operators around, microseconds per step; None if
    neighbors are not known."""
    before, after = _gaps(context.baseline), _gaps(context.candidate)
    if before is None or after is None:
        return None
    one, two = (fsum(us for ends, us in side.items() if operators >= {*ends}) for side in (before, after))
    return two - one


def is_of_gaps(context: RuleContext, us: float, own: Iterable[float], calls: Iterable[float] = ()) -> bool:
    """Whether a change of untraced time matters and may be from the gaps of operators that changed by `own`, of so many
    additional `calls`."""
    most = max(MAX_RATIO * fsum(map(abs, own)), MAX_PER_CALL_US * fsum(calls))
    return context.least_us <= abs(us) <= most


def place_clause(baseline: Summary, candidate: Summary, delta_us: float) -> str:
    """Where most of a change of untraced time is: "mostly between aten::copy_ and aten::add", in one gap or two
    successive ones; "" if it has no such place. `delta_us`: the change, microseconds per step."""
    return _place(_gaps(baseline) or {}, _gaps(candidate) or {}, delta_us)


def place_clause_of_steps(summary: Summary, steps: Ints, delta_us: float) -> str:
    """The same for untraced time that these steps have more of than the others."""
    others = np.setdiff1d(np.arange(len(summary.steps)), steps, assume_unique=True)
    return _place(_gaps(summary, others) or {}, _gaps(summary, steps) or {}, delta_us)


def _place(before: Mapping[_Ends, float], after: Mapping[_Ends, float], delta_us: float) -> str:
    sign = 1 if delta_us > 0 else -1
    grown = {ends: sign * (after.get(ends, 0.0) - before.get(ends, 0.0)) for ends in {**before, **after}}
    places = {ends: us for ends, us in grown.items() if us > 0}
    largest = sorted(places, key=lambda ends: (-places[ends], ends))[:MAX_GAPS]
    two: dict[_Ends, float] = {
        (one[0], other[1]): places[one] + places[other]
        for one, other in permutations(largest, 2) if len(one) == len(other) == 2 and one[1] == other[0]
    }  # fmt: skip
    for found, share in ((places, MAIN_SHARE), (two, OF_TWO)):
        place = max(sorted(found), key=lambda ends: found[ends], default=())
        if place and found[place] >= share * abs(delta_us):
            names = short_apart(*dict.fromkeys(place))
            return f"mostly {'between' if len(names) > 1 else 'next to'} {' and '.join(names)}"
    return ""


_Ends = tuple[str, ...]
"""The operators before and after a gap; one of them at an end of a step."""

_Gaps = tuple[Mapping[_Ends, float], Mapping[_Ends, float]]


def _one_sided_gaps(context: RuleContext) -> _Gaps | None:
    one, two = _gaps(context.baseline), _gaps(context.candidate)
    if one is None or two is None:
        return None
    return ({ends: us for ends, us in one.items() if ends not in two},
            {ends: us for ends, us in two.items() if ends not in one})  # fmt: skip


def _gaps(summary: Summary, steps: Ints | None = None) -> dict[_Ends, float] | None:
    """Gap -> microseconds per step, in all steps or in some; None if neighbors are not known."""
    parts = summary.owned.parts
    if parts is None or "operator" not in parts.recorded_keys:
        return None
    chosen = slice(None) if steps is None else are_in(parts.step, steps)
    total = np.bincount(parts.row[chosen], parts.time_ns[chosen], len(parts))
    times = zip(parts.keys, total.tolist(), strict=True)
    per_step = 1000 * (len(summary.steps) if steps is None else len(steps))
    return {
        _neighbors(key[2]): ns / per_step
        for key, ns in times
        if key[0] == OTHER and key[1] == NOTHING_RECORDED and ns
    }


def _neighbors(context: str) -> tuple[str, ...]:
    """Parses "after X, before Y" -> (X, Y)."""
    return tuple(end.removeprefix("after ").removeprefix("before ") for end in context.split(", before "))
