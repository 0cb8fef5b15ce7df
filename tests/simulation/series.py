"""Step times with a known truth, thousands of pairs of runs at once: (g, n) integers in picoseconds, so that no two are
equal."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]

STEP = 1e11
"""A typical step, 100 ms."""


def normal(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Times whose deviation is 3 % of the step."""
    return STEP * (1 + 0.03 * random.standard_normal(shape))


def lognormal(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Skewed: one step in forty is more than 2.6 times the typical one."""
    return STEP * np.exp(0.5 * random.standard_normal(shape))


def heavy_tailed(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Student's t with 2 degrees of freedom on the logarithm, a variance without end: now and then a very slow step."""
    return STEP * np.exp(0.02 * random.standard_t(2, shape))


def autoregressive(rho: float) -> Draw:
    """Stationary first-order series, deviation 3 % of the step."""

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
        noise = random.standard_normal(shape)
        series = np.empty(shape)
        series[:, 0] = noise[:, 0]
        for i in range(1, shape[1]):
            series[:, i] = rho * series[:, i - 1] + math.sqrt(1 - rho**2) * noise[:, i]
        return STEP * np.exp(0.03 * series)

    return draw


def among_others(share: float, draw: Draw) -> Draw:
    """Rows of which a share is drawn so, the first ones of every ten; the others are independent."""

    def both(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
        values = normal(random, shape)
        chosen = np.arange(shape[0]) % 10 < 10 * share
        values[chosen] = draw(random, (int(chosen.sum()), shape[1]))
        return values

    return both


def pair(draw: Draw, pairs: int, steps: int, factor: float = 1.0, seed: int = 0) -> tuple[Ints, Ints]:
    """Baseline and candidate, the candidate's steps `factor` times as long."""
    random = np.random.default_rng([steps, seed])
    return whole_ns(draw(random, (pairs, steps))), whole_ns(factor * draw(random, (pairs, steps)))


def captured(
    pairs: int,
    captures: tuple[int, int],
    steps: int,
    between: tuple[float, float],
    within: float,
    factor: float = 1.0,
    seed: int = 0,
) -> tuple[tuple[Ints, Ints], tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Sides of several captures of `steps` steps: deviations of ln(time) between captures (of each side) and within."""
    random = np.random.default_rng([*captures, steps, seed])
    sides, numbers = [], []
    for count, deviation, longer in zip(captures, between, (1.0, factor), strict=True):
        levels = np.repeat(deviation * random.standard_normal((pairs, count)), steps, axis=1)
        sides.append(whole_ns(longer * STEP * np.exp(levels + within * random.standard_normal(levels.shape))))
        numbers.append(np.repeat(np.arange(count, dtype=np.int32), steps))
    return (sides[0], sides[1]), (numbers[0], numbers[1])


def whole_ns(times: NDArray[np.float64]) -> Ints:
    return np.rint(times).astype(np.int64)
