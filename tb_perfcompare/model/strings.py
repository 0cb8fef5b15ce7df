"""Interned strings: every distinct text is stored once; columns hold its index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Ints, Ints32, Nanoseconds, is_run_start

T = TypeVar("T")

_FEW = 8
"""Number of linear searches before an index is built."""

_PAST_ASCII = "\x80"


class StringTable:
    """Distinct strings in order of first appearance; `intern` returns a text's index.

    A reader builds it; by convention it is read-only once the recording exists.
    """

    __slots__ = ("_derived", "_index", "_order", "_ranks", "_sought", "_texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._index: dict[str, int] | None = {}  # None: to be rebuilt on demand
        self._sought = 0
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
        if len(self._ranks) == len(self._texts):
            at = self._place(text)
            index = int(self._order[at]) if at < len(self._order) else -1
            return index if index >= 0 and self._texts[index] == text else -1
        if self._sought < _FEW:
            self._sought += 1
            with suppress(ValueError):
                return self._texts.index(text)
            return -1
        return self._indexed().get(text, -1)

    def beginning(self, starts: Iterable[str]) -> list[int]:
        """Ascending indices of texts that start with one of `starts`, ignoring case, and possibly of a few others.

        Each start has at least two letters.
        """
        order, indices = self.in_order(), set[int]()
        for low, high in _spans(tuple(starts)):
            indices.update(order[self._place(low) : self._place(high)].tolist())
        indices.update(order[self._place(_PAST_ASCII) :].tolist())
        return sorted(indices)

    def _place(self, text: str) -> int:
        """Number of texts that sort before this one; their order is known."""
        return bisect_left(self._order.data, text, key=self._texts.__getitem__)

    def _indexed(self) -> dict[str, int]:
        """Rebuilds the index."""
        self._index = dict(zip(self._texts, range(len(self._texts)), strict=True))
        return self._index

    def ranks(self) -> Ints:
        """(n,) each string's position in sorted order: a tie-break independent of file order."""
        if len(self._ranks) != len(self._texts):
            order = alphabetical(self._texts)
            ranks = np.empty(len(order), dtype=np.int64)
            ranks[order] = np.arange(len(order))
            self._ranks, self._order = ranks, order
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


_MANY = 20_000
"""Fewer texts are sorted by Python's pairwise comparison."""

_USUAL_LENGTH = 64
"""Longer average lengths are also sorted by pairwise comparison: this sort joins all texts, which takes memory."""

_SAMPLE = 1_000
_LETTERS = 8
_BITS = 64


def alphabetical(texts: Sequence[str]) -> Ints32:
    """(t,) indices of the texts in sorted() order. Texts must be distinct. Their letters are packed into integers:
    comparing a million texts pairwise takes longer than reading them."""
    order = _by_letters(texts) if len(texts) >= _MANY else None
    if order is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int32)
    return order


def _by_letters(texts: Sequence[str]) -> Ints32 | None:
    """Radix sort; None if texts are too long, not ASCII, or contain the separator characters."""
    sample = texts[:: len(texts) // _SAMPLE + 1]
    if sum(map(len, sample)) > _USUAL_LENGTH * len(sample):
        return None
    joined = "\n".join((*texts, "\0" * _LETTERS))
    if not joined.isascii() or joined.count("\0") != _LETTERS or joined.count("\n") != len(texts):
        return None
    data = np.frombuffer(joined.encode(), dtype=np.uint8)
    del joined
    end = np.flatnonzero(data == ord("\n"))
    begin = np.append(0, end[:-1] + 1)
    places_of_texts = np.empty(len(texts), dtype=np.int32)
    # texts not placed yet, and for each the number of texts that sort before its group of equal prefixes
    rows, before = np.arange(len(texts), dtype=np.int32), np.zeros(len(texts), dtype=np.int32)
    depth = 0
    while len(rows):
        place = np.arange(len(rows), dtype=np.int32)
        is_new = is_run_start(before)
        groups = int(np.count_nonzero(is_new))
        letters = min(_LETTERS, (_BITS - groups.bit_length()) // 8) if groups > 1 else _LETTERS
        code = _letters(data, begin[rows] + depth, end[rows], letters)
        if groups > 1:
            code |= np.cumsum(is_new, dtype=np.uint64) << np.uint64(8 * letters)
        order = np.argsort(code, kind="stable")
        code, rows = code[order], rows[order]
        is_first = is_run_start(code)
        before += np.maximum.accumulate(place * is_first) - np.maximum.accumulate(place * is_new)
        is_alone = is_first & np.append(is_first[1:], True)
        places_of_texts[before[is_alone]] = rows[is_alone]
        rows, before = rows[~is_alone], before[~is_alone]
        depth += letters
    return places_of_texts


def _letters(data: NDArray[np.uint8], begin: Ints, end: Nanoseconds, count: int) -> NDArray[np.uint64]:
    """(r,) the `count` bytes from each `begin` as one big-endian number; zeros past `end`."""
    words = np.ndarray((len(data) - _LETTERS + 1,), ">u8", data, strides=(1,))
    numbers = words[np.minimum(begin, end)].astype(np.uint64)
    left = np.clip(end - begin, 0, count)
    numbers >>= (_BITS - 8 * np.maximum(left, 1)).astype(np.uint64)
    numbers <<= (8 * (count - np.maximum(left, 1))).astype(np.uint64)
    numbers[left == 0] = 0
    return numbers
