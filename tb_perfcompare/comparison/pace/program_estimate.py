"""Shift of the step time at equal machine speed, by one kind of estimate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

import numpy as np

from tb_perfcompare.comparison.kinds.strata import within_kinds
from tb_perfcompare.comparison.pace.clocked import Clocked, by_captures, by_means, without_long_steps
from tb_perfcompare.comparison.pace.machine import interruption, paces_differ
from tb_perfcompare.comparison.pace.pace import max_deviation
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import BetweenCaptures, capture_counts, noise_floor
from tb_perfcompare.comparison.statistics.distributions import normal_quantile, quantiles, student_p
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, check_noise_floor, decide
from tb_perfcompare.model.arrays import SidePair, SideTimes
from tb_perfcompare.quick_dataclass import dataclass

_BITS = 40
"""Binary digits of times at equal machine speed: stored as integers, the longest about 2**40, so that rounding is
negligible."""

MEANS_SHARE = 0.2
"""Fraction of alpha for the means of captures: a second look at the same steps has to be clearer."""


class EstimateKind(Enum):
    """Estimate that decided on the program; values are the words appended to `headline.method` in the JSON."""

    STEPS = ""
    UNINTERRUPTED = (
        "; program: each part of a step from its fastest quarter of the steps, which leaves out interruptions"
    )
    MEANS = "; program: means of the captures, interval at a fifth of alpha; typical steps do not show the change"


def program_from(headline: Headline) -> EstimateKind:
    """Kind of the estimate of the headline's program part, which its method names."""
    named = (kind for kind in EstimateKind if kind.value and kind.value in headline.method)
    return next(named, EstimateKind.STEPS)


@dataclass(frozen=True, slots=True)
class ProgramPart:
    """Program part of the change. `estimate` is of times at equal machine speed; `floor` is the largest shift
    between captures of a side; `apart`: the paces of the sides clearly differ; `clocked` and `of`: data and kind of
    the estimate."""

    estimate: ShiftEstimate
    verdict: Verdict
    floor: float | None
    apart: bool
    clocked: Clocked
    of: EstimateKind = EstimateKind.STEPS


def part_of(
    of: EstimateKind, clocked: Clocked, options: CompareOptions, like: ProgramPart | None = None
) -> ProgramPart:
    """Program part from one kind of estimate: from whole steps, interruptions included but without the few that are far
    longer than all others; from one uninterrupted step per capture, which `clocked` must have; or from the mean of each
    capture, at MEANS_SHARE of alpha."""
    if of is EstimateKind.UNINTERRUPTED:
        assert clocked.uninterrupted is not None
        clocked = by_captures(clocked.uninterrupted)
    elif of is EstimateKind.MEANS:
        clocked, options = by_means(clocked), replace(options, alpha=MEANS_SHARE * options.alpha)
    else:
        clocked = without_long_steps(clocked)
    captures = clocked.captures
    times = as_integers(clocked.at_pace)
    if np.array_equal(np.sort(times[0]), np.sort(times[1])):
        none = estimate_shift(*times, options.alpha, captures=captures, at_pace=True)
        none = replace(none, theta=0.0, theta_low=0.0, theta_high=0.0, steps_low=0.0, steps_high=0.0, p=1.0)
        return ProgramPart(none, Verdict.SAME, None, apart=False, clocked=clocked, of=of)
    estimate = partial(
        _estimate, clocked, options, variation=None if like is None else like.estimate.between,
        of_captures=of is not EstimateKind.STEPS,
    )  # fmt: skip
    main = estimate(times)
    reaches = (
        follower.share * math.hypot(max_deviation(follower.pace, options.alpha), interruption(follower, clocked))
        for follower in clocked.followers
    )
    main = widened(main, math.hypot(*reaches))
    apart = paces_differ(clocked, options) if like is None else like.apart
    if apart:
        main = hull(main, [estimate(as_integers(other)) for other in clocked.alternatives])
    within = within_kinds(times, captures, clocked.strata, options.alpha)
    level, capture_of = (times, captures) if within is None else (within.level, within.captures)
    floor = noise_floor(level, capture_of) if like is None else like.floor
    verdict = decide(main, options.margin)
    if min(capture_counts(captures)) < MIN_CONCLUSIVE_CAPTURES:
        verdict = check_noise_floor(verdict, main, options.margin, floor)
    return ProgramPart(main, verdict, floor, apart, clocked, of)


def as_integers(logs: SidePair) -> SideTimes:
    """Converts ln(time) to integers in a common unit that does not depend on the order of the sides."""
    unit = _BITS * math.log(2) - max(float(side.max()) for side in logs)
    one, two = (np.maximum(np.rint(np.exp(side + unit)), 1).astype(np.int64) for side in logs)
    return one, two


def widened(estimate: ShiftEstimate, by: float) -> ShiftEstimate:
    """Moves both ends of the steps' and the captures' interval out by `by` (of ln(time)), in quadrature."""
    if by <= 0:
        return estimate
    theta = estimate.theta
    steps = theta - math.hypot(theta - estimate.steps_low, by), theta + math.hypot(estimate.steps_high - theta, by)
    low, high = steps
    reached = max(theta - low if theta > 0 else high - theta, 1e-300)
    p = max(estimate.p, math.erfc(abs(theta) / reached * normal_quantile(1 - estimate.alpha / 2) / math.sqrt(2)))
    between = estimate.between
    if between is not None:
        half = np.hypot((between.high - between.low) / 2, by)
        between = replace(between, low=between.middle - half, high=between.middle + half)
        quantile = quantiles(between.degrees_of_freedom, 1 - estimate.alpha / 2)
        p = max(p, float(student_p(between.middle / half * quantile, between.degrees_of_freedom)[0]))
        low, high = between.hull(low, high)
    return replace(
        estimate, theta_low=low, theta_high=high, steps_low=steps[0], steps_high=steps[1], between=between,
        p=min(p, 1.0),
    )  # fmt: skip


def hull(main: ShiftEstimate, others: Sequence[ShiftEstimate]) -> ShiftEstimate:
    """Returns `main` with the widest interval and the largest p of all estimates; p is 1 if they disagree on the
    direction."""
    every = [main, *others]
    agree = all(shift_estimate.theta >= 0 for shift_estimate in every) or all(one.theta <= 0 for one in every)
    return replace(
        main,
        theta_low=min(shift_estimate.theta_low for shift_estimate in every),
        theta_high=max(shift_estimate.theta_high for shift_estimate in every),
        p=max(shift_estimate.p for shift_estimate in every) if agree else 1.0,
    )


def _estimate(
    clocked: Clocked, options: CompareOptions, times: SideTimes, variation: BetweenCaptures | None, *, of_captures: bool
) -> ShiftEstimate:
    """Shift between the times of both sides. `of_captures`: of one time per capture, with captures as the unit."""
    within = within_kinds(times, clocked.captures, clocked.strata, options.alpha)
    if within is not None:
        return within.shift(options.alpha, variation_from=variation, at_pace=True)
    estimated = estimate_shift(*times, options.alpha, captures=clocked.captures, variation_from=variation, at_pace=True)
    if not of_captures:
        return estimated
    between = estimated.between
    assert between is not None
    theta, low, high = (float(end[0]) + 0.0 for end in (between.middle, between.low, between.high))
    return replace(
        estimated, theta=theta, theta_low=low, theta_high=high, steps_low=low, steps_high=high, level=1 - options.alpha,
        p=float(between.p[0]),
    )  # fmt: skip
