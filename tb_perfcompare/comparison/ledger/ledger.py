"""Builds the ledger: the step-time delta split over categories, within each over their entities, and within these over
callers and input shapes, exact to the last unit.

Owned (exposed) nanoseconds are summed over the admitted steps of each side and scaled to the least common multiple
of the two step counts, so that means per step are integers and every level adds up without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from math import lcm

import numpy as np

from tb_perfcompare.comparison.ledger.parts import Parts, pairs_of, part_rows, parts_of_sides
from tb_perfcompare.comparison.ledger.rows import Total, count_effect, mix_effect, row_of
from tb_perfcompare.comparison.result.exact_integers import ExactInts, exact
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import (
    STATUSES,
    EntityRows,
    LedgerGroup,
    LedgerRow,
    LedgerRows,
    sum_of,
)
from tb_perfcompare.model.arrays import are_in
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOT_SPLIT, OVERLAPPING
from tb_perfcompare.model.summary.summary import CYCLE_TIME, Summary
from tb_perfcompare.model.summary.tables import OwnedTime
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, at_rows, join_parts
from tb_perfcompare.quick_dataclass import dataclass

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
    owned_a, owned_b = (side.owned if split else _undivided(side.owned) for side in (baseline, candidate))
    entities = _Entities.of(owned_a, owned_b, factors, steps, TextNumbers() if numbers is None else numbers)
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
    head = replace(entity, path=(WHOLE_CYCLE,), name=WHOLE_CYCLE)
    return Ledger(denominator, head.baseline, head.candidate, head.delta, (head, entity))


def _undivided(owned: OwnedTime) -> OwnedTime:
    """One entity per category, without calls: the two sides would not count the same things."""
    time = owned.by_category()
    rows = np.flatnonzero(time.any(axis=1))
    names = (NOT_SPLIT,) * len(rows)
    return OwnedTime(rows.astype(np.int8), names, names, time[rows], time[rows], np.zeros_like(time[rows]))


_BOTH, _ADDED, _REMOVED = map(STATUSES.index, ("both", "added", "removed"))


@dataclass(slots=True, eq=False)
class _Entities:
    """Owners of the time of each category: entities of both sides as columns, r of them.

    Names without any change make up most of a long ledger. Sums and effects of all rows are computed at once; rows that
    need integers beyond 64 bits, or have several parts, one by one (comparison/ledger/rows.py).

    joined  their rows on both sides, by category and number of the key
    name    (r,) numbers of the names to show
    time    of each side (r,) ledger units, calls (r,) over all its steps
    several  row -> its parts on both sides, for rows with more than one part
    """

    steps: tuple[int, int]
    joined: JoinedRows
    name: ExactInts
    time: tuple[ExactInts, ExactInts]
    calls: tuple[ExactInts, ExactInts]
    several: Mapping[int, tuple[Parts, Parts]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, a: OwnedTime, b: OwnedTime, factors: tuple[int, int], steps: tuple[int, int], numbers: TextNumbers
    ) -> _Entities:
        """Joins the entities of two sides; `factors` convert their times to ledger units."""
        empty = int(numbers.of(("",))[0])
        parts_a, parts_b = ((side.category.astype(np.int64), numbers.of(side.key)) for side in (a, b))
        names = [numbers.of(side.name) for side in (a, b)]
        joined = join_parts(numbers, parts_a, parts_b)
        rows_of_sides = joined.at_a, joined.at_b
        times = [_scaled(side.time_ns.sum(axis=1), factor) for side, factor in zip((a, b), factors, strict=True)]
        if any(time.dtype == object for time in times):
            times = [time.astype(object) for time in times]
        shown = [at_rows(name, rows, empty) for name, rows in zip(names, rows_of_sides, strict=True)]
        return cls(
            steps, joined, np.where(shown[0] == empty, shown[1], shown[0]),
            (at_rows(times[0], rows_of_sides[0]), at_rows(times[1], rows_of_sides[1])),
            (at_rows(a.calls.sum(axis=1), rows_of_sides[0]), at_rows(b.calls.sum(axis=1), rows_of_sides[1])),
        )  # fmt: skip

    def group(self, category: int) -> LedgerGroup:
        """Builds the group of a category: its entities, the largest |delta| first, and their parts."""
        label, numbers = CATEGORY_LABELS[category], self.joined.numbers
        rows = np.flatnonzero(self.joined.parts[0] == category)
        rows = rows[self._order(rows)]
        key = numbers.column(self.joined.parts[1][rows])
        name = numbers.column(self.name[rows])
        a, b = (time[rows] for time in self.time)
        calls_a, calls_b = (calls[rows] for calls in self.calls)
        count = self._count_effects(a, b, calls_a, calls_b)
        mix: list[int] = [0] * len(rows)
        parts: dict[int, tuple[LedgerRow, ...]] = {}
        longer = max(int(time.sum()) for time in self.time)
        for index in np.flatnonzero(are_in(rows, np.array([*self.several]))).tolist() if self.several else ():
            pairs = pairs_of(*self.several[int(rows[index])], self.steps)
            total_a, total_b = (
                Total(int(time[index]), int(calls[index]), steps, "")
                for time, calls, steps in zip((a, b), (calls_a, calls_b), self.steps, strict=True)
            )
            mix[index] = mix_effect(total_a, total_b, pairs.values())
            below = part_rows((label, key[index]), pairs, longer)
            if below:
                parts[index] = tuple(below)
        per_step = calls_a / self.steps[0], calls_b / self.steps[1]
        in_a, in_b = ((time != 0) | (calls != 0) for time, calls in ((a, calls_a), (b, calls_b)))
        status = np.where(in_a & ~in_b, _REMOVED, np.where(in_b & ~in_a, _ADDED, _BOTH)).astype(np.int8)
        entities = EntityRows(label, key, name, a, b, per_step, count, exact(mix), status)
        return LedgerGroup(sum_of(entities, label), entities, parts)

    def _order(self, rows: ExactInts) -> ExactInts:
        delta = abs(self.time[1][rows] - self.time[0][rows])
        ranks = self.joined.numbers.ranks(self.joined.parts[1][rows])
        if delta.dtype == object:
            order = sorted(range(len(rows)), key=lambda index: (-delta[index], ranks[index]))
            return np.array(order, dtype=np.int64)
        return np.lexsort((ranks, -delta))

    def _count_effects(self, a: ExactInts, b: ExactInts, calls_a: ExactInts, calls_b: ExactInts) -> ExactInts:
        """(r,) count effects, as computed for single rows: zero for equal calls per step, the whole change for
        one-sided entities."""
        steps_a, steps_b = self.steps
        other = calls_b * steps_a != calls_a * steps_b
        one_sided = np.where(other & (calls_b == 0), -a, np.where(other & (calls_a == 0), b, 0))
        some = np.flatnonzero(other & (calls_a != 0) & (calls_b != 0)).tolist()
        if not some:
            return exact(one_sided.tolist()) if one_sided.dtype == object else one_sided
        effects = one_sided.tolist()
        for row in some:
            effects[row] = count_effect(
                Total(int(a[row]), int(calls_a[row]), steps_a, ""), Total(int(b[row]), int(calls_b[row]), steps_b, "")
            )
        return exact(effects)


def _scaled(time: ExactInts, factor: int) -> ExactInts:
    """Scales times, to int64 if their sum fits, else to Python ints."""
    most = max(int(time.max(initial=0)), -int(time.min(initial=0)))
    return time * factor if most * factor * max(len(time), 1) < 1 << 61 else time.astype(object) * factor
