"""The shift of two samples: estimate, interval, adequacy, and the laws they obey."""

from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics import hodges_lehmann
from tb_perfcompare.comparison.statistics.estimate import LONGEST_STEP_NS, ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of, log_shift
from tb_perfcompare.comparison.statistics.mean_effect import (
    BOOTSTRAP_LIMIT,
    bootstrap_mean_effect,
    exact_mean,
    outlying_steps,
    share_of_outliers,
)
from tests.thorough import sample

Times = NDArray[np.int64]

step_times = st.lists(st.integers(1, LONGEST_STEP_NS - 1) | st.integers(1, 50), min_size=1, max_size=12)
usual_times = st.lists(st.integers(10_000, 10_000_000), min_size=1, max_size=12)


def ns(*values: int) -> Times:
    return np.array(values, dtype=np.int64)


def shift(a: list[int], b: list[int]) -> ShiftEstimate:
    return estimate_shift(ns(*a), ns(*b), 0.05)


def lognormal(generator: np.random.Generator, n: int, median: float = 1e8, sigma: float = 0.05) -> Times:
    return np.rint(median * np.exp(generator.normal(0, sigma, n))).astype(np.int64)


def test_median_of_all_ratios() -> None:
    # ratios 2, 4, 1, 2, 1/2, 1: the middle two are 1 and 2
    estimate = shift([100, 200, 400], [200, 400])
    assert fraction_of(estimate.theta) == pytest.approx(math.sqrt(2) - 1)
    # differences 100, 300, 0, 200, -200, 0
    assert estimate.difference.estimate_ns == 50
    assert (estimate.difference.low_ns, estimate.difference.high_ns) == (-200, 300)
    assert estimate.level is None
    assert fraction_of(estimate.theta_high) == pytest.approx(3)


def test_exact_interval_of_four_against_four() -> None:
    # k = 1: the smallest and the largest of 16 differences, level 1 - 2/70
    estimate = shift([100, 130, 110, 120], [150, 180, 160, 171])
    assert estimate.exact
    assert (estimate.difference.low_ns, estimate.difference.high_ns) == (20, 80)
    assert estimate.level == pytest.approx(1 - 2 / 70)
    assert fraction_of(estimate.theta_low) == pytest.approx(150 / 130 - 1)
    assert fraction_of(estimate.theta_high) == pytest.approx(180 / 100 - 1)


@pytest.mark.parametrize("trial", range(6))
def test_interval_holds_exactly_the_shifts_that_the_test_does_not_reject(trial: int) -> None:
    generator = np.random.default_rng(trial)
    n, m = generator.integers(4, 12, size=2).tolist()
    pool = generator.permutation(10**6)
    a, b = pool[:n] * 2 + 10**7, pool[n : n + m] * 2 + 10**7
    estimate = estimate_shift(a, b, 0.05)
    ordered = np.sort(np.subtract.outer(b, a).ravel())
    between = (ordered[:-1] + ordered[1:]) / 2
    accepted = [t for t in between if scipy.stats.mannwhitneyu(b - t, a, method="exact").pvalue > 0.05]
    if estimate.exact:
        inside = (between > estimate.difference.low_ns) & (between < estimate.difference.high_ns)
        assert accepted == between[inside].tolist()
    else:
        assert estimate.difference.low_ns <= min(accepted)
        assert estimate.difference.high_ns >= max(accepted)


@pytest.mark.parametrize("n", [8, 20])
def test_interval_covers_the_true_shift(n: int) -> None:
    generator = np.random.default_rng(n)
    truth, trials, hits = math.log(1.03), sample(500, 2), 0
    for _ in range(trials):
        estimate = estimate_shift(lognormal(generator, n), lognormal(generator, n, 1.03e8), 0.05)
        hits += estimate.theta_low <= truth <= estimate.theta_high
    assert hits / trials >= 0.94


def test_the_detectable_effect_is_found_in_four_of_five_cases() -> None:
    generator = np.random.default_rng(5)
    n, sigma = 40, 0.05
    known = math.expm1(2.8016 * sigma * math.sqrt(2 / n) / math.sqrt(0.955))
    found = 0
    for _ in range(600):
        a, b = lognormal(generator, n, sigma=sigma), lognormal(generator, n, 1e8 * (1 + known), sigma)
        found += scipy.stats.mannwhitneyu(a, b, method="exact").pvalue <= 0.05
    assert found / 600 == pytest.approx(0.8, abs=0.05)
    estimate = shift([100, 102, 98, 101, 99, 100, 102], [100, 103, 97, 101, 99, 100, 102])
    expected = 2.8016 * estimate.sigma * estimate.inflation * math.sqrt(1 / 7 + 1 / 7) / math.sqrt(0.955)
    assert estimate.detectable == pytest.approx(math.expm1(expected), rel=1e-4)


