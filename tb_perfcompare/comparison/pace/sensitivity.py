"""Robustness of the verdict: what it becomes without one step, one capture or one rank, by the same rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.clocked import Clocked
from tb_perfcompare.comparison.pace.counted_work import interval
from tb_perfcompare.comparison.pace.decide import direction_alone, outcome
from tb_perfcompare.comparison.pace.machine import machine_part
from tb_perfcompare.comparison.pace.program import ProgramPart, program_part
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_STEPS, Settled, settle
from tb_perfcompare.model.arrays import Flags, unique
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import CYCLE_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

MAX_PAIRS = 1_000_000
"""Number of pairs of steps above which nothing is tried: no single step decides."""

MAX_LEFT_OUT = 16
"""Number of captures or ranks per side up to which each is left out in turn."""

_FIRST, _SLOWEST = "the first {} of each capture", "the slowest {} of each side"
_ANY_CAPTURE = "any one capture"


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Observations of one side: (n,) ns with the capture and label of each, the names of the captures, and the
    positions among all observations."""

    times: NDArray[np.int64]
    capture: NDArray[np.int32]
    label: tuple[str, ...]
    names: tuple[str, ...]
    place: NDArray[np.int64]

    def without(self, kept: NDArray[np.bool_]) -> _Side:
        label = tuple(text for text, is_kept in zip(self.label, kept.tolist(), strict=True) if is_kept)
        return _Side(self.times[kept], self.capture[kept], label, self.names, self.place[kept])


