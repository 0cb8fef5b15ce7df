"""Alternatives with other steps: without outlying ones, without a warm-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tb_perfcompare.comparison.judged import judge_summaries
from tb_perfcompare.comparison.result.headline import Alternative
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.mean_effect import outlying_steps
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_STEPS = 4
"""Fewest steps per side: fewer can never differ at the 5 % level."""

MIN_SHARE = 0.5
"""Share of each side's steps that a choice has to keep."""

MIN_TO_JUDGE = 8
"""Fewest steps of a capture that is searched for a warm-up (docs/method/admission.md); in shorter ones the first
step may be one."""

Narrow = Callable[[tuple[int, int], tuple[int, int]], tuple[Summary, Summary]]
"""Returns baseline and candidate with only these steps, given the first and last number of each."""


@dataclass(frozen=True, slots=True)
class ChosenSteps:
    """A choice of steps: a range of step numbers for each side."""

    rule: str
    what: str
    ranges: tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Side:
    """All recorded steps of a side in order, (k,) numbers. `gaps`: positions of steps that are not compared;
    `outlying`: of steps far above the others; `settled`: first position from which no capture drifts; `weight`:
    observations at each position."""

    numbers: list[int]
    gaps: set[int]
    outlying: set[int]
    settled: int
    weight: list[int]


def step_choices(sides: tuple[Summary, Summary]) -> Iterator[ChosenSteps]:
    """Yields distinct choices of steps, in the order in which they are offered."""
    a, b = map(_side, sides)
    if a is None or b is None:
        return
    gaps, outlying = a.gaps | b.gaps, a.outlying | b.outlying
    count = max(len(a.numbers), len(b.numbers))
    without_outliers = None
    if outlying:
        first, last = _longest_stretch(gaps | outlying, count)
        alone = set(range(count)) - gaps - outlying == set(range(first, last + 1))
        what = f"{'' if alone else 'only the longest stretch '}{_without(outlying, a, b)}"
        if without_outliers := _ranges(a, b, first, last):
            yield ChosenSteps("without_outliers", what, without_outliers)
    if settled := set(range(max(a.settled, b.settled))):
        begun = len(settled - gaps)
        what = f"without the first {many(begun, 'step') if begun > 1 else 'step'} of each side"
        ranges = _ranges(a, b, *_longest_stretch(gaps | settled, count))
        if ranges is not None and ranges != without_outliers:
            yield ChosenSteps("after_warm_up", what, ranges)


def _side(summary: Summary) -> _Side | None:
    """Collects the steps of a side; None if steps cannot be chosen by their numbers."""
    if summary.metric != STEP_TIME or not summary.marked or not summary.is_timed:
        return None
    seen = observations(summary)
    times = seen.means(summary.steps.total_ns)
    number = [_number(label) for label in seen.label]
    dropped = [_number(step.label) for step in summary.dropped]
    if not number or min(*number, *dropped, 0) < 0:
        return None
    numbers = sorted({*number, *dropped})
    place_of = {step_number: place for place, step_number in enumerate(numbers)}
    place = [place_of[step_number] for step_number in number]
    captures = [np.flatnonzero(seen.capture == capture).tolist() for capture in unique(seen.capture)]
    changes = [(own, drift(times[own])) for own in captures]
    settled = max((place[own[change.start]] for own, change in changes if change is not None), default=0)
    if not settled and len(captures[0]) < MIN_TO_JUDGE:
        settled = min(place) + 1
    gaps, outlying = {place_of[step_number] for step_number in dropped}, {place[at] for at in outlying_steps(times)}
    return _Side(numbers, gaps, outlying, settled, np.bincount(place, minlength=len(numbers)).tolist())


def _number(label: str) -> int:
    """Number of a step from its label: 1 for "1 (2)", which is the second step 1; -1 for other labels."""
    number = label.partition(" ")[0]
    return int(number) if number.isdecimal() and len(number) < 19 else -1


def _longest_stretch(left_out: set[int], count: int) -> tuple[int, int]:
    """First and last position of the longest run without any of `left_out`; of equally long runs the last."""
    best, first = (0, -1), 0
    for place in (*sorted(at for at in left_out if at < count), count):
        if place - first >= best[1] - best[0] + 1:
            best = (first, place - 1)
        first = place + 1
    return best


def _ranges(a: _Side, b: _Side, first: int, last: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Numbers of the steps at these places; None if a side keeps too few of its steps, or has none in the range."""
    ranges = []
    for side in (a, b):
        end = min(last, len(side.numbers) - 1)
        kept = sum(side.weight[first : end + 1])
        if end < first or kept < MIN_STEPS or kept < MIN_SHARE * sum(side.weight):
            return None
        ranges.append((side.numbers[first], side.numbers[end]))
    return ranges[0], ranges[1]


def _without(places: set[int], a: _Side, b: _Side) -> str:
    """The choice in words: "without step 550, far above the others"."""
    if len(places) > 1:
        return f"without the {len(places):,} steps far above the others"
    numbers = [side.numbers[place] for side in (a, b) for place in places if place < len(side.numbers)]
    if len(set(numbers)) == 1:
        return f"without step {numbers[0]}, far above the others"
    return f"without step {numbers[0]} (baseline) and {numbers[-1]} (candidate), far above the others"


def steps_alternative(choice: ChosenSteps, options: CompareOptions, narrow: Narrow) -> Alternative | None:
    """The verdict on these steps; None if a side then has nothing that can be compared."""
    try:
        sides = narrow(*choice.ranges)
        headline = judge_summaries(*sides, options).headline
    except PerfCompareError:
        return None
    texts = [f"{first}-{last}" for first, last in choice.ranges]
    how = f"--steps {texts[0]}" if texts[0] == texts[1] else f"--baseline-steps {texts[0]} --candidate-steps {texts[1]}"
    chosen = Alternative(choice.rule, choice.what, how, baseline_steps=texts[0], candidate_steps=texts[1])
    return chosen.with_result(headline)
