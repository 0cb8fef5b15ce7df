"""Alternatives that could settle an open verdict: at most three, chosen by rule before any of their verdicts is
known. Rules: docs/method/statistics.md, "What could settle it"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.judged import Judged, judge_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Alternative, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions, ExperimentLook
from tb_perfcompare.comparison.result.wording import many, time_text
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.mean_effect import outlying_steps
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.arrays import Flags, median, unique
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

MAX_ALTERNATIVES = 3
MIN_STEPS = 4
"""Fewest steps per side: fewer can never differ at the 5 % level."""
MIN_SHARE = 0.5
"""Share of each side's steps that a choice has to keep."""
MIN_TO_JUDGE = 8
"""Fewest steps of a capture that is searched for a warm-up (docs/method/admission.md); in shorter ones the first
step may be one."""
MAX_TIMES = 20
"""Most steps or captures that are advised, as a multiple of those recorded: more is not practical."""

_OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.WITHHELD})

MIN_APART = 1.2
"""Least ratio of the typical steps of a side's slowest and fastest capture at which the two are compared."""

MOST = 0.75
"""Share of the steps of each of these captures that have to lie beyond the typical step of the other."""

Narrow = Callable[[tuple[int, int], tuple[int, int]], tuple[Summary, Summary]]
"""Returns baseline and candidate with only these steps, given the first and last number of each."""

Without = Callable[[Summary, Mapping[int, str]], Summary]
"""Returns a summary without the steps at these indices, which are left out for these reasons."""


@paused_collector()
def with_alternatives(comparison: Comparison, judged: Judged, narrow: Narrow, without: Without) -> Comparison:
    """Adds what could settle the comparison's verdict. A verdict that is only probable needs more recordings; one that
    options of the profiler left open, the same options."""
    headline = comparison.headline
    if headline.verdict is not judged.measured.verdict:
        return comparison
    if headline.verdict in _OPEN:
        alternatives = _alternatives(headline, judged, narrow, without)
    elif headline.verdict.is_probable:
        alternatives = tuple(filter(None, [record_more(headline, judged.options.look)]))
    else:
        return comparison
    return replace(comparison, headline=replace(headline, alternatives=alternatives)) if alternatives else comparison


def _alternatives(headline: Headline, judged: Judged, narrow: Narrow, without: Without) -> tuple[Alternative, ...]:
    """Finds the alternatives in order: two captures of one side, without outlying steps, without warm-up, the other
    window; recording more comes last."""
    withheld = headline.verdict is Verdict.WITHHELD
    more = None if withheld else record_more(headline, judged.options.look)
    sides = judged.baseline, judged.candidate
    alternatives = [_steps_alternative(choice, judged.options, narrow) for choice in _step_choices(sides)]
    if withheld:  # if the work still differs with fewer steps, there is nothing to choose
        alternatives = [one for one in alternatives if one is not None and one.verdict is not Verdict.WITHHELD]
    else:
        apart = _captures_alternative(judged, without)
        alternatives = alternatives if apart is None else [apart, *alternatives]
        if len(alternatives) < MAX_ALTERNATIVES - (more is not None):
            alternatives.append(_other_window_alternative(judged))
    there_are = [alternative for alternative in alternatives if alternative is not None]
    return (*there_are[: MAX_ALTERNATIVES - (more is not None)], *([] if more is None else [more]))


@dataclass(frozen=True, slots=True)
class _Steps:
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


def _step_choices(sides: tuple[Summary, Summary]) -> Iterator[_Steps]:
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
            yield _Steps("without_outliers", what, without_outliers)
    if settled := set(range(max(a.settled, b.settled))):
        begun = len(settled - gaps)
        what = f"without the first {many(begun, 'step') if begun > 1 else 'step'} of each side"
        ranges = _ranges(a, b, *_longest_stretch(gaps | settled, count))
        if ranges is not None and ranges != without_outliers:
            yield _Steps("after_warm_up", what, ranges)


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


def _steps_alternative(choice: _Steps, options: CompareOptions, narrow: Narrow) -> Alternative | None:
    try:
        sides = narrow(*choice.ranges)
        headline = judge_summaries(*sides, options).headline
    except PerfCompareError:  # without these steps a side has nothing that can be compared
        return None
    texts = [f"{first}-{last}" for first, last in choice.ranges]
    how = f"--steps {texts[0]}" if texts[0] == texts[1] else f"--baseline-steps {texts[0]} --candidate-steps {texts[1]}"
    chosen = Alternative(choice.rule, choice.what, how, baseline_steps=texts[0], candidate_steps=texts[1])
    return _with_result(chosen, headline)


@dataclass(frozen=True, slots=True, eq=False)
class _Capture:
    """A capture of a side by the worker ("" for all) and the span that choose it, with its typical step in microseconds
    and its steps."""

    worker: str
    span: str
    typical_us: float
    steps: Flags


