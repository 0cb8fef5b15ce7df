"""Did this operator, kernel or function really change? One test per row of a table, false discoveries controlled.

The samples are a row's time in every observation, zero where it did not occur, in integer nanoseconds. Definitions and
error rates: docs/entity_tests.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.statistics.false_discoveries import q_values
from tb_perfcompare.comparison.statistics.near_differences import differences_near
from tb_perfcompare.comparison.statistics.rank_test import (
    INFLATION_IGNORED,
    BatchedRankTest,
    batched_rank_test,
    interval_rank,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_PAIRS = 200_000_000
"""Differences looked at for the shifts of one table, largest changes first; rows beyond have no shift."""

_CHUNK_PAIRS = 2_000_000

_DENSE_PAIRS = 200_000
"""Up to this many differences of one row are written out and sorted, beyond it only those that are asked for."""


class Change(str, Enum):
    """What can be said about one row."""

    SLOWER = "slower"
    FASTER = "faster"
    ADDED = "added"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    UNDETERMINED = "cannot tell"


@dataclass(frozen=True, slots=True, eq=False)
class EntityTests:
    """One family of tests, arrays of shape (rows,).

    p              two-sided Mann-Whitney p, NaN where a side has one observation
    q              Benjamini-Hochberg q within the family, NaN where p is
    shift_ns       Hodges-Lehmann shift per step, NaN where it was not computed
    low_ns, high_ns  its interval of level 1 - alpha; NaN where no such interval exists
    cliffs_delta   P(candidate above baseline) - P(below), NaN where p is
    change         Change of each row
    """

    p: Floats
    q: Floats
    shift_ns: Floats
    low_ns: Floats
    high_ns: Floats
    cliffs_delta: Floats
    change: tuple[Change, ...]


def floor_ns(baseline_step_ns: float, options: CompareOptions) -> float:
    """Changes below this many nanoseconds per step do not matter."""
    return max(options.material_fraction * baseline_step_ns, float(options.material_ns))


def entity_tests(
    baseline: Ints,
    candidate: Ints,
    captures: tuple[NDArray[np.int32], NDArray[np.int32]],
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    delta_ns: Floats,
    least_ns: float,
    alpha: float,
) -> EntityTests:
    """Tests of the rows of (g, n) against those of (g, m), nanoseconds per observation.

    captures  capture of each column; present  (g,) whether a side has the row at all; delta_ns  (g,) difference of the
    means, which must be material (`least_ns`) for a change to count
    """
    rows, n, m = len(delta_ns), baseline.shape[1], candidate.shape[1]
    nothing = np.full(rows, np.nan)
    if min(n, m) < 2 or not rows:
        change = _changes(nothing, nothing, nothing, delta_ns, present, least_ns, alpha)
        return EntityTests(nothing, nothing, nothing, nothing, nothing, nothing, change)
    test = batched_rank_test(baseline, candidate, captures=captures)
    shift, low, high = _shifts(baseline, candidate, test, delta_ns, alpha)
    q = q_values(test.p)
    return EntityTests(
        test.p, q, shift, low, high, test.cliffs_delta, _changes(q, low, high, delta_ns, present, least_ns, alpha)
    )


def _changes(
    q: Floats,
    low: Floats,
    high: Floats,
    delta: Floats,
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    least: float,
    alpha: float,
) -> tuple[Change, ...]:
    """Clear and material changes by their direction; no change only where the whole interval is too small to matter."""
    at_a, at_b = present
    with np.errstate(invalid="ignore"):
        clear = (q <= alpha) & (np.abs(delta) >= least)
        still = (low >= -least) & (high <= least) & (np.abs(delta) < least)
    # a row of one side only is new or gone, however often it occurred there
    return tuple(
        Change.ADDED if new and not old
        else Change.REMOVED if old and not new
        else (Change.SLOWER if by > 0 else Change.FASTER) if sure
        else Change.UNCHANGED if same or by == 0
        else Change.UNDETERMINED
        for old, new, sure, same, by in zip(
            at_a.tolist(), at_b.tolist(), clear.tolist(), still.tolist(), delta.tolist(), strict=True
        )
    )  # fmt: skip


def _shifts(
    baseline: Ints, candidate: Ints, test: BatchedRankTest, delta: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Hodges-Lehmann shift and interval of as many rows as MOST_PAIRS allows, largest |delta| first."""
    rows, n, m = len(delta), baseline.shape[1], candidate.shape[1]
    pairs = n * m
    shift, low, high = (np.full(rows, np.nan) for _ in range(3))
    wanted = np.argsort(-np.abs(delta), kind="stable")[: MOST_PAIRS // pairs]
    ranks = _interval_ranks(test, n, m, alpha)
    step = max(1, _CHUNK_PAIRS // pairs)
    if pairs > _DENSE_PAIRS:
        for row, k in zip(wanted.tolist(), ranks[wanted].tolist(), strict=True):
            ends = (k, pairs + 1 - k) if k > 0 else ()
            asked = ((pairs + 1) // 2, pairs // 2 + 1, *ends)
            below, above, *span = differences_near(baseline[row], candidate[row], asked)
            shift[row] = float(below) / 2 + float(above) / 2 + 0.0
            if span:
                low[row], high[row] = span
        wanted = wanted[:0]
    # times below 2.1 s fit half the width, which sorts in half the time
    narrow = max(int(baseline.max(initial=0)), int(candidate.max(initial=0))) < 2**31
    plain, other = (side.astype(np.int32) if narrow else side for side in (baseline, candidate))
    for start in range(0, len(wanted), step):
        chunk = wanted[start : start + step]
        differences = (other[chunk][:, None, :] - plain[chunk][:, :, None]).reshape(len(chunk), pairs)
        differences.sort(axis=1)
        # halves are added as floats of exact integers: an exchange of the sides negates them bit for bit
        middle = differences[:, (pairs - 1) // 2].astype(np.float64) / 2 + differences[:, pairs // 2] / 2
        shift[chunk] = middle + 0.0
        k = ranks[chunk]
        found = np.flatnonzero(k > 0)
        low[chunk[found]] = differences[found, k[found] - 1]
        high[chunk[found]] = differences[found, pairs - k[found]]
    if n == m:  # the same values on both sides differ by nothing, which no interval of differences says
        alike = (np.sort(baseline, axis=1) == np.sort(candidate, axis=1)).all(axis=1)
        shift[alike] = low[alike] = high[alike] = 0.0
    return shift, low, high


def _interval_ranks(test: BatchedRankTest, n: int, m: int, alpha: float) -> Ints:
    """(g,) k of `interval_rank`: 0 where no interval of the level exists."""
    exact_k, _ = interval_rank(n, m, alpha, exact=True) if test.exact.any() else (0, None)
    plain_k, _ = interval_rank(n, m, alpha, exact=False)
    if plain_k == 0:
        normal = np.zeros(len(test.p), dtype=np.int64)
    else:
        # the normal branch of interval_rank, for all rows at once
        from statistics import NormalDist

        z = NormalDist().inv_cdf(1 - alpha / 2)
        widening = np.where(test.inflation > INFLATION_IGNORED, test.inflation, 1.0)
        deviation = widening * np.sqrt(n * m * (n + m + 1) / 12 * test.tie_factor)
        normal = np.maximum(np.floor(n * m / 2 - z * deviation), 0).astype(np.int64)
    ranks: Ints = np.where(test.exact, exact_k, normal)
    return ranks


def robust_z(baseline: Ints, candidate: Ints, quantum_ns: float = 1000.0) -> Floats:
    """(g,) change of the median in robust deviations of the baseline, for display: never infinite, within +-99.

    (median B - median A) / max(1.4826 MAD_A, 0.5 % of |median A|, quantum / sqrt(12)).
    """
    middle = np.median(baseline, axis=1)
    spread = 1.4826 * np.median(np.abs(baseline - middle[:, None]), axis=1)
    scale = np.maximum.reduce([spread, 0.005 * np.abs(middle), np.full(len(middle), quantum_ns / math.sqrt(12))])
    z: Floats = np.clip((np.median(candidate, axis=1) - middle) / scale, -99, 99) + 0.0
    return z
