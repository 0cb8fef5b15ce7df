"""Program part: shift of the step time at equal machine speed, with an interval that allows for all uncertainties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata, within_kinds
from tb_perfcompare.comparison.pace.clocked import Clocked, by_captures, by_means
from tb_perfcompare.comparison.pace.machine import interruption, paces_differ
from tb_perfcompare.comparison.pace.pace import max_deviation
from tb_perfcompare.comparison.pace.split import CommonWork, common_work
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import BetweenCaptures, capture_counts, noise_floor
from tb_perfcompare.comparison.statistics.distributions import normal_quantile, quantiles, student_p
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, estimate_shift
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, check_noise_floor, decide
from tb_perfcompare.model.arrays import Floats, SidePair, SideTimes, median, sample_quantile, unique
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

_BITS = 40
"""Binary digits of times at equal machine speed: stored as integers, the longest about 2**40, so that rounding is
negligible."""


LONG_STEPS = math.log(1.2)
"""Shift of the captures' means from which a few long steps may be the change."""

MEANS_SHARE = 0.2
"""Fraction of alpha for the means of captures: a second look at the same steps has to be clearer."""

OVERLOADED, OVERLOADED_SHARE = 2.0, 0.25
"""A machine is overloaded if a side's steps take this many times as long as uninterrupted ones. Then only
uninterrupted steps give directions: at alpha if all estimates have the same sign, else at this share of alpha."""

BY_CHANCE = 2.0
"""Largest ratio of the relative excess of the rest of the steps to that of the common work at which both are the
machine's."""

PROBABLY_SHARE = 0.2
"""Fraction of alpha for a "probably" verdict, whose interval reaches into the threshold: most directions wrongly
given to equal programs are of this kind."""


class EstimateKind(Enum):
    """Estimate that decided on the program; values are the words appended to `headline.method` in the JSON."""

    STEPS = ""
    UNINTERRUPTED = (
        "; program: every part of a step as in the fastest quarter of its steps, so that no interruption counts"
    )
    MEANS = "; program: mean steps of the captures, interval at a fifth of alpha; the typical step does not show it"


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


def program_part(clocked: Clocked, options: CompareOptions, like: ProgramPart | None = None) -> ProgramPart:
    """Shift of the step time at equal machine speed, and the verdict on it. `like` provides the variation between
    captures if some were left out, and the kind of estimate that decides.

    Uninterrupted steps show what interruptions hide, but not stalls that only few steps have; stalls that recur in
    every capture show in the means of the captures. If both are known, whole steps give no direction: that would be
    a third look at the same steps. They only confirm a "probably" of the means.
    """
    all_steps = clocked if like is None else like.clocked
    counts = capture_counts(all_steps.captures)
    enough_captures = min(counts) >= MIN_CONCLUSIVE_CAPTURES and all_steps.strata is None
    if like is None and enough_captures:
        part = _decisive(clocked, options)
    else:
        part = part_of(EstimateKind.STEPS if like is None else like.of, clocked, options, like)
    unclear = part.verdict.is_probable and part.estimate.p > PROBABLY_SHARE * options.alpha
    if unclear and max(counts) > 1 and all_steps.strata is None:
        return replace(part, verdict=Verdict.INCONCLUSIVE)
    return part


def _decisive(clocked: Clocked, options: CompareOptions) -> ProgramPart:
    means = part_of(EstimateKind.MEANS, clocked, options)
    part = _of_three(clocked, means, options)
    if part.of is EstimateKind.UNINTERRUPTED and part.verdict.way:
        part = _with_steps(part, part_of(EstimateKind.STEPS, clocked, options).estimate, options)
    # two programs are not the same just because only some captures have long steps
    return part if abs(means.estimate.theta) <= LONG_STEPS else _without_same(part)


