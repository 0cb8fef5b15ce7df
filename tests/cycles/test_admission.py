"""Incomplete steps, recognized by their launches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.pooling.step_admission import admit


@pytest.mark.parametrize(
    ("launches", "dropped"),
    [
        ([100, 100, 100], []),
        ([0, 50, 100, 100, 100], [0, 1]),  # recording began late
        ([100, 100, 97, 98, 100], [2]),  # the mode covers half: 2 % may miss, 3 % may not
        ([100, 100, 100, 250], []),  # more than usual is no loss
        ([90, 95, 100, 105, 110, 60], [5]),  # no mode: the median and three robust deviations
        ([1000, 1001, 1002, 999, 998, 951, 949], [6]),  # no mode, little spread: 5 %
        ([50, 50, 100, 100], []),  # two modes: the smaller is usual, nothing is called lost that may be work
        ([0, 0, 0], []),  # no device work at all
        ([7], []),
        ([], []),
    ],
)
def test_steps_with_too_few_launches_are_incomplete(launches: list[int], dropped: list[int]) -> None:
    assert np.flatnonzero(admit(np.array(launches, dtype=np.int64)).incomplete).tolist() == dropped


def test_the_mode_is_that_of_the_steps_with_launches() -> None:
    """Seven of the eight steps with launches agree, out of twenty."""
    found = admit(np.array([0] * 12 + [50] * 7 + [40], dtype=np.int64))
    assert (found.usual, found.least) == (50.0, 49.0)
    assert int(found.incomplete.sum()) == 13


def test_more_launches_than_usual_are_flagged_and_kept() -> None:
    found = admit(np.array([100, 100, 100, 103], dtype=np.int64))
    assert found.unusual.tolist() == [False, False, False, True]
    assert not found.incomplete.any()


counts = st.lists(st.integers(0, 200), min_size=1, max_size=40)


@given(counts)
def test_one_step_always_stays(launches: list[int]) -> None:
    assert not admit(np.array(launches, dtype=np.int64)).incomplete.all()


@given(counts, st.randoms(use_true_random=False))
def test_the_order_of_the_steps_does_not_matter(launches: list[int], random: object) -> None:
    before = np.array(launches, dtype=np.int64)
    order = np.argsort(before, kind="stable")
    assert admit(before).incomplete[order].tolist() == admit(before[order]).incomplete.tolist()


@given(counts)
def test_a_step_with_more_launches_than_a_complete_one_is_complete(launches: list[int]) -> None:
    values = np.array(launches, dtype=np.int64)
    dropped = admit(values).incomplete
    if dropped.any():
        assert values[dropped].max() < values[~dropped].min()
