"""Work in aligning grows with the number of distinct groups, not faster."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.alignment.operator_matches import OperatorMatch, match_operators
from tb_perfcompare.comparison.alignment.place_tree import PlaceTree, side_of
from tb_perfcompare.model.summary.launch_sites import OUTSIDE, DeviceWork, place_below
from tb_perfcompare.model.summary.split_time import SplitTime, split_time
from tests.growth import LARGER, grows_no_faster

GROUPS = 250


def keyed(keys: list[tuple[str, str, str]]) -> SplitTime:
    ones, zeros = np.ones(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    return split_time(keys, np.arange(len(keys)), zeros, 1000 * ones, ones)


def work(library: str, scale: int, groups: int) -> DeviceWork:
    """One place per group, three operators deep, each with its own kernel."""
    operators: dict[tuple[str, str, str], None] = {}
    kernels = []
    for number in range(groups):
        above = OUTSIDE
        for name in (f"module{number % 50}", "aten::linear", f"aten::{library}_op{number % 300}"):
            key = (name, f"[[{number * scale}]]", above)
            operators[key] = None
            above = place_below(above, name, key[1])
        kernels.append(("Kernel", f"void {library}{number}<float, {number}>(int)", above))
    return DeviceWork(keyed(kernels), keyed(list(operators)))


def aligned(a: DeviceWork, b: DeviceWork) -> tuple[OperatorMatch, ...]:
    tree = PlaceTree()
    return match_operators(tree, side_of(a, tree, shapes=True), side_of(b, tree, shapes=True), (1, 1))


@pytest.mark.parametrize(("scale", "rule"), [(1, "below the same operator and shape"), (3, "below the same operator")])
def test_time_grows_in_proportion_to_the_groups(scale: int, rule: str) -> None:
    few, many = ((work("cudnn", 1, groups), work("miopen", scale, groups)) for groups in (GROUPS, GROUPS * LARGER))
    found = aligned(*many)
    assert rule in {match.rule for match in found}
    assert [sum(match.time_ns[side] for match in found) for side in (0, 1)] == [1000 * GROUPS * LARGER] * 2
    assert grows_no_faster(lambda: aligned(*few), lambda: aligned(*many))
