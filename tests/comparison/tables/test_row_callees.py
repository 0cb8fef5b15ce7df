"""Callees of a row: they sum to its frames."""

from __future__ import annotations

from tb_perfcompare.comparison.ledger.call_tree import JointTree, joint_tree
from tb_perfcompare.comparison.tables.path_source import PathSource, path_source
from tb_perfcompare.comparison.tables.row_callees import Callees, CalleesRest, callees
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

Sides = tuple[PathSource, PathSource]


def drawn(inner_us: float, *, relu: bool = False) -> TraceBuilder:
    """A step with aten::linear, which calls aten::t and aten::addmm; the latter calls aten::linear again."""
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.op("aten::linear", 100, 200 + inner_us)
    trace.op("aten::t", 110, 120)
    trace.op("aten::addmm", 150, 150 + inner_us)
    trace.op("aten::linear", 160, 170)
    if relu:
        trace.op("aten::relu", 130, 140)
    return trace


def pair(a: TraceBuilder, b: TraceBuilder) -> tuple[JointTree, Sides]:
    one, two = summary(a), summary(b)
    tree = joint_tree(one, two)
    assert tree is not None
    return tree, (path_source(one), path_source(two))


def times(found: Callees) -> dict[str, tuple[int | None, int | None]]:
    return {row.name: row.time for row in found.rows}


def test_own_time_and_callees_sum_to_the_row() -> None:
    tree, sides = pair(drawn(200), drawn(300))
    found = callees(tree, "operators", "aten::linear", sides)
    assert found is not None
    assert times(found) == {"aten::addmm": (200_000, 300_000), "aten::t": (10_000, 10_000)}
    assert found.whole == (300_000, 400_000) and found.own == (90_000, 90_000) and found.rest.callees == 0


def test_unlisted_callees_are_one_sum_and_a_missing_side_is_absent() -> None:
    tree, sides = pair(drawn(200), drawn(300, relu=True))
    found = callees(tree, "operators", "aten::linear", sides, most=2)
    assert found is not None
    assert times(found) == {"aten::addmm": (200_000, 300_000), "aten::relu": (None, 10_000)}
    assert found.rest == CalleesRest((10_000, 10_000), 1)
    for side in (0, 1):
        listed = sum(row.time[side] or 0 for row in found.rows)
        assert (found.own[side] or 0) + listed + (found.rest.time[side] or 0) == found.whole[side]


def test_a_row_without_callees_has_none() -> None:
    tree, sides = pair(drawn(200), drawn(300))
    assert callees(tree, "operators", "aten::t", sides) is None
    assert callees(tree, "kernels", "aten::linear", sides) is None
