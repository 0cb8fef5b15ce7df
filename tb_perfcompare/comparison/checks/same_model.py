"""Recognizes one model whatever operators compute it.

By its arithmetic: attention computed head by head makes more and smaller matrix products, of as many floating-point
operations. By its parameters: autograd accumulates a gradient for each, also if a sparse product is written as gather
and scatter.
"""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.names.work_kinds import ATTENTION, CONVOLUTION, PRODUCT
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import operations

EQUAL = 0.001
"""Largest relative difference of the operations of a family."""

MIN_PIECES = 4
"""Fewest calls per step: one product may have as many operations as any other of round sizes."""

_HEAVY = {PRODUCT: PRODUCT, CONVOLUTION: CONVOLUTION, ATTENTION: PRODUCT}
"""Family of an operator's work -> family it counts with: attention is products, fused or not."""


def same_arithmetic(a: Summary, b: Summary) -> str:
    """How both sides compute as much: "both compute as much (convolution 4.20 GFLOP, matrix product 910 MFLOP per
    step)"; "" if they do not, or if shapes were not recorded."""
    (flops_a, calls_a), (flops_b, calls_b) = _arithmetic(a), _arithmetic(b)
    if flops_a.keys() != flops_b.keys() or min(calls_a, calls_b) < MIN_PIECES:
        return ""
    pairs = [(flops, flops_b[family]) for family, flops in flops_a.items()]
    if any(abs(after - before) > EQUAL * max(before, after) for before, after in pairs):
        return ""
    families = ", ".join(f"{family} {operations(flops)}" for family, flops in sorted(flops_a.items()))
    return f"both compute as much ({families} per step)"


def _arithmetic(summary: Summary) -> tuple[dict[str, float], float]:
    """(floating-point operations per step by family, calls per step) of the work that every implementation of a model
    contains."""
    table, steps = summary.groups.get("operator_work"), len(summary.steps)
    sums, pieces = dict[str, float](), 0.0
    if table is None or not steps:
        return sums, pieces
    flops, calls = ((matrix.sum(axis=1) / steps).tolist() for matrix in (table.measures_ns["flops"], table.calls))
    for (_, _, _, family, _), flop, count in zip(table.keys, flops, calls, strict=True):
        if family in _HEAVY and flop:
            sums[_HEAVY[family]] = sums.get(_HEAVY[family], 0.0) + flop
            pieces += count
    return sums, pieces


ACCUMULATE = "torch::autograd::AccumulateGrad"

MIN_PARAMETERS = 4
"""Fewest parameters, two of them matrices: a layer or two of any program may have the same shapes."""

MIN_MATRICES = 2

_AS_OFTEN = 0.02
"""Largest relative difference of the gradients per step of one shape."""


def same_parameters(a: Summary, b: Summary) -> str:
    """How both sides train the same parameters: "both train 12 parameters of the same shapes"; "" if they do not, or
    without autograd or input shapes."""
    counts_a, counts_b = _gradients(a), _gradients(b)
    matrices = sum(count for shape, count in counts_a.items() if "," in shape)
    if sum(counts_a.values()) < MIN_PARAMETERS or matrices < MIN_MATRICES or counts_a.keys() != counts_b.keys():
        return ""
    if any(abs(counts_b[shape] - count) > _AS_OFTEN * count for shape, count in counts_a.items()):
        return ""
    return f"both train {many(round(sum(counts_a.values())), 'parameter')} of the same shapes"


def _gradients(summary: Summary) -> dict[str, float]:
    """Shape of a parameter -> gradients per step."""
    table = summary.groups.get("operators_by_shape")
    if table is None or not len(summary.steps):
        return {}
    calls = (table.calls.sum(axis=1) / len(summary.steps)).tolist()
    return {
        shape: count for (name, shape), count in zip(table.keys, calls, strict=True)
        if name == ACCUMULATE and count and any(input_elements(shape))
    }  # fmt: skip
