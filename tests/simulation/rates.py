"""How often the verdict is right, measured on series with a known truth."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics.between_captures import captures_needed
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.entity_tests import entity_tests
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tests.simulation.many import LIMIT, OPTIONS, Many, floors, judged
from tests.simulation.series import (
    Draw,
    among_others,
    autoregressive,
    captured,
    heavy_tailed,
    lognormal,
    normal,
    pair,
    whole_ns,
)
from tests.thorough import sample

STATIONARY: dict[str, Draw] = {
    "normal, ±3 %": normal,
    "lognormal, σ 0.5": lognormal,
    "heavy-tailed, Student's t with 2 degrees": heavy_tailed,
}
SERIES: dict[str, Draw] = {f"autocorrelated, ρ {rho}": autoregressive(rho) for rho in (0.3, 0.5, 0.7)}
HARDEST: dict[str, Draw] = {"autocorrelated, ρ 0.9": autoregressive(0.9)}
"""Shown, not promised."""

FEW_ALIKE = among_others(0.2, SERIES["autocorrelated, ρ 0.5"])
STEPS = (6, 10, 20, 50)
RHOS = (0.0, 0.3, 0.5, 0.7)
CAPTURES = ((1, 2), (2, 2), (3, 3), (5, 5))
CHANGES = ((0.05, 0.02), (0.1, 0.05), (0.2, 0.05))
DRIFT_STEPS = (12, 20, 50)
ENTITY_STEPS = (6, 10, 20, 50)
ENTITY_CAPTURES = (2, 3, 5)
ROWS = 50

_WITHIN = 0.02
_PER_CAPTURE = 10


def _pairs(steps: int) -> int:
    return sample(10_000 if steps <= 20 else 3_000, 3)


@lru_cache(maxsize=64)
def simulated(draw: Draw, steps: int, factor: float) -> Many:
    """One capture per side."""
    return judged(*pair(draw, _pairs(steps), steps, factor))


@lru_cache(maxsize=64)
def simulated_captures(captures: tuple[int, int], between: tuple[float, float], factor: float) -> Many:
    """Several captures of ten steps per side."""
    sides, numbers = captured(sample(3_000, 2), captures, _PER_CAPTURE, between, _WITHIN, factor)
    return judged(*sides, numbers)


@lru_cache(maxsize=16)
def p_values_of_series(rho: float, steps: int) -> dict[str, NDArray[np.float64]]:
    """p of equal series: of independent steps, with the inflation by plain ranks, and as here."""
    a, b = pair(autoregressive(rho), 4_000 if steps <= 20 else 3_000, steps, seed=1)
    alone = batched_rank_test(a, b, ordered=False).p
    ranks = [scipy.stats.rankdata(side, axis=1) - (steps + 1) / 2 for side in (a, b)]
    products = sum((side[:, :-1] * side[:, 1:]).sum(axis=1) for side in ranks)
    seen = np.clip(products / sum((side**2).sum(axis=1) for side in ranks) + 1 / steps, 0, 0.9)
    inflation = np.sqrt((1 + seen) / (1 - seen))
    z = scipy.stats.norm.isf(alone / 2) / inflation
    ranked = np.where(inflation > 1.1, 2 * scipy.stats.norm.sf(z), alone)
    return {"plain": alone, "ranks": ranked, "here": judged(a, b).p}


@lru_cache(maxsize=16)
def enough_captures(change: float, between: float) -> tuple[int, float]:
    """Captures per side that are promised to show a change, and the share of pairs of so many that show it."""
    deviation = math.hypot(between, _WITHIN / math.sqrt(_PER_CAPTURE))
    needed = captures_needed(deviation, math.log1p(change), OPTIONS.alpha)
    assert needed is not None
    found = simulated_captures((needed, needed), (between, between), 1 + change)
    return needed, float(((found.low > 0) | (found.high < 0)).mean())


@lru_cache(maxsize=16)
def sure_with_and_without_the_floor(captures: int) -> tuple[float, float]:
    """10 % slower, captures ±4 %: pairs called slower, and those left of them if the floor had to be passed as well."""
    sides, numbers = captured(1_000, (captures, captures), 6, (0.04, 0.04), _WITHIN, 1.1)
    found = judged(*sides, numbers)
    floor = floors((np.log(sides[0]), np.log(sides[1])), numbers)
    assert captures >= MIN_CONCLUSIVE_CAPTURES
    sure = found.low > LIMIT
    return float(sure.mean()), float((sure & (found.low > floor)).mean())


@lru_cache(maxsize=16)
def called_drifting(rho: float, steps: int) -> float:
    """Share of stationary captures that a change in their course is found in."""
    captures, _ = pair(autoregressive(rho), sample(300, 3), steps)
    return sum(drift(times) is not None for times in captures) / len(captures)


@lru_cache(maxsize=64)
def tables_of_rows(draw: Draw, steps: int, changed: int, tables: int, captures: int = 1) -> tuple[float, float, float]:
    """(tables with a false discovery, found of the rows that are 10 % slower, false ones among the found)."""
    random = np.random.default_rng([steps, changed])
    number = np.repeat(np.arange(captures, dtype=np.int32), steps)
    wrong, right, false = [], [], []
    for _ in range(tables):
        a, b = (_rows(draw, random, steps, captures) for _ in range(2))
        b[:changed] *= 1.1
        x, y = whole_ns(a / 1000), whole_ns(b / 1000)
        present = np.ones(ROWS, dtype=bool), np.ones(ROWS, dtype=bool)
        q = entity_tests(x, y, (number, number), present, y.mean(axis=1) - x.mean(axis=1), 0.0, OPTIONS).q
        found = q <= OPTIONS.alpha
        wrong.append(bool(found[changed:].any()))
        right.append(float(found[:changed].mean()) if changed else 0.0)
        false.append(float(found[changed:].sum() / max(found.sum(), 1)))
    return float(np.mean(wrong)), float(np.mean(right)), float(np.mean(false))


def _rows(draw: Draw, random: np.random.Generator, steps: int, captures: int) -> NDArray[np.float64]:
    """Rows of a table; with several captures each row has another level in each, ±5 %."""
    values = draw(random, (ROWS, steps * captures))
    if captures > 1:
        values *= np.repeat(np.exp(0.05 * random.standard_normal((ROWS, captures))), steps, axis=1)
    return values


def tables_drawn(steps: int) -> int:
    return sample(300 if steps <= 20 else 100, 12)


def entity_rates(draw: Draw, steps: int) -> tuple[float, float, float]:
    """(tables with a discovery when nothing differs, found of half the rows, false ones among the found)."""
    tables = tables_drawn(steps)
    return (tables_of_rows(draw, steps, 0, tables)[0], *tables_of_rows(draw, steps, ROWS // 2, tables // 4)[1:])
