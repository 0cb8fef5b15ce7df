"""Interpolation of images (upsample_*): each output element from the nearest input elements.

FLOPs: 2 per input element that an output element is computed from (2 per dimension, 4 for cubic), none for nearest;
backward the same, 1 for nearest. Bytes: the input elements that are needed, and the output; backward both gradients.
https://docs.pytorch.org/docs/stable/generated/torch.nn.Upsample.html
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call, NoModelError, Work, need
from tb_perfcompare.analysis.work.without_model import CALLS_OTHERS

FAMILY = "interpolation"


def forward(dimensions: int, used: int) -> Callable[[Call], Work]:
    """upsample_*(self, output_size, ...), with each output element computed from `used` input elements."""

    def model(call: Call) -> Work:
        if not call.value(1):  # given a scale instead of a size
            raise NoModelError(CALLS_OTHERS)
        x, sizes = call.tensor(0), call.integers(1)
        need(len(x.sizes) == dimensions + 2 and len(sizes) == dimensions)
        count = prod(x.sizes[:2]) * prod(sizes)
        flops = 2 * used * count if used > 1 else 0
        return Work(flops, min(x.bytes, used * count * x.type.size) + count * x.type.size, x.type.name, FAMILY)

    return model


def backward(dimensions: int, used: int) -> Callable[[Call], Work]:
    """upsample_*_backward(grad, output_size, input_size, ...)."""

    def model(call: Call) -> Work:
        grad, sizes = call.tensor(0), call.integers(2)
        need(len(grad.sizes) == len(sizes) == dimensions + 2 and grad.sizes[:2] == sizes[:2])
        flops = (2 * used if used > 1 else 1) * grad.elements
        return Work(flops, grad.bytes + prod(sizes) * grad.type.size, grad.type.name, FAMILY)

    return model


_KINDS = (
    ("upsample_nearest1d", 1, 1), ("upsample_nearest2d", 2, 1), ("upsample_nearest3d", 3, 1),
    ("_upsample_nearest_exact1d", 1, 1), ("_upsample_nearest_exact2d", 2, 1), ("_upsample_nearest_exact3d", 3, 1),
    ("upsample_linear1d", 1, 2), ("upsample_bilinear2d", 2, 4), ("upsample_trilinear3d", 3, 8),
    ("upsample_bicubic2d", 2, 16),
)  # fmt: skip

MODELS.update({
    **{f"aten::{name}": forward(dimensions, used) for name, dimensions, used in _KINDS},
    **{f"aten::{name}_backward": backward(dimensions, used) for name, dimensions, used in _KINDS},
})
