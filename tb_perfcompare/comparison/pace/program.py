"""Program part: which estimate of the shift at equal machine speed decides, and what the others say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.clocked import Clocked
from tb_perfcompare.comparison.pace.program_estimate import MEANS_SHARE, EstimateKind, ProgramPart, part_of
from tb_perfcompare.comparison.pace.split import CommonWork, common_work
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate
from tb_perfcompare.comparison.statistics.mean_effect import LONG_STEPS
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tb_perfcompare.model.arrays import Floats, median, sample_quantile, unique
from tb_perfcompare.model.summary.summary import Summary

OVERLOADED, OVERLOADED_SHARE = 2.0, 0.25
"""A machine is overloaded if a side's steps take this many times as long as uninterrupted ones. Then only
uninterrupted steps give directions: at alpha if all estimates have the same sign, else at this share of alpha."""

BY_CHANCE = 2.0
"""Largest ratio of the relative excess of the rest of the steps to that of the common work at which both are the
machine's."""

PROBABLY_SHARE = 0.2
"""Fraction of alpha for a "probably" verdict, whose interval reaches into the threshold: most directions wrongly
given to equal programs are of this kind."""


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
    if part.of is EstimateKind.STEPS and abs(_moved_by_long_steps(clocked, part.clocked)) > LONG_STEPS:
        part = _without_same(part)
    if part.verdict.is_probable and part.estimate.p > PROBABLY_SHARE * options.alpha:
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


def _moved_by_long_steps(clocked: Clocked, usual: Clocked) -> float:
    """What long steps add to the shift of ln(mean step), as recorded."""
    pairs = zip(clocked.times_ns, usual.times_ns, strict=True)
    one, two = (math.log(every.mean()) - math.log(few.mean()) for every, few in pairs)
    return two - one


def log_mean_ratio(part: ProgramPart, clocked: Clocked) -> float:
    """ln of the ratio of the mean steps at equal machine speed, all steps included, whatever estimate decided."""
    if part.of is EstimateKind.STEPS and part.clocked is clocked:
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
