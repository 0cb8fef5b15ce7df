"""Nesting by time: the vectorised form must equal the rule written as a stack."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis import nesting
from tb_perfcompare.analysis.nesting import nest

SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12), st.sampled_from((0, 1, 2, 3, 5, 9))), max_size=14)


def by_stack(rows: list[tuple[int, int, int]]) -> tuple[list[int], list[int], list[int]]:
    parent: list[int] = []
    depth: list[int] = []
    ends: list[int] = []
    stack: list[int] = []
    lane = None
    for row, (where, start, end) in enumerate(rows):
        if where != lane:
            stack, lane = [], where
        while stack and ends[stack[-1]] <= start:
            stack.pop()
        parent.append(stack[-1] if stack else -1)
        depth.append(len(stack))
        ends.append(min(end, ends[stack[-1]]) if stack else end)
        stack.append(row)
    return parent, depth, ends


def nested(spans: list[tuple[int, int, int]]) -> tuple[nesting.Nesting, list[tuple[int, int, int]]]:
    lane = np.array([s[0] for s in spans], dtype=np.int64)
    start = np.array([s[1] for s in spans], dtype=np.int64)
    end = start + np.array([s[2] for s in spans], dtype=np.int64)
    result = nest(lane, start, end, np.arange(len(spans)))
    return result, [(int(lane[i]), int(start[i]), int(end[i])) for i in result.order]


@given(SPANS)
def test_equals_the_stack_rule(spans: list[tuple[int, int, int]]) -> None:
    got, rows = nested(spans)
    assert (got.parent.tolist(), got.depth.tolist(), got.end.tolist()) == by_stack(rows)


@given(SPANS)
def test_the_fallback_for_tangled_lanes_gives_the_same(spans: list[tuple[int, int, int]]) -> None:
    quick, _ = nested(spans)
    passes, nesting._MAX_PASSES = nesting._MAX_PASSES, 0
    try:
        slow, _ = nested(spans)
    finally:
        nesting._MAX_PASSES = passes
    assert (slow.parent.tolist(), slow.end.tolist()) == (quick.parent.tolist(), quick.end.tolist())
    assert slow.clipped == quick.clipped


def test_an_event_that_outlasts_its_parent_is_cut_there() -> None:
    """
    a |======
    b |   ======
    """
    got, _ = nested([(0, 0, 6), (0, 3, 6)])
    assert (got.parent.tolist(), got.end.tolist(), got.clipped) == ([-1, 0], [6, 6], 1)