def _captures_alternative(judged: Judged, without: Without) -> Alternative | None:
    """The slowest capture of a side against its fastest. Both run one program: what differs between them is what leaves
    the verdict open. Of two sides the one whose captures are further apart; None if they do not lie apart."""
    sides = ("baseline", judged.baseline), ("candidate", judged.candidate)
    apart = [(side, summary, found) for side, summary in sides if (found := _captures_apart(summary)) is not None]
    if not apart:
        return None
    side, summary, (fast, slow) = max(apart, key=lambda one: one[2][1].typical_us / one[2][0].typical_us)
    alone = [without(summary, dict.fromkeys(np.flatnonzero(~one.steps).tolist(), "")) for one in (fast, slow)]
    try:
        headline = judge_summaries(alone[0], alone[1], judged.options).headline
    except PerfCompareError:  # a capture has nothing that can be compared
        return None
    workers, spans = (fast.worker, slow.worker), (fast.span, slow.span)
    names = workers if spans[0] == spans[1] else [f"span {span}" for span in spans]
    if workers[0] != workers[1] and spans[0] != spans[1]:
        names = [f"{worker}, span {span}" for worker, span in zip(workers, spans, strict=True)]
    times = [f"{name} ({time_text(one.typical_us)})" for name, one in zip(names, (fast, slow), strict=True)]
    what = f"the {side}'s captures {times[0]} and {times[1]} with each other"
    return _with_result(
        Alternative("captures_apart", what, side=side, workers=workers if all(workers) else None, spans=spans), headline
    )


def _captures_apart(summary: Summary) -> tuple[_Capture, _Capture] | None:
    """The fastest and the slowest capture of a side; None if their typical steps are less than MIN_APART apart, if less
    than MOST of their steps are, or if no worker and span choose them."""
    seen = observations(summary)
    times = seen.means(summary.steps.total_ns)
    own = {capture: times[seen.capture == capture] for capture in unique(seen.capture).tolist()}
    if len(own) < 2:
        return None
    typical = {capture: median(times) for capture, times in own.items()}
    fast, slow = min(typical, key=lambda one: typical[one]), max(typical, key=lambda one: typical[one])
    if not 0 < MIN_APART * typical[fast] <= typical[slow]:
        return None
    if min(np.mean(own[fast] < typical[slow]), np.mean(own[slow] > typical[fast])) < MOST:
        return None
    of_step = seen.capture[seen.group]
    captures = [_capture(summary, of_step == one, typical[one] / 1000) for one in (fast, slow)]
    return None if captures[0] is None or captures[1] is None else (captures[0], captures[1])


def _capture(summary: Summary, steps: Flags, typical_us: float) -> _Capture | None:
    """The capture with these steps; None if other steps are of its workers and its span, too."""
    of_capture = [(capture.worker, capture.span) for capture in summary.captures]
    mine = {of_capture[at] for at in summary.steps.capture[steps].tolist()}
    others = {of_capture[at] for at in summary.steps.capture[~steps].tolist()}
    workers, spans = ({place[at] for place in mine} for at in (0, 1))
    if len(spans) > 1 or mine & others:
        return None
    if len(workers) == 1:
        return _Capture(workers.pop(), spans.pop(), typical_us, steps)
    return None if spans & {span for _, span in others} else _Capture("", spans.pop(), typical_us, steps)


def _other_window_alternative(judged: Judged) -> Alternative | None:
    """The verdict by the other rule for where a step ends; None if that alters no step's time."""
    sides = judged.baseline, judged.candidate
    if all((side.other_window == side.steps.total_ns).all() for side in sides if len(side.other_window)):
        return None
    headline = judged.in_other_window
    if headline is None:
        return None
    name = "marker" if sides[0].window == "device" else "device"
    what = "each step ends at the next marker" if name == "marker" else "each step ends when its device work ends"
    return _with_result(Alternative("other_window", what, f"--step-window {name}", step_window=name), headline)


def _with_result(alternative: Alternative, headline: Headline) -> Alternative:
    return replace(
        alternative, verdict=headline.verdict, sentence=headline.sentence, delta=headline.delta, ratio=headline.ratio,
        n=headline.n,
    )  # fmt: skip


def record_more(headline: Headline, look: ExperimentLook | None) -> Alternative | None:
    """How many more captures, or steps, would settle the verdict; the only place that reports this. None if not
    known or impractically many. An experiment cannot have more rounds than planned."""
    certainty = headline.certainty
    if certainty is None:
        return None
    needed, have, unit = certainty.captures_needed, certainty.captures, "captures"
    if headline.program is not None:
        needed = headline.program.captures_needed or MIN_CONCLUSIVE_CAPTURES
    elif needed is None:
        needed, have, unit = certainty.steps_needed, headline.n, "steps"
    if needed is None or not min(have) < needed <= MAX_TIMES * min(have):
        return None
    more = max(0, needed - have[0]), max(0, needed - have[1])
    what = more_in_words(more, "cycles" if unit == "steps" and headline.metric == CYCLE_TIME else unit)
    if look is not None and unit == "captures":
        rounds = look.rounds + max(more)
        what = f"record another experiment of at least {many(rounds, 'round')}: ab --most-rounds"
        if rounds <= look.most_rounds:
            what = f"continue the experiment for {many(max(more), 'round')}: ab --resume"
    return Alternative("record_more", what, more=more, unit=unit)


def more_in_words(more: tuple[int, int], unit: str) -> str:
    """What to record in words, without a side that has enough: "record 2 more captures of the candidate"."""
    sides = (more[0], "of the baseline"), (more[1], "of the candidate")
    wanted = [(number, where) for number, where in sides if number]
    if more[0] == more[1]:
        wanted = [(more[0], "per side")]
    (number, where), *others = wanted
    first = f"record {number:,} more {unit}" if number > 1 else f"record one more {unit[:-1]}"
    return " and ".join([f"{first} {where}", *(f"{other:,} {of}" for other, of in others)])
