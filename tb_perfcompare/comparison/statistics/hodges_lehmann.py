"""Hodges-Lehmann shift of two samples: the median of all pairwise differences, and order statistics around it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tb_perfcompare.comparison.statistics.pair_differences import differences_at
from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds


def log_shift(baseline_ns: Nanoseconds, candidate_ns: Nanoseconds) -> float:
    """Hodges-Lehmann shift of ln(time), without an interval."""
    return shift_of(np.log(baseline_ns), np.log(candidate_ns), 0)[0]


def fraction_of(theta: float) -> float:
    """Converts a shift of logarithms to the fraction e^theta - 1, consistently if the sides are exchanged.

    A fraction is not antisymmetric: +25 % one way is -20 % the other. For theta >= 0 this is expm1(theta) = x, and
    for -theta it is the float next to 1/(1 + x) - 1 computed from that x without rounding in between.
    """
    if theta >= 0:
        return math.expm1(theta) + 0.0
    other = Fraction(math.expm1(-theta))
    return float(-other / (1 + other))


def shift_of(baseline: Floats, candidate: Floats, k: int) -> tuple[float, float, float]:
    """(median, k-th smallest, k-th largest) difference; k = 0 gives the whole range. Never a negative zero."""
    low, below, above, high = differences_at(baseline, candidate, _shift_ranks(len(baseline), len(candidate), k))
    return float(below + above) / 2 + 0.0, float(low) + 0.0, float(high) + 0.0


def shift_of_ns(baseline: Ints, candidate: Ints, k: int) -> tuple[Fraction, int, int]:
    """Exact `shift_of` for integers in 0..2**62."""
    low, below, above, high = differences_at(baseline, candidate, _shift_ranks(len(baseline), len(candidate), k))
    return Fraction(int(below) + int(above), 2), int(low), int(high)


def _shift_ranks(n: int, m: int, k: int) -> tuple[int, int, int, int]:
    """Ranks of the lower end, of the two middle differences (equal for an odd number), and of the upper end."""
    pairs = n * m
    end = max(k, 1)
    return end, (pairs + 1) // 2, pairs // 2 + 1, pairs + 1 - end
