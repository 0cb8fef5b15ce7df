"""Normalisations: layer, RMS, batch and group norm; forward and backward.

FLOPs per element, counted from the formulas. Forward (x - mean) · rstd: mean 1, variance 3 (subtract, square, add),
scale 1; weight 1, bias 1. Without a mean (RMS): 3. With given statistics: 2. Backward: rstd · (g - mean(g) - x̂ ·
mean(g · x̂)) with g = grad · weight: x̂ 2, sums 3, the rest 4, weight 1; the gradients of weight 2 and bias 1. RMS: x̂
1, sum 2, the rest 3. Ba, Kiros and Hinton, https://arxiv.org/abs/1607.06450; Zhang and Sennrich,
https://arxiv.org/abs/1910.07467; Ioffe and Szegedy, https://arxiv.org/abs/1502.03167.
Bytes: every input and output once; mean and rstd per row or channel are fp32 for 16-bit inputs.
"""

from __future__ import annotations

from math import prod

from tb_perfcompare.analysis.work.recorded_call import Call, NoModelError, Tensor, Work, models, need, same

FAMILY = "normalisation"


def _statistic_size(x: Tensor) -> int:
    if x.type.rank != 2:
        raise NoModelError("only floating-point numbers are modelled")
    return max(4, x.type.size)


def _rows(call: Call, x: Tensor, shape: int, weight: Tensor | None) -> int:
    """Number of normalised rows: elements divided by the last dimensions, whose sizes the weight or `shape` states."""
    inner = weight.sizes if weight is not None else call.integers(shape)
    need(0 < len(inner) <= len(x.sizes) and x.sizes[-len(inner) :] == inner)
    return prod(x.sizes[: -len(inner)])


@models("aten::native_layer_norm")
def layer_norm(call: Call) -> Work:
    """native_layer_norm(input, shape, weight, bias, eps): 5 to 7 per element."""
    x, weight, bias = call.tensor(0), call.optional(2), call.optional(3)
    rows = _rows(call, x, 1, weight)
    flops = (5 + (weight is not None) + (bias is not None)) * x.elements
    moved = x.bytes + call.optional_bytes(2, 3) + x.written + 2 * rows * _statistic_size(x)
    return Work(flops, moved, x.type.name, FAMILY)


@models("aten::native_layer_norm_backward")
def layer_norm_backward(call: Call) -> Work:
    """native_layer_norm_backward(grad, input, shape, mean, rstd, weight, bias, mask): up to 13 per element."""
    grad, x, weight = call.tensor(0), call.tensor(1), call.optional(5)
    rows = _rows(call, x, 2, weight)
    need(grad.sizes == x.sizes)
    mask = call.flags(7) if call.values else (True, weight is not None, call.is_tensor(6))
    need(len(mask) == 3)
    each = (9 + (weight is not None)) * mask[0] + 2 * mask[1] + mask[2]
    parameter = x.elements // rows if rows else 0
    moved = grad.bytes + x.bytes + call.optional_bytes(3, 4, *(5,) * mask[0]) + x.written * mask[0]
    moved += parameter * (weight or x).type.size * (mask[1] + mask[2])
    return Work(each * x.elements, moved, same(grad, x), FAMILY)


@models("aten::_fused_rms_norm")
def rms_norm(call: Call) -> Work:
    """_fused_rms_norm(input, shape, weight, eps): 3 or 4 per element."""
    x, weight = call.tensor(0), call.optional(2)
    rows = _rows(call, x, 1, weight)
    moved = x.bytes + call.optional_bytes(2) + x.written + rows * _statistic_size(x)
    return Work((3 + (weight is not None)) * x.elements, moved, x.type.name, FAMILY)


@models("aten::_fused_rms_norm_backward")
def rms_norm_backward(call: Call) -> Work:
    """_fused_rms_norm_backward(grad, input, shape, rstd, weight, mask): up to 9 per element."""
    grad, x, weight = call.tensor(0), call.tensor(1), call.optional(4)
    _rows(call, x, 2, weight)
    need(grad.sizes == x.sizes)
    mask = call.flags(5)
    need(len(mask) == 2)
    each = (6 + (weight is not None)) * mask[0] + 2 * mask[1]
    moved = grad.bytes + x.bytes + call.optional_bytes(3, *(4,) * mask[0]) + x.written * mask[0]
    moved += weight.written * mask[1] if weight is not None else 0
    return Work(each * x.elements, moved, same(grad, x), FAMILY)


