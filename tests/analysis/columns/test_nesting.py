"""Nesting by time: both forms equal a naive stack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns import nesting
from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import Enclosers, by_level, innermost, nest, sorted_order, with_descendants
from tests.analysis.passes_tools import FORMS, form

Span = tuple[int, int, int, int, int]
"""lane, start, length, two ties"""

LENGTHS = st.sampled_from((0, 1, 2, 3, 5, 9))
SPANS = st.lists(
    st.tuples(st.sampled_from((0, 1, 2, 70_000)), st.integers(0, 12), LENGTHS, st.integers(0, 1), st.integers(0, 1)),
    max_size=14,
)
both_forms = pytest.mark.parametrize("compiled", FORMS)


def in_order(spans: list[Span]) -> list[int]:
    return sorted(range(len(spans)), key=lambda i: (*spans[i][:2], -spans[i][2], *spans[i][3:], i))


def by_stack(spans: list[Span]) -> tuple[list[int], list[int], list[int], list[int], int]:
    """Parent, depth, end and time inside of ordered spans, and the number of clipped ones."""
    parent: list[int] = []
    ends: list[int] = []
    inside: list[int] = []
    stack: list[int] = []
    depth: list[int] = []
    clipped, lane = 0, None
    for row, (where, start, length, *_) in enumerate(spans):
        if where != lane:
            stack, lane = [], where
        while stack and ends[stack[-1]] <= start:
            stack.pop()
        end = start + length
        if stack:
            clipped += end > ends[stack[-1]]
            end = min(end, ends[stack[-1]])
            inside[stack[-1]] += end - start
        parent.append(stack[-1] if stack else -1)
        depth.append(len(stack))
        ends.append(end)
        inside.append(0)
        stack.append(row)
    return parent, depth, ends, inside, clipped


def columns(spans: list[Span]) -> list[NDArray[np.int64]]:
    return [np.array([span[i] for span in spans], dtype=np.int64) for i in range(5)]


@both_forms
@given(spans=SPANS, data=st.data())
def test_selected_rows_nest_like_columns_of_these_rows_alone(
    compiled: bool, spans: list[Span], data: st.DataObject
) -> None:
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(spans), max_size=len(spans))))
    lane, start, length, tie, second_tie = columns(spans)
    with form(compiled):
        coded = Coded(second_tie.astype(np.int32), np.array([7, 9]))
        found = nest(lane, start, length, tie, coded, rows=rows)
        expected = nested([spans[i] for i in rows])
    assert found.order.tolist() == rows[expected.order].tolist()
    assert (found.parent.tolist(), found.end.tolist()) == (expected.parent.tolist(), expected.end.tolist())


def nested(spans: list[Span]) -> nesting.Nesting:
    lane, start, length, *ties = columns(spans)
    return nest(lane, start, length, *ties)


@both_forms
@given(spans=SPANS)
def test_nesting_equals_the_naive_stack(compiled: bool, spans: list[Span]) -> None:
    order = in_order(spans)
    with form(compiled):
        got = nested(spans)
    assert got.order.tolist() == order
    found = got.parent.tolist(), got.depth.tolist(), got.end.tolist(), got.inside.tolist(), got.clipped
    assert found == by_stack([spans[i] for i in order])


@both_forms
def test_an_event_that_outlasts_its_parent_is_clipped(compiled: bool) -> None:
    """
    a |======
    b |   ======
    """
    with form(compiled):
        found = nested([(0, 0, 6, 0, 0), (0, 3, 6, 0, 0)])
    assert (found.parent.tolist(), found.end.tolist(), found.clipped) == ([-1, 0], [6, 6], 1)


@both_forms
@given(spans=SPANS, asked=st.lists(st.tuples(st.sampled_from((0, 1, 2, 5, 70_000)), st.integers(-1, 23)), max_size=20))
def test_the_innermost_span_is_the_latest_started_open_one(
    compiled: bool, spans: list[Span], asked: list[tuple[int, int]]
) -> None:
    with form(compiled):
        got = nested(spans)
        lane, start, *_ = (column[got.order] for column in columns(spans))
        nodes = Enclosers(lane, start, got.end, got.parent)
        found = innermost(nodes, np.array([q[0] for q in asked], dtype=np.int64), np.array([q[1] for q in asked]))
    for (where, at), row in zip(asked, found.tolist(), strict=True):
        open_spans = [i for i in range(len(spans)) if lane[i] == where and start[i] <= at < got.end[i]]
        assert row == max(open_spans, default=-1)


@both_forms
@given(spans=SPANS)
def test_descendants_are_added_to_all_ancestors(compiled: bool, spans: list[Span]) -> None:
    with form(compiled):
        found = nested(spans)
        own = np.arange(1, len(spans) + 1)
        total = with_descendants(found.parent, found.depth, own)
    expected = own.copy()
    for row in range(len(spans)):
        above = found.parent[row]
        while above >= 0:
            expected[above] += own[row]
            above = found.parent[above]
    assert total.tolist() == expected.tolist()


@both_forms
@given(rows=st.lists(st.tuples(*(st.integers(-3, 3),) * 4), max_size=60))
def test_rows_are_ordered_by_first_then_descending_second_then_ties(
    compiled: bool, rows: list[tuple[int, int, int, int]]
) -> None:
    keys = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(4)]
    with form(compiled):
        found = sorted_order(*keys).tolist()
    assert found == sorted(range(len(rows)), key=lambda i: (rows[i][0], -rows[i][1], *rows[i][2:], i))


@both_forms
@pytest.mark.parametrize(
    "kind", ["ascending", "descending", "shuffled", "repeated", "runs", "late parents", "far apart", "ever finer"]
)
def test_many_rows_are_sorted_from_any_order(compiled: bool, kind: str) -> None:
    rows = np.arange(5000)
    random = np.random.default_rng(3)
    first = {
        "ascending": rows,
        "descending": rows[::-1].copy(),
        "shuffled": random.permutation(rows),
        "repeated": random.permutation(rows // 100),
        "runs": rows % 700,
        "late parents": rows - 40 * (rows % 37 == 36),
        "far apart": random.permutation(np.where(rows % 999 == 5, np.iinfo(np.int64).min + rows, rows + (1 << 62))),
        "ever finer": random.permutation(np.left_shift(1, rows % 63) + rows % 2),
    }[kind]
    second = random.integers(0, 3, len(rows))
    with form(compiled):
        found = sorted_order(first, second)
    assert np.array_equal(found, np.lexsort((-second, first)))


def test_levels_are_the_rows_of_each_depth() -> None:
    depth = np.array([0, 1, 2, 1, 0, 40_000])
    assert [rows.tolist() for rows in by_level(depth)] == [[0, 4], [1, 3], [2], [5]]
    assert by_level(depth[:0]) == []


@both_forms
def test_extreme_times_do_not_overflow(compiled: bool) -> None:
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    start, dur = np.array([low, low, high - 5]), np.array([10, 4, 5])
    with form(compiled):
        found = nest(np.zeros(3, dtype=np.int64), start, dur, np.arange(3))
    assert (found.parent.tolist(), found.inside.tolist()) == ([-1, 0, -1], [4, 0, 0])
