"""One marker of steps for several recordings, where each by itself would be cut by another."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.model.summary.iterations import WHOLE, Iterations, Marker
from tb_perfcompare.model.summary.summary import Summary

_MOST_NAMED = 8


def common_marker(summaries: Sequence[Summary]) -> str:
    """The --step-marker that cuts all of them into the same unit; "" where they agree as they are, or cannot."""
    told = [one.iterations for one in summaries if one.iterations is not None]
    if len({one.chosen.unit for one in told}) < 2:
        return ""
    everywhere = set.intersection(*map(_units, told))
    best = [marker for marker in told[0].candidates if marker.unit in everywhere]
    return best[0].asked_as if best else ""


def markers_of(source: str, summaries: Sequence[Summary]) -> str:
    """What could mark the steps of a side, for people."""
    told = [one.iterations for one in summaries if one.iterations is not None]
    shown = dict.fromkeys(f"{marker.asked_as!r} ({marker.count:,})" for one in told for marker in _usable(one))
    return f"{source} has {', '.join(list(shown)[:_MOST_NAMED])}" if shown else f"{source} has no markers of steps"


def _units(told: Iterations) -> set[tuple[str, str]]:
    return {marker.unit for marker in _usable(told) if marker.origin != WHOLE}


def _usable(told: Iterations) -> tuple[Marker, ...]:
    return (told.chosen,) if told.fixed else told.candidates
