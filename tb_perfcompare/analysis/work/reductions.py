"""Reductions, softmax and losses.

Reductions: one FLOP per input element (sum, mean, max, all, ...), two if each is first squared or raised to a power
(norms), four for a variance. Softmax and log-softmax: 5 per element (maximum, subtract, exp, sum, divide or subtract),
backward 4. Losses that select: one per target. Bytes: the input, the output.
"""

from __future__ import annotations

from math import prod

from tb_perfcompare.analysis.work.recorded_call import Call, models
from tb_perfcompare.analysis.work.tensors import BOOL, FP32, INT64, DataType, Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need

REDUCTION, SOFTMAX, LOSS = "reduction", "softmax", "loss"


def _remaining(call: Call, x: Tensor, dim: int) -> int:
    """Number of elements left after reducing the dimensions in argument `dim`; 1 if it is absent or empty."""
    reduced = call.dimensions(dim, max(len(x.sizes), 1))
    return prod(size for index, size in enumerate(x.sizes) if index not in reduced) if reduced else 1


def _work(x: Tensor, each: int, output: int) -> Work:
    if x.type.rank == 3:
        raise NoModelError("complex arithmetic is not modeled")
    return Work(each * x.elements, x.bytes + output, x.type.name, REDUCTION)


@models("aten::sum", "aten::prod")
def total(call: Call) -> Work:
    """sum and prod: (self, dtype) over everything, (self, dim, keepdim, dtype); integers are summed as int64."""
    x = call.tensor(0)
    return _reduced(call, x, INT64 if x.type.rank < 2 else x.type)


@models("aten::mean")
def mean(call: Call) -> Work:
    """mean(self, dtype) or (self, dim, keepdim, dtype)."""
    x = call.tensor(0)
    return _reduced(call, x, x.type)


def _reduced(call: Call, x: Tensor, natural: DataType) -> Work:
    if len(call.types) == 2:
        return _work(x, 1, call.output_type(1, natural, out=2).size)
    return _work(x, 1, _remaining(call, x, 1) * call.output_type(3, natural, out=4).size)


@models("aten::max", "aten::min")
def extreme(call: Call) -> Work:
    """max, min: over everything, or (self, dim, keepdim) with indices. With two tensors they call maximum, minimum."""
    x = call.tensor(0)
    if call.is_tensor(1):
        raise NoModelError("its work is that of the operators it calls")
    if len(call.types) == 1:
        return _work(x, 1, x.type.size)
    return _work(x, 1, _remaining(call, x, 1) * (x.type.size + INT64.size))


@models("aten::amax", "aten::amin")
def amax(call: Call) -> Work:
    """amax, amin(self, dim, keepdim): values only."""
    x = call.tensor(0)
    return _work(x, 1, _remaining(call, x, 1) * x.type.size)


@models("aten::argmax", "aten::argmin")
def argmax(call: Call) -> Work:
    """argmax, argmin(self, dim, keepdim): indices only."""
    x = call.tensor(0)
    return _work(x, 1, _remaining(call, x, 1) * INT64.size)


@models("aten::all", "aten::any")
def every(call: Call) -> Work:
    """all, any: over everything, or (self, dim, keepdim)."""
    x = call.tensor(0)
    return _work(x, 1, (1 if len(call.types) == 1 else _remaining(call, x, 1)) * BOOL.size)


@models("aten::linalg_vector_norm")
def vector_norm(call: Call) -> Work:
    """linalg_vector_norm(self, ord, dim, keepdim, dtype): a power and an addition, 2 per element."""
    x = call.tensor(0)
    return _work(x, 2, _remaining(call, x, 2) * call.output_type(4, x.type, out=5).size)


@models("aten::var", "aten::std")
def variance(call: Call) -> Work:
    """var, std: the mean 1, then subtract, square, add, 4 per element."""
    return _variance(call, 1)


@models("aten::var_mean", "aten::std_mean")
def variance_and_mean(call: Call) -> Work:
    """var_mean, std_mean: the same, two values written."""
    return _variance(call, 2)


