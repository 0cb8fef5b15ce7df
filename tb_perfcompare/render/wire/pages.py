"""HTTP responses of limited size about comparisons and runs: the first rows of every table, further rows in pages.

They always state what is left out: the number of rows, and the sums of columns that add up. The rows of a truncated
ledger still add up to its total (comparison/ledger/truncate.py). Complete documents come from api/report.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.ledger.truncate import cut_ledger
from tb_perfcompare.comparison.result.caveats import caveats_of
from tb_perfcompare.comparison.result.comparison import VIEW_SCHEMA, Comparison
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.plain_values import Cell, as_plain
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import ColumnSums, RowSums, Table, picked
from tb_perfcompare.comparison.result.table_catalogue import table_facts
from tb_perfcompare.comparison.tables.row_query import ChosenRows, place_of, sums_of
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.names.short_names import short_forms
from tb_perfcompare.model.note import Note
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.sent_names import name_columns, names_that_fit, short_names_of
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded, list_that_fits, raw, rows_that_fit

TABLE_SCHEMA = "tb_perfcompare.table/1"


class TablePageDict(TypedDict):
    """A page of a table's filtered and sorted rows."""

    schema: Annotated[str, "name and number of this schema", (TABLE_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    table: Annotated[str, "name of the table that the rows are from"]
    columns: Annotated[Sequence[str], "column names, in the order of a row's cells"]
    total_rows: Annotated[int, "number of rows of the table"]
    matching_rows: Annotated[int, "number of rows that pass all filters"]
    sums: Annotated[ColumnSums, "sums of additive columns over the matching rows"]
    hidden: Annotated[RowSums, "rows that only `min_delta_us` excludes"]
    all_sums: Annotated[ColumnSums, "sums of additive columns over all rows"]
    statuses: Annotated[
        Mapping[str, int], "status -> number of rows that pass all filters except `status`, `change` and `min_delta_us`"
    ]
    offset: Annotated[int, "index of the page's first row among the matching rows"]
    place: Annotated[int | None, "position of the requested row among the matching rows; null if not there"]
    lost: Annotated[int, "number of notes about input that could not be read for these rows"]
    rows: Annotated[Sequence[Sequence[Cell]], "cells in the order of `columns`; null: absent or not measured"]
    short_names: Annotated[Mapping[str, str], "name -> short form, for names of these rows that have one"]
    next_offset: Annotated[int | None, "offset of the next page; null on the last page"]


MAX_ROWS = 2_000
"""Default maximum number of rows of a table in a response."""

_FIRST_ROWS = {"call_tree": 60}
"""Fewer first rows, for tables that the tab shows mostly as a chart, whose rows it fetches separately."""

MAX_ASKED = 20_000
"""Maximum number of rows that may be requested at once; the response stays below MAX_BYTES."""

_LEDGER_ROWS, _LEDGER_BYTES = 800, 250_000
_LIST_BYTES = 30_000
"""Maximum bytes for the files, and for the steps left out, of each side; notes may take twice as much."""
_SAMPLED_ROWS = 32
"""Number of rows from which a table's row size is estimated."""
_LEFT_OUT_BYTES = 1_000
"""Reserved for the sums over the rows that a table leaves out."""
_NAMES_BYTES = 150_000
"""Maximum bytes for the short names of a response; names without one are shown in full."""
_RESERVE = 4_000
"""Reserved for braces, names and numbers around the parts."""


@dataclass(frozen=True, slots=True)
class Page:
    """A requested part of the chosen rows, and the columns to send; () means all."""

    offset: int = 0
    limit: int = MAX_ROWS
    columns: tuple[str, ...] = ()


@paused_collector()
def comparison_answer(comparison: Comparison) -> bytes:
    """Encodes the comparison with the first rows of its tables, at most MAX_BYTES. A table has at most MAX_ROWS rows;
    short tables are complete before long ones get more than an equal share of the space."""
    notes, _ = rows_that_fit(map(for_page, map(as_plain, comparison.notes)), 2 * _LIST_BYTES)
    parts: dict[str, Any] = {
        "schema": comparison.schema,
        "version": __version__,
        "baseline": raw(_side(comparison.baseline)),
        "candidate": raw(_side(comparison.candidate)),
        "window": comparison.window,
        "headline": raw(for_page(as_plain(comparison.headline))),
        "ledger": raw(_ledger(comparison)),
        "findings": raw(for_page(as_plain(comparison.findings))),
        "unexplained_us": comparison.unexplained_us,
        "no_finding": comparison.no_finding,
        "comparability": raw(as_plain(comparison.comparability)),
        "peaks": raw(comparison.peaks_dict()),
    }
    shown_caveats = [
        replace(caveat, notes=tuple(index for index in caveat.notes if index < len(notes)))
        for caveat in caveats_of(comparison.comparability, comparison.notes, comparison.findings)
    ]
    caveats, _ = rows_that_fit(map(for_page, map(as_plain, shown_caveats)), 2 * _LIST_BYTES)
    rest = {"caveats": caveats, "notes": notes, **_if_any("notes_left_out", len(comparison.notes) - len(notes))}
    parts["tables"] = first_rows(comparison.tables, MAX_BYTES - len(encoded({**parts, **rest})))
    return cut_to_fit(encoded({**parts, **rest}), MAX_BYTES)


def first_rows(tables: Mapping[str, Table], room: int) -> dict[str, Any]:
    """Returns the tables with as many of their first rows as fit into `room` bytes together, and the number and sums of
    the rows left out."""
    heads = {name: _head(table) for name, table in tables.items()}
    named = {name: name_columns(table) for name, table in tables.items()}
    short = {name: short_names_of(table, named[name]) for name, table in tables.items()}
    left = min(_NAMES_BYTES, len(encoded([list(names.items()) for names in short.values()])))
    rows = _rows_in_shares(tables, room - left - len(encoded(heads)) - _RESERVE - _LEFT_OUT_BYTES * len(heads))
    for name, head in heads.items():
        encoded_rows, count = rows[name]
        sent = tables[name].rows[:count] if short[name] else ()
        names, used = names_that_fit(short[name], sent, named[name], left)
        left -= used
        head |= {"rows": encoded_rows, **_left_out(tables[name], count), **_short_names(names)}
    return heads


def _short_names(names: dict[str, str]) -> dict[str, Any]:
    return {"short_names": names} if names else {}


def table_answer(table: Table, chosen: ChosenRows, page: Page, row: str = "", lost: int = 0) -> bytes:
    """Encodes a page of the chosen rows, with the position among them of the row with the key `row` ("": none). `lost`
    is the number of notes about data that could not be read, so that the tab does not mix pages of a complete
    comparison with pages of one that lacks a file."""
    head = {
        "schema": TABLE_SCHEMA,
        "version": __version__,
        "table": table.name,
        "columns": page.columns or tuple(table.places),
        **_counts(table, chosen, page),
        "place": place_of(table, chosen, row) if row else None,
        "lost": lost,
    }
    named = [index for index in name_columns(table) if not page.columns or table.columns[index].name in page.columns]
    short = short_names_of(table, named)
    room = min(_NAMES_BYTES, len(encoded(list(short.items()))))
    rows = _page_rows(table, chosen, page, MAX_BYTES - len(encoded(head)) - room - _RESERVE)
    sent = picked(table.rows, chosen.rows[page.offset : page.offset + len(rows["rows"])].tolist())
    names, _ = names_that_fit(short, sent, named, room)
    return cut_to_fit(encoded({**head, **rows, "short_names": names}), MAX_BYTES)


def view_answer(
    view: str, reading: str, side: SideFacts, table: Table, notes: Sequence[Note], chosen: ChosenRows, page: Page
) -> bytes:
    """Encodes a page of a single run's table."""
    sent_notes, _ = rows_that_fit(map(as_plain, notes), 2 * _LIST_BYTES)
    head: dict[str, Any] = {
        "schema": VIEW_SCHEMA,
        "view": view,
        "reading": reading,
        "side": raw(_side(side)),
    }
    table_head = {**_head(table), **_counts(table, chosen, page)}
    used = len(encoded(head)) + len(encoded(table_head)) + len(encoded(sent_notes)) + _RESERVE
    body = {**table_head, **_page_rows(table, chosen, page, MAX_BYTES - used)}
    answer = {**head, "table": body, "notes": sent_notes, **_if_any("notes_left_out", len(notes) - len(sent_notes))}
    return cut_to_fit(encoded(answer), MAX_BYTES)


def _counts(table: Table, chosen: ChosenRows, page: Page) -> dict[str, Any]:
    return {
        "total_rows": len(table.rows),
        "matching_rows": len(chosen.rows),
        "sums": dict(chosen.sums),
        "hidden": {"rows": len(chosen.hidden), "sums": dict(chosen.hidden_sums)},
        "all_sums": dict(chosen.all_sums),
        "statuses": dict(chosen.statuses),
        "offset": page.offset,
    }


def _page_rows(table: Table, chosen: ChosenRows, page: Page, room: int) -> dict[str, Any]:
    """Returns as many rows of the page as fit into `room` bytes, at least one, and the offset of the next page. Raises
    SelectionError for an unknown column."""
    numbers = chosen.rows[page.offset : page.offset + min(page.limit, MAX_ASKED)].tolist()
    unknown = [name for name in page.columns if name not in table.places]
    if unknown:
        hint = choices(unknown[0], list(table.places))
        raise SelectionError(f"{table.name} has no column {unknown[0][:80]!r}", hint=hint)
    indices = [table.places[name] for name in page.columns]
    page_rows = picked(table.rows, numbers)
    rows, _ = rows_that_fit(([row[index] for index in indices] if indices else row for row in page_rows), room)
    if numbers and not rows:
        rows = [raw(table.rows[numbers[0]])]
    end = page.offset + len(rows)
    return {"rows": rows, "next_offset": end if end < len(chosen.rows) else None}


def _head(table: Table) -> dict[str, Any]:
    return {
        "title": raw(table.title),
        **table_facts(table.name),
        "columns": raw(as_plain(table.columns)),
        "notes": raw(list(table.notes)),
        "total_rows": len(table.rows),
    }


def _left_out(table: Table, sent: int) -> dict[str, Any]:
    rest = range(sent, len(table.rows))
    return {"left_out": {"rows": len(rest), "sums": sums_of(table, rest)}} if rest else {}


def _rows_in_shares(tables: Mapping[str, Table], room: int) -> dict[str, tuple[msgspec.Raw, int]]:
    """Returns (encoded rows, their number) of each table. Tables that need the least space are filled first, each up to
    an equal share of the space left."""
    most = {name: min(len(table.rows), _FIRST_ROWS.get(name, MAX_ROWS)) for name, table in tables.items()}
    need = {name: _estimate_row_bytes(table.rows) * most[name] for name, table in tables.items()}
    out: dict[str, tuple[msgspec.Raw, int]] = {}
    for served, name in enumerate(sorted(tables, key=lambda name: (need[name], name))):
        share = max(0, room) // (len(tables) - served)
        if need[name] <= share:
            encoded_rows, count, used = list_that_fits(tables[name].rows[: most[name]], share)
        else:
            rows, used = rows_that_fit(itertools.islice(tables[name].rows, most[name]), share)
            encoded_rows, count = raw(rows), len(rows)
        out[name] = encoded_rows, count
        room -= used
    return out


def _estimate_row_bytes(rows: Sequence[Any]) -> float:
    """Estimates the mean encoded size of a row from a sample of rows."""
    sample = rows[:: max(1, len(rows) // _SAMPLED_ROWS)]
    return len(encoded(sample)) / max(1, len(sample))


def _ledger(comparison: Comparison) -> dict[str, Any]:
    """Returns the ledger with as many rows as fit, including all entries that findings refer to."""
    linked = {item.row for finding in comparison.findings for item in finding.evidence if item.table == "ledger"}
    required = {path for path in comparison.ledger.paths() if " / ".join(path) in linked} if linked else set()
    rows = comparison.ledger.rows
    sample = replace(comparison.ledger, rows=rows[:: max(1, len(rows) // _SAMPLED_ROWS)])
    most = min(_LEDGER_ROWS, int(_LEDGER_BYTES / _estimate_row_bytes(sample.to_dict()["rows"])))
    ledger = cut_ledger(comparison.ledger, most, required)
    while len(encoded(ledger_dict := ledger.to_dict())) > _LEDGER_BYTES and most > len(required):
        most = most * 3 // 4
        ledger = cut_ledger(comparison.ledger, most, required)
    lost = len(rows) - len(ledger.rows)
    entries = sum(len(comparison.ledger.entities(head.path[0])) for head in comparison.ledger.heads) if lost else 0
    names = short_forms(row.path[1] for row in ledger.rows if len(row.path) == 2)
    return {**ledger_dict, **({"rows_left_out": lost, "entries": entries} if lost else {}), **_short_names(names)}


def _side(side: SideFacts) -> dict[str, Any]:
    """Returns the facts of a side; files and left-out steps beyond _LIST_BYTES are only counted."""
    facts = side.to_dict()
    dropped = _first(facts["steps"]["dropped"])
    files = _first(facts["files"])
    rest = side.dropped[len(dropped) :]
    lost = {"steps": len(rest), "total_us": sum(step.total_ns for step in rest) / 1000}
    steps = {**facts["steps"], "dropped": dropped, **({"dropped_left_out": lost} if rest else {})}
    return {**facts, "steps": steps, "files": files, **_if_any("files_left_out", len(side.files) - len(files))}


def _if_any(name: str, count: int) -> dict[str, int]:
    return {name: count} if count else {}


def _first(values: Sequence[Any]) -> Sequence[Any]:
    return values[: len(rows_that_fit(values, _LIST_BYTES)[0])]
