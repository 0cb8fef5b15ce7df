"""Parses requests for tables, rows, views and strict reports, with limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tb_perfcompare.analysis.cycles.trace_cycles import BETAS
from tb_perfcompare.comparison.tables.row_query import RowQuery
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.plugin.http.responses import BadRequest
from tb_perfcompare.plugin.requests.pair_request import (
    SideOf,
    SideRequest,
    choice,
    flag,
    required,
    row_count,
    side_request,
    sides_of,
    window_of,
    words_of,
)
from tb_perfcompare.render.wire.pages import MAX_ASKED, MAX_ROWS, Page
from tb_perfcompare.workspace.jobs.strict_jobs import FORMS, JSON, StrictRequest

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
    window, form = window_of(query), choice(query, "format", FORMS, FORMS[0])
    form = JSON if query.get("table") else form
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
