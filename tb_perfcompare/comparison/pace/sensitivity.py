"""Robustness of the verdict: what it becomes without one step, one capture or one rank, by the same rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.captures_apart import captures_apart
from tb_perfcompare.comparison.pace.counted_work import interval
from tb_perfcompare.comparison.pace.decide import outcome
from tb_perfcompare.comparison.pace.machine import machine_part
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.program_estimate import ProgramPart
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.pace.uninterrupted_steps import StepsAlone
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import SIDES, CompareOptions
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS, noun_of
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_STEPS, Settled, settle
from tb_perfcompare.model.arrays import AnyInts, CaptureIndex, Flags, each_side, unique
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MAX_PAIRS = 1_000_000
"""Number of pairs of steps above which nothing is tried: no single step decides."""

MAX_LEFT_OUT = 16
"""Number of captures or ranks per side up to which each is left out in turn."""

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

    def without(self, dropped: AnyInts) -> _Side:
        """Returns the observations but those in these places."""
        kept = np.delete(np.arange(len(self.times)), dropped)
        label = tuple(self.label[at] for at in kept.tolist())
        return _Side(self.times[kept], self.capture[kept], label, self.names, self.place[kept])


_Sides = tuple[_Side, _Side]

def sensitivity(
    baseline: Summary, candidate: Summary, headline: Headline, work: CommonWork, options: CompareOptions,
    strata: Strata | None = None, amount: AmountOfWork | None = None,
) -> tuple[str, str]:  # fmt: skip
    """(which single steps, captures or ranks change the verdict when dropped; if dropping one step of each side changes
    it, the verdict without that step and how to leave it out), "" for none."""
    sides = _sides(baseline, candidate, amount)
    if headline.verdict is Verdict.WITHHELD or sides is None:
        return "", ""
    of_all, all_steps = _judged(sides, work, options, strata, None)
    # what took the direction of all steps away does so without some of them
    taken = 0 if headline.verdict.way else of_all.way
    tried, hint = Counter[str](), ""
    changed: dict[Verdict, list[tuple[str, str]]] = {}
    for what, group, left in _variants(baseline, candidate, sides, ranks=work.clocked is None):
        if min(len(side.times) for side in left) < MIN_CONCLUSIVE_STEPS:
            continue  # too few for any verdict
        # without one capture, the variation between captures is still taken from all
        verdict, _ = _judged(left, work, options, strata, all_steps if group == _ANY_CAPTURE else None)
        tried[group] += 1
        if verdict is headline.verdict or 0 != verdict.way == taken:
            continue
        changed.setdefault(verdict, []).append((what, group))
        if not hint and group.startswith("the ") and verdict.way * headline.verdict.way <= 0:
            hint = _hint(baseline, sides, left, verdict)
    return _clauses(changed, tried), hint


def _sides(baseline: Summary, candidate: Summary, amount: AmountOfWork | None) -> _Sides | None:
    """Observations of both sides, at equal amount of work if that varies; None if there are too many to try, or none
    that take time."""
    if not (baseline.is_timed and candidate.is_timed):
        return None
    sides = each_side(_side, (baseline, candidate))
    if amount is not None:
        sides = each_side(lambda side, times: replace(side, times=times), sides, amount.times_ns)
    if any((side.times <= 0).any() for side in sides):
        return None
    return sides if 0 < len(sides[0].times) * len(sides[1].times) <= MAX_PAIRS else None


def _clauses(changed: dict[Verdict, list[tuple[str, str]]], tried: Counter[str]) -> str:
    """What the verdict becomes, and what does not change it. `tried`: group -> number of its variants."""
    moved = {group for dropped in changed.values() for _, group in dropped}
    clauses = [
        f'becomes "{VERDICT_WORDS[verdict]}" when dropping {_any_of(_grouped(dropped, tried))}'
        for verdict, dropped in changed.items()
    ]
    if stays := [group for group in tried if group not in moved]:
        clauses.append(f"unchanged when dropping {_any_of(stays)}")
    return "; ".join(clauses)


def _dropped(whole: _Side, left: _Side) -> list[str]:
    """Different labels of the steps that were left out."""
    return list(Counter(whole.label) - Counter(left.label))


def _hint(baseline: Summary, sides: _Sides, left: _Sides, verdict: Verdict) -> str:
    """Hint for steps that change the verdict: '"slower" without steps 1 (baseline) and 7 (candidate): leave them out
    with --steps 2-6', or '"slower" without step 1 of both sides: leave them out with --steps 2-5'."""
    gone = each_side(_dropped, sides, left)
    ranges = each_side(lambda rest, dropped: _range(rest.label, dropped), left, gone)
    noun = noun_of(baseline.metric)
    one, two = each_side(", ".join, gone)
    nouns = noun if one == two and len(gone[0]) == 1 else f"{noun}s"
    which = f"{one} of both sides" if one == two else f"{one} ({SIDES[0]}) and {two} ({SIDES[1]})"
    clause = f'"{VERDICT_WORDS[verdict]}" without {nouns} {which}'
    if noun != "step" or "" in ranges or not baseline.marked:
        return f"{clause}: look at these {noun}s first"
    same = ranges[0] == ranges[1]
    how = f"--steps {ranges[0]}" if same else f"--baseline-steps {ranges[0]} --candidate-steps {ranges[1]}"
    return f"{clause}: leave them out with {how}"


