"""Work of one operator call: by the operator's model, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

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
from tb_perfcompare.analysis.work.without_model import MARKS, REASONS, UNKNOWN, reason_of
from tb_perfcompare.model.names.names import JoinedNames

__all__ = ["Work", "operator_work"]


def model_of(name: str) -> Model | None:
    """Returns the model of an operator, None if it has none."""
    return MODELS.get(name) or (generated if is_generated(name) else None)


def reasons_without_model(names: Sequence[str]) -> list[str | None]:
    """Returns why each operator has no model, None if it has one. Only names that contain a mark are tested by
    patterns."""
    joined = JoinedNames(names)
    marked = chain.from_iterable(map(joined.holding, MARKS)) if joined.is_plain else range(len(names))
    reasons = [None if name in MODELS else REASONS.get(name, UNKNOWN) for name in names]
    for at in marked:
        reasons[at] = None if model_of(names[at]) else reason_of(names[at])
    return reasons


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
