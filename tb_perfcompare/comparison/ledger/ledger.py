"""The books: the step-time delta split over categories, inside each over their entities, and inside these over who
called them with which input shape, exact to the last unit.

Owned (exposed) nanoseconds are summed over the admitted steps of each side and brought to the least common multiple of
the two step counts, so that means per step are integers and every level adds up without rounding.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from tb_perfcompare.comparison.ledger.parts import pairs_of, part_rows, parts_of_sides
from tb_perfcompare.comparison.ledger.rows import Total, row_of, sum_row
from tb_perfcompare.comparison.result.ledger_rows import Ledger, LedgerRow
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, CYCLE_TIME, NOT_SPLIT, OVERLAPPING, OwnedTime, Summary

WHOLE_CYCLE = "Cycle"
"""The only part of a step whose time was not recorded by owner."""


def build_ledger(baseline: Summary, candidate: Summary) -> Ledger:
    """Rows: every category, then its entities, each followed by its parts, largest |delta| first, ties by name. If a
    side has categories alone, so has the ledger: each category is one entity. A cycle is one part with one entity."""
    steps_a, steps_b = steps = len(baseline.steps), len(candidate.steps)
    denominator = lcm(steps_a, steps_b)
    if baseline.metric == CYCLE_TIME:
        return _whole(baseline, candidate, denominator)
    factors = denominator // steps_a, denominator // steps_b
    split = baseline.is_split and candidate.is_split
    side_a = _totals(baseline.owned if split else _undivided(baseline.owned), steps_a, factors[0])
    side_b = _totals(candidate.owned if split else _undivided(candidate.owned), steps_b, factors[1])
    parts_a, parts_b = parts_of_sides(baseline, candidate, factors) if split else ({}, {})
    longer = max(sum(total.time for total in side.values()) for side in (side_a, side_b))
    empty_a, empty_b = Total(0, 0, steps_a, ""), Total(0, 0, steps_b, "")
    groups: list[tuple[LedgerRow, list[LedgerRow]]] = []
    below: dict[tuple[str, ...], list[LedgerRow]] = {}
    named: list[set[str]] = [set() for _ in CATEGORY_LABELS]
    for category, key in (*side_a, *side_b):
        named[category].add(key)
    for category, label in enumerate(CATEGORY_LABELS):
        entities = []
        for key in sorted(named[category]):
            pairs = pairs_of(parts_a.get((label, key), {}), parts_b.get((label, key), {}), steps)
            a, b = side_a.get((category, key), empty_a), side_b.get((category, key), empty_b)
            entities.append(row_of((label, key), a, b, pairs.values()))
            below[label, key] = part_rows(entities[-1], pairs, longer)
        entities.sort(key=lambda row: (-abs(row.delta), row.path))
        groups.append((sum_row((label,), label, entities), entities))
    groups.sort(key=lambda group: -abs(group[0].delta))
    heads = [head for head, _ in groups]
    return Ledger(
        denominator=denominator,
        baseline=sum(head.baseline for head in heads),
        candidate=sum(head.candidate for head in heads),
        delta=sum(head.delta for head in heads),
        rows=tuple(
            row for head, entities in groups for row in (head, *(r for e in entities for r in (e, *below[e.path])))
        ),
        backlog=(
            int(baseline.steps.backlog_ns.sum()) * factors[0], int(candidate.steps.backlog_ns.sum()) * factors[1]
        ),
    )


def _whole(baseline: Summary, candidate: Summary, denominator: int) -> Ledger:
    """The delta in one row: nobody recorded how the functions of a cycle overlap."""
    sides = [
        Total(int(side.owned.time_ns.sum()) * (denominator // len(side.steps)), 0, len(side.steps), OVERLAPPING)
        for side in (baseline, candidate)
    ]
    entity = row_of((WHOLE_CYCLE, OVERLAPPING), sides[0], sides[1])
    head = sum_row((WHOLE_CYCLE,), WHOLE_CYCLE, [entity])
    return Ledger(denominator, head.baseline, head.candidate, head.delta, (head, entity))


def _undivided(owned: OwnedTime) -> OwnedTime:
    """One entity per category. It has no calls: what would be counted is not said by both sides."""
    time = owned.by_category()
    rows = np.flatnonzero(time.any(axis=1))
    names = (NOT_SPLIT,) * len(rows)
    return OwnedTime(rows.astype(np.int8), names, names, time[rows], time[rows], np.zeros_like(time[rows]))


def _totals(owned: OwnedTime, steps: int, factor: int) -> dict[tuple[int, str], Total]:
    time = owned.time_ns.sum(axis=1).tolist()
    calls = owned.calls.sum(axis=1).tolist()
    return {
        (int(category), key): Total(int(t) * factor, int(c), steps, name)
        for category, key, name, t, c in zip(owned.category.tolist(), owned.key, owned.name, time, calls, strict=True)
    }
