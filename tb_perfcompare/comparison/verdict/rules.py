"""From an estimate to a verdict's word. Rules and their error rates: docs/method/statistics.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.statistics.noise_floor import Times, noise_floor

SLACK = 1e-12
"""What rounding of logarithms may do; a shift of exactly the margin is inside it, whatever the clock's unit."""

CAPTURES_THAT_TELL = 3
"""From as many captures on both sides their interval decides; with fewer it has to lie beyond the noise floor too."""

_LESS_SURE = {Verdict.SLOWER: Verdict.PROBABLY_SLOWER, Verdict.FASTER: Verdict.PROBABLY_FASTER}


@dataclass(frozen=True, slots=True)
class Settled:
    """How a verdict came about.

    by_steps  what the steps alone would say, which is about these captures
    counts    captures of each side that tell how captures differ
    floor     noise floor of ln(time), None when no side has two captures
    verdict   what is left of it over captures and against the floor
    """

    estimate: ShiftEstimate
    by_steps: Verdict
    counts: tuple[int, int]
    floor: float | None
    verdict: Verdict


def settle(times: Times, captures: Captures, options: CompareOptions, like: Settled | None = None) -> Settled:
    """The verdict on two samples of positive times; `like` says how far captures differ when some were left out."""
    counts = capture_counts(captures) if like is None else like.counts
    floor = noise_floor(times, captures) if like is None else like.floor
    known = None if like is None else like.estimate
    estimate = estimate_shift(*times, options.alpha, captures=captures, like=known)
    verdict = decide(estimate, options.margin)
    if min(counts) < CAPTURES_THAT_TELL:
        verdict = hold_against_floor(verdict, estimate, options.margin, floor)
    return Settled(estimate, decide(estimate.by_steps, options.margin), counts, floor, verdict)


def decide(estimate: ShiftEstimate, margin: float) -> Verdict:
    """The verdict from the interval of the shift against the margin, or from the whole range with too few steps.

    The margin on the faster side is 1/(1 + margin) - 1, so that exchanging the sides exchanges the verdicts.
    """
    limit = math.log1p(margin) + SLACK
    low, high = estimate.theta_low, estimate.theta_high
    if estimate.level is None and estimate.p > estimate.alpha:
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


def hold_against_floor(verdict: Verdict, estimate: ShiftEstimate, margin: float, floor: float | None) -> Verdict:
    """What is left of a verdict when few captures of one side differ by up to `floor` (of ln(time)) anyway.

    An interval beyond the floor keeps its verdict. If only the estimate is beyond, slower becomes probably slower.
    Anything less is inconclusive, and so is `same` when captures differ by more than the margin.
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
