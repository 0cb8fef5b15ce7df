"""Launch sites of device work, as texts that are equal in every recording of the same program.

Operators nest: `aten::conv2d > aten::convolution > aten::cudnn_convolution`. An operator's place is a digest of its
name, its input shape and the place of the enclosing operator. A table of operators with the place above each is
therefore the whole tree with one row per distinct node, and rows of several recordings join by their place.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np

from tb_perfcompare.model.arrays import NodeIndex, TextIndex
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import TextPool, Texts
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWork:
    """Device work by name and launch site, and the tree of operators that defines the sites.

    work       keys (category label, kernel key, place) in order of first execution; place "" if the operator is
               unknown. Summed durations and launches of all device events that start in an admitted step
    operators  keys (operator, input shape, place above) in order of their work's first execution. Summed durations of
               all work below; calls of the operator that launched work, in the step where that work started
    """

    work: SplitTime
    operators: SplitTime


OUTSIDE = ""
"""Place of work that no operator encloses."""


@lru_cache(maxsize=1 << 14)
def place_below(above: str, operator: str, input_shape: str) -> str:
    """Place of an operator inside the place `above`; 16 hexadecimal digits."""
    text = "\0".join((above, operator, input_shape))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class PlacePool(TextPool):
    """The places of a tree of p operators: number 0 is OUTSIDE, 1 + i is the place of operator i.

    Digests are computed when the first text is requested: they take longer than the rest of the tree.

    above     (p,) number of the enclosing place, lower than the operator's own
    operator  p names
    shape     p input shapes
    """

    __slots__ = ("_above", "_operator", "_shape")

    def __init__(self, above: NodeIndex, operator: Texts, shape: Texts) -> None:
        super().__init__([])
        self._above, self._operator, self._shape = above, operator, shape

    @property
    def texts(self) -> list[str]:
        if not self._texts:
            texts = [OUTSIDE]
            for above, operator, shape in zip(self._above.tolist(), self._operator, self._shape, strict=True):
                texts.append(place_below(texts[above], operator, shape))
            self._texts = texts
        return self._texts

    def __len__(self) -> int:
        return len(self._above) + 1

    def only(self, code: TextIndex) -> Texts:
        """Column with the whole pool, since each place depends on those above it."""
        return Texts(np.ascontiguousarray(code, dtype=np.int32), self)
