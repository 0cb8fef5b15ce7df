"""Amounts of work in each step, which are counted and so do not depend on the machine."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.summary.summary import Summary

AMOUNTS = ("FLOPs", "input elements", "operator calls", "kernel launches")
"""What is counted, the most telling first."""

_MOST = 2**62
"""Largest amount: a trace may state any shape, and a sum beyond 64 bits would be another number."""


def amounts_of_work(summary: Summary) -> Ints:
    """(4, s) AMOUNTS of each step, at most 2**62; zero where they were not recorded."""
    amounts = np.zeros((len(AMOUNTS), len(summary.steps)), dtype=np.int64)
    tables = ("operator_work", "operators_by_shape", "operators")
    work, shapes, operators = (summary.groups.get(table) for table in tables)
    if work is not None and "flops" in work.measures_ns:
        flops = work.measures_ns["flops"]
        amounts[0] = _summed(np.ones(len(flops), dtype=np.int64), flops)
    if shapes is not None:
        elements = [min(max(sum(input_elements(key[1])), 0), _MOST) for key in shapes.keys]
        amounts[1] = _summed(np.array(elements, dtype=np.int64), shapes.calls)
    if operators is not None:
        amounts[2] = operators.calls.sum(axis=0)
    amounts[3] = summary.steps.launches
    return amounts


def _summed(each: Ints, often: Ints) -> Ints:
    """(s,) sum of (g,) amounts, each as often as (g, s) says."""
    sums: Ints = np.where(each.astype(np.float64) @ often < _MOST, each @ often, _MOST)
    return sums
