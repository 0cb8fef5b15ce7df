"""Rules from an estimate to a verdict. Rules and their error rates: docs/method/statistics.md."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.kinds.strata import Strata, WithinKinds, within_kinds
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts, middles, noise_floor
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.model.arrays import SidePair, SideTimes, each_side
from tb_perfcompare.quick_dataclass import dataclass

SLACK = 1e-12
"""Tolerance for rounding of logarithms: a shift of exactly the margin is inside it, in any unit of time."""

MIN_CONCLUSIVE_STEPS = 3
"""Steps per side from which samples that are too small for a rank test can still be clearly apart."""

MIN_CONCLUSIVE_CAPTURES = 3
"""Captures per side from which their interval decides; with fewer it also has to lie beyond the noise floor."""

_LESS_SURE = {Verdict.SLOWER: Verdict.PROBABLY_SLOWER, Verdict.FASTER: Verdict.PROBABLY_FASTER}

DEFAULT_LEVEL = 0.05
"""Lowest alpha at which captures may also decide by the rules for verdicts that the interval leaves open: their
error rate was measured at this level. At a lower alpha, as in one of several looks, only the interval decides."""


def weaker_verdict(verdict: Verdict) -> Verdict:
    """Returns "probably slower" for slower, "probably faster" for faster; other verdicts unchanged."""
    return _LESS_SURE.get(verdict, verdict)


@dataclass(frozen=True, slots=True)
class Settled:
    """How a verdict was reached.

    by_steps  verdict from the steps alone, which holds for these captures only
    counts    captures of each side from which the variation between captures is known
    floor     noise floor of ln(time), None if no side has two captures
    verdict   verdict after the variation between captures and the noise floor are accounted for
    bound     smallest change of ln(time) on which all captures agree, if only a bound is known; else None
    apart     all captures of one side are beyond all of the other
    within    the steps by kind, if they were compared within kinds
    """

    estimate: ShiftEstimate
    by_steps: Verdict
    counts: tuple[int, int]
    floor: float | None
    verdict: Verdict
    bound: float | None = None
    apart: bool = False
    within: WithinKinds | None = None


def settle(
    times: SideTimes,
    captures: Captures,
    options: CompareOptions,
    like: Settled | None = None,
    strata: Strata | None = None,
) -> Settled:
    """Reaches the verdict on two samples of positive times. `like` provides the variation between captures if some
    captures were left out. Steps of several kinds (`strata`) are compared within their kinds."""
    variation = None if like is None else like.estimate.between
    within = within_kinds(times, captures, strata, options.alpha)
    if within is None:
        estimate = estimate_shift(*times, options.alpha, captures=captures, variation_from=variation)
        centers = middles(each_side(np.log, times), captures)
    else:
        estimate, centers = within.shift(options.alpha, variation_from=variation), within.centers()
        times, captures = within.level, within.captures
    counts = capture_counts(captures) if like is None else like.counts
    floor = noise_floor(times, captures) if like is None else like.floor
    verdict = decide(estimate, options.margin)
    by_steps = decide(estimate.by_steps, options.margin)
    if min(counts) < MIN_CONCLUSIVE_CAPTURES:
        verdict = check_noise_floor(verdict, estimate, options.margin, floor)
    elif verdict not in (*_LESS_SURE, Verdict.SAME) and options.alpha >= DEFAULT_LEVEL:
        if gap := _gap_between(centers, options):
            verdict = Verdict.SLOWER if gap > 0 else Verdict.FASTER
            return Settled(estimate, by_steps, counts, floor, verdict, gap, apart=True, within=within)
        shared = _with_one_deviation(estimate, centers, options)
        if (verdict_of_shared := decide(shared, options.margin)).is_sure:
            bound = shared.theta_low if shared.theta > 0 else shared.theta_high
            verdict = weaker_verdict(verdict_of_shared)
            return Settled(estimate, by_steps, counts, floor, verdict, bound, within=within)
    return Settled(estimate, by_steps, counts, floor, verdict, within=within)


def _gap_between(centers: SidePair, options: CompareOptions) -> float:
    """Smallest difference of ln(time) between captures of the two sides, if all of one side lie beyond all of the
    other by more than the threshold, and an exact rank test or the size of the gap rules out chance; else 0.
    Positive if the candidate is slower."""
    one, two = centers[0][0], centers[1][0]
    up, down = float(two.min() - one.max()), float(one.min() - two.max())
    gap = max(up, down)
    if gap <= math.log1p(options.margin) + SLACK:
        return 0.0
    widest = max(float(np.ptp(side)) for side in (one, two))
    if smallest_p(len(one), len(two)) > options.alpha and gap < widest / 2:
        return 0.0
    return gap if up > down else -gap


def _with_one_deviation(estimate: ShiftEstimate, centers: SidePair, options: CompareOptions) -> ShiftEstimate:
    """Returns the estimate with the interval over captures that assumes one deviation for both sides, unless the
    sides' deviations clearly differ."""
    between = between_captures(*centers, options.alpha, shared=True)
    assert between is not None
    low, high = between.hull(estimate.steps_low, estimate.steps_high)
    return replace(estimate, theta_low=low, theta_high=high, between=between)


def decide(estimate: ShiftEstimate, margin: float) -> Verdict:
    """Verdict from the interval of the shift against the margin, or from the whole range with too few steps.

    The margin on the faster side is 1/(1 + margin) - 1, so that exchanging the sides exchanges the verdicts.
    """
    limit = math.log1p(margin) + SLACK
    low, high = estimate.theta_low, estimate.theta_high
    if estimate.level is None and estimate.p > estimate.alpha and not clearly_apart(estimate):
        return Verdict.INCONCLUSIVE
    if low > limit:
        return Verdict.SLOWER
    if high < -limit:
        return Verdict.FASTER
    if estimate.level is None:
        return Verdict.INCONCLUSIVE
    if -limit <= low and high <= limit:
        return Verdict.SAME
    if low > SLACK:
        return Verdict.PROBABLY_SLOWER
    if high < -SLACK:
        return Verdict.PROBABLY_FASTER
    return Verdict.INCONCLUSIVE


def clearly_apart(estimate: ShiftEstimate) -> bool:
    """Whether samples too small for a rank test, such as three steps and three, are separated by a gap at least as
    wide as the ranges of both together. For samples from one distribution that happens in 0.3 of 100 cases (normal),
    2 at worst."""
    low, high = estimate.theta_low, estimate.theta_high  # of all pairs: the gap, and the gap with both ranges
    gap = max(low, -high)
    few = min(estimate.n) >= MIN_CONCLUSIVE_STEPS and estimate.p_min > estimate.alpha >= DEFAULT_LEVEL
    return few and gap > 0 and 2 * gap >= max(high, -low)


def check_noise_floor(verdict: Verdict, estimate: ShiftEstimate, margin: float, floor: float | None) -> Verdict:
    """Weakens a verdict if the few captures of one side differ by up to `floor` (of ln(time)) anyway.

    A verdict stays if its interval lies beyond the floor. If only the estimate does, slower becomes probably slower.
    Otherwise the verdict is inconclusive; so is `same` if captures differ by more than the margin.
    """
    if floor is None or verdict is Verdict.INCONCLUSIVE:
        return verdict
    if verdict is Verdict.SAME:
        return Verdict.INCONCLUSIVE if floor > math.log1p(margin) + SLACK else verdict
    if max(estimate.theta_low, -estimate.theta_high) > floor:
        return verdict
    if verdict in _LESS_SURE and abs(estimate.theta) > floor:
        return _LESS_SURE[verdict]
    return Verdict.INCONCLUSIVE