def _range(kept: tuple[str, ...], dropped: list[str]) -> str:
    """Range with the kept steps and none of the dropped: "2-5"; "" if there is no such range."""
    numbers = [int(text) for text in kept if text.isdecimal()]
    if len(numbers) < len(kept) or not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    beyond = all(text.isdecimal() and not first <= int(text) <= last for text in dropped)
    return f"{first}-{last}" if beyond else ""


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
    noun = noun_of(baseline.metric)
    dropped: dict[str, Callable[[_Side], AnyInts]] = {
        f"the first {noun} of each capture": lambda side: np.unique(side.capture, return_index=True)[1],
        f"the slowest {noun} of each side": lambda side: np.array([side.times.argmax()]),
    }
    for group, places in dropped.items():
        left = sides[0].without(places(sides[0])), sides[1].without(places(sides[1]))
        gone = each_side(_dropped, sides, left)
        yield f"{group} ({gone[0][0]} and {gone[1][0]})" if list(map(len, gone)) == [1, 1] else group, group, left
    for place, word in enumerate(SIDES):
        side = sides[place]
        captures = unique(side.capture)
        if 2 <= len(captures) <= MAX_LEFT_OUT:
            for capture in captures.tolist():
                others = side.without(np.flatnonzero(side.capture == capture))
                name = side.names[capture] if capture < len(side.names) else str(capture + 1)
                yield f"span {name} of the {word}", _ANY_CAPTURE, (sides[0], others) if place else (others, sides[1])
    if not ranks or baseline.ranks is not None or candidate.ranks is not None:
        return  # one of very many ranks decides nothing
    shared = {*job_workers(baseline)} & {*job_workers(candidate)}
    if 2 <= len(shared) <= MAX_LEFT_OUT and observations(baseline).pooled and observations(candidate).pooled:
        for worker in sorted(shared):
            rest = _side(_without_worker(baseline, worker)), _side(_without_worker(candidate, worker))
            yield f"worker {worker}", "any one worker", rest


def _without_worker(summary: Summary, worker: str) -> Summary:
    places = [place for place, of_job in enumerate(job_workers(summary)) if of_job != worker]
    new = np.full(len(summary.captures), -1, dtype=np.int32)
    new[places] = np.arange(len(places), dtype=np.int32)
    steps = summary.steps.only(np.flatnonzero(new[summary.steps.capture] >= 0))
    captures = tuple(summary.captures[place] for place in places)
    return replace(summary, captures=captures, steps=replace(steps, capture=new[steps.capture]))


_Basis = Settled | ProgramPart | None
"""The decision or part that a verdict came from, which holds the variation between captures."""


def _judged(
    sides: _Sides, work: CommonWork, options: CompareOptions, strata: Strata | None, like: _Basis
) -> tuple[Verdict, _Basis]:
    """Judges steps as for the headline; `same` for sides of identical times as recorded. `like` provides the variation
    between captures."""
    if work.clocked is not None:
        left = work.clocked.only(_kept(sides, work.clocked.captures))
        program = program_part(left, options, like if isinstance(like, ProgramPart) else None)
        verdict = outcome(Verdict.INCONCLUSIVE, program, machine_part(left, options), left, options)[0]
        if verdict is Verdict.INCONCLUSIVE and work.alone is not None:
            apart = captures_apart(work.alone, program.estimate.theta, options, _kept_alone(sides, work.alone))
            verdict = verdict if apart is None else apart.verdict
        return verdict, program
    times = each_side(lambda side: side.times, sides)
    if np.array_equal(np.sort(times[0]), np.sort(times[1])):
        return Verdict.SAME, None
    if strata is not None:
        strata = Strata(each_side(lambda code, side: code[side.place], strata.code, sides))
    captures = each_side(lambda side: side.capture, sides)
    settled = settle(times, captures, options, like if isinstance(like, Settled) else None, strata)
    verdict = settled.verdict
    if verdict is Verdict.INCONCLUSIVE and work.alone is not None:
        apart = captures_apart(work.alone, settled.estimate.theta, options, _kept_alone(sides, work.alone))
        verdict = verdict if apart is None else apart.verdict
    if verdict is Verdict.INCONCLUSIVE and work.counted is not None:
        verdict = work.counted.verdict(interval(settled.estimate), options) or verdict
    return verdict, settled


def _kept_alone(sides: _Sides, alone: StepsAlone) -> tuple[Flags, Flags]:
    return _kept(sides, each_side(lambda cells: cells.capture, alone.cells))


def _kept(sides: _Sides, captures: Captures) -> tuple[Flags, Flags]:
    def mask(side: _Side, capture: CaptureIndex) -> Flags:
        marked = np.zeros(len(capture), dtype=bool)
        marked[side.place] = True
        return marked

    return each_side(mask, sides, captures)
