"""Recognises one model by the gradients that a step accumulates: autograd adds one for each parameter, whatever
operators computed it. A sparse product written as gather and scatter trains the same parameters."""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.summary.summary import Summary

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
