"""The route that the tab requests first about a pair. Imports nothing that computes, as the response may be cached on
disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from werkzeug.wrappers import Request, Response

from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.lines import lines_of
from tb_perfcompare.plugin.http.responses import (
    JSON,
    is_cached_by_client,
    not_modified,
    respond,
    stream,
    tag_of,
    tagged,
)
from tb_perfcompare.plugin.routes.pair_request import SideOf, flag, resolve_pair
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.sharing.single_flight import Flight, wait_for

FirstAnswer = Callable[[ComparisonRequest], AbstractContextManager[Flight[bytes]]]


def comparison(first: FirstAnswer, side_of: SideOf, request: Request) -> Response:
    """Handles api/comparison: the first response about a pair."""
    resolved = resolve_pair(side_of, request.args)
    as_lines = flag(request.args, "stream", default=True)
    if request.method == "HEAD":
        return respond(request, b"", JSON)
    tag = tag_of(resolved)
    if as_lines:
        connection = Connection(request.environ)
        return stream(request, lines_of(lambda: first(resolved), lambda body: tagged(body, tag), connection))

    def make(report: Reporter) -> tuple[bytes, bool]:
        flight = wait_for(first(resolved), report)
        return tagged(flight.result(), tag), flight.provisional

    return respond_if_changed(request, tag, make)


def respond_if_changed(request: Request, tag: str, make: Callable[[Reporter], tuple[bytes, bool]]) -> Response:
    """Responds with the JSON of `make`, which stops when the browser has gone, or 304 if the browser has it. A
    provisional response gets no tag, so that the browser requests it again."""
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    body, provisional = make(Connection(request.environ).report)
    return respond(request, body, JSON, tag="" if provisional else tag)
