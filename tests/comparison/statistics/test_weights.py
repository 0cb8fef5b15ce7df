"""Capped weights and weighted medians."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.statistics.weights import LARGEST_SHARE, capped, effective_number, weighted_median

WEIGHTS = st.lists(st.floats(0.001, 1e6), min_size=6, max_size=30)


def alone(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.int64)


@given(WEIGHTS)
def test_no_name_has_more_than_a_fifth(weights: list[float]) -> None:
    out = capped(np.array(weights), alone(len(weights)))
    assert out.max() <= LARGEST_SHARE * out.sum() * (1 + 1e-6)
    assert (out <= np.array(weights) * (1 + 1e-9)).all()


def test_small_weights_are_not_capped() -> None:
    out = capped(np.array([100.0, 1, 1, 1, 1, 1, 1]), alone(7))
    assert out.tolist() == pytest.approx([1.5, 1, 1, 1, 1, 1, 1])


def test_few_names_have_equal_weights() -> None:
    assert capped(np.array([9.0, 2.0, 1.0]), alone(3)).tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_rows_of_one_name_share_its_cap() -> None:
    out = capped(np.array([60.0, 40.0, 1, 1, 1, 1, 1, 1]), np.array([0, 0, 1, 2, 3, 4, 5, 6]))
    assert out[:2].tolist() == pytest.approx([0.9, 0.6])


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.01, 10)), min_size=1, max_size=20))
def test_the_median_of_negated_values_is_the_negated_median(rows: list[tuple[float, float]]) -> None:
    values, weights = (np.array(column) for column in zip(*rows, strict=True))
    assert weighted_median(-values, weights) == -weighted_median(values, weights)


def test_the_median_splits_the_weights() -> None:
    assert weighted_median(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 5.0])) == 3.0
    assert weighted_median(np.array([1.0, 2.0]), np.array([1.0, 1.0])) == 1.5


def test_the_effective_number_of_equal_weights_is_their_number() -> None:
    assert effective_number(np.ones(4), alone(4)) == pytest.approx(4)
    assert effective_number(np.array([1.0, 1e-9]), alone(2)) == pytest.approx(1)
