"""Shift of every row of a table with its interval and p, computed in batches (docs/method/statistics.md)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures, Families
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centers_of, row_means
from tb_perfcompare.comparison.statistics.distributions import normal_quantile
from tb_perfcompare.comparison.statistics.hodges_lehmann import differences_at
from tb_perfcompare.comparison.statistics.rank_test import BatchedRankTest, batched_rank_test, interval_rank
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.quick_dataclass import dataclass

MAX_PAIRS = 200_000_000
"""Differences computed for the shifts of one family, most important rows first; the remaining rows have no shift."""

_CHUNK_PAIRS = 2_000_000

_DENSE_PAIRS = 200_000
"""Differences of one row up to which all are stored and sorted; beyond it only the requested ranks are computed."""


@dataclass(frozen=True, slots=True, eq=False)
class RowShifts:
    """Shifts of g rows, arrays of shape (g,).

    p             two-sided, the larger of that of the steps and that of captures
    shift         Hodges-Lehmann shift, NaN if not computed
    low, high     its interval of level 1 - alpha; NaN if no such interval exists
    cliffs_delta  P(candidate above baseline) - P(below)
    """

    p: Floats
    shift: Floats
    low: Floats
    high: Floats
    cliffs_delta: Floats


def row_shifts(
    baseline: Ints,
    candidate: Ints,
    captures: Captures,
    alpha: float,
    *,
    importance: Floats | None = None,
    alike: Families = (),
) -> RowShifts:
    """Shifts of the rows of (g, m) against those of (g, n), all in 0..2**62, n and m at least 1.

    captures    capture of each column, columns of a capture in time order
    importance  (g,) order in which rows are computed if there are too many
    alike       families of rows: none gets a lower autocorrelation than the median row of its family; by default the
                rows are one family, and each keeps its own autocorrelation
    """
    test = batched_rank_test(baseline, candidate, captures=captures, alike=alike)
    order = np.zeros(len(baseline)) if importance is None else importance
    wanted = _wanted(order, alike or (slice(None),), baseline.shape[1] * candidate.shape[1])
    shift, low, high = _shifts(baseline, candidate, test, wanted, alpha)
    p, low, high = _corrected_for_autocorrelation(test, shift, low, high, alpha)
    # one capture a side does not show the variation
    if any(len(capture) and capture.min() != capture.max() for capture in captures):
        between = between_captures(*centers_of((baseline, candidate), captures, row_means), alpha)
        if between is not None:  # a row has to differ beyond the variation between captures, too
            p = np.maximum(p, between.p)
            low, high = np.minimum(low, np.rint(between.low)), np.maximum(high, np.rint(between.high))
    if baseline.shape == candidate.shape:
        # identical values on both sides do not differ, which no interval of differences shows
        same = (np.sort(baseline, axis=1) == np.sort(candidate, axis=1)).all(axis=1)
        shift[same] = low[same] = high[same] = 0.0
        p = np.where(same, 1.0, p)
    return RowShifts(p, shift, low, high, test.cliffs_delta)


def _corrected_for_autocorrelation(
    test: BatchedRankTest, shift: Floats, low: Floats, high: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """p, low and high corrected for the autocorrelation of steps.

    Ranks cannot show more than complete separation, for which few independent steps give no small p; the distance in
    standard errors can. The smaller p counts, but never less than for independent steps.
    """
    p = test.p
    rows = np.flatnonzero(test.neighbors.matters & ~np.isnan(low))
    if len(rows):
        neighbors, ends = test.neighbors.of_rows(rows), (shift[rows], low[rows], high[rows], alpha)
        p, low, high = p.copy(), low.copy(), high.copy()
        p[rows] = np.maximum(test.p_alone[rows], np.minimum(p[rows], neighbors.p(*ends)))
        low[rows], high[rows] = map(np.rint, neighbors.interval(*ends))
    return p, low, high


def _wanted(importance: Floats, families: Families, pairs: int) -> Ints:
    """Rows of each family within the budget of MAX_PAIRS."""
    rows, most = np.arange(len(importance)), MAX_PAIRS // pairs
    if len(rows) <= most:
        return rows
    return np.concatenate([rows[family][np.argsort(-importance[family], kind="stable")[:most]] for family in families])


def _shifts(
    baseline: Ints, candidate: Ints, test: BatchedRankTest, wanted: Ints, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Hodges-Lehmann shift and interval of the wanted rows, for independent steps."""
    rows, n, m = len(baseline), baseline.shape[1], candidate.shape[1]
    pairs = n * m
    shift, low, high = (np.full(rows, np.nan) for _ in range(3))
    ranks = _interval_ranks(test, n, m, alpha)
    step = max(1, _CHUNK_PAIRS // pairs)
    if pairs > _DENSE_PAIRS:
        for row, k in zip(wanted.tolist(), ranks[wanted].tolist(), strict=True):
            ends = (k, pairs + 1 - k) if k > 0 else ()
            asked = ((pairs + 1) // 2, pairs // 2 + 1, *ends)
            below, above, *span = differences_at(baseline[row], candidate[row], asked)
            shift[row] = float(below) / 2 + float(above) / 2 + 0.0
            if span:
                low[row], high[row] = span
        wanted = wanted[:0]
    # times below 2.1 s fit int32, which sorts in half the time
    narrow = max(int(baseline.max(initial=0)), int(candidate.max(initial=0))) < 2**31
    values_a, values_b = (side.astype(np.int32) if narrow else side for side in (baseline, candidate))
    for start in range(0, len(wanted), step):
        chunk = wanted[start : start + step]
        differences = (values_b[chunk][:, None, :] - values_a[chunk][:, :, None]).reshape(len(chunk), pairs)
        differences.sort(axis=1)
        # halves are added as floats of exact integers: exchanging the sides negates them bit for bit
        middle = differences[:, (pairs - 1) // 2].astype(np.float64) / 2 + differences[:, pairs // 2] / 2
        shift[chunk] = middle + 0.0
        k = ranks[chunk]
        has_interval = np.flatnonzero(k > 0)
        low[chunk[has_interval]] = differences[has_interval, k[has_interval] - 1]
        high[chunk[has_interval]] = differences[has_interval, pairs - k[has_interval]]
    return shift, low, high


def _interval_ranks(test: BatchedRankTest, n: int, m: int, alpha: float) -> Ints:
    """(g,) k of `interval_rank`: 0 if no interval of the level exists."""
    exact_k, _ = interval_rank(n, m, alpha, exact=True) if test.countable.any() else (0, None)
    plain_k, _ = interval_rank(n, m, alpha, exact=False)
    if plain_k == 0:
        normal = np.zeros(len(test.p), dtype=np.int64)
    else:
        # the normal branch of interval_rank, for all rows at once
        deviation = np.sqrt(n * m * (n + m + 1) / 12 * test.tie_factor)
        normal = np.maximum(np.floor(n * m / 2 - normal_quantile(1 - alpha / 2) * deviation), 0).astype(np.int64)
    ranks: Ints = np.where(test.countable, exact_k, normal)
    return ranks
