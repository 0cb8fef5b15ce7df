"""Values along one curve of both sides, which the machine's pace scales in each capture."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.comparison.amount.curve import along_curve
from tb_perfcompare.model.arrays import Floats

CAPTURES = np.zeros(12, dtype=np.int32), np.zeros(12, dtype=np.int32)
SHORT, LONG = np.arange(4.0, 16), np.arange(12.0, 24)


def work(amount: Floats) -> Floats:
    return np.asarray(50 + 10 * amount + amount**2)


def test_sides_with_other_amounts_are_alike_at_one_amount() -> None:
    moved = along_curve((work(SHORT), 3 * work(LONG)), (SHORT, LONG), CAPTURES, 14.0)
    assert moved is not None
    assert moved[0] == pytest.approx(np.full(12, work(np.array(14.0))))
    assert moved[1] == pytest.approx(np.full(12, 3 * work(np.array(14.0))))


def test_a_long_step_stays_long_and_moves_no_other() -> None:
    times = work(SHORT)
    times[3] += 5000
    moved = along_curve((times, work(LONG)), (SHORT, LONG), CAPTURES, 14.0)
    assert moved is not None
    at_level = float(work(np.array(14.0)))
    assert np.delete(moved[0], 3) == pytest.approx(np.full(11, at_level), rel=0.01)
    assert moved[0][3] == pytest.approx(at_level + 5000, rel=0.01)


def test_few_amounts_make_a_line() -> None:
    amounts = np.tile([1.0, 2, 4], 4), np.tile([1.0, 2, 4], 4)
    moved = along_curve((7 + 3 * amounts[0], 7 + 3 * amounts[1]), amounts, CAPTURES, 2.0)
    assert moved is not None
    assert moved[0] == pytest.approx(np.full(12, 13.0))


def test_swapped_sides_are_moved_alike() -> None:
    there = along_curve((work(SHORT), 2 * work(LONG) + LONG**3), (SHORT, LONG), CAPTURES, 14.0)
    back = along_curve((2 * work(LONG) + LONG**3, work(SHORT)), (LONG, SHORT), CAPTURES, 14.0)
    assert there is not None and back is not None
    assert there[0] == pytest.approx(back[1]) and there[1] == pytest.approx(back[0])


def test_values_that_are_zero_have_no_curve() -> None:
    assert along_curve((np.zeros(12), work(LONG)), (SHORT, LONG), CAPTURES, 14.0) is None
