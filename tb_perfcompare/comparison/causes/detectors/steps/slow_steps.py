"""A few steps, far above the others of their side, make the difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.steps.excess import (
    LEADING,
    MAIN_SHARE,
    MAX_P,
    MIN_SLOW_RATIO,
    explained_by_steps,
    growth_in,
)
from tb_perfcompare.comparison.causes.detectors.steps.warm_up import find_warm_up
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Part
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words
from tb_perfcompare.comparison.causes.evidence.places.gaps_around import place_clause_of_steps
from tb_perfcompare.comparison.causes.evidence.places.recurring_steps import every_text, period_of
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.headline import Basis
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import and_others, many, short, signed_time
from tb_perfcompare.comparison.statistics.mean_effect import LONG_STEPS, fisher_p, long_steps, outlying_steps
from tb_perfcompare.model.arrays import Flags, are_in, median, unique
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, DATA_LOADER, NOTHING_RECORDED
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_COUNT_RATIO = 2
"""If both sides have slow steps, one side must have at least this many times as many. Slow steps at the same place
in every capture count without that, if the other side's do not recur so or cost this many times less."""

MORE_CALLS = 1.5
"""Ratio of calls in slow steps to calls in other steps from which slow steps do more of something."""

MAX_NAMED = 5
"""Number of slow steps that a sentence names."""


@dataclass(frozen=True, slots=True, eq=False)
class _SlowSide:
    """The slow steps of one side. `excess_us`: what they add to its mean step beyond its typical one."""

    summary: Summary
    slow: NDArray[np.int64]
    excess_us: float

    @property
    def share(self) -> float:
        """Share of the side's steps."""
        return len(self.slow) / len(self.summary.steps)

    @property
    def recurs(self) -> bool:
        """Whether the same steps are slow in every capture."""
        return len(self.slow) > 0 and _same_step_in_every_capture(self.summary, self.slow)


def slow_step_rules(context: RuleContext) -> Iterator[Cause]:
    """The slow steps, unless a warm-up makes the change."""
    found = None if context.once(find_warm_up) is not None else context.once(find_slow_steps)
    if found is not None:
        yield found


def find_slow_steps(context: RuleContext) -> Cause | None:
    """A few steps far above the others of their side make most of the difference of the means. If they turn it against
    the typical step, by which the verdict is, they count in whatever captures, and if all work is slow in them."""
    by_typical_step = context.headline.basis is not Basis.PROGRAM
    against = by_typical_step and context.headline.verdict.way * context.delta_us < 0
    sides = [_slow_side(context, number, at_pace=not against) for number in (0, 1)]
    delta = sides[1].excess_us - sides[0].excess_us
    # slow steps have to matter to the mean, not only to be longer
    if abs(delta) < max(context.least_us, context.options.margin * context.shorter_us):
        return None
    side, other = sides[::-1] if delta > 0 else sides
    turn_mean = against and delta * context.delta_us > 0 and side.share <= LEADING
    if not turn_mean and not _are_no_chance(context, side, other, delta):
        return None
    entities = growth_in(side.summary, side.slow)
    growth = _by_category(entities)
    label = max(growth, key=lambda category: growth[category])
    if label == DATA_LOADER:  # several workers hand over several batches at once
        return None
    of_step = delta * context.delta_us > 0 and abs(delta) >= MAIN_SHARE * abs(context.delta_us)
    own = math.copysign(growth[label] * side.share, delta)
    if not of_step and (own * context.exposed(label) <= 0 or abs(own) < MAIN_SHARE * abs(context.exposed(label))):
        return None
    entity = max((part for part in entities if part[0] == label), key=lambda part: entities[part])[1]
    more = "" if entity == NOTHING_RECORDED else _called_more(side.summary, side.slow, (label, entity))
    if more and side.share > LEADING:  # calls that many steps make are counted
        return None
    return _cause(context, side, delta, (label, entity, more), growth[label], entities)


def _cause(
    context: RuleContext, side: _SlowSide, delta: float, grown: tuple[str, str, str], growth_us: float,
    entities: Mapping[Part, float],
) -> Cause:  # fmt: skip
    """The cause. `grown`: the category that grows most in a slow step, by `growth_us`, its entity that does, and the
    clause on more calls of it; `entities`: growth of each."""
    summary, slow, (label, entity, more) = side.summary, side.slow, grown
    if entity == NOTHING_RECORDED:
        where = place_clause_of_steps(summary, slow, growth_us)
    else:
        where = f"mostly {short(entity)}{more}"
    named = _steps_text(summary, slow[:MAX_NAMED])
    labels = ", ".join(summary.steps.label[at] for at in slow[:MAX_NAMED].tolist())
    word = SIDES[delta > 0]
    period = period_of(summary, are_in(np.arange(len(summary.steps)), slow))
    every = every_text(period) if period else ""
    recur = context.headline.long_steps is not None
    sentence = (
        f"Slow steps in the {word}: {signed_time(delta)} on the mean step, from {len(slow)} of {len(summary.steps)} "
        f"steps ({every and f'{every}: '}{named}{and_others(len(slow) - MAX_NAMED)}); in a slow step, "
        f"{category_words(label)} {signed_time(growth_us)}{f', {where}' if where else ''}."
    )
    return cause(
        context, SLOW_STEPS, named, label, delta, sentence, (Evidence("steps", f"{word} / {labels}"),),
        confidence=f"recurs in {every}" if every else "more than by chance" if recur else "",
        look_at=_DONE_THEN if every else f"{_DONE_THEN}, other jobs at that time" if recur else "",
        explains=explained_by_steps(entities, side.share, delta),
    )  # fmt: skip