def _channels(x: Tensor, *parameters: Tensor | None) -> int:
    need(len(x.sizes) >= 2)
    need(all(tensor.sizes == x.sizes[1:2] for tensor in parameters if tensor is not None))
    return x.sizes[1]


@models("aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm")
def batch_norm(call: Call) -> Work:
    """native_, cudnn_, miopen_batch_norm(input, weight, bias, running_mean, running_var, training, ...).

    5 per element in training, 2 with running statistics; weight 1, bias 1.
    """
    x, weight, bias = call.tensor(0), call.optional(1), call.optional(2)
    channels = _channels(x, weight, bias, call.optional(3), call.optional(4))
    training = call.flag(5)
    flops = ((5 if training else 2) + (weight is not None) + (bias is not None)) * x.elements
    moved = x.bytes + call.optional_bytes(1, 2, 3, 4) + x.written
    if training:
        moved += call.optional_bytes(3, 4) + 2 * channels * _statistic_size(x)
    return Work(flops, moved, x.type.name, FAMILY)


@models("aten::native_batch_norm_backward")
def batch_norm_backward(call: Call) -> Work:
    """native_batch_norm_backward(grad, input, weight, running_mean, running_var, mean, rstd, train, eps, mask)."""
    grad, x, weight = call.tensor(0), call.tensor(1), call.optional(2)
    channels = _channels(x, weight)
    training, mask = call.flag(7), call.flags(9)
    need(grad.sizes == x.sizes and len(mask) == 3)
    each = ((9 if training else 1) + (weight is not None)) * mask[0] + (2 if training else 4) * mask[1] + mask[2]
    statistics = (5, 6) if training else (3, 4)
    moved = grad.bytes + x.bytes + call.optional_bytes(*(2,) * mask[0], *statistics) + x.written * mask[0]
    moved += channels * (weight or x).type.size * (mask[1] + mask[2])
    return Work(each * x.elements, moved, same(grad, x), FAMILY)


@models("aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward")
def library_batch_norm_backward(call: Call) -> Work:
    """cudnn_, miopen_batch_norm_backward(input, grad, weight, ..., mean at 5, rstd at 6, ...): 13 per element.

    In training.
    """
    x, grad, weight = call.tensor(0), call.tensor(1), call.tensor(2)
    channels = _channels(x, weight)
    need(grad.sizes == x.sizes)
    moved = grad.bytes + x.bytes + call.optional_bytes(2, 5, 6) + x.written + 2 * channels * weight.type.size
    return Work(13 * x.elements, moved, same(grad, x), FAMILY)


@models("aten::native_group_norm")
def group_norm(call: Call) -> Work:
    """native_group_norm(input, weight, bias, N, C, HxW, group, eps): 5 to 7 per element."""
    x, weight, bias = call.tensor(0), call.optional(1), call.optional(2)
    _channels(x, weight, bias)
    rows = x.sizes[0] * call.integer(6)
    flops = (5 + (weight is not None) + (bias is not None)) * x.elements
    moved = x.bytes + call.optional_bytes(1, 2) + x.written + 2 * rows * _statistic_size(x)
    return Work(flops, moved, x.type.name, FAMILY)


@models("aten::native_group_norm_backward")
def group_norm_backward(call: Call) -> Work:
    """native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, mask): up to 13 per element."""
    grad, x, weight = call.tensor(0), call.tensor(1), call.optional(4)
    channels, mask = _channels(x, weight), call.flags(9)
    need(grad.sizes == x.sizes and len(mask) == 3)
    each = (9 + (weight is not None)) * mask[0] + 2 * mask[1] + mask[2]
    moved = grad.bytes + x.bytes + call.optional_bytes(2, 3, *(4,) * mask[0]) + x.written * mask[0]
    moved += channels * (weight or x).type.size * (mask[1] + mask[2])
    return Work(each * x.elements, moved, same(grad, x), FAMILY)
