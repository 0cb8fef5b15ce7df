"""Amounts of work in each step, which are counted and so do not depend on the machine."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.summary.summary import Summary

AMOUNTS = ("FLOPs", "input elements", "operator calls", "kernel launches")
"""What is counted, the most telling first."""


def amounts_of_work(summary: Summary) -> Ints:
    """(4, s) AMOUNTS of each step; zero where they were not recorded."""
    amounts = np.zeros((len(AMOUNTS), len(summary.steps)), dtype=np.int64)
    tables = ("operator_work", "operators_by_shape", "operators")
    work, shapes, operators = (summary.groups.get(table) for table in tables)
    if work is not None and "flops" in work.measures_ns:
        amounts[0] = work.measures_ns["flops"].sum(axis=0)
    if shapes is not None:
        elements = np.array([sum(input_elements(key[1])) for key in shapes.keys], dtype=np.int64)
        amounts[1] = elements @ shapes.calls
    if operators is not None:
        amounts[2] = operators.calls.sum(axis=0)
    amounts[3] = summary.steps.launches
    return amounts
