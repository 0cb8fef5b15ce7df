"""p adjusted for all rows of a table, under any dependence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.multiple_testing import family_wise_p, holm, q_values
from tb_perfcompare.errors import PerfCompareError
from tests.comparison.statistics.test_entity_tests import found_in
from tests.thorough import sample

Ints = NDArray[np.int64]
STRICT = CompareOptions(discoveries="family_wise")


def one_capture(*sides: Ints) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    first, second = (np.zeros(side.shape[1], dtype=np.int32) for side in sides)
    return first, second


def test_p_is_the_share_of_all_permutations_that_reach_the_row() -> None:
    """Three rows of 4 + 4 steps: all 70 permutations counted one by one."""
    rows = np.array([[0, 3, 1, 2, 6, 4, 7, 5], [5, 0, 7, 2, 4, 1, 6, 3], [3, 7, 0, 5, 1, 6, 2, 4]], dtype=np.int64)
    centered = rows - 3.5
    permutations = [np.abs(centered[:, list(chosen)].sum(axis=1)).max() for chosen in combinations(range(8), 4)]
    own = np.abs(centered[:, 4:].sum(axis=1))
    expected = [np.mean(np.array(permutations) >= value - 1e-9) for value in own]
    sides = rows[:, :4], rows[:, 4:]
    found = family_wise_p(*sides, one_capture(*sides), seed=1)
    # no autocorrelation; 2,000 random permutations approximate the 70
    assert found == pytest.approx(expected, abs=0.03)


def test_rows_that_move_together_count_once() -> None:
    """A hundred copies of one row are one test, not a hundred."""
    random = np.random.default_rng(4)
    a, b = random.normal(1e6, 1e4, (1, 12)), random.normal(1.013e6, 1e4, (1, 12))
    copies = [np.repeat(np.rint(side), 100, axis=0).astype(np.int64) for side in (a, b)]
    assert (found_in(*copies, options=STRICT).q <= 0.05).all()
    assert (q_values(found_in(*copies).p, any_dependence=True) > 0.05).all()


def test_equal_tables_seldom_have_a_significant_row() -> None:
    random = np.random.default_rng(11)
    tables, wrong = sample(100, 2), 0
    for _ in range(tables):
        common = random.normal(0, 1, (1, 24))
        values = np.rint(1e6 * np.exp(0.05 * (random.normal(0, 1, (20, 24)) + common))).astype(np.int64)
        sides = values[:, :12], values[:, 12:]
        wrong += bool((family_wise_p(*sides, one_capture(*sides), seed=2) <= 0.05).any())
    assert wrong <= tables * 0.05 + 2 * (tables * 0.05 * 0.95) ** 0.5


def test_swapping_the_sides_changes_no_p() -> None:
    random = np.random.default_rng(6)
    a, b = random.integers(0, 1000, (30, 9)), random.integers(0, 1000, (30, 9))
    for first, second in ((a, b), (a, b[:, :7])):
        forward = family_wise_p(first, second, one_capture(first, second), seed=5)
        assert np.array_equal(forward, family_wise_p(second, first, one_capture(second, first), seed=5))


def test_a_row_with_captures_far_apart_is_not_significant() -> None:
    captures = (np.repeat([0, 1], 10).astype(np.int32),) * 2
    random = np.random.default_rng(5)
    levels = np.array([[1000, 1400, 1450, 1800], [1000, 1010, 2000, 2010]])
    values = np.repeat(levels, 10, axis=1) + random.integers(-20, 20, (2, 40))
    p = family_wise_p(values[:, :20], values[:, 20:], captures, seed=1)
    assert p[0] > 0.05 > p[1]


def test_holm_by_hand() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.5])).tolist() == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm(np.array([0.4, 0.9])).tolist() == pytest.approx([0.8, 0.9])


def test_q_values_for_any_dependence_are_those_of_scipy() -> None:
    p = np.random.default_rng(2).random(40)
    assert q_values(p, any_dependence=True) == pytest.approx(scipy.stats.false_discovery_control(p, method="by"))


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(PerfCompareError, match="discoveries is 'bonferroni'"):
        CompareOptions(discoveries="bonferroni")