_Sides = tuple[_Side, _Side]
_Keep = Callable[[_Side], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Robustness:
    """text: which single steps, captures or ranks change the verdict when dropped; "" if none could be dropped.
    hint: if dropping one step of each side changes it, the verdict without that step and how to leave it out."""

    text: str = ""
    hint: str = ""


def sensitivity(
    baseline: Summary,
    candidate: Summary,
    headline: Headline,
    work: CommonWork,
    options: CompareOptions,
    strata: Strata | None = None,
    amount: AmountOfWork | None = None,
) -> Robustness:
    """Finds which single steps, captures or ranks change the verdict when dropped."""
    if headline.verdict is Verdict.WITHHELD or not (baseline.is_timed and candidate.is_timed):
        return Robustness()
    sides = _side(baseline), _side(candidate)
    if amount is not None:
        times = amount.times_ns
        sides = replace(sides[0], times=times[0]), replace(sides[1], times=times[1])
    if len(sides[0].times) * len(sides[1].times) > MAX_PAIRS:
        return Robustness()
    if any((side.times <= 0).any() or not len(side.times) for side in sides):
        return Robustness()
    judge = _at_one_pace(work.clocked, options) if work.clocked is not None else _as_recorded(options, strata, work)
    all_steps = judge(sides, None)
    tried: list[str] = []
    changed: dict[Verdict, list[tuple[str, str]]] = {}
    moved: list[str] = []
    hint = ""
    for what, group, left in _variants(baseline, candidate, sides, ranks=work.clocked is None):
        if min(len(side.times) for side in left) < MIN_CONCLUSIVE_STEPS:
            continue  # too few for any verdict
        # without one capture, the variation between captures is still taken from all
        verdict = judge(left, all_steps if group == _ANY_CAPTURE else None).verdict
        tried.append(group)
        if verdict is not headline.verdict:
            moved.append(group)
            changed.setdefault(verdict, []).append((what, group))
            one_step = group in (_FIRST.format(_noun(baseline)), _SLOWEST.format(_noun(baseline)))
            if not hint and one_step and verdict.way * headline.verdict.way <= 0:
                hint = _hint(baseline, sides, left, verdict)
    stays = [group for group in dict.fromkeys(tried) if group not in moved]
    clauses = [
        f'becomes "{VERDICT_WORDS[verdict]}" when dropping {_any_of(_grouped(dropped, Counter(tried)))}'
        for verdict, dropped in changed.items()
    ]
    return Robustness("; ".join([*clauses, *([f"unchanged when dropping {_any_of(stays)}"] if stays else [])]), hint)


def _dropped_steps(sides: _Sides, left: _Sides) -> str:
    """Labels of the steps left out of either side: " (4 and 2)"; "" unless it is one step per side."""
    gone = [list(Counter(whole.label) - Counter(rest.label)) for whole, rest in zip(sides, left, strict=True)]
    return f" ({gone[0][0]} and {gone[1][0]})" if [len(one) for one in gone] == [1, 1] else ""


def _hint(baseline: Summary, sides: _Sides, left: _Sides, verdict: Verdict) -> str:
    """Hint for steps that change the verdict: '"slower" without steps 1 (baseline) and 1 (candidate): leave them out
    with --steps 2-5, or by dragging over the others in the step chart'."""
    gone, ranges = [], []
    for word, whole, rest in zip(("baseline", "candidate"), sides, left, strict=True):
        dropped = Counter(whole.label) - Counter(rest.label)
        gone.append(f"{', '.join(dict.fromkeys(dropped))} ({word})")
        ranges.append(_range(rest.label, frozenset(dropped)))
    noun = _noun(baseline)
    clause = f'"{VERDICT_WORDS[verdict]}" without {noun}s {" and ".join(gone)}'
    if noun != "step" or "" in ranges or not baseline.marked:
        return f"{clause}: look at these {noun}s first"
    same = ranges[0] == ranges[1]
    how = f"--steps {ranges[0]}" if same else f"--baseline-steps {ranges[0]} --candidate-steps {ranges[1]}"
    return f"{clause}: leave them out with {how}, or by dragging over the others in the step chart"


def _range(kept: tuple[str, ...], dropped: frozenset[str]) -> str:
    """Range with the kept steps and none of the dropped: "2-5"; "" if there is no such range."""
    numbers = [int(text) for text in kept if text.isdecimal()]
    if len(numbers) < len(kept) or not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    beyond = all(text.isdecimal() and not first <= int(text) <= last for text in dropped)
    return f"{first}-{last}" if beyond else ""


def _noun(baseline: Summary) -> str:
    return {CYCLE_TIME: "cycle"}.get(baseline.metric, "step")


def _grouped(dropped: list[tuple[str, str]], tried: Counter[str]) -> list[str]:
    """What is dropped; "any one capture" once if dropping any of several captures has the same effect."""
    of_group = Counter(group for _, group in dropped)
    return list(dict.fromkeys(group if 1 < of_group[group] == tried[group] else what for what, group in dropped))


def _any_of(names: list[str]) -> str:
    """Joins names by "or": "the first step of each capture, the slowest step of each side or any one capture"."""
    return ", ".join(names[:-1]) + (" or " if len(names) > 1 else "") + names[-1]


def _side(summary: Summary) -> _Side:
    seen = observations(summary)
    spans = tuple(dict.fromkeys(job_spans(summary)))
    several = len({capture.worker for capture in summary.captures}) > 1 and not seen.pooled
    names = tuple(f"{c.worker}/{c.span}" for c in summary.captures) if several else spans
    times = seen.means(summary.steps.total_ns)
    return _Side(times, seen.capture, seen.label, names, np.arange(len(times), dtype=np.int64))


def _variants(
    baseline: Summary, candidate: Summary, sides: _Sides, *, ranks: bool
) -> Iterator[tuple[str, str, _Sides]]:
    """Yields (what is left out, its group, the remaining observations)."""
    first, slowest = _FIRST.format(_noun(baseline)), _SLOWEST.format(_noun(baseline))
    for group, keep in ((first, _not_first), (slowest, _not_slowest)):
        others = _each(sides, keep)
        yield f"{group}{_dropped_steps(sides, others)}", group, others
    for place, word in enumerate(("baseline", "candidate")):
        side = sides[place]
        captures = unique(side.capture)
        if 2 <= len(captures) <= MAX_LEFT_OUT:
            for capture in captures.tolist():
                left = side.without(side.capture != capture)
                name = side.names[capture] if capture < len(side.names) else str(capture + 1)
                yield f"span {name} of the {word}", _ANY_CAPTURE, _replaced(sides, place, left)
    shared = _ranks(baseline) & _ranks(candidate)
    if not ranks or baseline.ranks is not None or candidate.ranks is not None:
        return  # one of very many ranks decides nothing
    if 2 <= len(shared) <= MAX_LEFT_OUT and observations(baseline).pooled and observations(candidate).pooled:
        for worker in sorted(shared):
            rest = _side(_without_worker(baseline, worker)), _side(_without_worker(candidate, worker))
            yield f"worker {worker}", "any one worker", rest


def _each(sides: _Sides, keep: _Keep) -> _Sides:
    return sides[0].without(keep(sides[0])), sides[1].without(keep(sides[1]))


def _replaced(sides: _Sides, place: int, side: _Side) -> _Sides:
    return (side, sides[1]) if place == 0 else (sides[0], side)


def _not_first(side: _Side) -> NDArray[np.bool_]:
    kept = np.ones(len(side.times), dtype=bool)
    kept[np.unique(side.capture, return_index=True)[1]] = False
    return kept


def _not_slowest(side: _Side) -> NDArray[np.bool_]:
    kept = np.ones(len(side.times), dtype=bool)
    if len(side.times):
        kept[int(side.times.argmax())] = False
    return kept


def _ranks(summary: Summary) -> set[str]:
    return set(job_workers(summary))


def _without_worker(summary: Summary, worker: str) -> Summary:
    places = [place for place, of_job in enumerate(job_workers(summary)) if of_job != worker]
    new = np.full(len(summary.captures), -1, dtype=np.int32)
    new[places] = np.arange(len(places), dtype=np.int32)
    kept = np.flatnonzero(new[summary.steps.capture] >= 0)
    steps = replace(
        summary.steps,
        capture=new[summary.steps.capture[kept]],
        label=tuple(summary.steps.label[i] for i in kept.tolist()),
        start_ns=summary.steps.start_ns[kept],
        total_ns=summary.steps.total_ns[kept],
        launches=summary.steps.launches[kept],
        backlog_ns=summary.steps.backlog_ns[kept],
    )
    return replace(summary, captures=tuple(summary.captures[place] for place in places), steps=steps)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A verdict, and the decision or part it came from, which hold the variation between captures."""

    verdict: Verdict
    settled: Settled | None = None
    program: ProgramPart | None = None


_Judge = Callable[[_Sides, _Judged | None], _Judged]


def _as_recorded(options: CompareOptions, strata: Strata | None, work: CommonWork) -> _Judge:
    """Judges step times as for the headline; `same` for sides of identical times. `like` provides the variation
    between captures."""

    def judge(sides: _Sides, like: _Judged | None) -> _Judged:
        times = sides[0].times, sides[1].times
        if np.array_equal(np.sort(times[0]), np.sort(times[1])):
            return _Judged(Verdict.SAME)
        given = None if like is None else like.settled
        left = strata
        if left is not None:
            left = Strata((left.code[0][sides[0].place], left.code[1][sides[1].place]))
        settled = settle(times, (sides[0].capture, sides[1].capture), options, given, left)
        verdict = settled.verdict
        if verdict is Verdict.INCONCLUSIVE and work.alone is not None:
            gap = work.alone.gap(_kept(sides, work.alone.captures))
            verdict = direction_alone(settled.estimate.theta, gap, options) or verdict
        if verdict is Verdict.INCONCLUSIVE and work.counted is not None:
            verdict = work.counted.verdict(interval(settled.estimate), options) or verdict
        return _Judged(verdict, settled)

    return judge


def _kept(sides: _Sides, captures: Captures) -> tuple[Flags, Flags]:
    masks = np.zeros(len(captures[0]), dtype=bool), np.zeros(len(captures[1]), dtype=bool)
    for mask, side in zip(masks, sides, strict=True):
        mask[side.place] = True
    return masks


def _at_one_pace(clocked: Clocked, options: CompareOptions) -> _Judge:
    def judge(sides: _Sides, like: _Judged | None) -> _Judged:
        left = clocked.only(_kept(sides, clocked.captures))
        program = program_part(left, options, None if like is None else like.program)
        recorded = Verdict.INCONCLUSIVE
        return _Judged(outcome(recorded, program, machine_part(left, options), left, options)[0], None, program)

    return judge
