"""Untraced host time around operators that only one side calls: the Python code that calls them, which has no event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from math import fsum

from tb_perfcompare.comparison.causes.evidence.cause import Part
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory, Summary

MIN_RATIO, MAX_RATIO = 0.25, 2.0
"""Least and largest change of the gaps, relative to the sum of the operators' own absolute changes."""

_OTHER = CATEGORY_LABELS[StepCategory.OTHER]


def gaps_around(pair: RuleContext, operators: AbstractSet[str], own: Iterable[float]) -> dict[Part, float]:
    """Change of the step's untraced time from gaps next to these operators, microseconds per step; empty if that is
    little, or far more than the change of the operators' `own` times: then something else happens there.

    A gap is identified by its neighbours. One-sided gaps count if an operator is one of the neighbours, or if one
    was inserted in between; together at most the change of untraced time.
    """
    gaps = pair.once(_one_sided_gaps)
    if gaps is None:
        return {}
    beside = [{ends for ends in side if not operators.isdisjoint(ends)} for side in gaps]
    reached = [frozenset().union(*side) - {*operators} for side in beside]
    sums = [
        fsum(us for ends, us in gaps[side].items() if ends in beside[side] or reached[1 - side].issuperset(ends))
        for side in (0, 1)
    ]
    us, exposed = sums[1] - sums[0], pair.exposed(_OTHER)
    us = min(us, exposed, key=abs) if us * exposed > 0 else 0.0
    changed = fsum(map(abs, own))
    if abs(us) < pair.least_us or not MIN_RATIO * changed <= abs(us) <= MAX_RATIO * changed:
        return {}
    return {(_OTHER, NOTHING_RECORDED): us}


_Gaps = tuple[Mapping[tuple[str, ...], float], Mapping[tuple[str, ...], float]]


def _one_sided_gaps(pair: RuleContext) -> _Gaps | None:
    one, two = _gaps(pair.baseline), _gaps(pair.candidate)
    if one is None or two is None:
        return None
    return ({ends: us for ends, us in one.items() if ends not in two},
            {ends: us for ends, us in two.items() if ends not in one})  # fmt: skip


def _gaps(summary: Summary) -> dict[tuple[str, ...], float] | None:
    """(operator before, operator after) -> microseconds per step; None if neighbours are not known."""
    parts = summary.owned.parts
    if parts is None or "operator" not in parts.recorded_keys:
        return None
    times = zip(parts.keys, parts.totals()[0].tolist(), strict=True)
    per_step = 1000 * len(summary.steps)
    return {
        _neighbours(key[2]): ns / per_step
        for key, ns in times
        if key[0] == _OTHER and key[1] == NOTHING_RECORDED and ns
    }


def _neighbours(context: str) -> tuple[str, ...]:
    """Parses "after X, before Y" -> (X, Y)."""
    return tuple(end.removeprefix("after ").removeprefix("before ") for end in context.split(", before "))
