"""The routes about pairs and runs: from what is asked to a question, from its answer to bytes with a tag.

Imported by the first request that needs it. All of them stop waiting when the browser has gone.
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
    is_known,
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
from tb_perfcompare.plugin.routes.comparison_route import SideOf, once, pair_question
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.strict.wire import strict_first
from tb_perfcompare.render.wire.pages import table_answer, view_answer
from tb_perfcompare.render.wire.sparklines import lines_answer
from tb_perfcompare.workspace.jobs import strict_jobs
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.queries.table_pages import TableRows
from tb_perfcompare.workspace.sharing.single_flight import finished
from tb_perfcompare.workspace.workspace import Workspace


def table(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/table."""
    asked = table_request(request.args)
    question = pair_question(side_of, asked.pair)
    check_tag(_tag(request.args), question.tag())

    def make() -> tuple[bytes, bool]:
        found = workspace.pages.of_pair(question, asked.table, asked.rows, Connection(request.environ).report)
        return _page(asked, found)

    return once(request, tag_of(question, asked), make)


def row(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/row."""
    asked = row_request(request.args)
    question = pair_question(side_of, asked.pair)
    report = Connection(request.environ).report
    return once(request, tag_of(question, asked), lambda: workspace.rows.one(question, asked.table, asked.row, report))


def row_paths(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/row_paths."""
    asked = paths_request(request.args)
    question = pair_question(side_of, asked.row.pair)
    report = Connection(request.environ).report

    def make() -> tuple[bytes, bool]:
        return workspace.rows.with_callers(
            question, asked.row.table, asked.row.row, together=asked.together, report=report
        )

    return once(request, tag_of(question, asked), make)


def rows(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/rows."""
    asked = rows_request(request.args)
    question = pair_question(side_of, asked.pair)
    check_tag(_tag(request.args), question.tag())
    report = Connection(request.environ).report

    def make() -> tuple[bytes, bool]:
        known, chosen = workspace.pages.keys_of_pair(question, asked.table, asked.rows, report)
        places = [place for place in asked.places if place < len(chosen.rows)]
        keys = [known.keys[number] for number in chosen.rows[places].tolist()]
        lines, provisional = workspace.rows.several(question, asked.table, keys, asked.measure, asked.points, report)
        return lines_answer(places, lines, known.lost), provisional or known.provisional

    return once(request, tag_of(question, asked), make)


def view(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/view."""
    asked = view_request(request.args)
    name = choice({"view": asked.view}, "view", tuple(VIEWS), asked.view)
    side = side_of(asked.side)
    pages, connection = workspace.pages, Connection(request.environ)

    def answer() -> tuple[bytes, bool]:
        run, rows = pages.of_run(side, asked.window, name, asked.rows, connection.report)
        body = view_answer(name, run.reading, run.side, rows.table, run.notes, rows.chosen, asked.page)
        return body, rows.provisional

    if flag(request.args, "stream", default=False):
        return stream(request, lines_of(lambda: pages.views(side, asked.window), lambda _: answer()[0], connection))
    return once(request, tag_of(side, asked), answer)


def report(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/report."""
    form = FORMATS[choice(request.args, "format", tuple(FORMATS), "md")]
    name = request.args.get("table") or None
    question = pair_question(side_of, pair_request(request.args))
    tag = tag_of(question, form, name)
    if is_known(request, tag):
        return not_modified(tag)
    made = finished(workspace.ask(question), Connection(request.environ).report)
    comparison = made.result()
    body = render(comparison, form.name, table=name)
    # a table alone has no place for notes
    filename = f"perfcompare{'.incomplete' if comparison.files_left_out else ''}.{form.extension}"
    return respond(request, body, form.media_type, tag="" if made.provisional else tag, filename=filename)


def strict(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """api/strict."""
    wanted = strict_request(request.args)
    form = strict_jobs.JSON if wanted.table else wanted.form
    question = StrictRequest(
        side_of(wanted.baseline), side_of(wanted.candidate), wanted.processes, wanted.beta, wanted.window, form
    )
    connection = Connection(request.environ)

    def first_answer(body: bytes) -> bytes:
        return tagged(strict_first(body), question.tag())

    if flag(request.args, "stream", default=False):
        if wanted.table or form != strict_jobs.JSON:
            raise BadRequest("only the whole JSON answer comes as a stream", hint="leave out stream")
        return stream(request, lines_of(lambda: workspace.ask_strict(question), first_answer, connection))
    tag = tag_of(question, wanted)
    if is_known(request, tag):
        return not_modified(tag)
    if wanted.table:
        check_tag(_tag(request.args), question.tag())
        found = workspace.pages.of_strict(question, wanted.table, wanted.rows, connection.report)
        return once(request, tag, lambda: _page(wanted, found))
    made = finished(workspace.ask_strict(question), connection.report)
    tag = "" if made.provisional else tag
    if form == strict_jobs.JSON:
        return respond(request, first_answer(made.result()), JSON, tag=tag)
    kind = "text/csv" if form == strict_jobs.CSV else "text/markdown; charset=utf-8"
    filename = f"strict_comparison{'.incomplete' if made.provisional else ''}.{form}"
    return respond(request, made.result(), kind, tag=tag, filename=filename)


def _page(asked: query_requests.TableRequest | query_requests.StrictRequest, found: TableRows) -> tuple[bytes, bool]:
    return table_answer(found.table, found.chosen, asked.page, asked.row, found.lost), found.provisional


def _tag(query: Mapping[str, str]) -> str:
    return query.get("tag", "")
