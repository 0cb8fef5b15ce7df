"""Work in aligning grows with the number of distinct groups, not faster."""

from __future__ import annotations

import time

import numpy as np

from tb_perfcompare.comparison.alignment.operator_matches import match_operators
from tb_perfcompare.comparison.alignment.place_tree import PlaceTree, side_of
from tb_perfcompare.model.summary.device_work import DeviceWork
from tb_perfcompare.model.summary.launch_sites import OUTSIDE, place_below
from tb_perfcompare.model.summary.split_time import SplitTime, split_time

GROUPS = 20_000
MOST_CPU_S = 15.0
"""Measured: 1 to 2 s. What compares every group with every other takes minutes."""


def keyed(keys: list[tuple[str, str, str]]) -> SplitTime:
    ones, zeros = np.ones(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    return split_time(keys, np.arange(len(keys)), zeros, 1000 * ones, ones)


def work(library: str, scale: int) -> DeviceWork:
    """As many places as groups, three operators deep, with a kernel of its own in each."""
    operators: dict[tuple[str, str, str], None] = {}
    kernels = []
    for number in range(GROUPS):
        above = OUTSIDE
        for name in (f"module{number % 50}", "aten::linear", f"aten::{library}_op{number % 300}"):
            key = (name, f"[[{number * scale}]]", above)
            operators[key] = None
            above = place_below(above, name, key[1])
        kernels.append(("Kernel", f"void {library}{number}<float, {number}>(int)", above))
    return DeviceWork(keyed(kernels), keyed(list(operators)))


def test_twenty_thousand_groups_a_side_are_aligned_in_seconds() -> None:
    for scale, rule in ((1, "below the same operator and shape"), (3, "below the same operator")):
        start = time.process_time()
        tree = PlaceTree()
        a = side_of(work("cudnn", 1), 1, tree, shapes=True)
        b = side_of(work("miopen", scale), 1, tree, shapes=True)
        found = match_operators(tree, a, b, (1, 1))
        assert time.process_time() - start < MOST_CPU_S
        assert rule in {match.rule for match in found}
        assert [sum(match.time_ns[side] for match in found) for side in (0, 1)] == [1000 * GROUPS] * 2
