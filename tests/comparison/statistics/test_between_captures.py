"""Captures as the outer level of variance, by hand and in headlines."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.statistics.between_captures import (
    MAX_CAPTURES,
    BetweenCaptures,
    between_captures,
    captures_needed,
    centers,
    detectable,
    gaps,
    middle_half,
)
from tests.comparison.verdict.test_verdict import headline

Floats = NDArray[np.float64]

TIGHT = [0.0, 0.3, -0.2, 0.1, -0.3, 0.2, 0.05, -0.1]
"""Steps of one capture about its level, in ms."""


def interval_of(baseline: list[float], candidate: list[float]) -> BetweenCaptures:
    got = between_captures(np.array([baseline]), np.array([candidate]), 0.05)
    assert got is not None
    return got


def spans(*levels: float) -> list[list[float]]:
    return [[level + step for step in TIGHT] for level in levels]


def test_three_and_more_captures_are_welchs_test() -> None:
    a, b = [1.0, 1.4, 1.1, 0.9], [2.0, 3.1, 2.2]
    got, expected = interval_of(a, b), scipy.stats.ttest_ind(b, a, equal_var=False)
    low, high = expected.confidence_interval(0.95)
    assert (got.low[0], got.high[0], got.p[0]) == (
        pytest.approx(low), pytest.approx(high), pytest.approx(expected.pvalue)
    )  # fmt: skip
    assert got.degrees_of_freedom[0] == pytest.approx(expected.df)


def test_fewer_captures_share_one_deviation() -> None:
    a, b = [1.0, 1.4], [2.0, 3.1, 2.2]
    got, expected = interval_of(a, b), scipy.stats.ttest_ind(b, a)
    low, high = expected.confidence_interval(0.95)
    assert (got.low[0], got.high[0], got.p[0]) == (
        pytest.approx(low), pytest.approx(high), pytest.approx(expected.pvalue)
    )  # fmt: skip


def test_one_capture_is_taken_to_differ_as_the_others_do() -> None:
    got = interval_of([1.0, 3.0], [5.0])
    error = math.sqrt(2) * math.sqrt(1 / 2 + 1)
    assert got.middle[0] == 3
    assert got.high[0] - got.middle[0] == pytest.approx(scipy.stats.t.ppf(0.975, 1) * error)
    assert between_captures(np.array([[1.0]]), np.array([[5.0]]), 0.05) is None


def test_captures_that_agree_exactly_have_an_interval_of_zero_width() -> None:
    got = interval_of([1.0, 1.0], [2.0, 2.0])
    assert (got.low[0], got.high[0], got.p[0]) == (1, 1, 0)
    assert interval_of([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]).p[0] == 1


def test_the_deviation_may_come_from_other_captures() -> None:
    like = interval_of([1.0, 1.4, 0.8], [2.0, 2.3, 2.1])
    one = between_captures(np.array([[1.0]]), np.array([[2.0]]), 0.05, variation_from=like)
    assert one is not None
    assert one.deviation is like.deviation
    assert one.high[0] - one.middle[0] == pytest.approx(
        scipy.stats.t.ppf(0.975, like.degrees_of_freedom[0]) * like.deviation[0] * math.sqrt(2)
    )


def test_swapping_the_sides_negates_bit_for_bit() -> None:
    random = np.random.default_rng(2)
    for k, m in ((1, 2), (2, 2), (3, 5), (4, 3)):
        a, b = random.normal(size=(50, k)), random.normal(size=(50, m))
        forward, swapped = between_captures(a, b, 0.05), between_captures(b, a, 0.05)
        assert forward is not None and swapped is not None
        assert np.array_equal(forward.low, -swapped.high) and np.array_equal(forward.middle, -swapped.middle)
        assert np.array_equal(forward.p, swapped.p)


def test_the_center_of_a_capture_is_the_mean_of_its_middle_half() -> None:
    values = np.array([[9.0, 1.0, 2.0, 3.0, 100.0, 4.0, 5.0, 7.0]])
    assert middle_half(values)[0] == (3 + 4 + 5 + 7) / 4
    assert middle_half(values[:, :3])[0] == 4
    assert centers(values, np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32), middle_half).tolist() == [[2.5, 6.0]]


def test_captures_needed() -> None:
    needed = captures_needed(0.05, 0.1, 0.05)
    assert needed is not None
    assert detectable(0.05, 2 * needed - 2, (needed, needed), 0.05) <= 0.1
    assert detectable(0.05, 2 * needed - 4, (needed - 1, needed - 1), 0.05) > 0.1
    assert captures_needed(0.0, 0.1, 0.05) == 2
    assert captures_needed(0.05, 0.0, 0.05) is None
    assert captures_needed(10.0, 0.001, 0.05) is None, f"more than {MAX_CAPTURES}"


def test_captures_far_apart_are_inconclusive_despite_tight_steps() -> None:
    """Steps vary by 0.3 %, captures by 4 %: 16 steps per side would decide, two captures per side do not."""
    answer = headline(spans(100, 104), spans(104.5, 108.5))
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "but captures of one run vary by 4.00 %; 95 % CI over captures" in answer.reason
    assert answer.shift is not None and answer.shift.low < 0 < answer.shift.high
    assert answer.shift.low_us < answer.shift.estimate_us < answer.shift.high_us
    one_long_capture = headline(spans(102), spans(106.5))
    assert one_long_capture.verdict is Verdict.SLOWER


def test_captures_that_agree_decide() -> None:
    answer = headline(spans(100, 100.1), spans(104, 104.1))
    assert answer.verdict is Verdict.SLOWER
    assert answer.certainty is not None
    assert answer.certainty.captures == (2, 2)
    assert answer.certainty.noise_floor == pytest.approx(0.001, abs=1e-4)


def test_the_number_of_captures_needed_is_enough() -> None:
    answer = headline(spans(100, 103), spans(110, 113))
    assert answer.certainty is not None and answer.certainty.captures_needed is not None
    needed = answer.certainty.captures_needed
    assert answer.verdict is Verdict.INCONCLUSIVE
    enough = headline(spans(*np.linspace(100, 103, needed)), spans(*np.linspace(110, 113, needed)))
    assert enough.verdict is Verdict.SLOWER


def test_one_capture_per_side_has_no_noise_floor() -> None:
    answer = headline(spans(100), spans(110))
    assert answer.certainty is not None
    assert (answer.certainty.captures_needed, answer.certainty.noise_floor) == (None, None)
    assert answer.scope.startswith("one capture per side")


def test_with_three_captures_or_more_the_interval_decides_alone() -> None:
    """With many captures a difference smaller than their spread is clear."""
    levels = np.linspace(100, 104, 9)
    answer = headline(spans(*levels), spans(*(levels + 3)))
    assert answer.verdict is Verdict.SLOWER
    assert answer.certainty is not None and answer.certainty.noise_floor is not None
    assert answer.shift is not None and answer.shift.estimate < answer.certainty.noise_floor
    assert "a difference has to be larger" not in answer.scope


def test_p_and_the_interval_of_the_mean_include_the_captures() -> None:
    two_captures, one_capture = headline(spans(100, 104), spans(104.5, 108.5)), headline(spans(102), spans(106.5))
    assert two_captures.p is not None and two_captures.p > 0.05
    assert two_captures.certainty is not None and one_capture.certainty is not None
    for certainty, inside in ((two_captures.certainty, True), (one_capture.certainty, False)):
        assert certainty.mean_low is not None and certainty.mean_high is not None
        assert (certainty.mean_low < 0 < certainty.mean_high) is inside


@pytest.mark.parametrize(
    ("draw", "at_most"),
    [
        (lambda random, shape: random.normal(size=shape), 0.01),
        (lambda random, shape: random.standard_t(2, size=shape), 0.01),
        (lambda random, shape: random.exponential(size=shape), 0.01),
        (lambda random, shape: random.uniform(size=shape), 0.015),
        (lambda random, shape: 3.0 * (random.random(shape) < 0.5) + random.normal(0, 0.3, shape), 0.035),
    ],
    ids=["normal", "heavy tails", "skewed", "even", "two speeds"],
)  # fmt: skip
def test_equal_captures_seldom_have_a_gap_between_the_sides(
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats], at_most: float
) -> None:
    drawn = draw(np.random.default_rng(1), (100_000, 6))
    found = gaps(drawn[:, :3], drawn[:, 3:])
    assert 0 < (found != 0).mean() < at_most
    assert gaps(drawn[:, 3:], drawn[:, :3]).tolist() == (-found).tolist()
