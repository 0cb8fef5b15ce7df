"""How much autocorrelation of neighboring steps widens an interval, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from tb_perfcompare.comparison.statistics.autocorrelation import Autocorrelation, autocorrelation, independent


def rows(*values: int) -> np.ndarray:
    return np.array([values], dtype=np.int64)


def resemblance_of(rho: float, steps: int) -> Autocorrelation:
    return Autocorrelation(np.array([rho]), np.sqrt(np.array([(1 + rho) / (1 - rho)])), steps)


def test_rho_by_hand() -> None:
    # one side 1 3 4 2: centered ranks -3 1 3 -1 (doubled), products -3 + 3 - 3 = -3, squares 20; twice the same side
    seen = -3 / 20 + 1 / 4
    found = autocorrelation(rows(1, 3, 4, 2), rows(11, 13, 14, 12), None)
    rho = 2 * math.sin(math.pi / 6 * seen / 0.7)  # at least 0.7 of it is taken to show
    assert found.rho[0] == pytest.approx(rho)
    assert found.inflation[0] == pytest.approx(math.sqrt((1 + rho) / (1 - rho)))


def test_a_capture_is_worth_one_independent_step_at_least() -> None:
    assert autocorrelation(rows(1, 2, 3, 4), rows(5, 6, 7, 8), None).inflation[0] == 2


def test_rho_stays_below_one() -> None:
    assert autocorrelation(rows(*range(20)), rows(*range(20)), None).rho[0] == pytest.approx(0.9)
    assert autocorrelation(rows(1, 9, 2, 8), rows(5, 1, 6, 2), None).rho[0] == 0


def test_constant_steps_resemble_nothing() -> None:
    assert autocorrelation(rows(5, 5, 5), rows(5, 5), None).inflation[0] == 1


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("steps", [20, 50])
def test_rho_equals_that_of_the_simulated_process(steps: int, rho: float) -> None:
    """The median over 4,000 pairs of series."""
    random = np.random.default_rng(steps)
    series = np.empty((2, 4000, steps))
    series[:, :, 0] = random.normal(size=(2, 4000))
    for i in range(1, steps):
        series[:, :, i] = rho * series[:, :, i - 1] + math.sqrt(1 - rho**2) * random.normal(size=(2, 4000))
    a, b = np.rint(series * 1e6).astype(np.int64)
    assert np.median(autocorrelation(a, b, None).rho) == pytest.approx(rho, abs=0.05)


def test_the_interval_grows_about_its_middle() -> None:
    alike = resemblance_of(0.5, 40)
    inflation = math.sqrt(3)
    spread = math.sqrt(1 - 2 / 19)
    degrees_of_freedom = 40 / 3 - 2
    factor = inflation / spread * scipy.stats.t.ppf(0.975, degrees_of_freedom) / scipy.stats.norm.ppf(0.975)
    assert alike.widening(0.05)[0] == pytest.approx(factor)
    low, high = alike.interval(np.array([1.0]), np.array([0.0]), np.array([3.0]), 0.05)
    assert (low[0], high[0]) == (pytest.approx(1 - factor), pytest.approx(1 + 2 * factor))


@pytest.mark.parametrize("middle", [-3.0, -1.0, 0.5, 2.0, 9.0])
def test_p_is_at_most_alpha_where_the_interval_leaves_out_zero(middle: float) -> None:
    alike = resemblance_of(0.4, 30)
    ends = np.array([middle]), np.array([middle - 1.5]), np.array([middle + 1.2])
    low, high = alike.interval(*ends, 0.05)
    assert (alike.p(*ends, 0.05)[0] <= 0.05) == (low[0] > 0 or high[0] < 0)


def test_independent_steps_keep_their_interval() -> None:
    alone = independent(1, 20)
    low, high = alone.interval(np.array([1.0]), np.array([0.1]), np.array([2.0]), 0.05)
    assert (low[0], high[0], alone.widening(0.05)[0]) == (0.1, 2.0, 1.0)


def test_a_slight_autocorrelation_is_ignored() -> None:
    assert resemblance_of(0.04, 20).widening(0.05)[0] == 1
    assert resemblance_of(0.06, 20).widening(0.05)[0] > 1.1
