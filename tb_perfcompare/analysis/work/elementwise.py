"""Element-wise operators: one output value from one value of each input, with broadcasting.

One FLOP per output element, whatever the function, as kineto's with_flops counts add and mul. Bytes: each input once,
scalars (tensors without dimensions, if others have some) not at all, the output once.
"""

from __future__ import annotations

from functools import partial
from math import prod

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call, Model, models
from tb_perfcompare.analysis.work.tensors import BOOL, FP32, DataType, Tensor, broadcast, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.quick_dataclass import dataclass

FAMILY = "element-wise"
UNKNOWN_TYPE = "the type of the output is not recorded"


@dataclass(frozen=True, slots=True)
class Rule:
    """How an operator is interpreted.

    inputs    positions of arguments that may be tensors
    out       position of `out`, which some calls have
    result    output type: "" the promoted type of the inputs; "float" the same, for functions with real values; "bool"
    """

    inputs: tuple[int, ...]
    out: int = 99
    result: str = ""


def promoted_type(first: DataType, second: DataType) -> DataType:
    """Returns the type that torch promotes two types to (torch.promote_types), unless that needs a table.

    Raises NoModelError for those.
    """
    if first == second:
        return first
    if first.rank != second.rank:
        return max(first, second, key=lambda kind: kind.rank)
    if first.rank == 2 and first.size == second.size == 2:
        return FP32
    if first.size == second.size or "fp8" in (first.name, second.name) or "uint" in first.name + second.name:
        raise NoModelError(UNKNOWN_TYPE)
    return max(first, second, key=lambda kind: kind.size)


def promoted(call: Call, places: tuple[int, ...]) -> tuple[DataType, list[Tensor]]:
    """Returns (promoted type of the inputs, the tensors that are read).

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc: a scalar does not affect the type if
    a tensor is of its kind or a higher one. Raises NoModelError if a scalar does: whether it is a Python number, which
    has the default type, is not recorded.
    """
    operands = [(index, call.optional(index)) for index in places]
    tensors = [tensor for _, tensor in operands if tensor is not None]
    read = _read(tensors)
    result = read[0].type
    for tensor in read[1:]:
        result = promoted_type(result, tensor.type)
    for index, operand in operands:
        rank = operand.type.rank if operand is not None else _rank(call, index) if call.kind(index) else 0
        if rank > result.rank:
            raise NoModelError(UNKNOWN_TYPE)
    return result, read


def _read(tensors: list[Tensor]) -> list[Tensor]:
    """Returns the tensors that are read: those with dimensions, or all if none has."""
    need(bool(tensors))
    return [tensor for tensor in tensors if tensor.sizes] or tensors


def _rank(call: Call, index: int) -> int:
    """Rank (see DataType) of a scalar; 2 if its value is not recorded."""
    text = call.values[index] if index < len(call.values) else "."
    if text in ("True", "False", ""):
        return 0
    return 1 if text.lstrip("-").isdigit() else 2


def elementwise(rule: Rule, call: Call, *, in_place: bool) -> Work:
    """Work of an operator with this rule."""
    name = ""
    if in_place:
        target = call.tensor(0)
        read, sizes = _tensor_arguments(call, rule.inputs), target.sizes
        need(broadcast(*read) == sizes)
        read = _read(read)
        written = target.bytes
    elif rule.result == "bool":
        read = _read(_tensor_arguments(call, rule.inputs))
        sizes, out = broadcast(*read), call.optional(rule.out)
        written = prod(sizes) * (out.type if out is not None else BOOL).size
    else:
        kind, read = promoted(call, rule.inputs)
        sizes = broadcast(*read)
        written = prod(sizes) * _result(call, rule, kind).size
        name = kind.name
    moved = written
    for tensor in read:
        if tensor.type.rank == 3:
            raise NoModelError("complex arithmetic is not modeled")
        moved += tensor.bytes
    return Work(prod(sizes), moved, name or same(*read), FAMILY)


def _tensor_arguments(call: Call, places: tuple[int, ...]) -> list[Tensor]:
    return [tensor for index in places if (tensor := call.optional(index)) is not None]


def _result(call: Call, rule: Rule, kind: DataType) -> DataType:
    out = call.optional(rule.out)
    if out is not None:
        return out.type
    if rule.result == "float" and kind.rank < 2:
        raise NoModelError(UNKNOWN_TYPE)
    return kind


def _named(names: str, rule: Rule) -> dict[str, Model]:
    """Models of `aten::name` and, in place, `aten::name_` for each name."""
    return {
        f"aten::{name}{'_' * in_place}": partial(elementwise, rule, in_place=in_place)
        for name in names.split()
        for in_place in (False, True)
    }


def _backward(names: str, rule: Rule) -> dict[str, Model]:
    """Models of `aten::name_backward` for each name."""
    return {f"aten::{name}_backward": partial(elementwise, rule, in_place=False) for name in names.split()}


