"""One numbering for the texts of two sides: rows are joined, sorted and looked up as numbers.

A column of many texts is numbers into a pool already (model/texts.py): each text of a pool is looked up once, however
many rows and tables have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.texts import Column, Keys, TextPool, TextRows, Texts, column
from tb_perfcompare.quick_dataclass import dataclass

_UNKNOWN = -1


class TextNumbers:
    """Numbers of texts, given in the order in which they come; equal texts have equal ones."""

    __slots__ = ("_number", "_pools", "_rank", "_texts")

    def __init__(self) -> None:
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        self._pools: dict[int, tuple[TextPool, Ints]] = {}
        self._texts: list[str] = []
        self._rank: Ints = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._number)

    def of(self, texts: Sequence[str]) -> Ints:
        """(n,) the number of each."""
        if not isinstance(texts, Texts):
            return self._of_each(texts)
        pool = texts.pool
        known = self._pools.get(id(pool))
        if known is None or len(known[1]) < len(pool):
            known = self._pools[id(pool)] = (pool, self._of_each(pool.texts))
        return known[1][texts.code]

    def _of_each(self, texts: Sequence[str]) -> Ints:
        return np.fromiter(map(self._number.__getitem__, texts), dtype=np.int64, count=len(texts))

    def texts(self) -> list[str]:
        """All texts, by number; not to be written to."""
        if len(self._texts) < len(self):
            self._texts = list(self._number)
        return self._texts

    def column(self, numbers: Ints) -> Column:
        """The texts of these numbers."""
        return column(numbers, TextPool(self.texts()))

    def ranks(self, numbers: Ints) -> Ints:
        """(n,) places of these texts in the order of texts."""
        if len(self._rank) < len(self):
            self._rank = np.concatenate((self._rank, np.full(len(self) - len(self._rank), _UNKNOWN, dtype=np.int64)))
        found: Ints = self._rank[numbers]
        if len(found) and found.min() == _UNKNOWN:
            wanted = np.zeros(len(self), dtype=bool)
            wanted[numbers] = True
            wanted |= self._rank != _UNKNOWN
            order = sorted(np.flatnonzero(wanted).tolist(), key=self.texts().__getitem__)
            self._rank[order] = np.arange(len(order))
            found = self._rank[numbers]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows:
    """Rows of two sides under the same key, those of the first side first.

    parts       for each part of the key (r,) numbers of its texts
    at_a, at_b  (r,) row of either side, -1 where it has none
    """

    numbers: TextNumbers
    parts: tuple[Ints, ...]
    at_a: Ints
    at_b: Ints

    def __len__(self) -> int:
        return len(self.at_a)

    def with_part(self, part: int, text: str) -> Ints:
        """Rows whose key has this text."""
        return np.flatnonzero(self.parts[part] == self.numbers.of((text,))[0])

    def by_size(self, size: Floats) -> Ints:
        """(r,) rows, the largest first, equal ones by their texts."""
        order = np.argsort(-size, kind="stable")
        ordered = size[order]
        same = ordered[1:] == ordered[:-1]
        if not same.any():
            return order
        tied = np.zeros(len(order), dtype=bool)
        tied[1:] |= same
        tied[:-1] |= same
        rows = order[tied]
        places = [self.numbers.ranks(part[rows]) for part in reversed(self.parts)]
        order[tied] = rows[np.lexsort((*places, -size[rows]))]
        return order


def join_rows(numbers: TextNumbers, a: Keys, b: Keys, width: int) -> JoinedRows:
    """The rows of two tables of keys with `width` parts; keys differ within a table."""
    one, two = (tuple(map(numbers.of, parts_of(keys, width))) for keys in (a, b))
    return join_parts(numbers, one, two)


def join_parts(numbers: TextNumbers, a: tuple[Ints, ...], b: tuple[Ints, ...]) -> JoinedRows:
    """The same of keys whose parts are numbers of texts, or other numbers that are smaller."""
    one, two = _codes((a, b), len(numbers))
    place = np.full(max(int(one.max(initial=-1)), int(two.max(initial=-1))) + 1, -1, dtype=np.int64)
    place[one] = np.arange(len(one))
    of_b = place[two]
    known, new = np.flatnonzero(of_b >= 0), np.flatnonzero(of_b < 0)
    at_b = np.full(len(one), -1, dtype=np.int64)
    at_b[of_b[known]] = known
    return JoinedRows(
        numbers,
        tuple(np.concatenate((x, y[new])) for x, y in zip(a, b, strict=True)),
        np.concatenate((np.arange(len(one)), np.full(len(new), -1, dtype=np.int64))),
        np.concatenate((at_b, new)),
    )


def at_rows(values: NDArray[Any], rows: Ints, absent: Any = 0) -> NDArray[Any]:
    """Values of these rows, `absent` for row -1."""
    return np.append(values, np.array([absent], dtype=values.dtype))[rows]


def rows_of(joined: JoinedRows, keys: tuple[Ints, ...]) -> Ints:
    """(n,) rows of other keys, -1 of those that neither side has."""
    known, wanted = _codes((joined.parts, keys), len(joined.numbers))
    place = np.full(max(int(known.max(initial=-1)), int(wanted.max(initial=-1))) + 1, -1, dtype=np.int64)
    place[known] = np.arange(len(known))
    found: Ints = place[wanted]
    return found


def parts_of(keys: Keys, width: int) -> tuple[Sequence[str], ...]:
    """The columns of rows of texts."""
    if isinstance(keys, TextRows):
        return keys.columns
    return tuple(zip(*keys, strict=True)) if keys else ((),) * width


def _codes(sides: Sequence[tuple[Ints, ...]], count: int) -> tuple[Ints, Ints]:
    """A number per key of either side, equal for equal keys."""
    ends = len(sides[0][0])
    first, *rest = (np.concatenate(both) for both in zip(*sides, strict=True))
    for part in rest:
        first = np.unique(first * count + part, return_inverse=True)[1].reshape(-1)
    return first[:ends], first[ends:]
