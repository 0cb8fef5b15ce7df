"""Keys of operators, computed once per distinct name instead of once per table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.model.arrays import Ints, Ints32, TextIndex, places_of, unique_first
from tb_perfcompare.model.names.join_keys import kernel_key, other_keys
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.texts import TextPool

UNKNOWN_LAUNCH = "(launch not recorded)"


class OperatorKeys:
    """Keys of t texts, computed on request: the texts of a recording also contain shapes, stacks and more.

    pool  the texts, followed by keys that are not among them; each text occurs once
    """

    def __init__(self, strings: StringTable) -> None:
        self._strings = strings
        self._original = len(strings)
        self.pool = TextPool(list(strings.texts))
        self._is_known = np.zeros(self._original, dtype=bool)
        self._key = np.arange(self._original, dtype=np.int32)
        self._place: dict[str, int] = {}  # of texts already looked up

    def of(self, codes: TextIndex) -> Ints32:
        """(c,) Index into the pool of the key of each of these texts."""
        unknown = codes[~gather(self._is_known, codes)]
        if len(unknown):
            self._compute(unknown)
        return gather(self._key, codes)

    def numbered(self, codes: TextIndex, known: Sequence[str] = ()) -> tuple[Ints32, Ints32]:
        """Numbers the keys of these codes: `known` first, then the others in order of occurrence.

        Returns ((c,) number of each code's key, index into the pool by number).
        """
        place = self.of(codes)
        places_of_all = np.concatenate([np.array(self.places(known), dtype=np.int32), place])
        same, first, _ = unique_first(places_of_all)
        places: Ints32 = same[np.argsort(first, kind="stable")]
        number = np.zeros(len(self.pool), dtype=np.int32)
        number[places] = np.arange(len(places), dtype=np.int32)
        return number[place], places

    def places(self, texts: Collection[str]) -> list[int]:
        """Returns the indices of these texts in the pool, adding those that are missing."""
        for text in sorted(set(texts).difference(self._place)):
            at = self._strings.find(text)
            if not 0 <= at < self._original:
                at = len(self.pool)
                self.pool.texts.append(text)
            self._place[text] = at
        return [self._place[text] for text in texts]

    def ranks(self) -> Ints:
        """Alphabetical rank of each text of the pool."""
        texts, strings = self.pool.texts, self._strings
        added = sorted(range(self._original, len(self.pool)), key=texts.__getitem__)
        order = np.insert(strings.in_order(), [strings.place(texts[at]) for at in added], added)
        return places_of(order, len(order)).astype(np.int64)

    def _compute(self, codes: TextIndex) -> None:
        self._is_known[codes] = True
        other_texts = other_keys(list(map(self.pool.texts.__getitem__, codes.tolist())))
        if other_texts:
            self._key[codes[list(other_texts)]] = self.places(list(other_texts.values()))


def operator_keys_of(strings: StringTable) -> OperatorKeys:
    """Returns the operator keys of a recording's texts, cached in the string table."""
    return strings.known(OperatorKeys)


def kernel_places(strings: StringTable, codes: TextIndex) -> Ints32:
    """(c,) Index into the pool of the key of each of these kernel names; the key matches kernels of two runs."""
    other_texts: dict[int, str] = {}
    places = codes.astype(np.int32)
    for at, code in enumerate(codes.tolist()):
        key = kernel_key(strings[code])
        if key != strings[code]:
            other_texts[at] = key
    if other_texts:
        places[list(other_texts)] = operator_keys_of(strings).places(list(other_texts.values()))
    return places
