"""Sorts many texts by packing their letters into integers.

Comparing a million texts pairwise takes longer than reading them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Ints, Ints32, Nanoseconds

_MANY = 20_000
"""Fewer texts are sorted by Python's pairwise comparison."""

_USUAL_LENGTH = 64
"""Longer average lengths are also sorted by pairwise comparison: this sort joins all texts, which takes memory."""

_SAMPLE = 1_000
_LETTERS = 8
_BITS = 64


def alphabetical(texts: Sequence[str]) -> Ints32:
    """(t,) indices of the texts in sorted() order. Texts must be distinct."""
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
        is_new = np.append(True, before[1:] != before[:-1])
        groups = int(np.count_nonzero(is_new))
        letters = min(_LETTERS, (_BITS - groups.bit_length()) // 8) if groups > 1 else _LETTERS
        code = _letters(data, begin[rows] + depth, end[rows], letters)
        if groups > 1:
            code |= np.cumsum(is_new, dtype=np.uint64) << np.uint64(8 * letters)
        order = np.argsort(code, kind="stable")
        code, rows = code[order], rows[order]
        is_first = np.append(True, code[1:] != code[:-1])
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
