"""The keys of operators, once per distinct name instead of once per table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.names import operator_key, operator_keys
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.unique import unique_first

Rows = NDArray[np.int32]


class OperatorKeys:
    """Of t texts. A recording's are names of operators and kernels, shapes, stacks and more: a key is found out when it
    is asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._key = list(texts)
        self._is_known = np.zeros(len(texts), dtype=bool)
        self._same = np.arange(len(texts), dtype=np.int32)  # the same number for texts of one key: the code of one
        self._of_key: dict[str, int] = {}  # keys that differ from a name that has them -> their number

    def numbered(self, codes: NDArray[np.integer], known: Sequence[str] = ()) -> tuple[Rows, list[str]]:
        """((c,) number of the key of each of these codes, texts by number): `known` first, then the others in the order
        in which they come."""
        self._find_out(codes[~self._is_known[codes]])
        same, first, _ = unique_first(self._same[codes])
        order = np.argsort(first, kind="stable")
        texts = [self._key[code] for code in codes[first[order]].tolist()]
        number = np.arange(len(known), len(known) + len(order), dtype=np.int32)
        for at in [at for at, text in enumerate(texts) if text in known] if known else ():
            number[at] = known.index(texts[at])
            number[at + 1 :] -= 1
        of_same = np.zeros(len(self._key), dtype=np.int32)
        of_same[same[order]] = number
        return of_same[self._same[codes]], [*known, *(text for text in texts if text not in known)]

    def _find_out(self, codes: NDArray[np.integer]) -> None:
        names = [self._texts[code] for code in codes.tolist()]
        self._is_known[codes] = True
        others = {
            code: key
            for code, name, key in zip(codes.tolist(), names, operator_keys(names), strict=True)
            if key is not name
        }
        new = set(others.values()).difference(self._of_key)
        for at in [at for at, text in enumerate(self._texts) if text in new] if new else ():  # a key may be a name
            if operator_key(self._texts[at]) == self._texts[at]:
                self._of_key[self._texts[at]] = at
        for code, key in others.items():
            self._key[code] = key
            self._same[code] = self._of_key.setdefault(key, code)


def operator_keys_of(strings: StringTable) -> OperatorKeys:
    """Of all texts of a recording."""
    return strings.known(OperatorKeys)
