"""Pooling and interpolation: 1 to 3 dimensions, forward and backward.

Pooling: one FLOP per element of each window (a comparison or an addition). Bytes: the input, the output, and for max
pooling the indices (int64). https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

Interpolation (upsample_*): each output element from the nearest input elements. FLOPs: 2 per input element that an
output element is computed from (2 per dimension, 4 for cubic), none for nearest; backward the same, 1 for nearest.
Bytes: the input elements that are needed, and the output; backward both gradients.
https://docs.pytorch.org/docs/stable/generated/torch.nn.Upsample.html
"""

from __future__ import annotations

from functools import partial
from math import prod

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call, models
from tb_perfcompare.analysis.work.tensors import INT64, Tensor
from tb_perfcompare.analysis.work.without_model import CALLS_OTHERS
from tb_perfcompare.analysis.work.work import NoModelError, Work, need

POOLING, INTERPOLATION = "pooling", "interpolation"


def _numbers(call: Call, index: int, count: int, default: tuple[int, ...]) -> tuple[int, ...]:
    text = call.value(index)
    numbers = default if text in ("", "[]") else call.integers(index)
    need(len(numbers) in (1, count))
    return numbers * count if len(numbers) == 1 else numbers


def _output(
    sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...],
    dilation: tuple[int, ...], ceil: bool,
) -> tuple[int, ...]:  # fmt: skip
    """Positions: (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or up with ceil_mode.

    No window starts beyond the input (pooling_output_shape in aten/src/ATen/native/Pool.h).
    """
    need(all(kernel) and all(stride))
    positions = []
    for size, window, step, edge, gap in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = size + 2 * edge - gap * (window - 1) - 1
        count = (room + (step - 1 if ceil else 0)) // step + 1
        if ceil and (count - 1) * step >= size + edge:
            count -= 1
        need(count >= 0 and room >= 0)
        positions.append(count)
    return tuple(positions)


def forward(dimensions: int, call: Call, *, largest: bool) -> Work:
    """max_poolNd_with_indices(self, kernel, stride, padding, dilation, ceil_mode) if `largest`, else
    avg_poolNd(self, kernel, stride, padding, ceil_mode, ...), where positions in the padding count."""
    x = call.tensor(0)
    need(len(x.sizes) in (dimensions + 1, dimensions + 2))
    kernel = _numbers(call, 1, dimensions, ())
    stride, padding = _numbers(call, 2, dimensions, kernel), _numbers(call, 3, dimensions, (0,))
    dilation = _numbers(call, 4, dimensions, (1,)) if largest else (1,) * dimensions
    ceil = call.value(5 if largest else 4) == "True"
    positions = _output(x.sizes[-dimensions:], kernel, stride, padding, dilation, ceil)
    count = prod(x.sizes[:-dimensions]) * prod(positions)
    moved = x.bytes + count * (x.type.size + INT64.size * largest)
    return Work(count * prod(kernel), moved, x.type.name, POOLING)


@models("aten::avg_pool2d_backward", "aten::avg_pool3d_backward")
def avg_pool_backward(call: Call) -> Work:
    """avg_poolNd_backward(grad, self, kernel, ...): one addition per element of each window."""
    grad, x = call.tensor(0), call.tensor(1)
    need(len(grad.sizes) == len(x.sizes))
    kernel = call.integers(2)
    dimensions = 3 if "3d" in call.name else 2
    need(len(kernel) in (1, dimensions))
    window = prod(kernel) ** (dimensions if len(kernel) == 1 else 1)
    return Work(grad.elements * window, grad.bytes + x.written, x.type.name, POOLING)


@models("aten::max_pool2d_with_indices_backward", "aten::max_pool3d_with_indices_backward")
def max_pool_backward(call: Call) -> Work:
    """max_poolNd_with_indices_backward(grad, self, ..., indices at 7): one addition per element of grad."""
    grad, x, places = call.tensor(0), call.tensor(1), call.tensor(7)
    need(grad.sizes == places.sizes and len(grad.sizes) == len(x.sizes))
    return Work(grad.elements, grad.bytes + places.bytes + x.written, x.type.name, POOLING)


