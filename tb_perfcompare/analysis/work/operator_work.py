"""The work of one operator call: which model knows the operator, or why there is none."""

from __future__ import annotations

from functools import lru_cache

from tb_perfcompare.analysis.work import (  # noqa: F401  # each adds its models to MODELS
    attention,
    convolutions,
    data_movement,
    elementwise,
    interpolation,
    linear_algebra,
    matrix_products,
    normalisations,
    pooling,
    recurrent,
    reductions,
    serving,
    tensor_lists,
)
from tb_perfcompare.analysis.work.generated import generated, is_generated
from tb_perfcompare.analysis.work.recorded_call import LARGEST, MODELS, Model, NoModelError, Work, read_call
from tb_perfcompare.analysis.work.without_model import reason_of

__all__ = ["Work", "operator_work"]


def model_of(name: str) -> Model | None:
    """The model of an operator, None if it has none."""
    return MODELS.get(name) or (generated if is_generated(name) else None)


def operator_work(name: str, dims: str, types: str, strides: str, values: str, listed: str = "") -> Work | str:
    """FLOPs and least bytes of one call, or the reason (short English) why they are not known.

    name     of the operator, "aten::mm"
    dims     text of "Input Dims" in the trace, JSON; "" where not recorded; so are the others
    types    "Input type"
    strides  "Input Strides"
    values   "Concrete Inputs"
    listed   C++ types of the tensors in its lists, as a kernel of the call tells them (tensor_lists.types_of_lists)

    The models are of operators that do the work themselves, so that nothing is counted twice: multiply with the calls
    that launched device work of their own, in traces of the host alone with calls whose own time is not that of a
    callee with a model.
    Never raises. Formulas and sources: docs/method/work.md.
    """
    if len(dims) + len(types) + len(strides) + len(values) > _MOST_REMEMBERED:
        return _computed(name, dims, types, strides, values, listed)
    return _remembered(name, dims, types, strides, values, listed)


_MOST_REMEMBERED = 1024
"""Characters of the arguments of a call that is remembered; those of most calls have about a hundred."""


def _computed(name: str, dims: str, types: str, strides: str, values: str, listed: str) -> Work | str:
    model = model_of(name)
    if model is None:
        return reason_of(name)
    try:
        work = model(read_call(name, dims, types, strides, values, listed))
    except NoModelError as reason:
        return str(reason)
    if max(work.flops, work.bytes) >= LARGEST:
        return "the sizes are too large to be true"
    return work


_remembered = lru_cache(maxsize=4096)(_computed)
"""The recordings of a run, and of both runs, hold the same calls."""
