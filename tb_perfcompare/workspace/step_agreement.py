"""Chooses one step marker for recordings whose default markers differ."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.summary.iterations import WHOLE, Iterations, Marker
from tb_perfcompare.model.summary.summary import Summary

_MOST_NAMED = 8


def agreed_markers(sides: Sequence[Sequence[Summary]]) -> list[str]:
    """Returns one --step-marker per side that cuts all recordings into steps of the same unit.

    "" keeps the default markers: they agree already, or the sides share no marker. WHOLE is for a side whose own
    recordings share no marker; each recording is then one step."""
    common = _common_marker([summary for side in sides for summary in side])
    return [common or ("" if _common_marker(side) is not None else WHOLE) for side in sides]


def _common_marker(summaries: Sequence[Summary]) -> str | None:
    """Returns the first marker that all recordings have; "" if their steps have the same unit already, None if they
    share no marker. Recordings with fixed steps, which cannot be cut again, count as agreeing."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    if len({iteration.chosen.unit for iteration in iterations}) < 2:
        return ""
    shared_units = set.intersection(*map(_units, iterations))
    shared = [marker for marker in iterations[0].candidates if marker.unit in shared_units]
    return shared[0].asked_as if shared else "" if any(iteration.fixed for iteration in iterations) else None


def markers_of(source: str, summaries: Sequence[Summary]) -> str:
    """Lists the markers that can delimit a side's steps, as text for an error's hint."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    shown = dict.fromkeys(
        f"{marker.asked_as!r} ({marker.count:,})" for recorded in iterations for marker in _usable(recorded)
    )
    return f"{source} has {', '.join(list(shown)[:_MOST_NAMED])}" if shown else f"{source} has no markers of steps"


def _units(iterations: Iterations) -> set[tuple[str, str]]:
    return {marker.unit for marker in _usable(iterations) if marker.origin != WHOLE}


def _usable(iterations: Iterations) -> tuple[Marker, ...]:
    return (iterations.chosen,) if iterations.fixed else iterations.candidates