def _variance(call: Call, outputs: int) -> Work:
    x = call.tensor(0)
    if len(call.types) == 2:
        raise NoModelError("its work is that of the operators it calls")
    return _work(x, 4, outputs * _remaining(call, x, 1) * x.type.size)


@models("aten::_softmax", "aten::_log_softmax")
def softmax(call: Call) -> Work:
    """_softmax, _log_softmax(self, dim, half_to_float): 5 per element; the output is fp32 if half_to_float."""
    x = call.tensor(0)
    wide = x.type.size == 2 and call.flag(2)
    size = FP32.size if wide else x.type.size
    return Work(5 * x.elements, x.bytes + x.elements * size, x.type.name, SOFTMAX)


@models("aten::_softmax_backward_data", "aten::_log_softmax_backward_data")
def softmax_backward(call: Call) -> Work:
    """_softmax_backward_data, _log_softmax_backward_data(grad, output, dim, input_dtype): 4 per element."""
    grad, output = call.tensor(0), call.tensor(1)
    need(grad.sizes == output.sizes)
    result = call.output_type(3, grad.type, out=4) if call.kind(3) == "Scalar" and call.values else grad.type
    moved = grad.bytes + output.bytes + output.elements * result.size
    return Work(4 * output.elements, moved, same(grad, output), SOFTMAX)


@models("aten::nll_loss_forward", "aten::nll_loss2d_forward")
def nll_loss(call: Call) -> Work:
    """nll_loss_forward, nll_loss2d_forward(self, target, weight, reduction, ...): one element is read per row."""
    x, target = call.tensor(0), call.tensor(1)
    classes = _classes(x, target)
    count = target.elements
    moved = min(count, x.elements) * x.type.size + target.bytes + call.optional_bytes(2) + x.type.size
    moved += (1 if call.integer(3) else count) * x.type.size
    return Work(count if classes else 0, moved, x.type.name, LOSS)


@models("aten::nll_loss_backward", "aten::nll_loss2d_backward")
def nll_loss_backward(call: Call) -> Work:
    """nll_loss_backward, nll_loss2d_backward(grad, self, target, weight, reduction, ignore, total_weight).

    A product is written per target; aten::zero_, which it calls, writes the zeros.
    """
    grad, x, target = call.tensor(0), call.tensor(1), call.tensor(2)
    _classes(x, target)
    moved = grad.bytes + target.bytes + call.optional_bytes(3, 6) + target.elements * x.type.size
    return Work(target.elements, moved, x.type.name, LOSS)


def _classes(x: Tensor, target: Tensor) -> int:
    """Number of classes: the second dimension of a batch; the target's sizes are those of x without it."""
    axis = min(1, len(x.sizes) - 1)
    need(axis >= 0 and x.sizes[:axis] + x.sizes[axis + 1 :] == target.sizes)
    return x.sizes[axis]


@models("aten::mse_loss", "aten::smooth_l1_loss", "aten::huber_loss")
def pair_loss(call: Call) -> Work:
    """mse_loss, smooth_l1_loss, huber_loss(self, target, reduction, ...): 2 per element (difference, function).

    The reduction is a separate call of mean or sum, which reads what is written here.
    """
    x, target = call.tensor(0), call.tensor(1)
    need(x.sizes == target.sizes)
    return Work(2 * x.elements, x.bytes + target.bytes + x.written, same(x, target), LOSS)


@models("aten::mse_loss_backward", "aten::smooth_l1_loss_backward")
def pair_loss_backward(call: Call) -> Work:
    """mse_loss_backward, smooth_l1_loss_backward(grad, self, target, ...): 3 per element."""
    grad, x, target = call.tensor(0), call.tensor(1), call.tensor(2)
    need(x.sizes == target.sizes and grad.sizes in ((), x.sizes))
    moved = grad.bytes + x.bytes + target.bytes + x.written
    return Work(3 * x.elements, moved, same(grad, x, target), LOSS)
