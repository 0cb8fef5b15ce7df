"""Change points: a change of level is found at its place, and seldom without one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.change_points import can_be_found, change_points
from tests.growth import LARGER, grows_no_faster
from tests.thorough import sample

SERIES = arrays.arrays(np.float64, st.integers(0, 40), elements=st.floats(-1, 1, width=32))


def test_a_doubled_level_is_found_with_its_shift() -> None:
    values = np.log(np.array([10.0, 11, 10, 11, 10, 11, 20, 22, 20, 22, 20, 22]))
    (change,) = change_points(values)
    assert change.start == 6
    assert math.exp(change.shift) == pytest.approx(2)
    assert change.p <= 0.01


def test_a_constant_series_has_no_change() -> None:
    assert change_points(np.full(50, 3.0)) == ()


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_a_short_series_has_no_change(count: int) -> None:
    values = np.zeros(count)
    values[count // 2 :] = 1
    assert change_points(values) == ()


@pytest.mark.parametrize(("at", "most"), [(10, 0), (-1, 35)])
def test_an_outlier_is_a_change_only_at_the_end_of_a_series(at: int, most: int) -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(100):
        values = rng.normal(0, 0.01, 30)
        values[at] += 0.5
        found += bool(change_points(values))
    assert found <= most


def test_a_clear_change_within_the_margin_is_ignored() -> None:
    values = np.zeros(40)
    values[20:] = math.log(1.005)
    assert change_points(values) == ()
    assert [change.start for change in change_points(values, CompareOptions(margin=0.004))] == [20]


def test_several_levels_are_all_found() -> None:
    values = np.repeat([0.0, 0.3, 0.1, 0.5], 12) + np.random.default_rng(0).normal(0, 0.01, 48)
    assert [change.start for change in change_points(values)] == [12, 24, 36]


@given(SERIES)
def test_a_negated_series_has_negated_shifts_at_the_same_places(values: np.ndarray) -> None:
    found, negated = change_points(values), change_points(-values)
    assert [(one.start, one.p, one.shift) for one in found] == [(one.start, one.p, -one.shift) for one in negated]


@given(SERIES)
def test_every_change_is_significant_and_beyond_the_margin(values: np.ndarray) -> None:
    found = change_points(values)
    assert [one.start for one in found] == sorted({one.start for one in found})
    for one in found:
        assert one.p <= 0.05 and abs(one.shift) > math.log1p(0.01)
        assert 3 <= one.start <= len(values) - 3


def test_can_be_found_gives_the_shortest_series_with_a_change() -> None:
    for n in range(4, 14):
        values = np.arange(n) * 1e-6
        values[n // 2 :] += 1
        likely = 2 / math.comb(n, n // 2)
        if not 0.03 < likely < 0.06:  # nearer to the level the 999 orders decide
            assert bool(change_points(values)) == can_be_found(n, n // 2, 0.05), n


def test_at_most_one_in_twenty_series_without_a_change_gets_one() -> None:
    """Series of 30 points, noise 2 %."""
    rng, series = np.random.default_rng(1), sample(3000, 6)
    false = sum(bool(change_points(rng.normal(0, 0.02, 30))) for _ in range(series))
    assert false <= 0.05 * series + 3 * (0.0475 * series) ** 0.5


def test_heavy_tails_give_few_false_changes() -> None:
    rng = np.random.default_rng(2)
    series = sample(1000, 2)
    false = sum(bool(change_points(rng.standard_t(2, 30) * 0.02)) for _ in range(series))
    assert false <= 0.065 * series


@pytest.mark.parametrize("at", [8, 15, 22])
def test_a_shift_of_five_percent_in_noise_of_one_is_found_within_one_point(at: int) -> None:
    rng = np.random.default_rng(at)
    hits = 0
    for _ in range(100):
        values = rng.normal(0, 0.01, 30)
        values[at:] += math.log(1.05)
        hits += any(abs(change.start - at) <= 1 for change in change_points(values))
    assert hits >= 95


def twenty_levels(each: int) -> np.ndarray:
    values = np.repeat(np.random.default_rng(5).normal(0, 0.1, 20), each)
    return values + np.random.default_rng(6).normal(0, 0.01, len(values))


def test_time_grows_in_proportion_to_the_points() -> None:
    few, many = twenty_levels(10), twenty_levels(10 * LARGER)
    assert min(len(change_points(few)), len(change_points(many))) >= 15
    assert grows_no_faster(lambda: change_points(few), lambda: change_points(many))
