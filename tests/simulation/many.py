"""The verdict's rules on thousands of pairs of runs at once. That they are the rules is tested pair by pair
(test_many.py); what is drawn together here comes from the same functions of the product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts, centers, middle_half
from tb_perfcompare.comparison.statistics.rank_test import EXACT_LIMIT, batched_rank_test, interval_rank, smallest_p
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, SLACK

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

OPTIONS = CompareOptions()
LIMIT = math.log1p(OPTIONS.margin) + SLACK


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """Arrays of shape (g,): shift of ln(time) with its interval, by the steps alone and over captures; p; the words."""

    theta: Floats
    low: Floats
    high: Floats
    steps_low: Floats
    steps_high: Floats
    p: Floats
    clear: Bools
    """slower or faster"""
    probable: Bools
    """probably slower or probably faster"""
    same: Bools

    @property
    def directional(self) -> Bools:
        return self.clear | self.probable

    def covers(self, factor: float) -> float:
        """Share of the intervals that hold the true change."""
        truth = math.log(factor)
        return float(((self.low <= truth) & (truth <= self.high)).mean())


def judged(baseline: Ints, candidate: Ints, captures: Captures | None = None) -> Many:
    """Pairs of (g, n) and (g, m) positive times without equal values, an interval being possible for n and m."""
    n, m = baseline.shape[1], candidate.shape[1]
    test = batched_rank_test(baseline, candidate, captures=captures)
    k, level = interval_rank(n, m, OPTIONS.alpha, exact=max(n, m) <= EXACT_LIMIT)
    assert level is not None and (test.tie_factor == 1).all()
    logs = np.log(baseline), np.log(candidate)
    theta, low_alone, high_alone = shifts(*logs, k)
    steps_low, steps_high = test.neighbors.interval(theta, low_alone, high_alone, OPTIONS.alpha)
    p = np.where(
        test.neighbors.matters,
        np.maximum(test.p_alone, test.neighbors.p(theta, low_alone, high_alone, OPTIONS.alpha)),
        test.p_alone,
    )
    floor = None
    told = captures is not None and min(capture_counts(captures)) >= MIN_CONCLUSIVE_CAPTURES
    if told:  # captures carry what neighboring steps have in common
        steps_low, steps_high, p = low_alone, high_alone, test.p_alone
    low, high = steps_low, steps_high
    apart: Bools = np.zeros(len(theta), dtype=bool)
    alike = apart
    if captures is not None and max(capture_counts(captures)) > 1:
        middles = [centers(side, at, middle_half) for side, at in zip(logs, captures, strict=True)]
        between = between_captures(middles[0], middles[1], OPTIONS.alpha)
        assert between is not None
        low, high, p = np.minimum(low, between.low), np.maximum(high, between.high), np.maximum(p, between.p)
        if min(capture_counts(captures)) < MIN_CONCLUSIVE_CAPTURES:
            floor = floors(logs, captures)
        if told:
            apart = _apart(middles[0], middles[1])
            shared = between_captures(middles[0], middles[1], OPTIONS.alpha, shared=True)
            assert shared is not None
            below, above = np.minimum(steps_low, shared.low), np.maximum(steps_high, shared.high)
            alike = (below > LIMIT) | (above < -LIMIT)
    clear, probable, same = _words(theta, low, high, floor)
    apart &= ~same
    clear, probable = clear | apart, (probable | (alike & ~clear & ~same)) & ~apart
    return Many(theta, low, high, steps_low, steps_high, p, clear, probable, same)


def _apart(one: Floats, two: Floats) -> Bools:
    """(g,) pairs whose captures are completely apart, by more than chance makes of so few."""
    gap = np.maximum(two.min(axis=1) - one.max(axis=1), one.min(axis=1) - two.max(axis=1))
    wide = np.maximum(np.ptp(one, axis=1), np.ptp(two, axis=1)) / 2
    enough = smallest_p(one.shape[1], two.shape[1]) <= OPTIONS.alpha
    apart: Bools = (gap > LIMIT) & (enough | (gap >= wide))
    return apart


def _words(theta: Floats, low: Floats, high: Floats, floor: Floats | None) -> tuple[Bools, Bools, Bools]:
    clear = (low > LIMIT) | (high < -LIMIT)
    same = ~clear & (low >= -LIMIT) & (high <= LIMIT)
    probable = ~clear & ~same & ((low > SLACK) | (high < -SLACK))
    if floor is None:
        return clear, probable, same
    beyond = np.maximum(low, -high) > floor
    demoted = clear & ~beyond & (np.abs(theta) > floor)
    return clear & beyond, (probable & beyond) | demoted, same & (floor <= LIMIT)


def shifts(baseline: Floats, candidate: Floats, k: int) -> tuple[Floats, Floats, Floats]:
    """(g,) median, k-th smallest and k-th largest of the differences of each pair."""
    pairs = baseline.shape[1] * candidate.shape[1]
    differences = (candidate[:, None, :] - baseline[:, :, None]).reshape(len(baseline), pairs)
    differences.sort(axis=1)
    middle = (differences[:, (pairs - 1) // 2] + differences[:, pairs // 2]) / 2
    return middle, differences[:, k - 1], differences[:, pairs - k]


def floors(logs: tuple[Floats, Floats], captures: Captures) -> Floats:
    """(g,) largest shift between two captures of a side."""
    found = [
        np.abs(shifts(side[:, at == one], side[:, at == other], 1)[0])
        for side, at in zip(logs, captures, strict=True)
        for one, other in combinations(np.unique(at).tolist(), 2)
    ]
    return np.max(found, axis=0)
