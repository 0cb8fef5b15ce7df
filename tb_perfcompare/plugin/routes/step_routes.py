"""The routes about single steps: drawing one, figures of an event, differences in an area, a step as a trace file."""

from __future__ import annotations

from dataclasses import replace

from werkzeug.wrappers import Request, Response

from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.lines import lines_of
from tb_perfcompare.plugin.http.responses import is_cached_by_client, not_modified, respond, stream, tag_of
from tb_perfcompare.plugin.requests.pair_request import SideOf, flag, words_of
from tb_perfcompare.plugin.requests.step_requests import area, integer, resolve_step, stretch
from tb_perfcompare.plugin.routes.comparison_route import respond_if_changed
from tb_perfcompare.workspace.jobs.step_jobs import ExcerptSide
from tb_perfcompare.workspace.queries.step_views import StepViewRequest
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
    resolved = workspace.step_views.agreed(resolve_step(side_of, request.args), report)
    resolved = workspace.step_views.labelled(resolved, report)
    tag = tag_of(resolved, "trace")
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    labels = SIDES if resolved.own_is_baseline else SIDES[::-1]
    sides = []
    for chosen, label in zip((resolved.own, resolved.other), labels, strict=True):
        if chosen is not None:
            facts, file = workspace.step_views.chosen(chosen, resolved.window, report)
            sides.append(ExcerptSide(file, resolved.window, facts.label, facts.label, label, chosen.side.marker))
    sides.sort(key=lambda side: SIDES.index(side.label))
    body = workspace.step_views.excerpt(tuple(sides), True, report)
    name = "_and_".join(f"{_file_name(side.file.run)}_step_{_file_name(side.first)}" for side in sides)
    return respond(request, body, _GZIP, tag=tag, filename=f"{name}.pt.trace.json.gz")


def _respond_to(workspace: Workspace, resolved: StepViewRequest, request: Request) -> Response:
    views, connection = workspace.step_views, Connection(request.environ)
    if flag(request.args, "stream", default=False):
        return stream(request, lines_of(lambda: views.ask(resolved), bytes, connection))
    return respond_if_changed(request, tag_of(resolved), lambda: (views.answer(resolved, connection.report), False))


def _file_name(text: str) -> str:
    return _NO_FILE_NAME.sub("_", text).strip("._") or "run"
