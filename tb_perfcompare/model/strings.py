"""Interned strings: every distinct text is stored once; columns hold its index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np

from tb_perfcompare.model.arrays import Ints, Ints32, places_of

T = TypeVar("T")

_PAST_ASCII = "\x80"


class StringTable:
    """Distinct strings in order of first appearance; `intern` returns a text's index.

    A reader builds it; by convention it is read-only once the recording exists.
    """

    __slots__ = ("_derived", "_index", "_order", "_ranks", "_texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._index: dict[str, int] | None = {}  # None: to be rebuilt on demand
        self._derived: dict[object, tuple[int, Any]] = {}
        self._ranks: Ints = np.zeros(0, dtype=np.int64)
        self._order: Ints32 = np.zeros(0, dtype=np.int32)
        for text in texts:
            self.intern(text)

    def intern(self, text: str) -> int:
        """Index of `text`, added if new."""
        indices = self._index if self._index is not None else self._indexed()
        index = indices.get(text)
        if index is None:
            index = indices[text] = len(self._texts)
            self._texts.append(text)
        return index

    def add_distinct(self, texts: list[str]) -> None:
        """Appends texts that the caller guarantees are distinct and new.

        The index is rebuilt only on demand: for a million texts that takes longer than reading them.
        """
        self._texts += texts
        self._index = None

    def find(self, text: str) -> int:
        """Index of `text`, or -1."""
        if self._index is not None:
            return self._index.get(text, -1)
        order = self.in_order()
        at = self.place(text)
        return int(order[at]) if at < len(order) and self._texts[order[at]] == text else -1

    def beginning(self, starts: Iterable[str]) -> list[int]:
        """Ascending indices of texts that start with one of `starts`, ignoring case, and possibly of a few others.

        Each start has at least two letters.
        """
        order, indices = self.in_order(), set[int]()
        for low, high in _spans(tuple(starts)):
            indices.update(order[self.place(low) : self.place(high)].tolist())
        indices.update(order[self.place(_PAST_ASCII) :].tolist())
        return sorted(indices)

    def place(self, text: str) -> int:
        """Number of texts that sort before this one; their order must be known (`in_order`)."""
        return bisect_left(self._order.data, text, key=self._texts.__getitem__)

    def _indexed(self) -> dict[str, int]:
        self._index = dict(zip(self._texts, range(len(self._texts)), strict=True))
        return self._index

    def ranks(self) -> Ints:
        """(n,) each string's position in sorted order: a tie-break independent of file order."""
        if len(self._ranks) != len(self._texts):
            self._order = np.array(sorted(range(len(self._texts)), key=self._texts.__getitem__), dtype=np.int32)
            self._ranks = places_of(self._order, len(self._order)).astype(np.int64)
        return self._ranks

    def in_order(self) -> Ints32:
        """(n,) indices of the strings in sorted order."""
        self.ranks()
        return self._order

    def known(self, find_out: Callable[[StringTable], T]) -> T:
        """Result of `find_out` for the current table, cached until the table grows."""
        count, result = self._derived.get(find_out, (-1, None))
        if count != len(self._texts):
            result = find_out(self)
            self._derived[find_out] = len(self._texts), result
        return cast("T", result)

    def __getitem__(self, index: int) -> str:
        return self._texts[index]

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def texts(self) -> Sequence[str]:
        """All strings; position = index."""
        return self._texts


@lru_cache(256)
def _spans(starts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Ranges of texts in sorted order that hold those with one of these starts, in either case."""
    prefixes = {first + second for start in starts for first in _cases(start[0]) for second in _cases(start[1])}
    spans = [(head, _next(head)) for head in prefixes]
    return spans + [(first + _PAST_ASCII, _next(first)) for first in {head[0] for head in prefixes}]


def _cases(letter: str) -> set[str]:
    return {letter.lower(), letter.upper()}


def _next(head: str) -> str:
    """The first text after all those with this prefix."""
    return head[:-1] + chr(ord(head[-1]) + 1)
