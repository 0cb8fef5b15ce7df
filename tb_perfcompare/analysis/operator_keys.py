"""The keys of operators, once per distinct name instead of once per table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.names import operator_keys
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.unique import unique_first

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class OperatorKeys:
    """Of t texts.

    text  (t,) operator_key of each
    same  (t,) int32 the same number for texts of one key: the code of one of them
    """

    text: list[str]
    same: Rows

    def numbered(self, codes: NDArray[np.integer], known: Sequence[str] = ()) -> tuple[Rows, list[str]]:
        """((c,) number of the key of each of these codes, texts by number): `known` first, then the others in the order
        in which they come."""
        same, first, _ = unique_first(self.same[codes])
        order = np.argsort(first, kind="stable")
        texts = [self.text[code] for code in codes[first[order]].tolist()]
        number = np.arange(len(known), len(known) + len(order), dtype=np.int32)
        for at in [at for at, text in enumerate(texts) if text in known] if known else ():
            number[at] = known.index(texts[at])
            number[at + 1 :] -= 1
        of_same = np.zeros(len(self.text), dtype=np.int32)
        of_same[same[order]] = number
        return of_same[self.same[codes]], [*known, *(text for text in texts if text not in known)]


def operator_keys_of(strings: StringTable) -> OperatorKeys:
    """Of all texts of a recording."""
    return strings.known(_found)


def _found(texts: Sequence[str]) -> OperatorKeys:
    keys = operator_keys(texts)
    same = np.arange(len(texts), dtype=np.int32)
    first: dict[str, int] = {}
    for at in [at for at, (key, text) in enumerate(zip(keys, texts, strict=True)) if key is not text]:
        same[at] = first.setdefault(keys[at], at)
    if first:  # a key may be another's name
        into = np.arange(len(texts), dtype=np.int32)
        for at in [at for at, text in enumerate(texts) if text in first and keys[at] is text]:
            into[first[texts[at]]] = at
        same = into[same]
    return OperatorKeys(keys, same)
