"""Untraced host time around operators that one side alone calls: Python code that calls them, without an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from math import fsum

from tb_perfcompare.comparison.causes.evidence.cause import Part
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOBODY, StepCategory, Summary

LEAST, MOST = 0.25, 2.0
"""Share of the operators' own change, added up without signs."""

_OTHER = CATEGORY_LABELS[StepCategory.OTHER]


def gaps_around(pair: RuleContext, operators: AbstractSet[str], own: Iterable[float]) -> dict[Part, float]:
    """What gaps next to these operators changed the step's untraced time by, microseconds per step; empty where that
    is little, or far more than what the operators' `own` times changed by: then something else happens there.

    A gap is known by its neighbours. Those that one side alone has count if an operator is one of them, or if one was
    put in between: no more than what untraced time changed by.
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
    if abs(us) < pair.least_us or not LEAST * changed <= abs(us) <= MOST * changed:
        return {}
    return {(_OTHER, NOBODY): us}


_Gaps = tuple[Mapping[tuple[str, ...], float], Mapping[tuple[str, ...], float]]


def _one_sided_gaps(pair: RuleContext) -> _Gaps | None:
    one, two = _gaps(pair.baseline), _gaps(pair.candidate)
    if one is None or two is None:
        return None
    return ({ends: us for ends, us in one.items() if ends not in two},
            {ends: us for ends, us in two.items() if ends not in one})  # fmt: skip


def _gaps(summary: Summary) -> dict[tuple[str, ...], float] | None:
    """(operator before, operator after) -> microseconds per step; None where neighbours are not known."""
    parts = summary.owned.parts
    if parts is None or "operator" not in parts.recorded_keys:
        return None
    times = zip(parts.keys, parts.totals()[0].tolist(), strict=True)
    per_step = 1000 * len(summary.steps)
    return {
        _neighbours(key[2]): ns / per_step for key, ns in times if key[0] == _OTHER and key[1] == NOBODY and ns
    }


def _neighbours(context: str) -> tuple[str, ...]:
    """ "after X, before Y" -> (X, Y)"""
    return tuple(end.removeprefix("after ").removeprefix("before ") for end in context.split(", before "))
