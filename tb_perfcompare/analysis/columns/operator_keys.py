"""The keys of operators, once per distinct name instead of once per table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

import numpy as np

from tb_perfcompare.model.arrays import Ints, Ints32, TextIndex, unique_first
from tb_perfcompare.model.names.names import kernel_key, other_keys
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.texts import TextPool

UNKNOWN_LAUNCH = "(launch not recorded)"
NO_OPERATOR = "(outside operators)"


class OperatorKeys:
    """Of t texts. A recording's are names of operators and kernels, shapes, stacks and more: a key is found out when it
    is asked for.

    pool  the texts, then keys that are none of them: of equal texts there is one
    """

    def __init__(self, strings: StringTable) -> None:
        self._strings = strings
        self._given = len(strings)
        self.pool = TextPool(list(strings.texts))
        self._is_known = np.zeros(self._given, dtype=bool)
        self._key = np.arange(self._given, dtype=np.int32)
        self._place: dict[str, int] = {}  # of what was looked for

    def of(self, codes: TextIndex) -> Ints32:
        """(c,) place in the pool of the key of each of these texts."""
        unknown = codes[~self._is_known[codes]]
        if len(unknown):
            self._find_out(unknown)
        return self._key[codes]

    def numbered(self, codes: TextIndex, known: Sequence[str] = ()) -> tuple[Ints32, Ints32]:
        """((c,) number of the key of each of these codes, place in the pool by number): `known` first, then the others
        in the order in which they come."""
        place = self.of(codes)
        every = np.concatenate([np.array(self.places(known), dtype=np.int32), place])
        same, first, _ = unique_first(every)
        places: Ints32 = same[np.argsort(first, kind="stable")]
        number = np.zeros(len(self.pool), dtype=np.int32)
        number[places] = np.arange(len(places), dtype=np.int32)
        return number[place], places

    def places(self, texts: Collection[str]) -> list[int]:
        """Where these texts stand in the pool, which has them then."""
        for text in sorted(set(texts).difference(self._place)):
            at = self._strings.find(text)
            if not 0 <= at < self._given:
                at = len(self.pool)
                self.pool.texts.append(text)
            self._place[text] = at
        return [self._place[text] for text in texts]

    def ranks(self, strings: StringTable) -> Ints:
        """Place of each text of the pool in alphabetical order; `strings` are the texts that it began with."""
        ranks, texts = strings.ranks(), self.pool.texts
        others = sorted(range(self._given, len(texts)), key=texts.__getitem__)
        if not others:
            return ranks
        order = strings.in_order().tolist()
        before = np.array([bisect_left(order, texts[at], key=texts.__getitem__) for at in others], dtype=np.int64)
        out = np.empty(len(texts), dtype=np.int64)
        out[: self._given] = ranks + np.searchsorted(before, ranks, side="right")
        out[others] = before + np.arange(len(others))
        return out

    def _find_out(self, codes: TextIndex) -> None:
        self._is_known[codes] = True
        others = other_keys(list(map(self.pool.texts.__getitem__, codes.tolist())))
        if others:
            self._key[codes[list(others)]] = self.places(list(others.values()))


def operator_keys_of(strings: StringTable) -> OperatorKeys:
    """Of all texts of a recording."""
    return strings.known(OperatorKeys)


def kernel_places(strings: StringTable, codes: TextIndex) -> Ints32:
    """(c,) place in the pool of the key of each of these kernels' names, by what joins kernels."""
    others: dict[int, str] = {}
    found = codes.astype(np.int32)
    for at, code in enumerate(codes.tolist()):
        key = kernel_key(strings[code])
        if key != strings[code]:
            others[at] = key
    if others:
        found[list(others)] = operator_keys_of(strings).places(list(others.values()))
    return found
