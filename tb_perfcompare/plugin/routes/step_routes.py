"""The routes about single steps: drawing one, figures of an event, differences in an area, a step as a trace file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from werkzeug.wrappers import Request, Response

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.lines import lines_of
from tb_perfcompare.plugin.http.responses import BadRequest, is_cached_by_client, not_modified, respond, stream, tag_of
from tb_perfcompare.plugin.routes.comparison_route import respond_if_changed
from tb_perfcompare.plugin.routes.pair_request import (
    SideOf,
    SideRequest,
    choice,
    flag,
    marker_of,
    required,
    window_of,
    words_of,
)
from tb_perfcompare.workspace.jobs.step_jobs import ExcerptSide
from tb_perfcompare.workspace.queries import step_views
from tb_perfcompare.workspace.queries.step_choice import TYPICAL, StepChoice
from tb_perfcompare.workspace.queries.step_responses import DEFAULT_PIXELS, Area, Stretch
from tb_perfcompare.workspace.queries.step_views import ChosenSide, StepViewRequest
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace

_GZIP = "application/gzip"
_NO_FILE_NAME = regex(r"[^A-Za-z0-9._-]+")


def step(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/step: the events to draw of a step."""
    asked = resolve_step(side_of, request.args)
    resolved = replace(asked, stretch=stretch(request.args), find=words_of(request.args, "find"))
    return _respond_to(workspace, resolved, request)


def step_event(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/step_event: the figures of one event."""
    resolved = replace(resolve_step(side_of, request.args), event=integer(request.args, "event"))
    return _respond_to(workspace, resolved, request)


def step_area(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/step_area: the differences of two steps within an area."""
    resolved = replace(resolve_step(side_of, request.args), area=area(request.args))
    return _respond_to(workspace, resolved, request)


def trace(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/trace: a step, or two, as a trace file."""
    report = Connection(request.environ).report
    resolved = step_views.agreed(workspace, resolve_step(side_of, request.args), report)
    resolved = step_views.labeled(workspace, resolved, report)
    tag = tag_of(resolved, "trace")
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    labels = SIDES if resolved.own_is_baseline else SIDES[::-1]
    sides = []
    for chosen, label in zip((resolved.own, resolved.other), labels, strict=True):
        if chosen is not None:
            facts, file = step_views.chosen_step(workspace, chosen, resolved.window, report)
            sides.append(ExcerptSide(file, resolved.window, facts.label, facts.label, label, chosen.side.marker))
    sides.sort(key=lambda side: SIDES.index(side.label))
    body = step_views.excerpt(workspace, tuple(sides), True, report)
    name = "_and_".join(f"{_file_name(side.file.run)}_step_{_file_name(side.first)}" for side in sides)
    return respond(request, body, _GZIP, tag=tag, filename=f"{name}.pt.trace.json.gz")


def _respond_to(workspace: Workspace, resolved: StepViewRequest, request: Request) -> Response:
    ask = partial(step_views.ask, workspace, resolved)
    if flag(request.args, "stream", default=False):
        return stream(request, lines_of(ask, bytes, Connection(request.environ)))
    return respond_if_changed(request, tag_of(resolved), lambda report: (wait_for(ask(), report).result(), False))


def _file_name(text: str) -> str:
    return _NO_FILE_NAME.sub("_", text).strip("._") or "run"


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
