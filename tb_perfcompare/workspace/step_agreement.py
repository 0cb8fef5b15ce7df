"""One step marker for several recordings whose own choices differ."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.summary.iterations import WHOLE, Iterations, Marker
from tb_perfcompare.model.summary.summary import Summary

_MOST_NAMED = 8


def agreed_markers(sides: Sequence[Sequence[Summary]]) -> list[str]:
    """The --step-marker of each side that cuts all recordings into the same unit; "" where they agree as they are, or
    where the sides cannot. Recordings of one side that have nothing in common are each a step."""
    common = _common([summary for side in sides for summary in side])
    return [common or ("" if _common(side) is not None else WHOLE) for side in sides]


def _common(summaries: Sequence[Summary]) -> str | None:
    """The same of some recordings; "" where they agree, None where they cannot."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    if len({iteration.chosen.unit for iteration in iterations}) < 2:
        return ""
    everywhere = set.intersection(*map(_units, iterations))
    best = [marker for marker in iterations[0].candidates if marker.unit in everywhere]
    return best[0].asked_as if best else "" if any(iteration.fixed for iteration in iterations) else None


def markers_of(source: str, summaries: Sequence[Summary]) -> str:
    """What could mark the steps of a side, for people."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    shown = dict.fromkeys(f"{marker.asked_as!r} ({marker.count:,})" for one in iterations for marker in _usable(one))
    return f"{source} has {', '.join(list(shown)[:_MOST_NAMED])}" if shown else f"{source} has no markers of steps"


def _units(iterations: Iterations) -> set[tuple[str, str]]:
    return {marker.unit for marker in _usable(iterations) if marker.origin != WHOLE}


def _usable(iterations: Iterations) -> tuple[Marker, ...]:
    return (iterations.chosen,) if iterations.fixed else iterations.candidates