def _adaptive(x: Tensor, output: tuple[int, ...]) -> int:
    """Number of elements in all windows: window i of n reaches from floor(i size / n) to ceil((i + 1) size / n)."""
    need(all(count <= 1 << 20 for count in output))
    return prod(x.sizes[: -len(output)]) * prod(
        sum(-((-(index + 1) * size) // count) - index * size // count for index in range(count))
        for size, count in zip(x.sizes[-len(output) :], output, strict=True)
    )


@models("aten::_adaptive_avg_pool2d", "aten::_adaptive_avg_pool3d")
def adaptive_avg_pool(call: Call) -> Work:
    """_adaptive_avg_pool2d, 3d(self, output_size)."""
    x, output = call.tensor(0), call.integers(1)
    need(0 < len(output) < len(x.sizes))
    count = prod(x.sizes[: -len(output)]) * prod(output)
    return Work(_adaptive(x, output), x.bytes + count * x.type.size, x.type.name, POOLING)


@models("aten::_adaptive_avg_pool2d_backward", "aten::_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(call: Call) -> Work:
    """_adaptive_avg_pool2d_backward, 3d(grad, self)."""
    grad, x = call.tensor(0), call.tensor(1)
    dimensions = 3 if "3d" in call.name else 2
    need(len(grad.sizes) == len(x.sizes) > dimensions and grad.sizes[:-dimensions] == x.sizes[:-dimensions])
    moved = grad.bytes + x.written
    return Work(_adaptive(x, grad.sizes[-dimensions:]), moved, x.type.name, POOLING)


def interpolation(dimensions: int, used: int, call: Call) -> Work:
    """upsample_*(self, output_size, ...), with each output element computed from `used` input elements."""
    if not call.value(1):  # given a scale instead of a size
        raise NoModelError(CALLS_OTHERS)
    x, sizes = call.tensor(0), call.integers(1)
    need(len(x.sizes) == dimensions + 2 and len(sizes) == dimensions)
    count = prod(x.sizes[:2]) * prod(sizes)
    flops = 2 * used * count if used > 1 else 0
    return Work(flops, min(x.bytes, used * count * x.type.size) + count * x.type.size, x.type.name, INTERPOLATION)


def interpolation_backward(dimensions: int, used: int, call: Call) -> Work:
    """upsample_*_backward(grad, output_size, input_size, ...)."""
    grad, sizes = call.tensor(0), call.integers(2)
    need(len(grad.sizes) == len(sizes) == dimensions + 2 and grad.sizes[:2] == sizes[:2])
    flops = (2 * used if used > 1 else 1) * grad.elements
    return Work(flops, grad.bytes + prod(sizes) * grad.type.size, grad.type.name, INTERPOLATION)


_KINDS = (
    ("upsample_nearest1d", 1, 1), ("upsample_nearest2d", 2, 1), ("upsample_nearest3d", 3, 1),
    ("_upsample_nearest_exact1d", 1, 1), ("_upsample_nearest_exact2d", 2, 1), ("_upsample_nearest_exact3d", 3, 1),
    ("upsample_linear1d", 1, 2), ("upsample_bilinear2d", 2, 4), ("upsample_trilinear3d", 3, 8),
    ("upsample_bicubic2d", 2, 16),
)  # fmt: skip

MODELS.update({
    "aten::max_pool2d_with_indices": partial(forward, 2, largest=True),
    "aten::max_pool3d_with_indices": partial(forward, 3, largest=True),
    "aten::avg_pool2d": partial(forward, 2, largest=False),
    "aten::avg_pool3d": partial(forward, 3, largest=False),
    **{f"aten::{name}": partial(interpolation, size, used) for name, size, used in _KINDS},
    **{f"aten::{name}_backward": partial(interpolation_backward, size, used) for name, size, used in _KINDS},
})
