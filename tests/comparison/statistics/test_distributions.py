"""Distributions against scipy, from their middle to their far tail."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import special

from tb_perfcompare.comparison.statistics.distributions import (
    chi_squared_tail,
    f_quantile,
    quantile,
    quantiles,
    upper_tail,
)

FREEDOM = np.array([0.3, 1, 2.3, 5, 17.7, 100, 1e3, 1e5])
DISTANCE = np.concatenate([[0], np.logspace(-6, 2, 40), [np.inf]])


def test_tails_are_those_of_scipy() -> None:
    n, t = (part.ravel() for part in np.meshgrid(FREEDOM, DISTANCE))
    expected = special.stdtr(n, -t)
    each = [upper_tail([one], [degrees_of_freedom])[0] for one, degrees_of_freedom in zip(t, n, strict=True)]
    np.testing.assert_allclose(upper_tail(t, n), expected, rtol=1e-10, atol=1e-300)
    np.testing.assert_array_equal(upper_tail(t[:200], n[:200]), upper_tail(t, n)[:200])  # few values take another path
    np.testing.assert_allclose(each, expected, rtol=1e-10, atol=1e-300)


def test_f_quantiles_are_those_of_scipy() -> None:
    degrees = (1, 2, 5, 30, 400)
    for above, below, probability in product(degrees, degrees, (0.5, 0.975, 0.999)):
        expected = special.fdtri(above, below, probability)
        assert f_quantile(above, below, probability) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("probability", [0.51, 0.8, 0.975, 1 - 1e-9])
def test_quantiles_are_those_of_scipy(probability: float) -> None:
    degrees_of_freedom = np.logspace(np.log10(0.5), 5, 20)
    expected = special.stdtrit(degrees_of_freedom, probability)
    np.testing.assert_allclose(quantiles(degrees_of_freedom, probability), expected, rtol=1e-11)
    np.testing.assert_allclose([quantile(one, probability) for one in degrees_of_freedom], expected, rtol=1e-11)


@pytest.mark.parametrize("degrees_of_freedom", [1, 2, 3, 8, 31])
def test_chi_squared_tails_are_those_of_scipy(degrees_of_freedom: int) -> None:
    distances = [0.0, 1e-9, 0.5, 3.84, 30.0, 300.0]
    ours = [chi_squared_tail(distance, degrees_of_freedom) for distance in distances]
    np.testing.assert_allclose(ours, special.chdtrc(degrees_of_freedom, distances), rtol=1e-12)


def test_tails_without_freedom_or_distance_are_nan() -> None:
    assert np.isnan(upper_tail([1.0, np.nan], [0.0, 3.0])).all()