MODELS.update({
    **_named(
        "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh "
        "acosh atanh sigmoid erf erfc erfinv lgamma digamma",
        Rule((0,), out=1, result="float"),
    ),
    **_named(
        "abs neg sign sgn ceil floor round trunc frac bitwise_not silu mish square positive hardswish hardsigmoid",
        Rule((0,), out=1),
    ),
    **_named("gelu leaky_relu", Rule((0,), out=2)),
    **_named("hardtanh threshold softplus", Rule((0,), out=3)),
    **_named("elu nan_to_num", Rule((0,), out=4)),
    **_named("logical_not isposinf isneginf signbit", Rule((0,), out=1, result="bool")),
    "aten::isnan": partial(elementwise, Rule((0,), result="bool"), in_place=False),
    **_named("add sub", Rule((0, 1), out=3)),
    **_named(
        "mul floor_divide remainder fmod maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor pow clamp_min "
        "clamp_max",
        Rule((0, 1), out=2),
    ),
    **_named("div atan2 hypot copysign xlogy", Rule((0, 1), out=2, result="float")),
    **_named("eq ne lt le gt ge logical_and logical_or logical_xor", Rule((0, 1), out=2, result="bool")),
    **_named("clamp lerp", Rule((0, 1, 2), out=3)),
    **_named("addcmul addcdiv", Rule((0, 1, 2), out=4)),
    **_backward("sigmoid tanh silu hardsigmoid", Rule((0, 1), out=2)),
    **_backward("threshold gelu", Rule((0, 1), out=3)),
    **_backward("hardtanh leaky_relu softplus", Rule((0, 1), out=4)),
    **_backward("mish hardswish", Rule((0, 1))),
    **_backward("elu", Rule((0, 5), out=6)),
})


@models("aten::where")
def where(call: Call) -> Work:
    """where(condition, a, b): selects, so no FLOPs; the output type is the promoted type of a and b."""
    condition = call.tensor(0)
    kind, read = promoted(call, (1, 2))
    sizes = broadcast(condition, *read)
    written = prod(sizes) * kind.size
    return Work(0, condition.bytes + sum(tensor.bytes for tensor in read if tensor.sizes) + written, "", FAMILY)


@models("aten::masked_fill_")
def masked_fill(call: Call) -> Work:
    """masked_fill_(self, mask, value): selects, so no FLOPs; self is read and written."""
    target, mask = call.tensor(0), call.tensor(1)
    need(broadcast(target, mask) == target.sizes)
    return Work(0, 2 * target.bytes + mask.bytes, "", FAMILY)


@models("aten::glu")
def glu(call: Call) -> Work:
    """glu(self, dim): a sigmoid and a product, 2 per element of the output, which is half as large as self."""
    x = call.tensor(0)
    need(x.elements % 2 == 0)
    return Work(x.elements, x.bytes + x.elements // 2 * x.type.size, x.type.name, FAMILY)


@models("aten::glu_backward")
def glu_backward(call: Call) -> Work:
    """glu_backward(grad, self, dim): recomputes a σ(b), and its two derivatives, 3 per element of self."""
    grad, x = call.tensor(0), call.tensor(1)
    need(2 * grad.elements == x.elements)
    return Work(3 * x.elements, grad.bytes + x.bytes + x.written, same(grad, x), FAMILY)


@models("aten::_thnn_fused_lstm_cell")
def lstm_cell(call: Call) -> Work:
    """_thnn_fused_lstm_cell(gates[b, 4 h] of input, of state, cell[b, h], two biases): without the matrix products.

    Per element of the cell: 4 additions, 4 more per bias, 4 functions, and 5 for cell and state. Writes both, and the
    gates.
    """
    inputs, states, before = call.tensor(0), call.tensor(1), call.tensor(2)
    need(len(before.sizes) == 2 and inputs.sizes == states.sizes == (before.sizes[0], 4 * before.sizes[1]))
    biases = call.is_tensor(3) + call.is_tensor(4)
    moved = inputs.bytes + states.bytes + before.bytes + call.optional_bytes(3, 4)
    written = (2 * before.elements + inputs.elements) * inputs.type.size
    return Work((13 + 4 * biases) * before.elements, moved + written, same(inputs, states, before), FAMILY)


@models("aten::_thnn_fused_lstm_cell_backward_impl")
def lstm_cell_backward(call: Call) -> Work:
    """_thnn_fused_lstm_cell_backward_impl(grad of state?, of cell?, previous cell[b, h], new cell, gates[b, 4 h], ...).

    Per element of the cell: its tanh 1, its gradient 4, gradients of four gates and of the previous cell 5, derivatives
    of the gates 12; 1 more to add a gradient of the cell. Writes the gradients of the gates and of the previous cell.
    """
    before, after, gates = call.tensor(2), call.tensor(3), call.tensor(4)
    need(len(before.sizes) == 2 and before.sizes == after.sizes)
    need(gates.sizes == (before.sizes[0], 4 * before.sizes[1]))
    moved = call.optional_bytes(0, 1) + before.bytes + after.bytes + gates.bytes
    written = (gates.elements + before.elements) * gates.type.size
    return Work((22 + call.is_tensor(1)) * before.elements, moved + written, same(before, after, gates), FAMILY)
