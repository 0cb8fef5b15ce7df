"""Verdict on the step time as recorded, if program and machine cannot be separated."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.pace.captures_apart import Apart, captures_apart
from tb_perfcompare.comparison.pace.counted_work import MIN_COMMON_WORK, CountedWork
from tb_perfcompare.comparison.pace.pace import MIN_NAMES, shift_of_pace
from tb_perfcompare.comparison.pace.paced_time import Sides
from tb_perfcompare.comparison.pace.program import OVERLOADED
from tb_perfcompare.comparison.pace.rows import row_changes
from tb_perfcompare.comparison.pace.select import BY_NAME, select, work_of_operators
from tb_perfcompare.comparison.pace.split import NO_SHAPES, CommonWork
from tb_perfcompare.comparison.pace.step_cells import FASTEST_SHARE
from tb_perfcompare.comparison.pace.uninterrupted_steps import StepsAlone
from tb_perfcompare.comparison.pace.words.phrases import far_apart
from tb_perfcompare.comparison.result.finding import Interruptions
from tb_perfcompare.comparison.result.headline import Counted, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.statistics.weights import inside
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, weaker_verdict
from tb_perfcompare.model.arrays import Floats, each_side, median
from tb_perfcompare.model.names.work_kinds import VIEWS
from tb_perfcompare.model.summary.summary import STEP_TIME
from tb_perfcompare.number_text import rough, times

STEP_EXCESS_RATIO = 2.0
"""Ratio of the logarithmic changes of step and same work from which the machine alone cannot explain the step."""

VIEWS_EXCESS_RATIO = 1.28
"""Ratio of the logarithmic changes of step and views up to which the machine explains the step. In 300 pairs without
shapes: 0.8 to 1.27 for programs without a fault that got a direction, 1.3 or more with one and equal calls."""

CAPTURES_DIFFER = math.log(1.1)
"""Difference of two captures of one program on the CPU, as ln(time), if no side has two to know it from. 45 recorded
pairs of equal programs differed by 6 % in the median, and 32 by at most 10 %. Three of them had a direction below that;
of 32 with a fault and a direction, one."""

_MAIN_SHARE = 0.5
"""Share of the step in the same work from which that work is most of it."""

_ALONE = "; each part of a step from its fastest quarter of the steps: captures of the sides are far apart"


def decided_alone(headline: Headline, work: CommonWork, options: CompareOptions, sides: Sides) -> Headline:
    """Returns the headline of the recorded step time, with the verdict that other evidence leaves."""
    headline = _as_uninterrupted(_as_views(_as_the_same_work(headline, work), work, sides), work.interrupted)
    headline = _by_steps_alone(_as_single_captures(headline, sides), work.alone, options)
    return _not_in_turns(_by_counted_work(headline, work.counted, options), sides)


def counted_facts(counted: CountedWork) -> Counted:
    change = fraction_of(counted.log if counted.inputs is None else counted.inputs)
    return Counted(counted.noun, counted.calls, change, counted.larger)


def _by_counted_work(headline: Headline, counted: CountedWork | None, options: CompareOptions) -> Headline:
    """Lets counted work decide a verdict on recorded times that is inconclusive."""
    shift = headline.shift
    if counted is None or shift is None or headline.verdict is not Verdict.INCONCLUSIVE:
        return headline
    ends = math.log1p(shift.estimate), math.log1p(shift.low), math.log1p(shift.high)
    verdict = counted.verdict(ends, options)
    return headline if verdict is None else replace(headline, verdict=verdict, counted=counted_facts(counted))


def _as_the_same_work(headline: Headline, work: CommonWork) -> Headline:
    """Makes a direction of the recorded times inconclusive if a side has fewer than three captures, and the same work
    changed about as much: the machine explains that as well as the program does. The CPU has to be overloaded, or with
    one capture per side most of the step in too few operators for a pace."""
    shift, paces = headline.shift, {pace_rows.pace.of: pace_rows for pace_rows in work.found}
    if not headline.verdict.way or shift is None or [*paces] != ["host"]:
        return headline
    changes = paces["host"].changes
    longer = max(map(_times_uninterrupted, changes.common))
    counts = capture_counts(work.captures)
    few = max(counts) == 1 and changes.kept_names < MIN_NAMES and paces["host"].pace.coverage >= _MAIN_SHARE
    if min(counts) >= MIN_CONCLUSIVE_CAPTURES or (longer <= OVERLOADED and not few):
        return headline
    theta = math.log1p(shift.estimate)
    same_work = math.copysign(1, theta) * shift_of_pace(paces["host"].pace.log, work.captures)
    if abs(theta) > max(changes.spread, STEP_EXCESS_RATIO * same_work):
        return headline
    why = f"the CPU is overloaded: the same work takes {times(longer)} as long as without interruptions"
    if longer <= OVERLOADED:
        why = "the same operators account for it: record several captures per side to know the machine's part"
    return _doubted(headline, why)


def _doubted(headline: Headline, why: str, verdict: Verdict | None = None) -> Headline:
    """Leaves this verdict of the direction of recorded times, none by default, for this reason."""
    first, *rest = headline.reason.split("; ")
    estimate, bracket, _ = first.partition(")")  # what follows the interval says how sure the direction is
    first = f"{estimate}{bracket}, but {why}"
    return replace(headline, verdict=verdict or Verdict.INCONCLUSIVE, reason="; ".join((first, *rest)))


def _as_views(headline: Headline, work: CommonWork, sides: Sides) -> Headline:
    """Makes a direction of the recorded times inconclusive if no input shapes tell the same work, a side has fewer than
    three captures, and views, whose time no input changes, changed about as much."""
    shift, certainty = headline.shift, headline.certainty
    if not headline.verdict.way or work.reason != NO_SHAPES or shift is None or certainty is None:
        return headline
    pace = _pace_of_views(sides) if min(certainty.captures) < MIN_CONCLUSIVE_CAPTURES else 0.0
    way = headline.verdict.way
    if way * math.log1p(shift.estimate) > VIEWS_EXCESS_RATIO * way * pace:
        return headline
    change = f"{rough(abs(fraction_of(pace)))} {'longer' if pace > 0 else 'less time'}"
    return _doubted(headline, f"views, which touch no data, take {change}, too: the machine may have changed")


def _as_uninterrupted(headline: Headline, interrupted: Interruptions | None) -> Headline:
    """Makes a direction of the recorded times inconclusive if a side has fewer than three captures and interruptions
    explain the change."""
    certainty = headline.certainty
    if interrupted is None or certainty is None or not headline.verdict.way:
        return headline
    if min(certainty.captures) >= MIN_CONCLUSIVE_CAPTURES:
        return headline
    change = rough(fraction_of(interrupted.kept), signed=True)
    return _doubted(headline, f"{change} in uninterrupted steps: other processes took the CPU")


def _as_single_captures(headline: Headline, sides: Sides) -> Headline:
    """Weakens a direction of the recorded times if each side has one capture and no device works: captures of one
    program differ, too."""
    shift, certainty = headline.shift, headline.certainty
    if not headline.verdict.way or shift is None or certainty is None or max(certainty.captures) > 1:
        return headline
    if any(side.metric != STEP_TIME or side.device.count for side in sides):
        return headline
    low, change, high = (headline.verdict.way * math.log1p(part) for part in (shift.low, shift.estimate, shift.high))
    if min(low, high) > CAPTURES_DIFFER:
        return headline
    why = f"two captures of one program often differ by {rough(fraction_of(CAPTURES_DIFFER))}"
    return _doubted(headline, why, weaker_verdict(headline.verdict) if change > CAPTURES_DIFFER else None)


def _pace_of_views(sides: Sides) -> float:
    """ln of the ratio of the times of operators that touch no data; 0 if they are too few, or if the sides' calls of
    any operators differ, as other work changes how long a view takes."""
    works = each_side(lambda side: work_of_operators(side, BY_NAME) if BY_NAME in side.groups else {}, sides)
    if min(inside(*works), inside(*works[::-1])) < MIN_COMMON_WORK or not all(works):
        return 0.0
    samples = each_side(observations, sides)
    selected = select(BY_NAME, "host_self", sides, samples)
    if selected is None:
        return 0.0
    views = selected.rows.only(np.flatnonzero([name in VIEWS for name, _ in selected.rows.keys]))
    changes = row_changes(views, each_side(lambda seen: seen.capture, samples))
    return changes.center if changes.kept_names >= MIN_NAMES else 0.0


def _times_uninterrupted(common: Floats) -> float:
    """Ratio of the time of the same work, (r,) rows by (n,) steps, in the median step to that in each row's fastest
    quarter of the steps."""
    fastest = np.sort(common, axis=1)[:, : max(int(FASTEST_SHARE * common.shape[1]), 1)].mean(axis=1).sum()
    return median(common.sum(axis=0)) / max(float(fastest), 1.0)


def _by_steps_alone(headline: Headline, alone: StepsAlone | None, options: CompareOptions) -> Headline:
    """Lets uninterrupted steps decide a verdict on recorded times that is inconclusive."""
    if alone is None or headline.shift is None or headline.verdict is not Verdict.INCONCLUSIVE:
        return headline
    return decided_apart(headline, captures_apart(alone, math.log1p(headline.shift.estimate), options))


def decided_apart(headline: Headline, apart: Apart | None) -> Headline:
    """Gives the headline the direction of captures that are apart."""
    if apart is None or headline.recorded is None:
        return headline
    least = fraction_of(apart.least)
    recorded = replace(headline.recorded, at_least=least)
    reason = f"without interruptions, {far_apart(least)}; as recorded, {headline.reason}"
    return replace(
        headline, verdict=apart.verdict, recorded=recorded, method=headline.method + _ALONE, reason=reason
    )


def _one_after_the_other(sides: Sides) -> bool:
    """Whether all captures of one side began after all of the other; False if the clocks do not say."""
    starts: list[list[int]] = []
    for side in sides:
        starts.append([])
        for number, capture in enumerate(side.captures):
            starts_ns = side.steps.start_ns[side.steps.capture == number]
            if capture.clock_zero_ns is None or not len(starts_ns):
                return False
            starts[-1].append(capture.clock_zero_ns + int(starts_ns.min()))
    return all(starts) and any(max(one) < min(other) for one, other in (starts, starts[::-1]))


def _not_in_turns(headline: Headline, sides: Sides) -> Headline:
    """Weakens the verdict if all captures of one side were recorded after all of the other: a drifting machine looks
    like a change."""
    counts = None if headline.certainty is None else headline.certainty.captures
    if counts is None or min(counts) < 2 or not _one_after_the_other(sides):
        return headline
    qualified = replace(headline, scope=f"{headline.scope}; not recorded alternately")
    verdict = weaker_verdict(headline.verdict)
    if min(counts) < MIN_CONCLUSIVE_CAPTURES or verdict is headline.verdict:
        return qualified
    first, *rest = headline.reason.split("; ")
    reason = "; ".join((f"{first}, but not recorded alternately", *rest))
    return replace(qualified, verdict=verdict, reason=reason)
