"""Iterations of several kinds with a known truth: how often the verdict over all of them, and that within kinds, are
wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.verdict.rules import settle

Ints = NDArray[np.int64]

OPTIONS = CompareOptions()
DIRECTIONS = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}

TWO, SIX = (1.0, 10.0), (1.0, 1.5, 2.5, 4.0, 6.0, 10.0)
"""Lengths of kinds."""

MANY_SHORT, MORE_SHORT = (0.7, 0.3), (0.85, 0.15)
SHORT_FIRST, LONG_FIRST = (0.3, 0.25, 0.15, 0.1, 0.1, 0.1), (0.1, 0.1, 0.1, 0.15, 0.25, 0.3)
"""Shares of kinds."""


@dataclass(frozen=True, slots=True)
class MixWorld:
    """lengths      of the kinds
    shares       how often each occurs, of both sides
    factors      how much longer the candidate's iterations of each kind take
    rho          autocorrelation of neighboring iterations, whatever their kind; they vary by 3 %
    captures     of each side; between: deviation of their level
    """

    lengths: tuple[float, ...]
    shares: tuple[tuple[float, ...], tuple[float, ...]]
    factors: tuple[float, ...]
    rho: float = 0.0
    captures: int = 1
    between: float = 0.0


def world(lengths: tuple[float, ...], change: str = "", factor: float = 1.0, **more: float) -> MixWorld:
    """`change`: of the mix ("mix"), of what the shortest ("short"), the longest ("long") or all kinds ("all") take."""
    shares = (MANY_SHORT, MORE_SHORT) if lengths is TWO else (SHORT_FIRST, LONG_FIRST)
    factors = [factor if "all" in change else 1.0] * len(lengths)
    factors[0] *= factor if "short" in change else 1.0
    factors[-1] *= factor if "long" in change else 1.0
    sides = shares if "mix" in change else (shares[0], shares[0])
    return MixWorld(lengths, sides, tuple(factors), **more)


EQUAL = {
    "2 kinds": world(TWO),
    "6 kinds": world(SIX),
    "2 kinds, other mix": world(TWO, "mix"),
    "6 kinds, other mix": world(SIX, "mix"),
    "6 kinds, other mix, ρ 0.5": world(SIX, "mix", rho=0.5),
    "6 kinds, other mix, 3 captures ±5 %": world(SIX, "mix", captures=3, between=0.05),
}
"""Worlds where no kind takes longer."""

SLOWER = {
    "2 kinds, all +3 %": world(TWO, "all", 1.03),
    "6 kinds, all +5 %": world(SIX, "all", 1.05),
    "6 kinds, all +5 %, other mix": world(SIX, "all, mix", 1.05),
    "2 kinds, the short one +10 %": world(TWO, "short", 1.1),
    "2 kinds, the long one +10 %": world(TWO, "long", 1.1),
    "6 kinds, the longest +10 %": world(SIX, "long", 1.1),
    "6 kinds, all +10 %, 3 captures ±1 %": world(SIX, "all", 1.1, captures=3, between=0.01),
}


@dataclass(frozen=True, slots=True)
class MixRates:
    """Of one way to judge, shares of all pairs: those with a direction, and intervals that hold the truth."""

    directions: float
    holds: float


def drawn(of: MixWorld, steps: int, seed: int) -> tuple[tuple[Ints, Ints], Captures, Strata, float]:
    """Times, captures and kinds of one pair of runs, and the change of ln(time) within kinds as they came."""
    random = np.random.default_rng([seed, steps])
    sides, codes = [], []
    capture = np.repeat(np.arange(of.captures, dtype=np.int32), steps)
    for shares, factors in zip(of.shares, ((1.0,) * len(of.lengths), of.factors), strict=True):
        code = random.choice(len(of.lengths), len(capture), p=shares)
        noise = random.standard_normal(len(capture))
        for at in range(1, len(noise)):
            noise[at] = of.rho * noise[at - 1] + math.sqrt(1 - of.rho**2) * noise[at]
        noise = 0.03 * noise + of.between * random.standard_normal(of.captures)[capture]
        times = np.array(of.lengths)[code] * np.array(factors)[code] * np.exp(noise)
        sides.append(np.rint(1e9 * times).astype(np.int64))
        codes.append(code.astype(np.int64))
    weights = []
    for code, factors in zip(codes, ((1.0,) * len(of.lengths), of.factors), strict=True):
        taken = np.bincount(code, minlength=len(of.lengths)) * np.array(of.lengths) * np.array(factors)
        weights.append(taken / taken.sum())
    shared = (weights[0] > 0) & (weights[1] > 0)
    mean = (weights[0] + weights[1]) * shared
    truth = float((mean * np.log(of.factors)).sum() / mean.sum())
    return (sides[0], sides[1]), (capture, capture), Strata((codes[0], codes[1])), truth


@lru_cache(maxsize=256)
def rates(of: MixWorld, steps: int, pairs: int) -> tuple[MixRates, MixRates]:
    """Over all iterations, and within kinds."""
    over_all, within = list[tuple[bool, bool]](), list[tuple[bool, bool]]()
    for seed in range(pairs):
        times, captures, strata, truth = drawn(of, steps, seed)
        for into, kinds in ((over_all, None), (within, strata)):
            settled = settle(times, captures, OPTIONS, strata=kinds)
            low, high = settled.estimate.theta_low, settled.estimate.theta_high
            # what is not compared within kinds has no direction either, as the check of the mix takes it
            pooled = kinds is not None and settled.within is None
            into.append((settled.verdict in DIRECTIONS and not pooled, low <= truth <= high))
    return MixRates(*np.mean(over_all, axis=0).tolist()), MixRates(*np.mean(within, axis=0).tolist())


STEPS, PAIRS = (20, 50, 200), 400


def mix_tables() -> str:
    """The tables of rates.md; minutes."""
    lines = [
        "Directions claimed, in per cent, over all iterations / within kinds; in brackets the intervals within kinds",
        "that hold the truth, the change of each kind weighted by its time:",
    ]
    for title, worlds in (("no kind takes longer", EQUAL), ("kinds take longer", SLOWER)):
        lines += ["", f"| {title} | {' | '.join(f'n = {steps}' for steps in STEPS)} |", f"|---|{'---|' * len(STEPS)}"]
        for name, one in worlds.items():
            cells = [_cell(*rates(one, steps, PAIRS)) for steps in STEPS]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(over_all: MixRates, within: MixRates) -> str:
    return f"{_of(over_all.directions)} / {_of(within.directions)} ({_of(within.holds)})"


def _of(share: float) -> str:
    return f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"
