"""Does the verdict hang on one step, one capture or one rank? The same rules on what is left without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.rules import Settled, settle
from tb_perfcompare.model.summary.summary import Summary

MOST_PAIRS = 1_000_000
"""Beyond this many pairs of steps no single one of them decides, and nothing is tried."""

MOST_LEFT_OUT = 16
"""Captures or ranks per side tried one by one."""

_ANY_SPAN = "any one span"


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Observations of one side, (n,) ns with the capture of each, and what their captures are called."""

    times: NDArray[np.int64]
    capture: NDArray[np.int32]
    names: tuple[str, ...]

    def without(self, kept: NDArray[np.bool_]) -> _Side:
        return _Side(self.times[kept], self.capture[kept], self.names)


_Sides = tuple[_Side, _Side]
_Keep = Callable[[_Side], NDArray[np.bool_]]


def sensitivity(baseline: Summary, candidate: Summary, headline: Headline, options: CompareOptions) -> str:
    """One sentence: which single steps, captures or ranks change the verdict when dropped; "" where none can be."""
    if headline.verdict is Verdict.WITHHELD or not (baseline.is_timed and candidate.is_timed):
        return ""
    sides = _side(baseline), _side(candidate)
    if len(sides[0].times) * len(sides[1].times) > MOST_PAIRS:
        return ""
    if any((side.times <= 0).any() or not len(side.times) for side in sides):
        return ""
    whole = _settled(sides, options)
    tried: list[str] = []
    changed: dict[Verdict, list[str]] = {}
    moved: list[str] = []
    for what, group, left in _variants(baseline, candidate, sides):
        if min(len(side.times) for side in left) < 2:
            continue
        # a capture less says nothing more about how captures differ
        settled = _settled(left, options, whole if group == _ANY_SPAN else None)
        found = Verdict.SAME if settled is None else settled.verdict
        tried.append(group)
        if found is not headline.verdict:
            moved.append(group)
            changed.setdefault(found, []).append(what)
    stays = [group for group in dict.fromkeys(tried) if group not in moved]
    clauses = [
        f'becomes "{found.words}" when dropping {_any_of(dropped)}' for found, dropped in changed.items()
    ]
    return "; ".join([*clauses, *([f"unchanged when dropping {_any_of(stays)}"] if stays else [])])


def _any_of(names: list[str]) -> str:
    """ "the first step of each capture, the slowest step of each side or any one span"."""
    return ", ".join(names[:-1]) + (" or " if len(names) > 1 else "") + names[-1]


def _side(summary: Summary) -> _Side:
    seen = observations(summary)
    spans = tuple(dict.fromkeys(capture.span for capture in summary.captures))
    several = len({capture.worker for capture in summary.captures}) > 1 and not seen.pooled
    names = tuple(f"{c.worker}/{c.span}" for c in summary.captures) if several else spans
    return _Side(seen.means(summary.steps.total_ns), seen.capture, names)


def _variants(baseline: Summary, candidate: Summary, sides: _Sides) -> Iterator[tuple[str, str, _Sides]]:
    """(what is left out, what kind of thing that is, the rest)."""
    noun = {"cycle_time": "cycle"}.get(baseline.metric, "step")
    yield f"the first {noun} of each capture", f"the first {noun} of each capture", _each(sides, _not_first)
    yield f"the slowest {noun} of each side", f"the slowest {noun} of each side", _each(sides, _not_slowest)
    for place, word in enumerate(("baseline", "candidate")):
        side = sides[place]
        captures = np.unique(side.capture)
        if 2 <= len(captures) <= MOST_LEFT_OUT:
            for capture in captures.tolist():
                left = side.without(side.capture != capture)
                name = side.names[capture] if capture < len(side.names) else str(capture + 1)
                yield f"span {name} of the {word}", _ANY_SPAN, _replaced(sides, place, left)
    shared = _ranks(baseline) & _ranks(candidate)
    if baseline.ranks is not None or candidate.ranks is not None:
        return  # one of very many decides nothing
    if 2 <= len(shared) <= MOST_LEFT_OUT and observations(baseline).pooled and observations(candidate).pooled:
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
    return {capture.worker for capture in summary.captures}


def _without_worker(summary: Summary, worker: str) -> Summary:
    places = [place for place, capture in enumerate(summary.captures) if capture.worker != worker]
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
    )
    return replace(summary, captures=tuple(summary.captures[place] for place in places), steps=steps)


def _settled(sides: _Sides, options: CompareOptions, like: Settled | None = None) -> Settled | None:
    """As judged for the headline, None for sides of equal times. `like` says how far captures differ."""
    times = sides[0].times, sides[1].times
    if np.array_equal(np.sort(times[0]), np.sort(times[1])):
        return None
    return settle(times, (sides[0].capture, sides[1].capture), options, like)