def _slow_side(context: RuleContext, number: int, *, at_pace: bool) -> _SlowSide:
    """The steps of side `number` far above its others. `at_pace`: not those in which all the same work is slow, which
    is the machine's, unless they are further from the others than those from each other."""
    summary = context.sides[number]
    pace = context.pace[number] if context.pace is not None and at_pace else np.ones(len(summary.steps))
    pace = np.where(_far_longer(summary.steps.total_ns), 1.0, pace)
    times = np.rint(summary.steps.total_ns / pace).astype(np.int64)
    slow = _slow_outliers(times)
    if len(unique(summary.steps.capture)) == 1:  # levels differ between captures, but not within one
        slow = slow[are_in(slow, _slow_outliers(summary.steps.total_ns))]
    slow = slow[~are_in(slow, _usual_for_their_kind(context, number, times))]
    beyond = float(((times[slow] - float(median(times))) * pace[slow]).sum()) if len(slow) else 0.0
    return _SlowSide(summary, slow, beyond / len(summary.steps) / 1000)


def _usual_for_their_kind(context: RuleContext, number: int, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps that are not slow for their kind: a prefill is no slow decode. Of kinds by content, which a validation is,
    only those that both sides have."""
    kinds, usual = context.kinds, [np.zeros(0, dtype=np.int64)]
    if kinds is None:
        return usual[0]
    for pair in zip(kinds.baseline, kinds.candidate, strict=True):
        own, other = pair[number], pair[1 - number]
        if len(own) and (len(other) or not kinds.by_content):
            usual.append(own[times[own] < MIN_SLOW_RATIO * float(median(times[own]))])
    return np.concatenate(usual)


def _are_no_chance(context: RuleContext, side: _SlowSide, other: _SlowSide, delta: float) -> bool:
    """Whether the slow steps of `side` are few, and recur in its captures or are far more than those of `other`."""
    most = LEADING if context.headline.long_steps is None else MAIN_SHARE
    if not _in_most_captures(side.summary, side.slow) or side.share > most:
        return False
    longer = not other.recurs or side.excess_us >= MIN_COUNT_RATIO * other.excess_us
    count, others = len(side.slow) * len(other.summary.steps), len(other.slow) * len(side.summary.steps)
    if not (side.recurs and longer) and count < MIN_COUNT_RATIO * others:
        return False
    counts = [(len(of.slow), len(of.summary.steps)) for of in (side, other)]
    in_headline = not others and abs(delta) >= math.expm1(LONG_STEPS) * context.shorter_us
    return side.recurs or in_headline or fisher_p(*counts) <= MAX_P


def _slow_outliers(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps outside the fence that take MIN_SLOW_RATIO times as long as the median, or that are far from all others."""
    slow, middle = _far_longer(times), float(median(times))
    slow[[at for at in outlying_steps(times) if times[at] >= MIN_SLOW_RATIO * middle]] = True
    return np.flatnonzero(slow)


def _far_longer(times: NDArray[np.int64]) -> Flags:
    return long_steps(np.log(np.maximum(times, 1)))


def _in_most_captures(summary: Summary, slow: NDArray[np.int64]) -> bool:
    """Whether more than half of the side's captures have slow steps."""
    return 2 * len(unique(summary.steps.capture[slow])) > len(unique(summary.steps.capture))


def _same_step_in_every_capture(summary: Summary, slow: NDArray[np.int64]) -> bool:
    """Whether a step of the same number is slow in every capture."""
    _, counts = np.unique([summary.steps.label[at] for at in slow.tolist()], return_counts=True)
    return int(counts.max()) >= len(unique(summary.steps.capture))


def _steps_text(summary: Summary, steps: NDArray[np.int64]) -> str:
    """The steps by label, and by recording if there are several: "step 5 in span 1, steps 5, 9 in span 2"."""
    several_workers = len({capture.worker for capture in summary.captures}) > 1
    by_place: dict[str, list[str]] = {}
    for at in steps.tolist():
        capture = summary.captures[int(summary.steps.capture[at])]
        place = f" in {f'{capture.worker}, ' if several_workers else ''}span {capture.span}"
        by_place.setdefault(place if len(summary.captures) > 1 else "", []).append(summary.steps.label[at])
    return ", ".join(
        f"{'step' if len(labels) == 1 else 'steps'} {', '.join(labels)}{place}" for place, labels in by_place.items()
    )


def _called_more(summary: Summary, slow: NDArray[np.int64], part: Part) -> str:
    """Clause on calls: " (10 calls, 2 in other steps)" if slow steps call it more often, "" if the same calls take
    longer."""
    owned = summary.owned
    parts = zip(owned.category.tolist(), owned.key, strict=True)
    row = next(at for at, (category, key) in enumerate(parts) if (CATEGORY_LABELS[category], key) == part)
    usual, calls = np.setdiff1d(np.arange(len(summary.steps)), slow, assume_unique=True), owned.calls[row]
    more, few = float(calls[slow].mean()), median(calls[usual])
    if not more or more < MORE_CALLS * few:  # gaps have no calls
        return ""
    return f" ({many(round(more), 'call')}, {round(few):,} in other steps)"


def _by_category(growth: Mapping[Part, float]) -> dict[str, float]:
    by_category = dict.fromkeys(CATEGORY_LABELS, 0.0)
    for (category, _), us in growth.items():
        by_category[category] += us
    return by_category


_DONE_THEN = "validation, checkpoints, logging, garbage collection"

SLOW_STEPS = Rule(
    names=("slow_steps",),
    meaning="a few steps are far longer",
    when="A few outlying steps make half of the change, in most captures (in one, if they turn the mean against the "
    "verdict), and not by waiting for the data loader",
    look_at=f"{_DONE_THEN}, other jobs at that time; record more steps",
    confidence="few steps, which may not recur",
    find=slow_step_rules,
    rank=1,
    of_means=False,
)
