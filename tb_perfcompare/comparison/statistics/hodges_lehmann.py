"""Hodges-Lehmann shift of two samples: the median of all pairwise differences, and order statistics around it, without
holding the differences when they are many."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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


DENSE_LIMIT = 60_000
"""Number of differences up to which they are stored (500 kB); beyond it they are counted."""

_WRITTEN_OUT = 2
"""Differences per value at which the search ends and the remaining ones are sorted."""

Value = TypeVar("Value", np.int64, np.float64)


def differences_at(baseline: NDArray[Value], candidate: NDArray[Value], ranks: Sequence[int]) -> list[Value]:
    """Returns the differences candidate - baseline at the given ranks, 1 being the smallest of the n x m.

    Exchanging the samples negates the list at mirrored ranks bit for bit: a difference is rounded the same way
    whichever operand comes first. int64 values lie in 0..2**62, so that neither a difference nor its search
    overflows.
    """
    pairs = len(baseline) * len(candidate)
    if pairs <= DENSE_LIMIT:
        dense = np.subtract.outer(candidate, baseline).ravel()
        dense.partition(sorted({rank - 1 for rank in ranks}))
        return [dense[rank - 1] for rank in ranks]
    differences = _select(baseline, candidate, ranks)
    return [differences[rank] for rank in ranks]


def _select(baseline: NDArray[Value], candidate: NDArray[Value], ranks: Sequence[int]) -> dict[int, Value]:
    """For each rank, the smallest t with at least that many differences <= t; bisects the range of t until few
    differences remain in it."""
    subtrahends, times = np.unique(baseline, return_counts=True)
    minuends, weights = np.unique(candidate, return_counts=True)
    # pairs_from[i]: baseline values at or after position i, so a count of pairs is one look-up per candidate value
    pairs_from = np.append(np.cumsum(times[::-1])[::-1], 0)

    def first_up_to(limit: Any) -> NDArray[np.intp]:
        first = np.searchsorted(subtrahends, minuends - limit, side="left")
        return _correct_rounding(subtrahends, minuends, limit, first) if subtrahends.dtype == np.float64 else first

    def pairs_from_each(positions: NDArray[np.intp]) -> int:
        return int((pairs_from[positions] * weights).sum())

    def at_rank(rank: int, above: NDArray[np.intp], up_to: NDArray[np.intp]) -> Value:
        """The difference at this rank, found by sorting the differences between two limits."""
        many = above - up_to
        minuend = np.repeat(np.arange(len(minuends)), many)
        subtrahend = np.arange(len(minuend)) + np.repeat(up_to - np.cumsum(many) + many, many)
        differences = minuends[minuend] - subtrahends[subtrahend]
        order = np.argsort(differences)
        upto = np.cumsum((weights[minuend] * times[subtrahend])[order])
        chosen: Value = differences[order[np.searchsorted(upto, rank - pairs_from_each(above))]]
        return chosen

    to_number, to_place = _number_line(minuends.dtype)
    least = to_place(minuends[0] - subtrahends[-1])
    most = to_place(minuends[-1] - subtrahends[0])
    none, every = np.full(len(minuends), len(subtrahends)), np.zeros(len(minuends), dtype=np.intp)
    few = _WRITTEN_OUT * (len(minuends) + len(subtrahends))
    difference_of_rank: dict[int, Value] = {}
    for rank in ranks:
        low, high, above, up_to = least, most, none, every
        while low < high and int((above - up_to).sum()) > few:
            middle = (low + high) // 2
            positions = first_up_to(to_number(middle))
            if pairs_from_each(positions) >= rank:
                high, up_to = middle, positions
            else:
                low, above = middle + 1, positions
        difference_of_rank[rank] = to_number(low) if low == high else at_rank(rank, above, up_to)
    return difference_of_rank


def _correct_rounding(
    subtrahends: NDArray[Value], minuends: NDArray[Value], limit: Any, positions: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Moves each position to the first subtrahend whose rounded difference is <= limit.

    minuend - limit is rounded, so the position found can be off by the few values within that rounding.
    """
    padded = np.concatenate([[-np.inf], subtrahends, [np.inf]])
    positions = positions.copy()
    while (back := minuends - padded[positions] <= limit).any():
        positions[back] -= 1
    while (on := minuends - padded[positions + 1] > limit).any():
        positions[on] += 1
    return positions


def _number_line(kind: np.dtype[Any]) -> tuple[Callable[[int], Any], Callable[[Any], int]]:
    """Order-preserving maps from integers to numbers of the type and back; neighboring numbers have neighboring
    integers."""
    if kind == np.int64:
        return np.int64, int
    return _float_at, _place_of_float


def _float_at(place: int) -> Any:
    return np.int64(place if place >= 0 else -(2**63) - place).view(np.float64)


def _place_of_float(number: np.float64) -> int:
    bits = int(number.view(np.int64))
    return bits if bits >= 0 else -(2**63) - bits
