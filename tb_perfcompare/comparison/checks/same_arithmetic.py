"""Recognises the same work in other pieces by its arithmetic: attention computed head by head makes more and smaller
matrix products, of as many floating-point operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tb_perfcompare.model.names.work_kinds import ATTENTION, CONVOLUTION, PRODUCT
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import operations

EQUAL = 0.001
"""Largest relative difference of the operations of a family."""

MIN_PIECES = 4
"""Fewest calls per step: one product may have as many operations as any other of round sizes."""

_HEAVY = {PRODUCT: PRODUCT, CONVOLUTION: CONVOLUTION, ATTENTION: PRODUCT}
"""Family of an operator's work -> family it counts with: attention is products, fused or not."""


class _Arithmetic(NamedTuple):
    """Floating-point operations per step by family, and calls per step."""

    flops: Mapping[str, float]
    calls: float


def same_arithmetic(a: Summary, b: Summary) -> str:
    """How both sides compute as much: "both compute as much (convolution 4.20 GFLOP, matrix product 910 MFLOP per
    step)"; "" if they do not, or if shapes were not recorded."""
    work_a, work_b = _arithmetic(a), _arithmetic(b)
    if work_a.flops.keys() != work_b.flops.keys() or min(work_a.calls, work_b.calls) < MIN_PIECES:
        return ""
    pairs = [(flops, work_b.flops[family]) for family, flops in work_a.flops.items()]
    if any(abs(after - before) > EQUAL * max(before, after) for before, after in pairs):
        return ""
    families = ", ".join(f"{family} {operations(flops)}" for family, flops in sorted(work_a.flops.items()))
    return f"both compute as much ({families} per step)"


def _arithmetic(summary: Summary) -> _Arithmetic:
    """Of the work that every implementation of a model contains."""
    table, steps = summary.groups.get("operator_work"), len(summary.steps)
    sums, pieces = dict[str, float](), 0.0
    if table is None or not steps:
        return _Arithmetic(sums, pieces)
    flops, calls = ((matrix.sum(axis=1) / steps).tolist() for matrix in (table.measures_ns["flops"], table.calls))
    for (_, _, _, family, _), flop, count in zip(table.keys, flops, calls, strict=True):
        if family in _HEAVY and flop:
            sums[_HEAVY[family]] = sums.get(_HEAVY[family], 0.0) + flop
            pieces += count
    return _Arithmetic(sums, pieces)
