"""Means, deviations and p of many triplets at once, against definitions one by one and scipy."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.strict.groups import Layout, Moments
from tb_perfcompare.comparison.strict.report import rank_test_p, welch_p

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).map(lambda value: round(value, 4))
ROWS = st.lists(st.tuples(st.integers(0, 5), NUMBERS), max_size=60)
FEW_VALUES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6).map(float)), max_size=50)
MANY_VALUES = st.lists(st.tuples(st.integers(0, 3), NUMBERS), max_size=50, unique_by=lambda pair: pair[1])


def split(rows: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([group for group, _ in rows], np.int64), np.array([value for _, value in rows], np.float64)


def of_group(rows: list[tuple[int, float]], group: int) -> list[float]:
    return [value for own, value in rows if own == group]


def compensated_mean(values: list[float]) -> float:
    total = lost = 0.0
    for value in values:
        step = value - lost
        raised = total + step
        lost = raised - total - step
        total = raised
    return total / len(values) if values else 0.0


def running_sd(values: list[float]) -> float:
    mean = squares = 0.0
    for count, value in enumerate(values, 1):
        before = mean
        mean += (value - before) / count
        squares += (value - mean) * (value - before)
    return math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0


@given(ROWS)
def test_moments_equal_row_by_row_sums_to_the_last_bit(rows: list[tuple[int, float]]) -> None:
    group, values = split(rows)
    found = Layout(group, 6).moments(values)
    for index in range(6):
        own = of_group(rows, index)
        assert found.mean[index] == compensated_mean(own)
        assert found.sd[index] == running_sd(own)


@given(st.floats(0, 1e12).map(lambda value: round(value, 4)), st.integers(2, 40))
def test_a_constant_has_zero_deviation(value: float, count: int) -> None:
    """The plain two-pass formula leaves 1e-14 for values such as 87.4989."""
    found = Layout(np.zeros(count, np.int64), 1).moments(np.full(count, value))
    assert found.sd[0] == 0.0


@pytest.mark.parametrize("drawn", ["few values", "many values"])
def test_rank_test_is_scipys_for_every_triplet(drawn: str) -> None:
    """scipy chooses the method per call; one call per triplet is the reference."""

    @given(*[FEW_VALUES if drawn == "few values" else MANY_VALUES] * 2)
    def check(rows_a: list[tuple[int, float]], rows_b: list[tuple[int, float]]) -> None:
        (group_a, values_a), (group_b, values_b) = split(rows_a), split(rows_b)
        found = rank_test_p(group_a, values_a, group_b, values_b, 4)
        for index in range(4):
            a, b = of_group(rows_a, index), of_group(rows_b, index)
            expected = scipy.stats.mannwhitneyu(a, b).pvalue if min(len(a), len(b)) > 1 else 1.0
            assert found[index] == pytest.approx(expected, rel=1e-9, abs=1e-15)

    check()


def test_a_tie_in_one_triplet_does_not_change_the_method_of_another() -> None:
    group = np.repeat(np.arange(2), 3)
    p = rank_test_p(group, np.array([1.0, 2, 3, 1, 1, 2]), group, np.array([4.0, 5, 6, 2, 3, 4]), 2)
    assert p[0] == pytest.approx(0.1), "exact"
    assert p[1] == pytest.approx(scipy.stats.mannwhitneyu([1, 1, 2], [2, 3, 4], method="asymptotic").pvalue)


@pytest.mark.parametrize(("n", "m", "exact"), [(8, 30, True), (9, 9, False), (2, 200, True)])
def test_small_samples_use_the_exact_distribution(n: int, m: int, exact: bool) -> None:
    values = np.random.default_rng(n).permutation(n + m).astype(np.float64)
    p = rank_test_p(np.zeros(n, np.int64), values[:n], np.zeros(m, np.int64), values[n:], 1)[0]
    method = "exact" if exact else "asymptotic"
    assert p == pytest.approx(scipy.stats.mannwhitneyu(values[:n], values[n:], method=method).pvalue, rel=1e-10)


@given(st.lists(st.tuples(NUMBERS, st.floats(0, 1e6), NUMBERS, st.floats(0, 1e6)), min_size=1, max_size=8))
def test_welch_is_scipys(figures: list[tuple[float, float, float, float]]) -> None:
    mean_a, sd_a, mean_b, sd_b = (np.array(column) for column in zip(*figures, strict=True))
    sizes = np.arange(2, 2 + len(figures))
    found = welch_p(Moments(mean_a, sd_a), Moments(mean_b, sd_b), sizes, sizes + 3)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = scipy.stats.ttest_ind_from_stats(
            mean_a, sd_a, sizes, mean_b, sd_b, sizes + 3, equal_var=False
        ).pvalue
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


def test_welch_of_constants_and_single_values() -> None:
    flat = Moments(np.array([1.0, 1.0, 1.0]), np.zeros(3))
    other = Moments(np.array([1.0, 2.0, 2.0]), np.zeros(3))
    p = welch_p(flat, other, np.array([5, 5, 1]), np.array([5, 5, 5]))
    assert math.isnan(p[0])
    assert p[1:].tolist() == [0.0, 1.0]
