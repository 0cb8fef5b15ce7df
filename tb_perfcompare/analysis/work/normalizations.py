"""Normalizations: layer, RMS, batch and group norm; forward and backward.

FLOPs per element, counted from the formulas. Forward (x - mean) · rstd: mean 1, variance 3 (subtract, square, add),
scale 1; weight 1, bias 1. Without a mean (RMS): 3. With given statistics: 2. Backward: rstd · (g - mean(g) - x̂ ·
mean(g · x̂)) with g = grad · weight: x̂ 2, sums 3, the rest 4, weight 1; the gradients of weight 2 and bias 1. RMS: x̂
1, sum 2, the rest 3. Ba, Kiros and Hinton, https://arxiv.org/abs/1607.06450; Zhang and Sennrich,
https://arxiv.org/abs/1910.07467; Ioffe and Szegedy, https://arxiv.org/abs/1502.03167.
Bytes: every input and output once; mean and rstd per row or channel are fp32 for 16-bit inputs.
"""

from __future__ import annotations

from math import prod

from tb_perfcompare.analysis.work.recorded_call import Call, models
from tb_perfcompare.analysis.work.tensors import Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need

FAMILY = "normalization"


def _statistic_size(x: Tensor) -> int:
    if x.type.rank != 2:
        raise NoModelError("only floating-point numbers are modeled")
    return max(4, x.type.size)


def _rows(call: Call, x: Tensor, shape: int, weight: Tensor | None) -> int:
    """Number of normalized rows: elements divided by the last dimensions, whose sizes the weight or `shape` states."""
    inner = weight.sizes if weight is not None else call.integers(shape)
    need(0 < len(inner) <= len(x.sizes) and x.sizes[-len(inner) :] == inner)
    return prod(x.sizes[: -len(inner)])


def _channels(x: Tensor, *parameters: Tensor | None) -> int:
    need(len(x.sizes) >= 2)
    need(all(tensor.sizes == x.sizes[1:2] for tensor in parameters if tensor is not None))
    return x.sizes[1]


def _forward(
    call: Call, each: int, parameters: tuple[int, ...], statistics: int | None, read: tuple[int, ...] = ()
) -> Work:
    """`each` FLOPs per element of argument 0 and 1 more for each of the parameters; so many statistics are written."""
    x = call.tensor(0)
    flops = (each + sum(call.optional(at) is not None for at in parameters)) * x.elements
    moved = x.bytes + call.optional_bytes(*parameters, *read) + x.written
    moved += 0 if statistics is None else statistics * _statistic_size(x)
    return Work(flops, moved, x.type.name, FAMILY)


def _backward(
    call: Call, x: Tensor, grad: Tensor, weight: int, size: int, mask: tuple[bool, ...], read: tuple[int, ...],
    each: int = 9, of_weight: int = 2,
) -> Work:  # fmt: skip
    """Gradients of x (`each` FLOPs per element, 1 more with a weight), of the weight (`of_weight`) and the bias (1),
    which have `size` elements, as the mask requests them; `read` are the statistics."""
    need(grad.sizes == x.sizes and len(mask) == 3)
    scale = call.optional(weight)
    flops = (each + (scale is not None)) * mask[0] + of_weight * mask[1] + mask[2]
    moved = grad.bytes + x.bytes + call.optional_bytes(*read, *(weight,) * mask[0]) + x.written * mask[0]
    moved += size * (scale or x).type.size * (mask[1] + mask[2])
    return Work(flops * x.elements, moved, same(grad, x), FAMILY)


@models("aten::native_layer_norm")
def layer_norm(call: Call) -> Work:
    """native_layer_norm(input, shape, weight, bias, eps): 5 to 7 per element."""
    return _forward(call, 5, (2, 3), 2 * _rows(call, call.tensor(0), 1, call.optional(2)))


@models("aten::native_layer_norm_backward")
def layer_norm_backward(call: Call) -> Work:
    """native_layer_norm_backward(grad, input, shape, mean, rstd, weight, bias, mask): up to 13 per element."""
    x, weight = call.tensor(1), call.optional(5)
    rows = _rows(call, x, 2, weight)
    mask = call.flags(7) if call.values else (True, weight is not None, call.is_tensor(6))
    return _backward(call, x, call.tensor(0), 5, x.elements // rows if rows else 0, mask, (3, 4))


@models("aten::_fused_rms_norm")
def rms_norm(call: Call) -> Work:
    """_fused_rms_norm(input, shape, weight, eps): 3 or 4 per element."""
    return _forward(call, 3, (2,), _rows(call, call.tensor(0), 1, call.optional(2)))


@models("aten::_fused_rms_norm_backward")
def rms_norm_backward(call: Call) -> Work:
    """_fused_rms_norm_backward(grad, input, shape, rstd, weight, mask): up to 9 per element."""
    x, weight = call.tensor(1), call.optional(4)
    _rows(call, x, 2, weight)
    size = 0 if weight is None else weight.elements
    return _backward(call, x, call.tensor(0), 4, size, (*call.flags(5), False), (3,), each=6)


@models("aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm")
def batch_norm(call: Call) -> Work:
    """native_, cudnn_, miopen_batch_norm(input, weight, bias, running_mean, running_var, training, ...).

    5 per element in training, 2 with running statistics; weight 1, bias 1.
    """
    channels = _channels(call.tensor(0), *map(call.optional, range(1, 5)))
    if not call.flag(5):
        return _forward(call, 2, (1, 2), None, read=(3, 4))
    return _forward(call, 5, (1, 2), 2 * channels, read=(3, 4, 3, 4))


@models("aten::native_batch_norm_backward")
def batch_norm_backward(call: Call) -> Work:
    """native_batch_norm_backward(grad, input, weight, running_mean, running_var, mean, rstd, train, eps, mask)."""
    x, mask = call.tensor(1), call.flags(9)
    channels = _channels(x, call.optional(2))
    if call.flag(7):
        return _backward(call, x, call.tensor(0), 2, channels, mask, (5, 6))
    return _backward(call, x, call.tensor(0), 2, channels, mask, (3, 4), each=1, of_weight=4)


@models("aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward")
def library_batch_norm_backward(call: Call) -> Work:
    """cudnn_, miopen_batch_norm_backward(input, grad, weight, ..., mean at 5, rstd at 6, ...): 13 per element.

    In training.
    """
    x = call.tensor(0)
    return _backward(call, x, call.tensor(1), 2, _channels(x, call.tensor(2)), (True, True, True), (5, 6))


@models("aten::native_group_norm")
def group_norm(call: Call) -> Work:
    """native_group_norm(input, weight, bias, N, C, HxW, group, eps): 5 to 7 per element."""
    x = call.tensor(0)
    _channels(x, call.optional(1), call.optional(2))
    return _forward(call, 5, (1, 2), 2 * x.sizes[0] * call.integer(6))


@models("aten::native_group_norm_backward")
def group_norm_backward(call: Call) -> Work:
    """native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, mask): up to 13 per element."""
    x = call.tensor(1)
    return _backward(call, x, call.tensor(0), 4, _channels(x, call.optional(4)), call.flags(9), (2, 3))
