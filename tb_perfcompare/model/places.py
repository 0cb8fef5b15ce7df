"""Where device work was launched from, as a text that is the same in every recording of the same program.

Operators nest: `aten::conv2d > aten::convolution > aten::cudnn_convolution`. The place of an operator is a digest of
its name, its input shape and the place of the operator around it. So a table of operators with the place above each is
the whole tree, at the size of its distinct nodes, and rows of several recordings join by their text.
"""

from __future__ import annotations

from hashlib import blake2b

OUTSIDE = ""
"""The place of what no operator encloses."""


def place_below(above: str, operator: str, input_shape: str) -> str:
    """The place of an operator that the place `above` encloses; 16 hexadecimal digits."""
    text = "\0".join((above, operator, input_shape))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
