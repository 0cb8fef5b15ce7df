"""The tab's first response about a pair, and pages of its tables, whose rows are filtered and sorted once for all
pages."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.tables import SUMMARY
from tb_perfcompare.comparison.tables.row_query import ChosenRows, RowQuery, choose_rows, row_keys
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.document import table_named
from tb_perfcompare.render.strict.wire import strict_tables
from tb_perfcompare.render.wire.pages import comparison_answer
from tb_perfcompare.workspace.inputs.sides import Side
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.queries.run_views import RunViews, run_views
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, wait_for

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table and its requested rows. `provisional`: it may be more complete soon. `lost`: number of files that could
    not be read, or for a strict report of notes about lost data."""

    table: Table
    chosen: ChosenRows
    provisional: bool
    lost: int = 0


@dataclass(frozen=True, slots=True)
class TableKeys:
    """Keys of all rows of a table; `lost` and `provisional` as in TableRows."""

    keys: tuple[str, ...]
    lost: int
    provisional: bool = False


_ANSWERS: Kind[bytes] = Kind("first responses", 32 * 2**20)
_CHOSEN: Kind[ChosenRows] = Kind("chosen rows", 16 * 2**20)
_KEYS: Kind[TableKeys] = Kind("keys of rows", 48 * 2**20)
_TABLES: Kind[tuple[Table, int]] = Kind("tables", 96 * 2**20)
"""Keeps tables of comparisons that are too large to be cached whole (some 100,000 rows); reading one again takes a
second."""
_STRICT: Kind[dict[str, Table]] = Kind("tables of strict reports", 32 * 2**20)
_VIEWS: Kind[RunViews] = Kind("views", 64 * 2**20)


def first_response(workspace: Workspace, request: ComparisonRequest) -> AbstractContextManager[Flight[bytes]]:
    """Joins the computation of the first response about a pair for the `with` body; see Workspace.ask."""

    def make(flight: Flight[bytes]) -> bytes:
        cached = workspace.cached_response(request)
        if cached is not None:
            return cached
        compared = wait_for(workspace.ask(request), flight.report)
        flight.provisional = compared.provisional
        comparison = compared.result()
        return workspace.cached_response(request) or comparison_answer(comparison)

    return workspace.flights(_ANSWERS).joined(request, make)


def pair_rows(
    workspace: Workspace, request: ComparisonRequest, name: str, query: RowQuery, report: Reporter = silent
) -> TableRows:
    """Returns rows of a table of the pair's comparison (the ledger is one). Raises SelectionError for an unknown
    table or column, and what comparing raises."""
    key = (request, name)
    cached = workspace.flights(_TABLES).get(key)
    if cached is not None:
        return replace(_rows(workspace, key, cached[0], query, provisional=False), lost=cached[1])
    compared = wait_for(workspace.ask(request), report)
    comparison = compared.result()
    table, lost = table_named(comparison, name), comparison.files_left_out
    if not compared.provisional:
        workspace.flights(_TABLES).put(key, (table, lost))
    return replace(_rows(workspace, key, table, query, compared.provisional), lost=lost)


def pair_row_keys(
    workspace: Workspace, request: ComparisonRequest, name: str, query: RowQuery, report: Reporter = silent
) -> tuple[TableKeys, ChosenRows]:
    """Returns (the keys of all rows of a table, the rows that `query` chooses); raises what pair_rows raises. If
    both are cached no comparison is needed; a large one is not cached and would be computed again."""
    table = (request, name)
    keys, chosen = workspace.flights(_KEYS).get(table), workspace.flights(_CHOSEN).get((table, query))
    if keys is not None and chosen is not None:
        return keys, chosen
    rows = pair_rows(workspace, request, name, query, report)
    if keys is None:
        keys = TableKeys(row_keys(rows.table), rows.lost, rows.provisional)
        if not rows.provisional:
            workspace.flights(_KEYS).put(table, keys)
    return keys, rows.chosen


def views(workspace: Workspace, side: Side, window: str) -> AbstractContextManager[Flight[RunViews]]:
    """Joins the computation of a single run's tables for the `with` body; see Workspace.ask."""

    def make(flight: Flight[RunViews]) -> RunViews:
        return run_views(workspace.load_within(flight, side, window))

    return workspace.flights(_VIEWS).joined((side, window), make)


def run_rows(
    workspace: Workspace, side: Side, window: str, view: str, query: RowQuery, report: Reporter = silent
) -> tuple[RunViews, TableRows]:
    """Returns (a single run's views, rows of one of them). Raises SelectionError if the run does not have the view,
    and what reading raises."""
    flight = wait_for(views(workspace, side, window), report)
    run = flight.result()
    return run, _rows(workspace, (side, window, view), run.table(view), query, flight.provisional)


def strict_rows(
    workspace: Workspace, request: StrictRequest, name: str, query: RowQuery, report: Reporter
) -> TableRows:
    """Returns rows of a table of the pair's strict report. Raises SelectionError for an unknown table."""
    flight = wait_for(workspace.ask_strict(request), report)
    body = flight.result()
    key = (request, hash(body))  # a provisional report may be replaced by another for the same request
    tables = workspace.flights(_STRICT).get(key)
    if tables is None:
        tables = strict_tables(body)
        workspace.flights(_STRICT).put(key, tables)
    if name not in tables:
        raise SelectionError(f"there is no table {name[:80]!r}", hint=choices(name, tables))
    return replace(
        _rows(workspace, (key, name), tables[name], query, flight.provisional), lost=len(tables[SUMMARY].notes)
    )


def _rows(workspace: Workspace, table_key: Hashable, table: Table, query: RowQuery, provisional: bool) -> TableRows:
    """Chooses the rows of a table, cached under its key; nothing is cached for a provisional table."""
    key = (table_key, query)
    chosen = None if provisional else workspace.flights(_CHOSEN).get(key)
    if chosen is None:
        chosen = choose_rows(table, query)
        if not provisional:
            workspace.flights(_CHOSEN).put(key, chosen)
    return TableRows(table, chosen, provisional)


