"""The routes about pairs and single runs. Imported at the first request for one of them.

All of them stop waiting when the browser has gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from werkzeug.wrappers import Request, Response

from tb_perfcompare.comparison.tables.row_query import RowQuery
from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.model.progress import Reporter
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
from tb_perfcompare.plugin.requests.pair_request import SideOf, choice, flag, resolve_pair, window_of
from tb_perfcompare.plugin.requests.query_requests import (
    page_of,
    places_and_points,
    resolve_strict,
    row_key,
    row_query,
    run_request,
    table_name,
)
from tb_perfcompare.plugin.routes.comparison_route import respond_if_changed
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.strict.wire import strict_first
from tb_perfcompare.render.wire.pages import Page, table_answer, view_answer
from tb_perfcompare.render.wire.rows import lines_answer
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.jobs import strict_jobs
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.queries import row_responses, table_pages
from tb_perfcompare.workspace.queries.table_pages import TableRows
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace


def table(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/table: a page of a table of the comparison."""
    asked, page = (table_name(request.args), row_query(request.args)), page_of(request.args)
    resolved = resolve_pair(side_of, request.args)
    return _rows_of(request, resolved, (*asked, page), partial(table_pages.pair_rows, workspace, resolved, *asked))


def row(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/row: the step times of one row."""
    asked = table_name(request.args), row_key(request.args)
    resolved = resolve_pair(side_of, request.args)
    make = partial(row_responses.step_times, workspace, resolved, *asked)
    return respond_if_changed(request, tag_of(resolved, asked), make)


def row_paths(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/row_paths: the callers of one row; modules that differ only in their numbers can be merged."""
    asked = table_name(request.args), row_key(request.args)
    merge_modules = choice(request.args, "modules", ("apart", "together"), "apart") == "together"
    resolved = resolve_pair(side_of, request.args)
    make = partial(row_responses.with_callers, workspace, resolved, *asked, merge_modules)
    return respond_if_changed(request, tag_of(resolved, asked, merge_modules), make)


def rows(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/rows: the step times of several rows, for sparklines."""
    name, query, measure = table_name(request.args), row_query(request.args), request.args.get("measure") or ""
    wanted, points = places_and_points(request.args)
    resolved = resolve_pair(side_of, request.args)
    check_tag(_tag(request.args), tag_of(resolved))

    def make(report: Reporter) -> tuple[bytes, bool]:
        all_keys, chosen = table_pages.pair_row_keys(workspace, resolved, name, query, report)
        places = [place for place in wanted if place < len(chosen.rows)]
        keys = [all_keys.keys[number] for number in chosen.rows[places].tolist()]
        lines, provisional = row_responses.sparklines(workspace, resolved, name, keys, measure, points, report)
        return lines_answer(places, lines, all_keys.lost), provisional or all_keys.provisional

    return respond_if_changed(request, tag_of(resolved, name, query, measure, wanted, points), make)


def view(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/view: a page of a single run's table."""
    run, window = run_request(request.args), window_of(request.args)
    query, page = row_query(request.args), page_of(request.args)
    name = choice(request.args, "view", tuple(VIEWS), "overview")
    side = side_of(run)

    def answer(report: Reporter) -> tuple[bytes, bool]:
        run_view, rows = table_pages.run_rows(workspace, side, window, name, query, report)
        body = view_answer(name, run_view.reading, run_view.side, rows.table, run_view.notes, rows.chosen, page)
        return body, rows.provisional

    if flag(request.args, "stream", default=False):
        views, connection = partial(table_pages.views, workspace, side, window), Connection(request.environ)
        return stream(request, lines_of(views, lambda _: answer(connection.report)[0], connection))
    return respond_if_changed(request, tag_of(side, name, window, query, page), answer)


def report(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/report: the comparison as a file."""
    form = FORMATS[choice(request.args, "format", tuple(FORMATS), "md")]
    name = request.args.get("table") or None
    resolved = resolve_pair(side_of, request.args)
    tag = tag_of(resolved, form, name)
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    flight = wait_for(workspace.ask(resolved), Connection(request.environ).report)
    comparison = flight.result()
    body = render(comparison, form.name, table=name)
    # the file name marks missing files, as a single table has no place for notes
    filename = f"perfcompare{'.incomplete' if comparison.files_left_out else ''}.{form.extension}"
    return respond(request, body, form.media_type, tag="" if flight.provisional else tag, filename=filename)


def strict(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/strict: the strict report, as JSON or as a file, or a page of one of its tables."""
    name, query, page = request.args.get("table") or "", row_query(request.args), page_of(request.args)
    resolved = resolve_strict(side_of, request.args)
    connection = Connection(request.environ)

    def first_answer(body: bytes) -> bytes:
        return tagged(strict_first(body), tag_of(resolved))

    if flag(request.args, "stream", default=False):
        if name or resolved.form != strict_jobs.JSON:
            raise BadRequest("only the whole JSON answer comes as a stream", hint="leave out stream")
        return stream(request, lines_of(lambda: workspace.ask_strict(resolved), first_answer, connection))
    if name:
        find = partial(table_pages.strict_rows, workspace, resolved, name, query)
        return _rows_of(request, resolved, (name, query, page), find)
    tag = tag_of(resolved, "strict")
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    flight = wait_for(workspace.ask_strict(resolved), connection.report)
    tag = "" if flight.provisional else tag
    if resolved.form == strict_jobs.JSON:
        return respond(request, first_answer(flight.result()), JSON, tag=tag)
    kind = "text/csv" if resolved.form == strict_jobs.CSV else "text/markdown; charset=utf-8"
    filename = f"strict_comparison{'.incomplete' if flight.provisional else ''}.{resolved.form}"
    return respond(request, flight.result(), kind, tag=tag, filename=filename)


def _rows_of(
    request: Request, resolved: ComparisonRequest | StrictRequest, asked: tuple[str, RowQuery, Page],
    find: Callable[[Reporter], TableRows],
) -> Response:  # fmt: skip
    """Rows of a table of the pair; `row` is the key of one to look for, "" for none."""
    check_tag(_tag(request.args), tag_of(resolved))
    row = request.args.get("row") or ""

    def make(report: Reporter) -> tuple[bytes, bool]:
        rows = find(report)
        return table_answer(rows.table, rows.chosen, asked[2], row, rows.lost), rows.provisional

    return respond_if_changed(request, tag_of(resolved, asked, row), make)


def _tag(query: Mapping[str, str]) -> str:
    return query.get("tag", "")
