"""The second level of the ledger as columns: owners of the time of each category, on both sides.

Names without any change make up most of a long ledger. Sums and effects of all rows are computed at once; rows that
need integers beyond 64 bits, or have several parts, one by one (comparison/ledger/rows.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from tb_perfcompare.comparison.ledger.parts import Parts, pairs_of, part_rows
from tb_perfcompare.comparison.ledger.rows import Total, count_effect, mix_effect
from tb_perfcompare.comparison.result.ledger_columns import STATUSES, EntityRows, ExactInts, LedgerGroup, exact, sum_of
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, OwnedTime
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, at_rows, join_parts
from tb_perfcompare.quick_dataclass import dataclass

_BOTH, _ADDED, _REMOVED = map(STATUSES.index, ("both", "added", "removed"))


@dataclass(slots=True, eq=False)
class Entities:
    """Entities of both sides, r of them.

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
    ) -> Entities:
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
        for place in np.flatnonzero(np.isin(rows, list(self.several))).tolist() if self.several else ():
            pairs = pairs_of(*self.several[int(rows[place])], self.steps)
            one, two = (
                Total(int(time[place]), int(calls[place]), steps, "")
                for time, calls, steps in zip((a, b), (calls_a, calls_b), self.steps, strict=True)
            )
            mix[place] = mix_effect(one, two, pairs.values())
            below = part_rows((label, key[place]), pairs, longer)
            if below:
                parts[place] = tuple(below)
        per_step = calls_a / self.steps[0], calls_b / self.steps[1]
        in_a, in_b = ((time != 0) | (calls != 0) for time, calls in ((a, calls_a), (b, calls_b)))
        status = np.where(in_a & ~in_b, _REMOVED, np.where(in_b & ~in_a, _ADDED, _BOTH)).astype(np.int8)
        entities = EntityRows(label, key, name, a, b, per_step, count, exact(mix), status)
        return LedgerGroup(sum_of(entities, label), entities, parts)

    def _order(self, rows: ExactInts) -> ExactInts:
        delta = abs(self.time[1][rows] - self.time[0][rows])
        ranks = self.joined.numbers.ranks(self.joined.parts[1][rows])
        if delta.dtype == object:
            order = sorted(range(len(rows)), key=lambda at: (-delta[at], ranks[at]))
            return np.array(order, dtype=np.int64)
        return np.lexsort((ranks, -delta))

    def _count_effects(self, a: ExactInts, b: ExactInts, calls_a: ExactInts, calls_b: ExactInts) -> ExactInts:
        """(r,) count effects, as computed for single rows: zero for equal calls per step, the whole change for
        one-sided entities."""
        steps_a, steps_b = self.steps
        other = calls_b * steps_a != calls_a * steps_b
        found = np.where(other & (calls_b == 0), -a, np.where(other & (calls_a == 0), b, 0))
        some = np.flatnonzero(other & (calls_a != 0) & (calls_b != 0)).tolist()
        if not some:
            return exact(found.tolist()) if found.dtype == object else found
        effects = found.tolist()
        for at in some:
            effects[at] = count_effect(
                Total(int(a[at]), int(calls_a[at]), steps_a, ""), Total(int(b[at]), int(calls_b[at]), steps_b, "")
            )
        return exact(effects)


def _scaled(time: ExactInts, factor: int) -> ExactInts:
    """Scales times, to int64 if their sum fits, else to Python ints."""
    most = max(int(time.max(initial=0)), -int(time.min(initial=0)))
    return time * factor if most * factor * max(len(time), 1) < 1 << 61 else time.astype(object) * factor
