"""Builds the ledger: the step-time delta split over categories, within each over their entities, and within these over
callers and input shapes, exact to the last unit.

Owned (exposed) nanoseconds are summed over the admitted steps of each side and scaled to the least common multiple
of the two step counts, so that means per step are integers and every level adds up without rounding.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from tb_perfcompare.comparison.ledger.entities import Entities
from tb_perfcompare.comparison.ledger.parts import parts_of_sides
from tb_perfcompare.comparison.ledger.rows import Total, row_of, sum_row
from tb_perfcompare.comparison.result.ledger_columns import LedgerRows
from tb_perfcompare.comparison.result.ledger_rows import Ledger
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, CYCLE_TIME, NOT_SPLIT, OVERLAPPING, OwnedTime, Summary
from tb_perfcompare.model.text_numbers import TextNumbers

WHOLE_CYCLE = "Cycle"
"""The only category of a cycle, whose time was not recorded by owner."""


def build_ledger(baseline: Summary, candidate: Summary, numbers: TextNumbers | None = None) -> Ledger:
    """Builds the ledger. Rows: every category, then its entities, each followed by its parts, largest |delta| first,
    ties by name. If a side has categories only, so has the ledger: each category is one entity. A cycle is one
    category with one entity. `numbers` may hold names of both sides already."""
    steps = len(baseline.steps), len(candidate.steps)
    denominator = lcm(*steps)
    if baseline.metric == CYCLE_TIME:
        return _whole(baseline, candidate, denominator)
    factors = denominator // steps[0], denominator // steps[1]
    split = baseline.is_split and candidate.is_split
    one, two = (side.owned if split else _undivided(side.owned) for side in (baseline, candidate))
    entities = Entities.of(one, two, factors, steps, TextNumbers() if numbers is None else numbers)
    if split:
        entities.several = parts_of_sides(baseline, candidate, factors, entities.joined, entities.calls)
    groups = sorted(map(entities.group, range(len(CATEGORY_LABELS))), key=lambda group: -abs(group.head.delta))
    heads = [group.head for group in groups]
    return Ledger(
        denominator=denominator,
        baseline=sum(head.baseline for head in heads),
        candidate=sum(head.candidate for head in heads),
        delta=sum(head.delta for head in heads),
        rows=LedgerRows(tuple(groups)),
        backlog=(
            int(baseline.steps.backlog_ns.sum()) * factors[0], int(candidate.steps.backlog_ns.sum()) * factors[1]
        ),
        not_recorded=(baseline.not_recorded, candidate.not_recorded),
    )


def _whole(baseline: Summary, candidate: Summary, denominator: int) -> Ledger:
    """Ledger with the delta in one row, because the overlap of a cycle's functions is not recorded."""
    sides = [
        Total(int(side.owned.time_ns.sum()) * (denominator // len(side.steps)), 0, len(side.steps), OVERLAPPING)
        for side in (baseline, candidate)
    ]
    entity = row_of((WHOLE_CYCLE, OVERLAPPING), sides[0], sides[1])
    head = sum_row((WHOLE_CYCLE,), WHOLE_CYCLE, [entity])
    return Ledger(denominator, head.baseline, head.candidate, head.delta, (head, entity))


def _undivided(owned: OwnedTime) -> OwnedTime:
    """One entity per category, without calls: the two sides would not count the same things."""
    time = owned.by_category()
    rows = np.flatnonzero(time.any(axis=1))
    names = (NOT_SPLIT,) * len(rows)
    return OwnedTime(rows.astype(np.int8), names, names, time[rows], time[rows], np.zeros_like(time[rows]))