def test_no_change_is_called_detectable_that_was_not_detected() -> None:
    """Steps in two groups: within a group they hardly vary, but the interval spans both."""
    estimate = shift([100, 101, 100, 130, 101, 100, 131, 100], [130, 100, 131, 130, 101, 130, 131, 130])
    assert estimate.theta_low <= 0 < 0.2 < estimate.theta
    assert estimate.detectable is not None and estimate.detectable >= math.expm1(estimate.theta)


def test_steps_needed() -> None:
    estimate = shift([100, 102, 98, 101, 99], [100, 103, 97, 101, 99])
    ratio = 2.8016 * estimate.sigma * estimate.inflation / math.log(1.01)
    assert estimate.steps_needed(0.01) == math.ceil(2 * ratio**2 / 0.955)
    assert estimate.steps_needed(0.02) < estimate.steps_needed(0.01)
    assert estimate.steps_needed(0.0) is None


def test_spread_has_a_floor_and_is_pooled_within_sides() -> None:
    assert shift([100] * 5, [200] * 5).sigma == 0.001
    # distances from the own median in logs: a: ln 2, 0, ln 2; b: ln 2, 0, ln 2
    assert shift([50, 100, 200], [500, 1000, 2000]).sigma == pytest.approx(1.4826 * math.log(2))


@pytest.mark.parametrize(
    ("a", "b", "delta", "word"),
    [
        ([1, 2], [3, 4], 1.0, "large"),
        ([3, 4], [1, 2], -1.0, "large"),
        ([1, 4], [2, 3], 0.0, "negligible"),
        ([1, 2, 3, 4], [2, 3, 4, 5], 7 / 16, "medium"),
        ([1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7], 11 / 36, "small"),
    ],
)
def test_cliffs_delta(a: list[int], b: list[int], delta: float, word: str) -> None:
    estimate = shift(a, b)
    assert (estimate.cliffs_delta, estimate.effect_word) == (pytest.approx(delta), word)


def test_mean_disagrees_with_the_typical_step_when_few_steps_are_slow() -> None:
    estimate = shift([100, 101, 102, 103, 104, 105], [100, 101, 102, 103, 104, 205])
    assert estimate.mean_disagrees(0.01)
    assert not estimate.mean_disagrees(0.5)
    assert estimate.outliers == ((), (5,))


def test_outliers_lie_above_the_fence_only() -> None:
    assert outlying_steps(ns(10, 10, 11, 12, 12, 1)) == ()
    assert outlying_steps(ns(10, 100, 11, 12, 12, 11)) == (1,)
    assert outlying_steps(ns(10, 100, 11, 12, 12, 11, 90, 11, 10)) == (1, 6)
    assert outlying_steps(ns(1, 1, 9)) == ()


def test_share_of_outliers() -> None:
    a, b = ns(10, 10, 10, 10), ns(10, 10, 10, 50)
    assert share_of_outliers(a, b, ((), (3,))) == 1.0
    assert share_of_outliers(a, b, ((), ())) == 0.0
    assert share_of_outliers(a, a, ((), ())) is None


def test_means_are_exact() -> None:
    assert exact_mean(ns(LONGEST_STEP_NS - 1, LONGEST_STEP_NS - 2)) == Fraction(2 * LONGEST_STEP_NS - 3, 2)


def test_bootstrap_interval_of_the_mean() -> None:
    generator = np.random.default_rng(11)
    a, b = lognormal(generator, 40), lognormal(generator, 40, 1.2e8)
    low, high = bootstrap_mean_effect(a, b, 0.05, seed=1, resamples=4000)
    half = 1.96 * 0.05 * math.sqrt(2 / 40)
    assert low == pytest.approx(math.log(1.2) - half, abs=0.02)
    assert high == pytest.approx(math.log(1.2) + half, abs=0.02)
    assert bootstrap_mean_effect(a, b, 0.05, seed=1, resamples=4000) == (low, high)
    assert bootstrap_mean_effect(b, a, 0.05, seed=1, resamples=4000) == (-high, -low)
    assert bootstrap_mean_effect(a, b, 0.05, seed=2, resamples=4000) != (low, high)
    blocks = bootstrap_mean_effect(np.sort(a), np.sort(b), 0.05, seed=1, resamples=4000, rho=0.5)
    assert blocks[1] - blocks[0] > 1.3 * (high - low)
    assert bootstrap_mean_effect(np.ones(BOOTSTRAP_LIMIT, dtype=np.int64), b, 0.05, seed=1, resamples=100) is None


