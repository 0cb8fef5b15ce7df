"""Markers that cut the recordings of all sides into steps of the same unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tb_perfcompare.comparison.checks.iterations_per_step import several_passes
from tb_perfcompare.comparison.checks.shared_work import operator_calls
from tb_perfcompare.model.summary.iterations import DETECTED, WHOLE, Iterations, Marker
from tb_perfcompare.model.summary.summary import Summary

_MAX_NAMED = 8


def agreed_markers(sides: Sequence[Sequence[Summary]]) -> list[str]:
    """Returns one --step-marker per side that cuts all recordings into steps of the same unit.

    "" keeps the default markers: they agree already, or the sides share no marker. WHOLE is for a side whose own
    recordings share no marker, and for all sides if iterations were found in some only by repetition, and in others not
    at all; each recording is then one step. If a step of one side makes several passes of the other side, all are cut
    into single passes."""
    summaries = [summary for side in sides for summary in side]
    common = _common_marker(summaries)
    if common is None and _must_be_whole(summaries):
        return [WHOLE] * len(sides)
    if common == "":
        return [_single_pass(sides)] * len(sides)
    return [common or ("" if _common_marker(side) is not None else WHOLE) for side in sides]


def _common_marker(summaries: Sequence[Summary]) -> str | None:
    """Returns the marker to cut all recordings by: of the default ones that all have, the one with the longest
    iterations, else the first that all have. "" if their steps have the same unit already, None if they share no
    marker. Recordings with fixed steps, which cannot be cut again, count as agreeing."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    chosen = [iteration.chosen for iteration in iterations]
    if len({marker.unit for marker in chosen}) < 2:
        return ""
    shared_units = set.intersection(*map(_units, iterations))
    shared = sorted((marker for marker in chosen if marker.unit in shared_units), key=lambda marker: -marker.mean_ns)
    shared += [marker for marker in iterations[0].candidates if marker.unit in shared_units]
    return shared[0].asked_as if shared else "" if any(iteration.fixed for iteration in iterations) else None


def _single_pass(sides: Sequence[Sequence[Summary]]) -> str:
    """Returns an operator that begins each pass, if an iteration of one of two sides makes several passes of the
    other's; "" otherwise, or if a recording has no two passes or fixed steps."""
    if len(sides) != 2:
        return ""
    found = several_passes(sides[0][0], sides[1][0])
    if found is None:
        return ""
    can_be_cut = all(
        summary.iterations is not None and not summary.iterations.fixed and _calls(summary, found.first) >= 2
        for side in sides for summary in side
    )  # fmt: skip
    return found.first if can_be_cut else ""


def _must_be_whole(summaries: Sequence[Summary]) -> bool:
    """Whether only whole recordings are the same unit: some repeat nothing, the others only an operator. Not if the
    former call about as many operators as one iteration (fewer than the geometric mean of one and all)."""
    chosen = [summary.iterations.chosen.origin if summary.iterations is not None else "" for summary in summaries]
    if set(chosen) != {WHOLE, DETECTED}:
        return False
    calls = [_operator_calls(summary) for summary in summaries]
    undivided = [count for count, origin in zip(calls, chosen, strict=True) if origin == WHOLE]
    single = [
        count / math.sqrt(max(len(summary.steps), 1))
        for count, origin, summary in zip(calls, chosen, summaries, strict=True) if origin == DETECTED
    ]  # fmt: skip
    return min(undivided) > max(single)


def _operator_calls(summary: Summary) -> float:
    table = summary.groups.get("operators")
    return 0.0 if table is None else float(table.calls.sum())


def _calls(summary: Summary, operator: str) -> float:
    return operator_calls(summary).get(operator, 0.0) * len(summary.steps)


def markers_of(source: str, summaries: Sequence[Summary]) -> str:
    """Lists the markers that can delimit a side's steps, as text for an error's hint."""
    iterations = [summary.iterations for summary in summaries if summary.iterations is not None]
    shown = dict.fromkeys(
        f"{marker.asked_as!r} ({marker.count:,})" for recorded in iterations for marker in _usable(recorded)
    )
    return f"{source} has {', '.join(list(shown)[:_MAX_NAMED])}" if shown else f"{source} has no markers of steps"


def _units(iterations: Iterations) -> set[tuple[str, str]]:
    return {marker.unit for marker in _usable(iterations) if marker.origin != WHOLE}


def _usable(iterations: Iterations) -> tuple[Marker, ...]:
    return (iterations.chosen,) if iterations.fixed else iterations.candidates
