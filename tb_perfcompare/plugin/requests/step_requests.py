"""Parses requests about one step, or about two steps whose events are matched."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.plugin.http.responses import BadRequest
from tb_perfcompare.plugin.requests.pair_request import (
    SideOf,
    SideRequest,
    choice,
    flag,
    marker_of,
    required,
    window_of,
)
from tb_perfcompare.workspace.queries.step_choice import TYPICAL, StepChoice
from tb_perfcompare.workspace.queries.step_responses import DEFAULT_PIXELS, Area, Stretch
from tb_perfcompare.workspace.queries.step_views import ChosenSide, StepViewRequest

_MAX_PIXELS = 20_000
_INTEGER = regex(r"-?\d{1,18}", re.ASCII)


def resolve_step(side_of: SideOf, query: Mapping[str, str]) -> StepViewRequest:
    """Parses the parameters that all routes about steps have. Raises BadRequest, and what `side_of` raises."""
    run, other, side = required(query, "run"), query.get("other"), choice(query, "side", SIDES, SIDES[0])
    window, all_steps = window_of(query), flag(query, "all_steps", default=False)
    marker, kind = marker_of(query), marker_of(query, "kind")

    def chosen(run: str, prefix: str) -> ChosenSide:
        selection = Selection(run, query.get(f"{prefix}worker") or None, query.get(f"{prefix}span") or None)
        step = StepChoice(
            query.get(f"{prefix}step") or TYPICAL,
            query.get(f"{prefix}step_worker") or None,
            query.get(f"{prefix}step_span") or None,
        )
        return ChosenSide(side_of(SideRequest(selection, None, all_steps=all_steps, marker=marker, kind=kind)), step)

    return StepViewRequest(chosen(run, ""), chosen(other, "other_") if other else None, side == SIDES[0], window)


def stretch(query: Mapping[str, str]) -> Stretch | None:
    """Parses the part of the step to draw; None for the whole step. Raises BadRequest."""
    if not query.get("from") and not query.get("to"):
        return None
    first, last = _extent(query)
    pixels = integer(query, "pixels") if query.get("pixels") else DEFAULT_PIXELS
    if not 1 <= pixels <= _MAX_PIXELS:
        raise BadRequest(f"pixels is {pixels}", hint=f"it must be a number from 1 to {_MAX_PIXELS}")
    return Stretch(first, last, pixels)


def area(query: Mapping[str, str]) -> Area:
    """Parses the area in which two steps are compared. Raises BadRequest."""
    if not query.get("other"):
        raise BadRequest("other is missing", hint="an area is compared between two steps")
    return Area(*_extent(query), integer(query, "shift") if query.get("shift") else 0)


def _extent(query: Mapping[str, str]) -> tuple[int, int]:
    first, last = integer(query, "from"), integer(query, "to")
    if last <= first:
        raise BadRequest("to is not after from", hint="both are nanoseconds from the beginning of the step")
    return first, last


def integer(query: Mapping[str, str], name: str) -> int:
    """Parses a whole number. Raises BadRequest."""
    text = query.get(name) or ""
    if not _INTEGER.fullmatch(text):
        raise BadRequest(f"{name} is {text[:80]!r}", hint="it must be a whole number")
    return int(text)
