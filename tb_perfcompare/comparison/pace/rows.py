"""Rows of the same work on both sides, and which of them show the pace.

A row is an operator with its input shapes, or a kernel with its launch configuration. Rows are selected by identity and
counts (select.py); this file excludes those whose time changed on its own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import centers
from tb_perfcompare.comparison.statistics.weights import capped, effective_number, weighted_median
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Floats, Ints, SidePair, each_side, median, row_medians, unique
from tb_perfcompare.quick_dataclass import dataclass

MAX_DEVIATIONS = 4.0
"""Deviations by which a kept row's change may differ from that of all rows ..."""

NEAR_LOG_RATIO = 0.1
"""... or this much of ln(time), if rows agree well ..."""

SAME_CALLS_TOLERANCE = 0.02
"""Relative difference of a row's calls between the sides up to which NEAR_LOG_RATIO applies, else a tenth of it. A row
that one side calls more often may be another mix of inputs: the same launch copies tensors of other strides."""

NO_CLOCK = math.log(2)
"""... but never more than this, for few rows that all changed on their own."""


@dataclass(frozen=True, slots=True, eq=False)
class WorkRows:
    """r rows in the order of their keys; n and m observations.

    keys     r pairs (name, input shapes or launch configuration)
    calls    (r, n), (r, m) float64 calls in each observation, above zero somewhere in every capture
    time_ns  (r, n), (r, m) float64 time of these calls
    fastest_ns  (r,), (r,) float64 shortest call on either side, None if not known
    amount      the amount of work, if time_ns is at equal amount; recorded_ns: the times as recorded
    """

    keys: tuple[tuple[str, str], ...]
    calls: SidePair
    time_ns: SidePair
    fastest_ns: SidePair | None = None
    amount: AmountOfWork | None = None
    recorded_ns: SidePair | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def name_numbers(self) -> Ints:
        """(r,) numbers, the same for rows of one name."""
        index: dict[str, int] = {}
        return np.array([index.setdefault(name, len(index)) for name, _ in self.keys], dtype=np.int64)

    def only(self, rows: Ints) -> WorkRows:
        """Returns only these rows."""

        def those(pair: SidePair) -> SidePair:
            return each_side(lambda side: side[rows], pair)

        return replace(
            self,
            keys=tuple(self.keys[row] for row in rows.tolist()),
            calls=those(self.calls),
            time_ns=those(self.time_ns),
            fastest_ns=None if self.fastest_ns is None else those(self.fastest_ns),
            recorded_ns=None if self.recorded_ns is None else those(self.recorded_ns),
        )


@dataclass(frozen=True, eq=False)
class RowChanges:
    """Changes of the rows and their common center; arrays of shape (r,).

    names     number of each row's name
    work      calls per step that both sides do: the smaller of the two
    usual     (r, k), (r, l) ln of each capture's median time per call
    common    (r, n), (r, m) time of the work that both do, in ns per observation
    change    d_j: usual of the candidate less that of the baseline
    weights   capped by name
    center    D, weighted median of the changes
    spread    s, robust deviation of the changes about it
    kept      rows that follow the pace
    """

    names: Ints
    work: Floats
    usual: SidePair
    common: SidePair
    change: Floats
    weights: Floats
    center: float
    spread: float
    kept: NDArray[np.bool_]

    @cached_property
    def kept_share(self) -> float:
        """Share of the kept rows in the capped weights."""
        whole = float(self.weights.sum())
        return float(self.weights[self.kept].sum()) / whole if whole else 0.0

    @cached_property
    def kept_names(self) -> int:
        """Number of different names among the kept rows."""
        return len(unique(self.names[self.kept]))

    @cached_property
    def effective_names(self) -> float:
        """g: effective number of names, as if all had equal weights."""
        return effective_number(self.weights[self.kept], self.names[self.kept])


def row_changes(rows: WorkRows, captures: Captures, *, by_shorter: bool = False) -> RowChanges:
    """Computes the change of each row relative to their weighted median. Rows without time in the median step of a
    capture are not kept. Weights follow the mean of the sides' times; `by_shorter`: the shorter one at the pace of most
    rows, so that a row that is far slower on one side does not weigh more for it."""
    names = rows.name_numbers()
    per_call = each_side(_per_call, rows.calls, rows.time_ns, captures)
    calls = each_side(_mean_calls, rows.calls, captures)
    work = np.minimum(*calls)
    with np.errstate(divide="ignore"):  # of zero
        usual = each_side(lambda side, at: np.log(centers(side, at, row_medians)), per_call, captures)
    timed: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(np.concatenate(usual, axis=1)), axis=1)
    sums = [np.where(timed[:, None], side, 0.0).sum(axis=1) for side in usual]
    counts = [side.shape[1] for side in usual]
    # summed per side first, so that the result does not depend on the order of the sides
    level = (sums[0] + sums[1]) / sum(counts)
    levels = sums[0] / counts[0], sums[1] / counts[1]
    change = np.where(timed, levels[1] - levels[0], 0.0)
    if by_shorter and timed.any():
        half = median(change[timed]) / 2
        level = np.minimum(levels[0] + half, levels[1] - half)
    weights = capped(np.where(timed, work * np.exp(level), 0.0), names) if len(rows) else np.zeros(0)
    center = weighted_median(change, weights)
    spread = MAD_TO_SIGMA * weighted_median(np.abs(change - center), weights)
    kept = timed & (weights > 0)
    if kept.any():
        alike = work >= (1 - SAME_CALLS_TOLERANCE) * np.maximum(*calls)
        near = np.where(alike, NEAR_LOG_RATIO, NEAR_LOG_RATIO / 10)
        kept &= np.abs(change - center) <= np.minimum(np.maximum(MAX_DEVIATIONS * spread, near), NO_CLOCK)
    common = each_side(lambda side: work[:, None] * side, per_call)
    return RowChanges(names, work, usual, common, change, weights, center, spread, kept)


def heterogeneity(changes: RowChanges, pace: SidePair) -> float:
    """tau: how far rows differ in their change beyond their scatter from capture to capture.

    pace  (k,), (l,) ln of each capture's pace
    """
    k, m = (side.shape[1] for side in changes.usual)
    if k + m <= 2:
        return changes.spread
    squares = []
    for side, at in zip(changes.usual, pace, strict=True):
        residuals = side[changes.kept] - at
        squares.append(((residuals - residuals.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
    variance = (squares[0] + squares[1]) / (k + m - 2) * (1 / k + 1 / m)
    return math.sqrt(max(0.0, changes.spread**2 - weighted_median(variance, changes.weights[changes.kept])))


def _per_call(calls: Floats, time: Floats, capture: NDArray[np.int32]) -> Floats:
    """(r, n) time per call; an observation without a call takes the capture's mean."""
    out = np.divide(time, calls, out=np.zeros_like(time), where=calls > 0)
    for which in unique(capture):
        inside = capture == which
        some = calls[:, inside]
        every = some.sum(axis=1)
        mean = np.divide(time[:, inside].sum(axis=1), every, out=np.zeros(len(time)), where=every > 0)
        out[:, inside] = np.where(some > 0, out[:, inside], mean[:, None])
    return out


def _mean_calls(calls: Floats, capture: NDArray[np.int32]) -> Floats:
    """(r,) calls per observation, each capture with equal weight."""
    each: Floats = np.stack([calls[:, capture == which].mean(axis=1) for which in unique(capture)])
    out: Floats = each.mean(axis=0)
    return out