@pytest.mark.parametrize("kind", ["distinct", "tied", "huge"])
def test_both_ways_to_find_differences_agree(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    top = {"distinct": 10**9, "tied": 12, "huge": LONGEST_STEP_NS}[kind]
    a, b = generator.integers(1, top, 37), generator.integers(1, top, 23)
    ranks = [1, 2, 17, 425, 426, 500, 850, 851]
    for x, y in ((a, b), (np.log(a), np.log(b))):
        dense = hodges_lehmann.differences_at(x, y, ranks)
        assert dense == np.sort(np.subtract.outer(y, x).ravel())[np.array(ranks) - 1].tolist()
        with monkeypatch.context() as patch:
            patch.setattr(hodges_lehmann, "DENSE_LIMIT", 0)
            assert hodges_lehmann.differences_at(x, y, ranks) == dense


def test_many_steps_need_little_memory() -> None:
    generator = np.random.default_rng(4)
    a, b = lognormal(generator, 20_000), lognormal(generator, 20_000, 1.02e8)
    assert fraction_of(log_shift(a, b)) == pytest.approx(0.02, abs=0.002)


@pytest.mark.parametrize("bad", [[], [0, 5], [-1], [LONGEST_STEP_NS]])
def test_impossible_step_times_are_refused(bad: list[int]) -> None:
    with pytest.raises(ValueError, match="above zero"):
        estimate_shift(np.array(bad, dtype=np.int64), ns(5, 6), 0.05)


@given(step_times, step_times)
@example([1, 1, 1], [1, 1, 1, 1, 2])  # an estimate of zero, which faces both ends of the interval
def test_swapping_the_sides_negates_bit_for_bit(a: list[int], b: list[int]) -> None:
    forward, swapped = shift(a, b), shift(b, a)
    assert swapped.theta == -forward.theta
    assert (swapped.theta_low, swapped.theta_high) == (-forward.theta_high, -forward.theta_low)
    assert swapped.difference.estimate_ns == -forward.difference.estimate_ns
    assert swapped.difference.low_ns == -forward.difference.high_ns
    assert swapped.difference.high_ns == -forward.difference.low_ns
    assert swapped.cliffs_delta == -forward.cliffs_delta
    assert swapped.log_mean_ratio == -forward.log_mean_ratio
    assert swapped.n == forward.n[::-1]
    assert swapped.outliers == forward.outliers[::-1]
    for same in ("level", "exact", "rho", "inflation", "p", "p_min", "sigma", "alpha", "detectable"):
        assert getattr(swapped, same) == getattr(forward, same)
    assert swapped.steps_needed(0.01) == forward.steps_needed(0.01)


@given(st.floats(0, 44))
def test_fraction_of_the_exchanged_shift_is_the_nearest_float(theta: float) -> None:
    forward = Fraction(fraction_of(theta))
    assert fraction_of(-theta) == float(1 / (1 + forward) - 1)
    assert fraction_of(theta) == pytest.approx(math.expm1(theta), rel=1e-15)
    assert fraction_of(-theta) == pytest.approx(math.expm1(-theta), rel=1e-12)
    assert -1 <= fraction_of(-theta) <= 0 <= fraction_of(theta)


@given(usual_times, usual_times, st.integers(2, 1000))
def test_the_unit_of_time_does_not_matter(a: list[int], b: list[int], factor: int) -> None:
    plain, scaled = shift(a, b), shift([t * factor for t in a], [t * factor for t in b])
    assert scaled.theta == pytest.approx(plain.theta, abs=1e-12)
    assert scaled.theta_low == pytest.approx(plain.theta_low, abs=1e-12)
    assert scaled.theta_high == pytest.approx(plain.theta_high, abs=1e-12)
    assert scaled.difference.estimate_ns == factor * plain.difference.estimate_ns
    assert (scaled.n, scaled.level, scaled.inflation) == (plain.n, plain.level, plain.inflation)
    assert scaled.p == pytest.approx(plain.p, rel=1e-6)


@given(usual_times, st.integers(2, 5))
def test_a_constant_ratio_is_the_estimate(a: list[int], factor: int) -> None:
    estimate = shift(a, [t * factor for t in a])
    assert fraction_of(estimate.theta) == pytest.approx(factor - 1)
    assert estimate.theta_low <= estimate.theta <= estimate.theta_high


@given(step_times, step_times)
def test_every_figure_is_finite(a: list[int], b: list[int]) -> None:
    estimate = shift(a, b)
    for field in fields(estimate):
        value = getattr(estimate, field.name)
        if isinstance(value, float):
            assert math.isfinite(value), field.name
    assert 0 < estimate.p <= 1
    assert estimate.theta_low <= estimate.theta <= estimate.theta_high
    assert estimate.level is None or estimate.level >= 0.95 - 1e-12
    assert estimate.detectable is None or math.isfinite(estimate.detectable)


@given(step_times)
def test_equal_samples_have_shift_zero(a: list[int]) -> None:
    estimate = shift(a, a)
    assert (estimate.theta, estimate.difference.estimate_ns, estimate.p) == (0.0, 0, 1.0)
    assert math.copysign(1.0, estimate.theta) == 1.0
