"""Text columns as integers into a shared pool of texts, so that rows need no Python objects.

Short columns hold the texts themselves; both forms are sequences with the same items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, overload

import numpy as np

from tb_perfcompare.model.arrays import Ints32, TextIndex
from tb_perfcompare.quick_dataclass import dataclass

_MANY = 10_000
"""Row count from which integers save noticeable memory and time over a tuple of texts."""

_SPARE = 4
"""A column that uses less than 1/_SPARE of the pool gets a pool of its own."""


class TextPool:
    """Texts by number. More may be appended."""

    __slots__ = ("_texts",)

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    @property
    def texts(self) -> list[str]:
        """All texts; read-only."""
        return self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def only(self, code: TextIndex) -> Texts:
        """Column of these texts, which keeps alive little more than it uses."""
        if len(code) * _SPARE >= len(self):
            return Texts(np.ascontiguousarray(code, dtype=np.int32), self)
        used = np.zeros(len(self), dtype=bool)
        used[code] = True
        place = np.cumsum(used, dtype=np.int32)
        place -= 1
        return Texts(place[code], TextPool(list(map(self.texts.__getitem__, np.flatnonzero(used).tolist()))))


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Sequence[str]):
    """n texts: `code` (n,) int32 indices into `pool`. Equals the tuple of the texts."""

    code: Ints32
    pool: TextPool

    def __post_init__(self) -> None:
        """Raises ValueError for indices outside the pool."""
        if self.code.ndim != 1 or (len(self.code) and not 0 <= self.code.min() <= self.code.max() < len(self.pool)):
            raise ValueError("texts beyond those there are")

    def __len__(self) -> int:
        return len(self.code)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        texts = self.pool.texts
        if isinstance(at, slice):
            return tuple(map(texts.__getitem__, self.code[at].tolist()))
        text: str = texts[int(self.code[at])]
        return text

    def __iter__(self) -> Iterator[str]:
        return map(self.pool.texts.__getitem__, self.code.tolist())

    def __contains__(self, text: object) -> bool:
        return text in self.pool.texts and any(map(text.__eq__, self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Texts) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True, slots=True, eq=False)
class TextRows(Sequence[tuple[str, ...]]):
    """n tuples of texts, one column for each part. Equals the tuple of the tuples."""

    columns: tuple[Texts, ...]

    def __post_init__(self) -> None:
        """Raises ValueError for no columns or columns of different lengths."""
        if len(set(map(len, self.columns))) != 1:
            raise ValueError("columns of texts that make no rows")

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, at: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[str, ...], ...]: ...

    def __getitem__(self, at: int | slice) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
        if isinstance(at, slice):
            return tuple(zip(*(column[at] for column in self.columns), strict=True))
        return tuple(column[at] for column in self.columns)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return zip(*self.columns, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | TextRows) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


Column: TypeAlias = tuple[str, ...] | Texts
"""A text per row."""

Keys: TypeAlias = tuple[tuple[str, ...], ...] | TextRows
"""A tuple of texts per row."""

Coded: TypeAlias = tuple[TextIndex, TextPool]
"""(n,) indices into a pool, and the pool."""


def numbered(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels, repeated ones with a number: 1, 2, 1 (2)."""
    seen = Counter[str]()
    distinct = []
    for label in labels:
        seen[label] += 1
        distinct.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(distinct)


def column(code: TextIndex, pool: TextPool) -> Column:
    """The column of the pool's texts with these indices."""
    if len(code) < _MANY:
        return tuple(map(pool.texts.__getitem__, code.tolist()))
    return pool.only(code)


def keys(*parts: Coded) -> Keys:
    """Rows made of these parts, which have equal lengths."""
    if len(parts[0][0]) < _MANY:
        return tuple(zip(*(map(pool.texts.__getitem__, code.tolist()) for code, pool in parts), strict=True))
    return TextRows(tuple(pool.only(code) for code, pool in parts))
