"""Unions of intervals by lane."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns.intervals import union, union_by_lane

INTERVALS = st.lists(st.tuples(st.integers(0, 2), st.integers(-9, 9), st.integers(0, 9)), max_size=12)


@given(INTERVALS)
def test_the_union_of_many_lanes_equals_the_unions_of_each(drawn: list[tuple[int, int, int]]) -> None:
    lane, start, length = (np.array([interval[column] for interval in drawn], dtype=np.int64) for column in range(3))
    end = start + length
    expected = [
        (number, *interval)
        for number in range(3)
        for interval in zip(*(side.tolist() for side in union(start[lane == number], end[lane == number])), strict=True)
    ]
    found = (column.tolist() for column in union_by_lane(lane, start, end))
    assert list(zip(*found, strict=True)) == expected


def test_times_far_apart_do_not_overflow() -> None:
    ends = np.array([2**62, -(2**62) + 5])
    lane, start, end = union_by_lane(np.array([1, 0]), ends - 5, ends)
    assert (lane.tolist(), end.tolist()) == ([0, 1], ends[::-1].tolist())
    assert (end - start).tolist() == [5, 5]
