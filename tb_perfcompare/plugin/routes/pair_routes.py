"""The routes about pairs and single runs. Imported at the first request for one of them.

All of them stop waiting when the browser has gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from werkzeug.wrappers import Request, Response

from tb_perfcompare.analysis.cycles.trace_cycles import BETAS
from tb_perfcompare.comparison.tables.row_query import RowQuery
from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.lazy_regex import regex
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
from tb_perfcompare.plugin.routes.comparison_route import respond_if_changed
from tb_perfcompare.plugin.routes.pair_request import (
    SideOf,
    SideRequest,
    choice,
    flag,
    required,
    resolve_pair,
    row_count,
    side_request,
    sides_of,
    window_of,
    words_of,
)
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.strict.wire import strict_first
from tb_perfcompare.render.wire.pages import MAX_ASKED, MAX_ROWS, Page, table_answer, view_answer
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


_MAX_COLUMNS = 256
_MAX_SORTS = 16
_DECIMAL = regex(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_PLACES = regex(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
MAX_PLACES = 500
DEFAULT_POINTS, MAX_POINTS = 60, 400
"""Points per row of api/rows: for a sparkline, and for a chart across the screen."""
_PROCESSES = regex(r"(\d{1,18}):(\d{1,18})", re.ASCII)


def resolve_strict(side_of: SideOf, query: Mapping[str, str]) -> StrictRequest:
    """Parses the parameters of api/strict. Raises BadRequest, and what `side_of` raises."""
    (baseline, candidate), processes, beta = sides_of(query), _processes(query), choice(query, "beta", BETAS, BETAS[0])
    window, form = window_of(query), choice(query, "format", strict_jobs.FORMS, strict_jobs.FORMS[0])
    form = strict_jobs.JSON if query.get("table") else form
    return StrictRequest(side_of(baseline), side_of(candidate), processes, beta, window, form)


def run_request(query: Mapping[str, str]) -> SideRequest:
    """Parses the run of api/view. Raises BadRequest."""
    side = side_request(query, required(query, "run"), "worker", "span", "steps")
    return replace(side, launches=query.get("launches") or None)


def table_name(query: Mapping[str, str]) -> str:
    """A table of the comparison. Raises BadRequest."""
    return required(query, "table", "it must name a table of the comparison")


def row_key(query: Mapping[str, str]) -> str:
    """The key of a row. Raises BadRequest."""
    return required(query, "row", "it must be the key of a row")


def places_and_points(query: Mapping[str, str]) -> tuple[tuple[int, ...], int]:
    """Parses `places` and `points` of api/rows: positions among the chosen rows, and the limit of values per side.
    Raises BadRequest."""
    places = _places(required(query, "places", "which rows: 0-59,75"))
    return places, min(max(row_count(query, "points", DEFAULT_POINTS, "figures"), 2), MAX_POINTS)


def _processes(query: Mapping[str, str]) -> tuple[int, int] | None:
    text = query.get("processes")
    if not text:
        return None
    match = _PROCESSES.fullmatch(text)
    if match is None:
        raise BadRequest(f"processes is {text[:80]!r}", hint="it must be two process ids such as 10:12")
    return int(match[1]), int(match[2])


def _places(text: str) -> tuple[int, ...]:
    """Parses `3-5,9` as (3, 4, 5, 9), sorted without duplicates. Raises BadRequest."""
    places: set[int] = set()
    for part in text.split(","):
        range_ = _PLACES.fullmatch(part)
        if range_ is None:
            raise BadRequest(f"places is {text[:80]!r}", hint="it must be numbers of rows such as 0-59,75")
        first = int(range_[1])
        last = int(range_[2] or first)
        if last - first >= MAX_PLACES or len(places) + last - first >= MAX_PLACES:
            raise BadRequest("places are too many", hint=f"at most {MAX_PLACES} are taken")
        places.update(range(first, last + 1))
    return tuple(sorted(places))


def row_query(query: Mapping[str, str]) -> RowQuery:
    """Which rows are asked for. Raises BadRequest."""
    least = query.get("min_delta_us") or "0"
    if not _DECIMAL.fullmatch(least):
        raise BadRequest(f"min_delta_us is {least[:80]!r}", hint="it must be a number of microseconds")
    return RowQuery(
        words=words_of(query, "filter"), sort=_sort(query.get("sort") or ""), status=query.get("status") or "",
        change=query.get("change") or "", category=query.get("category") or "", least_us=float(least),
        clear=flag(query, "clear", default=False),
    )  # fmt: skip


def _sort(text: str) -> tuple[tuple[str, bool], ...]:
    keys = []
    for part in filter(None, text.split(",")):
        column, _, direction = part.partition(":")
        if direction not in ("", "asc", "desc") or not column:
            raise BadRequest(f"sort is {text[:80]!r}", hint="it must be COLUMN:asc or COLUMN:desc, several with commas")
        keys.append((column, direction == "desc"))
    named = len(re.split(r"[,?/]", text))
    if named > _MAX_SORTS:
        raise BadRequest(f"sort names {named} columns", hint=f"at most {_MAX_SORTS} are taken")
    return tuple(keys)


def page_of(query: Mapping[str, str]) -> Page:
    """Which of them, and which columns. Raises BadRequest."""
    columns = tuple(filter(None, (query.get("columns") or "").split(",")))
    if len(columns) > _MAX_COLUMNS or len(set(columns)) < len(columns):
        raise BadRequest("columns names one twice, or too many", hint=f"at most {_MAX_COLUMNS} are taken, each once")
    return Page(row_count(query, "offset", 0), min(row_count(query, "limit", MAX_ROWS), MAX_ASKED), columns)
