"""Where device work was launched from, as a text that is the same in every recording of the same program.

Operators nest: `aten::conv2d > aten::convolution > aten::cudnn_convolution`. The place of an operator is a digest of
its name, its input shape and the place of the operator around it. So a table of operators with the place above each is
the whole tree, at the size of its distinct nodes, and rows of several recordings join by their text.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from tb_perfcompare.model.arrays import NodeIndex, TextIndex
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import TextPool, Texts
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWork:
    """Device work by name and place (model/summary/launch_sites.py), and the operators that make up the places.

    work       keys (category label, kernel key, place) in the order in which they first ran; place "" is work whose
               operator is not known. Summed durations and launches: all device events that start in an admitted step
    operators  keys (operator, input shape, place above) in the order in which their work first ran. Summed durations
               of everything below; calls of the operator that launched anything, in the step where its work began
    """

    work: SplitTime
    operators: SplitTime


OUTSIDE = ""
"""The place of what no operator encloses."""


def place_below(above: str, operator: str, input_shape: str) -> str:
    """The place of an operator that the place `above` encloses; 16 hexadecimal digits."""
    text = "\0".join((above, operator, input_shape))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class PlacePool(TextPool):
    """The places of a tree of p operators: number 0 is OUTSIDE, 1 + i that of operator i. Digests take longer than all
    else that is known of a place, and are made when the first text is asked for.

    above     (p,) number of the place around each, which comes before its own
    operator  p names
    shape     p input shapes
    """

    __slots__ = ("_above", "_operator", "_shape")

    def __init__(self, above: NodeIndex, operator: Texts, shape: Texts) -> None:
        super().__init__([])
        self._above, self._operator, self._shape = above, operator, shape

    @property
    def texts(self) -> list[str]:
        """All places."""
        if not self._texts:
            texts = [OUTSIDE]
            for above, operator, shape in zip(self._above.tolist(), self._operator, self._shape, strict=True):
                texts.append(place_below(texts[above], operator, shape))
            self._texts = texts
        return self._texts

    def __len__(self) -> int:
        return len(self._above) + 1

    def text(self, number: int) -> str:
        """One place, without making the others."""
        if self._texts or not number:
            return self.texts[number] if number else OUTSIDE
        around = []
        while number:
            around.append(number - 1)
            number = int(self._above[number - 1])
        text = OUTSIDE
        for at in reversed(around):
            text = place_below(text, self._operator[at], self._shape[at])
        return text

    def only(self, code: TextIndex) -> Texts:
        """All of the tree, which any of its places is made of."""
        return Texts(np.ascontiguousarray(code, dtype=np.int32), self)
