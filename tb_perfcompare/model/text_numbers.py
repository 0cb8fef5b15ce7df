"""One numbering for the texts of both sides: rows are joined, sorted and looked up by integers.

Long text columns already are indices into a pool (model/texts.py): each text of a pool is looked up once, no matter
how many rows and tables use it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Floats, Ints, places_of, unique_places
from tb_perfcompare.model.texts import Column, Keys, TextPool, TextRows, Texts, column
from tb_perfcompare.quick_dataclass import dataclass


class TextNumbers:
    """Assigns numbers to texts in order of first appearance; equal texts get equal numbers. `joins`: what join_rows has
    joined, by the identity of the keys, which it keeps alive."""

    __slots__ = ("_number", "_pools", "_texts", "joins")

    def __init__(self) -> None:
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        self._pools: dict[int, tuple[TextPool, Ints]] = {}
        self._texts: list[str] = []
        self.joins: dict[tuple[int, int, int], tuple[Keys, Keys, JoinedRows]] = {}

    def __len__(self) -> int:
        return len(self._number)

    def of(self, texts: Sequence[str]) -> Ints:
        """(n,) number of each text."""
        if not isinstance(texts, Texts):
            return self._of_each(texts)
        pool = texts.pool
        cached = self._pools.get(id(pool))
        if cached is None or len(cached[1]) < len(pool):
            cached = self._pools[id(pool)] = (pool, self._of_each(pool.texts))
        return cached[1][texts.code]

    def _of_each(self, texts: Sequence[str]) -> Ints:
        return np.fromiter(map(self._number.__getitem__, texts), dtype=np.int64, count=len(texts))

    def texts(self) -> list[str]:
        """All texts, position = number; read-only."""
        if len(self._texts) < len(self):
            self._texts = list(self._number)
        return self._texts

    def column(self, numbers: Ints) -> Column:
        return column(numbers, TextPool(self.texts()))

    def ranks(self, numbers: Ints) -> Ints:
        """(n,) sort keys that order these texts alphabetically."""
        texts = self.texts()
        used, place = unique_places(numbers)
        order = sorted(range(len(used)), key=[texts[number] for number in used.tolist()].__getitem__)
        rank = np.empty(len(used), dtype=np.int64)
        rank[order] = np.arange(len(used))
        return rank[place]


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows:
    """Rows of two sides joined by key; the first side's rows come first.

    parts       (r,) text numbers, one array for each part of the key
    at_a, at_b  (r,) row in each side, -1 if it has none
    """

    numbers: TextNumbers
    parts: tuple[Ints, ...]
    at_a: Ints
    at_b: Ints

    def __len__(self) -> int:
        return len(self.at_a)

    def named(self, name: str) -> Ints:
        """Indices of rows whose key begins with this name."""
        return np.flatnonzero(self.parts[0] == self.numbers.of((name,))[0])

    def by_size(self, size: Floats) -> Ints:
        """(r,) row indices by descending size, ties by their texts."""
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
    """Joins two tables by keys of `width` parts, once however many callers ask; keys are distinct within a table."""
    place = id(a), id(b), width
    if place not in numbers.joins:
        parts_a, parts_b = (tuple(map(numbers.of, parts_of(keys, width))) for keys in (a, b))
        numbers.joins[place] = a, b, join_parts(numbers, parts_a, parts_b)
    return numbers.joins[place][2]


def join_parts(numbers: TextNumbers, a: tuple[Ints, ...], b: tuple[Ints, ...]) -> JoinedRows:
    """Joins two tables by keys whose parts are text numbers, or other integers below the count of texts."""
    code_a, code_b = _codes((a, b), len(numbers))
    of_b = _places(code_a, code_b)
    shared, new = np.flatnonzero(of_b >= 0), np.flatnonzero(of_b < 0)
    at_b = np.full(len(code_a), -1, dtype=np.int64)
    at_b[of_b[shared]] = shared
    return JoinedRows(
        numbers,
        tuple(np.concatenate((x, y[new])) for x, y in zip(a, b, strict=True)),
        np.concatenate((np.arange(len(code_a)), np.full(len(new), -1, dtype=np.int64))),
        np.concatenate((at_b, new)),
    )


def at_rows(values: NDArray[Any], rows: Ints, absent: Any = 0) -> NDArray[Any]:
    """Values at these rows; `absent` for row -1."""
    return np.append(values, np.array([absent], dtype=values.dtype))[rows]


def rows_of(joined: JoinedRows, keys: tuple[Ints, ...]) -> Ints:
    """(n,) row of each key in the joined table; -1 if neither side has it."""
    return _places(*_codes((joined.parts, keys), len(joined.numbers)))


def parts_of(keys: Keys, width: int) -> tuple[Sequence[str], ...]:
    """Transposes keys into columns, one for each part."""
    if isinstance(keys, TextRows):
        return keys.columns
    return tuple(zip(*keys, strict=True)) if keys else ((),) * width


def _places(known: Ints, wanted: Ints) -> Ints:
    """(w,) index of each wanted code among the known ones, -1 if it is none of them."""
    size = max(int(known.max(initial=-1)), int(wanted.max(initial=-1))) + 1
    return places_of(known, size)[wanted].astype(np.int64)


def _codes(sides: Sequence[tuple[Ints, ...]], count: int) -> tuple[Ints, Ints]:
    """One integer per key for each side; equal for equal keys."""
    length_a = len(sides[0][0])
    first, *rest = (np.concatenate(both) for both in zip(*sides, strict=True))
    for part in rest:
        first = unique_places(first * count + part)[1]
    return first[:length_a], first[length_a:]
