"""Operators on lists of tensors: fused optimizers, `_foreach_*`, cat.

Traces record sizes of lists with up to 30 tensors, but no types. Those are in kernel names:
multi_tensor_apply_kernel<..., BinaryOpScalarFunctor<float, ...>, ...>, CatArrayBatchedCopy<OpaqueType<2u>, ...>.

Optimizers: FLOPs per element as in their update rules (https://docs.pytorch.org/docs/stable/optim.html); negating a
gradient and values that are computed once per tensor are not counted. Bytes: parameters, gradients and states read,
parameters and states written; also gradients if they are unscaled.
Element-wise lists count like the operator on one tensor: one FLOP per element, every list read, one written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from tb_perfcompare.analysis.work.data_movement import COPY
from tb_perfcompare.analysis.work.elementwise import FAMILY as ELEMENTWISE
from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.reductions import REDUCTION
from tb_perfcompare.analysis.work.tensors import FP32, Tensor, same
from tb_perfcompare.analysis.work.work import NoModelError, Work, need
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass

OPTIMIZER = "optimizer"

_KERNELS = regex(
    r"multi_tensor_apply_kernel<.*?(?P<functor>\w+Functor(?:MP)?)<(?P<types>.*)|CatArrayBatchedCopy\w*<(?P<element>.*)"
)
_TYPE = regex(r"(c10::complex<[\w:]+>|(?:[\w:() ]+::)?OpaqueType<\d+u>|[a-zA-Z_][\w:]*(?: [a-zA-Z]\w*)*)(?:, |>)")
_SEVERAL = {"FusedAdamMathFunctorMP": slice(1, 6), "CopyFunctor": slice(0, 2)}
"""Kernels whose lists differ in type -> which types in their names are those of the lists, in order."""


@lru_cache(maxsize=4096)
def types_of_lists(kernel: str) -> str:
    """Returns C++ element types of a kernel's lists, separated by ", ": one for all, or one each; "" if unknown."""
    match = _KERNELS.search(kernel) if "multi_tensor" in kernel or "CatArray" in kernel else None
    if match is None:
        return ""
    types, at, text = [], 0, match["types"] or match["element"]
    while (part := _TYPE.match(text, at)) is not None:
        types.append(part[1].rpartition("::")[2] if "OpaqueType" in part[1] else part[1])
        at = part.end()
    return ", ".join(types[_SEVERAL.get(match["functor"], slice(0, 1))])


def _elements(tensors: Sequence[Tensor]) -> int:
    return sum(tensor.elements for tensor in tensors)


def _read(tensors: Sequence[Tensor]) -> int:
    return sum(tensor.bytes for tensor in tensors)


def _written(tensors: Sequence[Tensor]) -> int:
    return sum(tensor.written for tensor in tensors)


def _type(*lists: Sequence[Tensor]) -> str:
    name = same(*(tensor for tensors in lists for tensor in tensors))
    if "complex" in name:
        raise NoModelError("complex arithmetic is not modeled")
    return name


def _alike(*lists: Sequence[Tensor]) -> None:
    need(len({tuple(tensor.sizes for tensor in tensors) for tensors in lists}) == 1)


@dataclass(frozen=True, slots=True)
class Rule:
    """Positions of an optimizer's step counters (-1 for none), weight decay and gradient scale."""

    decay: int
    scale: int
    steps: int = -1


def _updated(call: Call, rule: Rule, each: int, states: Sequence[int], *, fresh: bool = False) -> Work:
    """Work of an update: `each` FLOPs per element plus decay and scale.

    `states` are positions of state lists, which are only written, not read, if `fresh`.
    """
    parameters, gradients = call.tensors(0), call.tensors(1)
    held = [call.tensors(place) for place in states]
    _alike(parameters, gradients, *held)
    decays, scaled = call.number(rule.decay) != 0, call.is_tensor(rule.scale)
    moved = _read(parameters) + _read(gradients) + _written(parameters)
    moved += sum(_written(state) + (0 if fresh else _read(state)) for state in held)
    moved += _written(gradients) if scaled else 0
    moved += len(parameters) * FP32.size if rule.steps >= 0 else 0
    flops = (each + 2 * decays + scaled) * _elements(parameters)
    return Work(flops, moved, _type(parameters, gradients, *held), OPTIMIZER)


