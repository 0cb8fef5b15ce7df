"""Convolutions: 1 to 3 dimensions, groups, stride, padding, dilation, transposed; forward and backward.

2 N · prod(positions) · prod(weight sizes) FLOPs for the output, and as many for each of grad_input and grad_weight.
Positions are those of the output, for a transposed convolution those of its input (conv_flop_count in
torch.utils.flop_counter; Dumoulin and Visin, https://arxiv.org/abs/1603.07285). The sizes of a weight
[C_out, C_in / groups, ...] account for groups; flop_counter omits them in grad_weight and overestimates that part.
Positions in the padding count like those in the input; the bias, added values and activations are not counted.
If the kernel is narrower than its stride, only the input positions that it reaches are read.
"""

from __future__ import annotations

from functools import partial
from math import prod

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.tensors import Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.quick_dataclass import dataclass

FAMILY = "convolution"


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of an operator's arguments; -1 if it has none (then 1 or 0 holds).

    read     further tensors that are read: the bias, added values
    grouped  whether the weight may have groups although no argument says so
    """

    stride: int
    padding: int
    dilation: int = -1
    groups: int = -1
    output_padding: int = -1
    transposed: bool = False
    grouped: bool = False
    read: tuple[int, ...] = ()


def _list(call: Call, index: int, dimensions: int, default: int) -> tuple[int, ...]:
    """One number per dimension; a single number holds for all."""
    if index < 0:
        return (default,) * dimensions
    numbers = call.integers(index)
    need(len(numbers) in (1, dimensions))
    return numbers * dimensions if len(numbers) == 1 else numbers


def _output_sizes(call: Call, x: Tensor, weight: Tensor, places: Places) -> tuple[int, ...]:
    """Positions of the output: floor((size + 2 padding - dilation (kernel - 1) - 1) / stride) + 1 per dimension.

    Transposed: (size - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html and ConvTranspose2d.html
    """
    dimensions = len(x.sizes) - 2
    stride, padding = _list(call, places.stride, dimensions, 1), _list(call, places.padding, dimensions, 0)
    dilation, added = _list(call, places.dilation, dimensions, 1), _list(call, places.output_padding, dimensions, 0)
    need(all(stride))
    sizes = []
    for size, kernel, step, edge, gap, extra in zip(
        x.sizes[2:], weight.sizes[2:], stride, padding, dilation, added, strict=True
    ):
        reach = gap * (kernel - 1)
        if places.transposed:
            sizes.append((size - 1) * step - 2 * edge + reach + extra + 1)
        else:
            sizes.append((size + 2 * edge - reach - 1) // step + 1)
    need(all(size >= 0 for size in sizes))
    return tuple(sizes)


def _check(x: Tensor, weight: Tensor, groups: int, transposed: bool) -> None:
    need(3 <= len(x.sizes) == len(weight.sizes) <= 5 and groups > 0)
    need(x.sizes[1] == (weight.sizes[0] if transposed else weight.sizes[1] * groups))
    if x.type.rank == 3:
        raise NoModelError("complex convolutions are not modeled")


def forward(places: Places, call: Call) -> Work:
    """Work of an operator (input, weight, ...) with its arguments at these positions."""
    x, weight = call.tensor(0), call.tensor(1)
    groups = call.integer(places.groups) if places.groups >= 0 else 1
    if places.grouped:
        need(len(x.sizes) > 1 and len(weight.sizes) > 1 and weight.sizes[1] > 0)
        groups = x.sizes[1] // weight.sizes[1]
    _check(x, weight, groups, places.transposed)
    positions = _output_sizes(call, x, weight, places)
    channels = weight.sizes[1] * groups if places.transposed else weight.sizes[0]
    counted = x.sizes[2:] if places.transposed else positions
    read = x.bytes
    if not places.transposed:
        read = _reached(x, weight, positions, _list(call, places.stride, len(positions), 1))
    moved = read + weight.bytes + call.optional_bytes(*places.read)
    moved += x.sizes[0] * channels * prod(positions) * x.type.size
    return Work(2 * x.sizes[0] * prod(counted) * weight.elements, moved, same(x, weight), FAMILY)


def _reached(x: Tensor, weight: Tensor, positions: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """Bytes of the input that the output depends on: a 1 x 1 kernel with stride 2 skips three quarters of an image."""
    read = x.bytes
    for size, kernel, count, step in zip(x.sizes[2:], weight.sizes[2:], positions, stride, strict=True):
        if kernel < step and size:
            read = read * min(count * kernel, size) // size
    return read


def backward(call: Call) -> Work:
    """Gradients of a convolution: one product each for grad_input and grad_weight, if the mask requests them.

    convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
    groups, output_mask). grad_bias is a sum over grad_output and not counted. Bytes: grad_output, inputs of each
    requested gradient, the gradients.
    """
    return _backward(call, call.flag(7), call.integer(9), call.flags(10), stride=4)


def backward_overrideable(call: Call) -> Work:
    """convolution_backward_overrideable: the same without the sizes of the bias."""
    return _backward(call, call.flag(6), call.integer(8), call.flags(9), stride=3)


def _backward(call: Call, transposed: bool, groups: int, mask: tuple[bool, ...], stride: int) -> Work:
    grad, x, weight = call.tensor(0), call.tensor(1), call.tensor(2)
    _check(x, weight, groups, transposed)
    channels = weight.sizes[1] * groups if transposed else weight.sizes[0]
    need(len(mask) == 3 and len(grad.sizes) == len(x.sizes) and grad.sizes[:2] == (x.sizes[0], channels))
    positions = (x if transposed else grad).sizes[2:]
    per_gradient = 2 * x.sizes[0] * prod(positions) * weight.elements
    moved = grad.bytes
    if mask[0]:
        moved += weight.bytes + x.written
    if mask[1]:
        steps = _list(call, stride, len(positions), 1)
        read = x.bytes if transposed else _reached(x, weight, tuple(positions), steps)
        moved += read + weight.written
    if mask[2]:
        moved += channels * weight.type.size
    return Work(per_gradient * (mask[0] + mask[1]), moved, same(grad, x, weight), FAMILY)


PADDING_FIRST = Places(padding=2, stride=3, dilation=4, groups=5)
BIAS_PADDING_FIRST = Places(padding=3, stride=4, dilation=5, groups=6, read=(2,))
SLOW = Places(stride=4, padding=5, grouped=True, read=(3,))
DILATED = Places(stride=4, padding=5, dilation=6, read=(3,))
DEPTHWISE = Places(stride=4, padding=5, dilation=6, grouped=True, read=(3,))
SLOW_TRANSPOSED = Places(stride=4, padding=5, output_padding=6, dilation=7, transposed=True, read=(3,))
RELU = Places(stride=3, padding=4, dilation=5, groups=6, read=(2,))
ADD_RELU = Places(stride=5, padding=6, dilation=7, groups=8, read=(2, 4))


def overrideable(call: Call) -> Work:
    """convolution_overrideable(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)."""
    transposed = call.flag(6)
    places = Places(stride=3, padding=4, dilation=5, groups=8, output_padding=7, transposed=transposed, read=(2,))
    return forward(places if transposed else Places(stride=3, padding=4, dilation=5, groups=8, read=(2,)), call)


_PLACES = {
    "aten::cudnn_convolution": PADDING_FIRST,
    "aten::cudnn_convolution_transpose": Places(
        padding=2, output_padding=3, stride=4, dilation=5, groups=6, transposed=True
    ),
    "aten::miopen_convolution_transpose": Places(
        padding=3, output_padding=4, stride=5, dilation=6, groups=7, transposed=True, read=(2,)
    ),
    "aten::miopen_convolution": BIAS_PADDING_FIRST,
    "aten::miopen_depthwise_convolution": BIAS_PADDING_FIRST,
    "aten::mkldnn_convolution": BIAS_PADDING_FIRST,
    "aten::cudnn_convolution_relu": RELU,
    "aten::miopen_convolution_relu": RELU,
    "aten::cudnn_convolution_add_relu": ADD_RELU,
    "aten::miopen_convolution_add_relu": ADD_RELU,
    "aten::_slow_conv2d_forward": SLOW,
    "aten::slow_conv3d_forward": SLOW,
    "aten::slow_conv_dilated2d": DILATED,
    "aten::slow_conv_dilated3d": DILATED,
    "aten::slow_conv_transpose2d": SLOW_TRANSPOSED,
    "aten::slow_conv_transpose3d": SLOW_TRANSPOSED,
    "aten::_conv_depthwise2d": DEPTHWISE,
    "aten::conv_depthwise3d": DEPTHWISE,
}

MODELS.update({
    **{operator: partial(forward, places) for operator, places in _PLACES.items()},
    "aten::convolution_overrideable": overrideable,
    "aten::_convolution": overrideable,  # computes only transposed ones on the CPU itself
    "aten::convolution_backward": backward,
    "aten::convolution_backward_overrideable": backward_overrideable,
})
