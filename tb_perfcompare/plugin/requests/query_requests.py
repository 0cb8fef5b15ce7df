"""Parses requests for tables, rows, views and strict reports, with limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tb_perfcompare.analysis.cycles.trace_cycles import BETAS
from tb_perfcompare.comparison.tables.row_query import RowQuery
from tb_perfcompare.plugin.http.responses import BadRequest
from tb_perfcompare.plugin.requests.pair_request import (
    PairRequest,
    SideRequest,
    choice,
    flag,
    pair_request,
    required,
    row_count,
    side_request,
    sides_of,
    window_of,
)
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.pages import MOST_ASKED, MOST_ROWS, Page
from tb_perfcompare.workspace.jobs.strict_jobs import FORMS

_MOST_COLUMNS = 256
_MOST_SORTS = 16
_MOST_WORDS = 32
_DECIMAL = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_PLACES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
MOST_PLACES = 500
DEFAULT_POINTS, MOST_POINTS = 60, 400
"""Points per row of api/rows: for a sparkline, and for a chart across the screen."""
_PROCESSES = re.compile(r"(\d{1,18}):(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class StrictRequest:
    """Parameters of api/strict; with `table` only rows of that table are requested."""

    baseline: SideRequest
    candidate: SideRequest
    processes: tuple[int, int] | None
    beta: str
    window: str
    form: str
    table: str
    rows: RowQuery
    page: Page
    row: str


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """Parameters of api/view."""

    side: SideRequest
    view: str
    window: str
    rows: RowQuery
    page: Page


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Parameters of api/table; `row` is the key of a row to look for, "" for none."""

    pair: PairRequest
    table: str
    rows: RowQuery
    page: Page
    row: str


@dataclass(frozen=True, slots=True)
class RowRequest:
    """Parameters of api/row; `row` is the key of a row."""

    pair: PairRequest
    table: str
    row: str


@dataclass(frozen=True, slots=True)
class PathsRequest:
    """Parameters of api/row_paths; `merge_modules` merges modules whose names differ only in numbers."""

    row: RowRequest
    merge_modules: bool


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """Parameters of api/rows; `places` are positions among the filtered and sorted rows."""

    pair: PairRequest
    table: str
    rows: RowQuery
    places: tuple[int, ...]
    measure: str
    points: int


def strict_request(query: Mapping[str, str]) -> StrictRequest:
    """Parses the parameters of api/strict. Raises BadRequest."""
    sides = sides_of(query)
    return StrictRequest(
        sides[0], sides[1], _processes(query), choice(query, "beta", BETAS, BETAS[0]), window_of(query),
        choice(query, "format", FORMS, FORMS[0]), query.get("table") or "", _rows(query), _page(query),
        query.get("row") or "",
    )  # fmt: skip


def view_request(query: Mapping[str, str]) -> ViewRequest:
    """Parses the parameters of api/view. Raises BadRequest."""
    side = side_request(query, required(query, "run"), "worker", "span", "steps")
    side = replace(side, launches=query.get("launches") or None)
    return ViewRequest(side, query.get("view") or "overview", window_of(query), _rows(query), _page(query))


def table_request(query: Mapping[str, str]) -> TableRequest:
    """Parses the parameters of api/table. Raises BadRequest."""
    pair = pair_request(query)
    table = required(query, "table", "it must name a table of the comparison")
    return TableRequest(pair, table, _rows(query), _page(query), query.get("row") or "")


def row_request(query: Mapping[str, str]) -> RowRequest:
    """Parses the parameters of api/row. Raises BadRequest."""
    table = required(query, "table", "it must name a table of the comparison")
    return RowRequest(pair_request(query), table, required(query, "row", "it must be the key of a row"))


def paths_request(query: Mapping[str, str]) -> PathsRequest:
    """Parses the parameters of api/row_paths. Raises BadRequest."""
    merge_modules = choice(query, "modules", ("apart", "together"), "apart") == "together"
    return PathsRequest(row_request(query), merge_modules)


def rows_request(query: Mapping[str, str]) -> RowsRequest:
    """Parses the parameters of api/rows. Raises BadRequest."""
    table = required(query, "table", "it must name a table of the comparison")
    places = _places(required(query, "places", "which rows: 0-59,75"))
    points = min(max(row_count(query, "points", DEFAULT_POINTS, "figures"), 2), MOST_POINTS)
    return RowsRequest(pair_request(query), table, _rows(query), places, query.get("measure") or "", points)


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
        if last - first >= MOST_PLACES or len(places) + last - first >= MOST_PLACES:
            raise BadRequest("places are too many", hint=f"at most {MOST_PLACES} are taken")
        places.update(range(first, last + 1))
    return tuple(sorted(places))


def _rows(query: Mapping[str, str]) -> RowQuery:
    least = query.get("min_delta_us") or "0"
    if not _DECIMAL.fullmatch(least):
        raise BadRequest(f"min_delta_us is {least[:80]!r}", hint="it must be a number of microseconds")
    words = query.get("filter") or ""
    if len(words.split()) > _MOST_WORDS:
        raise BadRequest(f"filter has {len(words.split())} words", hint=f"at most {_MOST_WORDS} are taken")
    return RowQuery(
        words=words, sort=_sort(query.get("sort") or ""), status=query.get("status") or "",
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
    if named > _MOST_SORTS:
        raise BadRequest(f"sort names {named} columns", hint=f"at most {_MOST_SORTS} are taken")
    return tuple(keys)


def _page(query: Mapping[str, str]) -> Page:
    columns = tuple(filter(None, (query.get("columns") or "").split(",")))
    if len(columns) > _MOST_COLUMNS or len(set(columns)) < len(columns):
        raise BadRequest("columns names one twice, or too many", hint=f"at most {_MOST_COLUMNS} are taken, each once")
    return Page(row_count(query, "offset", 0), min(row_count(query, "limit", MOST_ROWS), MOST_ASKED), columns)