def adam(call: Call) -> Work:
    """Adam and AdamW: 3 for the first moment, 4 for the second, 3 for the denominator, 3 for the step.

    AMSGrad 1 for the maximum of second moments. _fused_adam_, _fused_adamw_(self, grads, exp_avgs, exp_avg_sqs,
    max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf).
    """
    largest = call.flag(11)
    return _updated(call, Rule(decay=9, scale=13, steps=5), 14 if largest else 13, (2, 3, 4) if largest else (2, 3))


def adagrad(call: Call) -> Work:
    """Adagrad: 2 for the sum of squares, 2 for the denominator, 3 for the step.

    _fused_adagrad_(self, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale,
    found_inf).
    """
    return _updated(call, Rule(decay=6, scale=9, steps=3), 7, (2,))


def sgd(call: Call) -> Work:
    """SGD: 2 for the step, momentum 3, Nesterov 2; the first step sets the momentum.

    _fused_sgd_(self, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize,
    is_first_step, grad_scale, found_inf).
    """
    rule = Rule(decay=3, scale=10)
    if not call.number(4):
        return _updated(call, rule, 2, ())
    fresh = call.flag(9)
    return _updated(call, rule, 2 + 3 * (not fresh) + 2 * call.flag(7), (2,), fresh=fresh)


def _lists(call: Call) -> list[list[Tensor]]:
    return [call.tensors(place) for place, kind in enumerate(call.types) if kind == "TensorList"]


def elementwise(call: Call) -> Work:
    """_foreach_add, ...: one FLOP per element of the first list; other arguments count as scalars."""
    lists = _lists(call)
    need(bool(lists))
    _alike(*lists)
    moved = sum(map(_read, lists)) + _written(lists[0])
    return Work(_elements(lists[0]), moved, _type(*lists), ELEMENTWISE)


def copy(call: Call) -> Work:
    """_foreach_copy_(self, src): src is read, self written. _foreach_clone(self): read and written."""
    lists = _lists(call)
    need(bool(lists))
    _alike(*lists)
    return Work(0, _read(lists[-1]) + _written(lists[0]), "", COPY)


def zero(call: Call) -> Work:
    """_foreach_zero_(self): written."""
    return Work(0, _written(call.tensors(0)), "", COPY)


def reduction(each: int, call: Call) -> Work:
    """_foreach_norm, _foreach_powsum: 2 per element, _foreach_max 1; one value is written per tensor."""
    tensors = call.tensors(0)
    moved = _read(tensors) + sum(tensor.type.size for tensor in tensors)
    return Work(each * _elements(tensors), moved, _type(tensors), REDUCTION)


def cat(call: Call) -> Work:
    """cat(tensors, dim): all are read and written."""
    tensors = call.tensors(0)
    return Work(0, _read(tensors) + _written(tensors), "", COPY)


_ELEMENTWISE = (
    "abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor frac lerp "
    "lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan "
    "tanh trunc"
)

MODELS.update({
    **dict.fromkeys(("aten::_fused_adam_", "aten::_fused_adamw_"), adam),
    "aten::_fused_adagrad_": adagrad,
    "aten::_fused_sgd_": sgd,
    **dict.fromkeys((f"aten::_foreach_{name}{end}" for name in _ELEMENTWISE.split() for end in ("", "_")), elementwise),
    "aten::_amp_foreach_non_finite_check_and_unscale_": elementwise,
    "aten::_foreach_copy_": copy,
    "aten::_foreach_clone": copy,
    "aten::_foreach_zero_": zero,
    "aten::_foreach_max": partial(reduction, 1),
    "aten::_foreach_norm": partial(reduction, 2),
    "aten::_foreach_powsum": partial(reduction, 2),
    "aten::cat": cat,
})
