"""Work of one operator call: by the operator's model, or the reason why there is none."""

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
    """Returns the model of an operator, None if it has none."""
    return MODELS.get(name) or (generated if is_generated(name) else None)


def operator_work(name: str, dims: str, types: str, strides: str, values: str, listed: str = "") -> Work | str:
    """Returns FLOPs and least bytes of one call, or the reason (short English) why they are unknown.

    name     of the operator, "aten::mm"
    dims     "Input Dims" of the trace, JSON; "" if not recorded; the same holds for the others
    types    "Input type"
    strides  "Input Strides"
    values   "Concrete Inputs"
    listed   C++ types of the tensors in its lists, from the name of a kernel of the call (tensor_lists.types_of_lists)

    Only operators that do the work themselves have models. To count nothing twice, multiply by the calls that launched
    device work of their own; in traces of the host alone, by the calls whose work no callee with a model does.
    Never raises. Formulas and sources: docs/method/work.md.
    """
    if len(dims) + len(types) + len(strides) + len(values) > _MAX_CACHED_LENGTH:
        return _computed(name, dims, types, strides, values, listed)
    return _cached(name, dims, types, strides, values, listed)


_MAX_CACHED_LENGTH = 1024
"""Largest total length of argument texts for which the result is cached; most calls have about a hundred characters."""


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


_cached = lru_cache(maxsize=4096)(_computed)
"""Caches results, as the recordings of a run, and of both runs, contain the same calls."""
