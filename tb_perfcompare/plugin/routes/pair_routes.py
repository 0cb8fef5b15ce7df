"""The routes about pairs and single runs. Imported at the first request for one of them.

All of them stop waiting when the browser has gone.
"""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.wrappers import Request, Response

from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.lines import lines_of
from tb_perfcompare.plugin.http.responses import (
    JSON,
    BadRequest,
    check_tag,
    is_cached_by_client,
    not_modified,
    respond,
    stream,
    tag_of,
    tagged,
)
from tb_perfcompare.plugin.requests import query_requests
from tb_perfcompare.plugin.requests.pair_request import choice, flag, pair_request
from tb_perfcompare.plugin.requests.query_requests import (
    paths_request,
    row_request,
    rows_request,
    strict_request,
    table_request,
    view_request,
)
from tb_perfcompare.plugin.routes.comparison_route import SideOf, once, resolve_pair
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.strict.pages import strict_first
from tb_perfcompare.render.wire.pages import table_answer, view_answer
from tb_perfcompare.render.wire.sparklines import lines_answer
from tb_perfcompare.workspace.jobs import strict_jobs
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.queries.table_pages import TableRows
from tb_perfcompare.workspace.sharing.single_flight import finished
from tb_perfcompare.workspace.workspace import Workspace


def table(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/table: a page of a table of the comparison."""
    asked = table_request(request.args)
    resolved = resolve_pair(side_of, asked.pair)
    check_tag(_tag(request.args), resolved.tag())

    def make() -> tuple[bytes, bool]:
        rows = workspace.pages.pair_rows(resolved, asked.table, asked.rows, Connection(request.environ).report)
        return _page(asked, rows)

    return once(request, tag_of(resolved, asked), make)


def row(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/row: the step times of one row."""
    asked = row_request(request.args)
    resolved = resolve_pair(side_of, asked.pair)
    report, tag = Connection(request.environ).report, tag_of(resolved, asked)
    return once(request, tag, lambda: workspace.rows.step_times(resolved, asked.table, asked.row, report))


def row_paths(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/row_paths: the callers of one row."""
    asked = paths_request(request.args)
    resolved = resolve_pair(side_of, asked.row.pair)
    report = Connection(request.environ).report

    def make() -> tuple[bytes, bool]:
        return workspace.paths.callers(
            resolved, asked.row.table, asked.row.row, merge_modules=asked.merge_modules, report=report
        )

    return once(request, tag_of(resolved, asked), make)


def rows(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/rows: the step times of several rows, for sparklines."""
    asked = rows_request(request.args)
    resolved = resolve_pair(side_of, asked.pair)
    check_tag(_tag(request.args), resolved.tag())
    report = Connection(request.environ).report

    def make() -> tuple[bytes, bool]:
        all_keys, chosen = workspace.pages.pair_row_keys(resolved, asked.table, asked.rows, report)
        places = [place for place in asked.places if place < len(chosen.rows)]
        keys = [all_keys.keys[number] for number in chosen.rows[places].tolist()]
        lines, provisional = workspace.rows.sparklines(resolved, asked.table, keys, asked.measure, asked.points, report)
        return lines_answer(places, lines, all_keys.lost), provisional or all_keys.provisional

    return once(request, tag_of(resolved, asked), make)


def view(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/view: a page of a single run's table."""
    asked = view_request(request.args)
    name = choice({"view": asked.view}, "view", tuple(VIEWS), asked.view)
    side = side_of(asked.side)
    pages, connection = workspace.pages, Connection(request.environ)

    def answer() -> tuple[bytes, bool]:
        run, rows = pages.run_rows(side, asked.window, name, asked.rows, connection.report)
        body = view_answer(name, run.reading, run.side, rows.table, run.notes, rows.chosen, asked.page)
        return body, rows.provisional

    if flag(request.args, "stream", default=False):
        return stream(request, lines_of(lambda: pages.views(side, asked.window), lambda _: answer()[0], connection))
    return once(request, tag_of(side, asked), answer)


def report(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/report: the comparison as a file."""
    form = FORMATS[choice(request.args, "format", tuple(FORMATS), "md")]
    name = request.args.get("table") or None
    resolved = resolve_pair(side_of, pair_request(request.args))
    tag = tag_of(resolved, form, name)
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    flight = finished(workspace.ask(resolved), Connection(request.environ).report)
    comparison = flight.result()
    body = render(comparison, form.name, table=name)
    # the file name marks missing files, as a single table has no place for notes
    filename = f"perfcompare{'.incomplete' if comparison.files_left_out else ''}.{form.extension}"
    return respond(request, body, form.media_type, tag="" if flight.provisional else tag, filename=filename)


def strict(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/strict: the strict report, as JSON or as a file, or a page of one of its tables."""
    asked = strict_request(request.args)
    form = strict_jobs.JSON if asked.table else asked.form
    resolved = StrictRequest(
        side_of(asked.baseline), side_of(asked.candidate), asked.processes, asked.beta, asked.window, form
    )
    connection = Connection(request.environ)

    def first_answer(body: bytes) -> bytes:
        return tagged(strict_first(body), resolved.tag())

    if flag(request.args, "stream", default=False):
        if asked.table or form != strict_jobs.JSON:
            raise BadRequest("only the whole JSON answer comes as a stream", hint="leave out stream")
        return stream(request, lines_of(lambda: workspace.ask_strict(resolved), first_answer, connection))
    tag = tag_of(resolved, asked)
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    if asked.table:
        check_tag(_tag(request.args), resolved.tag())
        rows = workspace.pages.strict_rows(resolved, asked.table, asked.rows, connection.report)
        return once(request, tag, lambda: _page(asked, rows))
    flight = finished(workspace.ask_strict(resolved), connection.report)
    tag = "" if flight.provisional else tag
    if form == strict_jobs.JSON:
        return respond(request, first_answer(flight.result()), JSON, tag=tag)
    kind = "text/csv" if form == strict_jobs.CSV else "text/markdown; charset=utf-8"
    filename = f"strict_comparison{'.incomplete' if flight.provisional else ''}.{form}"
    return respond(request, flight.result(), kind, tag=tag, filename=filename)


def _page(asked: query_requests.TableRequest | query_requests.StrictRequest, rows: TableRows) -> tuple[bytes, bool]:
    return table_answer(rows.table, rows.chosen, asked.page, asked.row, rows.lost), rows.provisional


def _tag(query: Mapping[str, str]) -> str:
    return query.get("tag", "")
