"""Slopes against the amount of work, and how much of the variation they explain."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.amount.curve import explained, slopes
from tb_perfcompare.model.arrays import CaptureIndex, Floats

AMOUNT = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
ONE = np.zeros(8, dtype=np.int32)


def slope(values: list[float], amount: Floats = AMOUNT, capture: CaptureIndex = ONE) -> list[float]:
    found: list[float] = slopes(np.array([values]), amount, capture)[0].tolist()
    return found


def test_one_long_step_does_not_count() -> None:
    assert slope([10.0, 12, 14, 16, 900, 20, 22, 24]) == [2.0] * 8


def test_each_capture_has_its_own() -> None:
    capture = np.repeat([0, 1], 6).astype(np.int32)
    amount = np.tile(AMOUNT[:6], 2)
    assert slope([*range(6), *range(0, 30, 5)], amount, capture) == [1.0] * 6 + [5.0] * 6


def test_a_capture_of_few_steps_takes_that_of_all() -> None:
    capture = np.array([0] * 6 + [1] * 2, dtype=np.int32)
    amount = np.array([1.0, 2, 3, 4, 5, 6, 1, 2])
    assert slope([*range(6), 50, 99], amount, capture)[6:] == [1.0, 1.0]


def test_equal_amounts_have_none() -> None:
    assert slope([1.0, 5, 2, 8, 3, 9, 4, 7], np.full(8, 3.0)) == [0.0] * 8


def test_many_steps_are_compared_with_those_half_of_them_further_on() -> None:
    amount = np.random.default_rng(1).permutation(400).astype(float)
    assert slope((7 + 3 * amount).tolist(), amount, np.zeros(400, dtype=np.int32)) == pytest.approx([3.0] * 400)


def test_explained_is_one_for_a_line_and_little_for_noise() -> None:
    noise = np.random.default_rng(2).normal(size=200)
    amount, capture = np.arange(200.0), np.zeros(200, dtype=np.int32)
    assert explained(5 + 2 * amount, amount, capture) == 1.0
    assert explained(noise, amount, capture) < 0.1
    assert explained(np.full(200, 4.0), amount, capture) == 0.0
