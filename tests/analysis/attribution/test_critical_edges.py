"""Handovers between threads on the critical path, and the range maxima that find them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution.critical_edges import _handed_over, _place_of_largest

RANGES = st.lists(st.integers(0, 5), min_size=1, max_size=12).flatmap(
    lambda values: st.tuples(
        st.just(values),
        st.lists(
            st.tuples(st.integers(0, len(values) - 1), st.integers(1, len(values))).filter(
                lambda pair: pair[0] < pair[1]
            ),
            max_size=8,
        ),
    )
)


@given(RANGES)
def test_the_first_largest_value_of_each_range_is_found(drawn: tuple[list[int], list[tuple[int, int]]]) -> None:
    values, ranges = drawn
    low, high = (np.array([pair[side] for pair in ranges], dtype=np.int64) for side in (0, 1))
    expected = [max(range(*pair), key=lambda at: (values[at], -at)) for pair in ranges]
    assert _place_of_largest(np.array(values), low, high).tolist() == expected


@pytest.mark.parametrize(
    ("others", "worked", "until"),
    [
        ([(2, 12, 18)], 2, 18),
        ([(2, 12, 30)], 2, 20),  # ends with the gap
        ([(2, 12, 18), (3, 14, 19)], 3, 19),
    ],
    ids=["in the gap", "beyond the gap", "longer of two"],
)
def test_the_thread_that_works_last_in_a_gap_hands_over(
    others: list[tuple[int, int, int]], worked: int, until: int
) -> None:
    spans = [(1, 0, 10), (1, 20, 25), *others]
    lane, start, end = (np.array([span[column] for span in spans], dtype=np.int64) for column in range(3))
    handed = zip(*(column.tolist() for column in _handed_over(lane, start, end)), strict=True)
    assert [row for row in handed if row[0] == 1] == [(1, 20, worked, until)]


def test_a_thread_that_began_before_the_gap_does_not_hand_over() -> None:
    lane, start, end = np.array([1, 1, 2]), np.array([0, 20, 5]), np.array([10, 25, 18])
    assert 1 not in _handed_over(lane, start, end)[0].tolist()
