"""Corrections for many rows: the false discovery rate, Holm's method, and Westfall and Young's maximum statistic
over shuffled steps. At level 0.05 the latter leaves a false row in one table of twenty, however rows depend on each
other."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures, doubled_ranks
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centers_of, row_means
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test
from tb_perfcompare.model.arrays import Floats, Ints

SHUFFLES = 2000

_CHUNK = 4_000_000  # statistics of shuffled steps held at once


def family_wise_p(baseline: Ints, candidate: Ints, captures: Captures, seed: int) -> Floats:
    """(g,) p of the rows of (g, n) against those of (g, m), adjusted so that alpha holds for the whole table.

    A row's statistic is its Mann-Whitney U in standard errors, divided by its inflation if steps are autocorrelated.
    Whole steps are shuffled between the sides, the same for all rows, which preserves the dependence between rows; p
    is the share of shuffles whose largest statistic reaches the row's. With several captures it is at least Holm's p
    over them.
    """
    if (baseline.shape[1], baseline.tobytes()) > (candidate.shape[1], candidate.tobytes()):
        # the same shuffles whichever side comes first
        return family_wise_p(candidate, baseline, (captures[1], captures[0]), seed)
    rows, n = baseline.shape
    total = n + candidate.shape[1]
    test = batched_rank_test(baseline, candidate, captures=captures, alike=(slice(None),))
    deviation = np.sqrt(n * (total - n) * (total + 1) / 12 * test.tie_factor)
    usable = deviation > 0
    doubled = doubled_ranks(np.concatenate([baseline, candidate], axis=1))[0] - (total + 1)
    statistic = np.zeros(rows)
    statistic[usable] = np.abs(doubled[usable, n:].sum(axis=1)) / 2 / deviation[usable]
    ranks = doubled[usable] / 2 / deviation[usable, None]
    largest = np.zeros(SHUFFLES)
    random = np.random.default_rng(seed)
    dealt = random.permuted(np.broadcast_to(np.arange(total) >= n, (SHUFFLES, total)), axis=1).T.astype(np.float64)
    for start in range(0, len(ranks), max(1, _CHUNK // SHUFFLES)):
        part = ranks[start : start + max(1, _CHUNK // SHUFFLES)]
        largest = np.maximum(largest, np.abs(part @ dealt).max(axis=0))
    largest.sort()
    inflated = statistic / np.where(test.neighbors.matters, test.neighbors.inflation, 1.0)
    reached = SHUFFLES - np.searchsorted(largest, inflated - 1e-9, side="left")
    p: Floats = np.where(usable, (reached + 1) / (SHUFFLES + 1), 1.0)
    means = centers_of((baseline, candidate), captures, row_means)
    between = between_captures(*means, 0.05)  # p does not depend on the level
    return p if between is None else np.maximum(p, holm(between.p))


def holm(p: Floats) -> Floats:
    """(g,) p values of one family -> Holm's: the largest p_(i) (g - i + 1) up to a row's place, at most 1."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def q_values(p: Floats, *, any_dependence: bool = False) -> Floats:
    """(g,) p values of one family -> (g,) q: rejecting all with q <= x keeps the expected share of false rejections at
    x.

    q_(i) = min over j >= i of p_(j) g / j (Benjamini and Hochberg 1995); NaN stays NaN and is not counted in the
    family. Valid for rows that are independent or positively dependent; with `any_dependence` for all rows, times 1
    + 1/2 + ... + 1/g (Benjamini and Yekutieli 2001).
    """
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if not len(tested):
        return q
    order = tested[np.argsort(p[tested], kind="stable")]
    places = np.arange(1, len(order) + 1)
    scaled = p[order] * len(order) / places * ((1 / places).sum() if any_dependence else 1.0)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