def _with_steps(part: ProgramPart, steps: ShiftEstimate, options: CompareOptions) -> ProgramPart:
    """Adds whole steps to a direction from uninterrupted ones, if they show a smaller change.

    The estimate is the mean of both, weighted by the inverse squares of their intervals' widths. The interval covers
    both if they contradict each other.

    On a busy machine, a call that is longer than a time slice is interrupted in every step. If only one side has such
    calls, its uninterrupted steps are overestimated; whole steps at equal machine speed are not, but vary more. They
    never make a change larger: interruptions can do that. The direction remains that of the uninterrupted steps,
    beyond the threshold.
    """
    alone, way = part.estimate, part.verdict.way
    if way * (alone.theta - steps.theta) <= 0:
        return part
    low, high = alone.theta_low, alone.theta_high
    if not steps.theta_low <= alone.theta <= steps.theta_high:
        least = math.log1p(options.margin) if part.verdict.is_sure else 0.0
        if way > 0:
            low = min(low, max(steps.theta, least))
        else:
            high = max(high, min(steps.theta, -least))
    widths = (alone.theta_high - alone.theta_low) ** 2, (steps.theta_high - steps.theta_low) ** 2
    if not 0 < sum(widths) < math.inf:
        return part
    mean = (alone.theta * widths[1] + steps.theta * widths[0]) / sum(widths)
    return replace(part, estimate=replace(alone, theta=min(max(mean, low), high), theta_low=low, theta_high=high))


def _of_three(clocked: Clocked, means: ProgramPart, options: CompareOptions) -> ProgramPart:
    """Chooses among whole steps, uninterrupted steps and means: the table of
    docs/method/program_or_machine.md#interruptions-and-stalls."""
    if clocked.uninterrupted is None:
        steps = part_of(EstimateKind.STEPS, clocked, options)
        return means if means.verdict.is_sure and not _agree(steps, means) else steps
    uninterrupted = part_of(EstimateKind.UNINTERRUPTED, clocked, options)
    if _is_overloaded(clocked):  # whole steps with interruptions give no direction
        return _of_overloaded(clocked, uninterrupted, means, options)
    if means.verdict.is_sure and not uninterrupted.verdict.way and _are_interruptions(clocked, means.estimate.theta):
        typical = part_of(EstimateKind.STEPS, clocked, replace(options, alpha=MEANS_SHARE * options.alpha))
        if typical.verdict is not means.verdict:
            means = replace(means, verdict=Verdict.INCONCLUSIVE)
    if any(follower.pace.reason for follower in clocked.followers):  # whole steps do not show the pace
        return _without_same(uninterrupted)
    if means.verdict.is_sure and not _agree(uninterrupted, means):
        return means
    if uninterrupted.verdict.way:
        return uninterrupted
    steps = part_of(EstimateKind.STEPS, clocked, options)
    return _without_same(means) if steps.verdict.way else steps


def _of_overloaded(
    clocked: Clocked, uninterrupted: ProgramPart, means: ProgramPart, options: CompareOptions
) -> ProgramPart:
    """Uninterrupted steps give a direction at alpha if all three estimates point one way, else at OVERLOADED_SHARE of
    it; none if whole steps contradict them and contain zero."""
    steps = part_of(EstimateKind.STEPS, clocked, options)
    about_zero = steps.estimate.theta_low <= 0 <= steps.estimate.theta_high
    if about_zero and not _overlap(steps.estimate, uninterrupted.estimate):
        return _without_same(steps)
    thetas = [part.estimate.theta for part in (uninterrupted, means, steps)]
    if uninterrupted.verdict.is_sure and (min(thetas) > 0 or max(thetas) < 0):
        return uninterrupted
    alone = part_of(EstimateKind.UNINTERRUPTED, clocked, replace(options, alpha=OVERLOADED_SHARE * options.alpha))
    return alone if alone.estimate.theta_low == alone.estimate.theta_high else _without_same(alone)


