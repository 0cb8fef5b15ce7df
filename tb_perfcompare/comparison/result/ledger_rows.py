"""Rows of a ledger: as objects, as columns of a category, and all in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.exact_integers import ExactInts, exact
from tb_perfcompare.comparison.result.plain_values import Unbounded
from tb_perfcompare.model.arrays import Flags, Floats, unique
from tb_perfcompare.model.texts import Texts
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """Time per step of a category, an entity or a part, in integer nanoseconds x denominator.

    path is (category,), (category, entity) or (category, entity, part), where a part is a caller of the entity with
    an input shape. delta = candidate - baseline = count_effect + rate_effect; rate_effect = mix_effect (calls in
    other proportions of the parts) + same_shape_effect. calls are per step. status: both, added, removed. `name` is
    a raw name behind the entity's key.
    """

    path: Annotated[tuple[str, ...], "category; category and entity; or category, entity and part"]
    name: Annotated[str, "one of the raw names with this key"]
    baseline: Annotated[int, "exposed time of the baseline, 1/`denominator` ns per step"]
    candidate: Annotated[int, "exposed time of the candidate, 1/`denominator` ns per step"]
    delta: Annotated[int, "candidate - baseline"]
    calls: Annotated[tuple[Unbounded, Unbounded], "calls per step: baseline, candidate; null if not counted"]
    count_effect: Annotated[int, "part of `delta` from more or fewer calls"]
    rate_effect: Annotated[int, "mix_effect + same_shape_effect"]
    status: Annotated[str, "whether both sides have it", ("both", "added", "removed")]
    mix_effect: Annotated[int, "part of `delta` from another mix of parts (shapes)"] = 0
    DERIVED: ClassVar[tuple[str, ...]] = ("same_shape_effect",)

    @property
    def same_shape_effect(self) -> Annotated[int, "part of `delta` from another time per call of the same parts"]:
        """Part of the delta from the same parts taking a different time per call."""
        return self.rate_effect - self.mix_effect


STATUSES = ("both", "added", "removed")
"""Status by its number."""

_KEPT = 2_000
"""Number of rows up to which row objects are kept once they are made."""


@dataclass(slots=True, eq=False)
class EntityRows(Sequence[LedgerRow]):
    """Entities of one category, n rows of depth 2. Columns are as in LedgerRow; `calls` holds the calls per step of
    baseline and candidate, `status` indexes STATUSES.

    A recording may have hundreds of thousands of names, of which few are shown, so a row object is made only on demand.
    Integers are exact: columns whose sum exceeds 64 bits hold Python ints.
    """

    category: str
    key: Sequence[str]
    name: Sequence[str]
    baseline: ExactInts
    candidate: ExactInts
    calls: tuple[Floats, Floats]
    count_effect: ExactInts
    mix_effect: ExactInts
    status: NDArray[np.int8]
    _made: tuple[LedgerRow, ...] | None = None

    @property
    def delta(self) -> ExactInts:
        """Candidate minus baseline, (n,)."""
        return self.candidate - self.baseline

    @property
    def rate_effect(self) -> ExactInts:
        """Part of the delta that the number of calls does not explain, (n,)."""
        return self.delta - self.count_effect

    def __len__(self) -> int:
        return len(self.key)

    @overload
    def __getitem__(self, at: int) -> LedgerRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[LedgerRow, ...]: ...
    def __getitem__(self, at: int | slice) -> LedgerRow | tuple[LedgerRow, ...]:
        return self._rows(at) if isinstance(at, slice) else self._rows(slice(at, at + 1 or None))[0]

    def __iter__(self) -> Iterator[LedgerRow]:
        if self._made is None and len(self) <= _KEPT:
            self._made = self._rows(slice(None))
        if self._made is not None:
            yield from self._made
            return
        for start in range(0, len(self), _KEPT):
            yield from self._rows(slice(start, start + _KEPT))

    def picked(self, some: Flags) -> list[LedgerRow]:
        """Returns the rows for which `some` is true."""
        rows = np.flatnonzero(some)
        if self._made is not None or len(self) <= _KEPT:
            made = tuple(self)
            return [made[at] for at in rows.tolist()]
        return list(self.of_rows(rows))

    def of_rows(self, rows: ExactInts) -> EntityRows:
        """Returns the rows with these numbers, as columns."""
        key, name = (_picked(texts, rows) for texts in (self.key, self.name))
        a, b, count, mix = (
            column[rows] for column in (self.baseline, self.candidate, self.count_effect, self.mix_effect)
        )
        calls = self.calls[0][rows], self.calls[1][rows]
        return EntityRows(self.category, key, name, a, b, calls, count, mix, self.status[rows])

    def _rows(self, rows: slice) -> tuple[LedgerRow, ...]:
        if self._made is not None:
            return self._made[rows]
        a, b, count, mix = (
            column[rows].tolist() for column in (self.baseline, self.candidate, self.count_effect, self.mix_effect)
        )
        calls = zip(self.calls[0][rows].tolist(), self.calls[1][rows].tolist(), strict=True)
        status = map(STATUSES.__getitem__, self.status[rows].tolist())
        category = self.category
        return tuple(
            LedgerRow((category, key), name, x, y, y - x, often, by_count, y - x - by_count, word, by_mix)
            for key, name, x, y, often, by_count, word, by_mix in zip(
                self.key[rows], self.name[rows], a, b, calls, count, status, mix, strict=True
            )
        )


def _picked(texts: Sequence[str], rows: ExactInts) -> Sequence[str]:
    if isinstance(texts, Texts):
        return Texts(texts.code[rows], texts.pool)
    return tuple(map(texts.__getitem__, rows.tolist()))


def largest_of(rows: Iterable[LedgerRow]) -> LedgerRow:
    """The row that changed most; of equal ones the last by name."""
    return max(rows, key=lambda row: (abs(row.delta), row.path))


def columns_of(category: str, rows: Sequence[LedgerRow]) -> EntityRows:
    if isinstance(rows, EntityRows):
        return rows
    return EntityRows(
        category,
        tuple(row.path[1] for row in rows),
        tuple(row.name for row in rows),
        exact([row.baseline for row in rows]),
        exact([row.candidate for row in rows]),
        (np.array([row.calls[0] for row in rows], np.float64), np.array([row.calls[1] for row in rows], np.float64)),
        exact([row.count_effect for row in rows]),
        exact([row.mix_effect for row in rows]),
        np.array([STATUSES.index(row.status) for row in rows], dtype=np.int8),
    )


def sum_of(rows: EntityRows, name: str, *below: str) -> LedgerRow:
    """Sums entities of one category, effects included, into one row; `below` is the end of its path."""
    statuses = unique(rows.status)
    a, b, count, mix = (
        sum(column.tolist()) for column in (rows.baseline, rows.candidate, rows.count_effect, rows.mix_effect)
    )
    return LedgerRow(
        path=(rows.category, *below),
        name=name,
        baseline=a,
        candidate=b,
        delta=b - a,
        calls=(sum(rows.calls[0].tolist(), 0.0), sum(rows.calls[1].tolist(), 0.0)),
        count_effect=count,
        rate_effect=b - a - count,
        status=STATUSES[int(statuses[0])] if len(statuses) == 1 else "both",
        mix_effect=mix,
    )


@dataclass(slots=True, eq=False)
class LedgerGroup:
    """A category's row, its entities, and the parts of entities that have any, by the entity's number."""

    head: LedgerRow
    entities: EntityRows
    parts: Mapping[int, tuple[LedgerRow, ...]]

    def __iter__(self) -> Iterator[LedgerRow]:
        yield self.head
        if not self.parts:
            yield from self.entities
            return
        for at, row in enumerate(self.entities):
            yield row
            yield from self.parts.get(at, ())

    def __len__(self) -> int:
        return 1 + len(self.entities) + sum(map(len, self.parts.values()))

    def row(self, number: int) -> LedgerRow:
        """Returns the row with this number, counted as on iterating."""
        if not number:
            return self.head
        number -= 1
        for place in sorted(self.parts):
            if number <= place:
                break
            if number <= place + len(self.parts[place]):
                return self.parts[place][number - place - 1]
            number -= len(self.parts[place])
        return self.entities[number]


def grouped(rows: Sequence[LedgerRow]) -> list[LedgerGroup]:
    starts = [at for at, row in enumerate(rows) if len(row.path) == 1]
    groups = []
    for start, end in pairwise([*starts, len(rows)]):
        entities = list[LedgerRow]()
        parts = dict[int, tuple[LedgerRow, ...]]()
        for row in rows[start + 1 : end]:
            if len(row.path) == 2:
                entities.append(row)
            else:
                parts[len(entities) - 1] = (*parts.get(len(entities) - 1, ()), row)
        groups.append(LedgerGroup(rows[start], columns_of(rows[start].path[0], entities), parts))
    return groups


class LedgerRows(Sequence[LedgerRow]):
    """Rows of a ledger in their order. Equal to the tuple of the same rows."""

    __slots__ = ("groups",)

    def __init__(self, groups: tuple[LedgerGroup, ...]) -> None:
        self.groups = groups

    def __len__(self) -> int:
        return sum(map(len, self.groups))

    @overload
    def __getitem__(self, at: int) -> LedgerRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[LedgerRow, ...]: ...
    def __getitem__(self, at: int | slice) -> LedgerRow | tuple[LedgerRow, ...]:
        numbers = range(len(self))[at]
        return self._row(numbers) if isinstance(numbers, int) else tuple(map(self._row, numbers))

    def _row(self, at: int) -> LedgerRow:
        for group in self.groups:
            if at < len(group):
                return group.row(at)
            at -= len(group)
        raise IndexError("no such row of the ledger")

    def __iter__(self) -> Iterator[LedgerRow]:
        for group in self.groups:
            yield from group

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | LedgerRows) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