def _are_interruptions(clocked: Clocked, theta: float) -> bool:
    """Whether the long steps of the side with longer means are interruptions by the machine, which hit the common
    work and the rest in proportion to their time; pauses of the program hit only the rest."""
    if len(clocked.followers) != 1:
        return False
    pace, side = clocked.followers[0].pace, int(theta > 0)
    common, capture = pace.common[side], clocked.captures[side]
    beyond = [_beyond_usual(part, capture) for part in (common, clocked.times_ns[side] - common)]
    return bool(beyond[1] <= BY_CHANCE * beyond[0] * (1 - pace.coverage) / pace.coverage)


def _beyond_usual(values: Floats, capture: NDArray[np.int32]) -> float:
    """Sum of the observations' excess over the lower quartile of their capture."""
    sums = (values[at] - sample_quantile(values[at], 0.25) for at in (capture == which for which in unique(capture)))
    return float(sum(np.maximum(one, 0.0).sum() for one in sums))


def _is_overloaded(clocked: Clocked) -> bool:
    """Whether steps of a side take more than OVERLOADED times as long as uninterrupted ones."""
    assert clocked.uninterrupted is not None
    alone = clocked.uninterrupted.steady_ns()
    return any(
        median(recorded) > OVERLOADED * float((steady + rest).mean())
        for recorded, steady, rest in zip(clocked.times_ns, alone, clocked.uninterrupted.usual_ns, strict=True)
    )


def log_mean_ratio(part: ProgramPart, clocked: Clocked) -> float:
    """ln of the ratio of the mean steps at equal machine speed, all steps included, whatever estimate decided."""
    if part.of is EstimateKind.STEPS:
        return part.estimate.log_mean_ratio
    one, two = (float(np.log(np.exp(side).mean())) for side in clocked.at_pace)
    return two - one


def _without_same(part: ProgramPart) -> ProgramPart:
    """Replaces "same" by "inconclusive", for an estimate that cannot show the absence of change on its own."""
    return replace(part, verdict=Verdict.INCONCLUSIVE) if part.verdict is Verdict.SAME else part


def _agree(one: ProgramPart, two: ProgramPart) -> bool:
    return one.verdict is two.verdict and _overlap(one.estimate, two.estimate)


def _overlap(one: ShiftEstimate, two: ShiftEstimate) -> bool:
    return one.theta_low <= two.theta_high and two.theta_low <= one.theta_high


def part_of(
    of: EstimateKind, clocked: Clocked, options: CompareOptions, like: ProgramPart | None = None
) -> ProgramPart:
    """Program part from one kind of estimate: from whole steps, interruptions included; from one uninterrupted step per
    capture, which `clocked` must have; or from the mean of each capture, at MEANS_SHARE of alpha."""
    if of is EstimateKind.UNINTERRUPTED:
        assert clocked.uninterrupted is not None
        clocked = by_captures(clocked.uninterrupted)
    elif of is EstimateKind.MEANS:
        clocked, options = by_means(clocked), replace(options, alpha=MEANS_SHARE * options.alpha)
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


_MIN_COMMON_SHARE = 0.01
"""Share of the step from which common work indicates the pace of the rest, provided that three captures a side show
how well the rest follows it."""


def allow_little_common_work(
    work: CommonWork, recorded: Headline, sides: tuple[Summary, Summary], options: CompareOptions,
    strata: Strata | None, amount: AmountOfWork | None = None,
) -> CommonWork:  # fmt: skip
    """Returns `work`. Only if it has no clocks and the recorded times give no direction, returns the result of
    accepting less common work, provided that the program has a direction at that pace."""
    if work.clocked is not None or recorded.verdict is not Verdict.INCONCLUSIVE:
        return work
    if min(capture_counts(work.captures), default=0) < MIN_CONCLUSIVE_CAPTURES:
        return work
    little = common_work(*sides, options, strata, _MIN_COMMON_SHARE, amount)
    if little.clocked is None:
        return work
    return little if program_part(little.clocked, options).verdict.way else work
