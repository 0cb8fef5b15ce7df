"""Answers over HTTP that stay small whatever they are about: the first rows of everything, and further rows by page.

What is left out is always said: the number of rows, and the sums of the columns that add up. The ledger keeps closing
(comparison/ledger/truncate.py). Complete documents are api/report's.
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
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, filled, filled_list, fitted, raw

TABLE_SCHEMA = "tb_perfcompare.table/1"


class TablePageDict(TypedDict):
    """Rows of a table, chosen and ordered as asked."""

    schema: Annotated[str, (TABLE_SCHEMA,)]
    version: str
    table: str
    columns: Sequence[str]
    total_rows: int
    matching_rows: int
    sums: ColumnSums
    hidden: RowSums
    all_sums: ColumnSums
    statuses: Mapping[str, int]
    offset: int
    place: Annotated[int | None, "of the row that was looked for, among the matching ones"]
    lost: Annotated[int, "notes that say what could not be read of what these rows are made of"]
    rows: Sequence[Sequence[Cell]]
    next_offset: int | None


MOST_ROWS = 2_000
"""Rows of one table in one answer, unless more are asked for."""

_FIRST_ROWS = {"call_tree": 60}
"""Rows of tables that are mostly seen as a picture of all of them, which is fetched when it is shown."""

MOST_ASKED = 20_000
"""Rows that may be asked for at once; what is sent stays below MOST_BYTES."""

_LEDGER_ROWS, _LEDGER_BYTES = 800, 250_000
_LIST_BYTES = 30_000
"""For the notes, and on each side for the files and for the steps left out."""
_LOOKED_AT = 32
"""So many rows say how large those of a table are."""
_LEFT_OUT_BYTES = 1_000
"""For the sums of what a table leaves out."""
_RESERVE = 4_000
"""Braces, names and numbers around the parts."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the chosen rows, and which columns of them: () for all."""

    offset: int = 0
    limit: int = MOST_ROWS
    columns: tuple[str, ...] = ()


@paused_collector()
def comparison_answer(comparison: Comparison) -> bytes:
    """The comparison with the first rows of its tables: each has at most MOST_ROWS, and short tables are whole before
    long ones get more than an equal share of the room."""
    notes, _ = filled(map(for_page, map(as_plain, comparison.notes)), 2 * _LIST_BYTES)
    parts: dict[str, Any] = {
        "schema": comparison.schema,
        "version": __version__,
        "baseline": raw(_side(comparison.baseline)),
        "candidate": raw(_side(comparison.candidate)),
        "window": comparison.window,
        "headline": raw(for_page(as_plain(comparison.headline))),
        "ledger": raw(_ledger(comparison)),
        "findings": raw(for_page(as_plain(comparison.findings))),
        "comparability": raw(as_plain(comparison.comparability)),
        "peaks": raw(comparison.peaks_dict()),
    }
    found = [
        replace(caveat, notes=tuple(place for place in caveat.notes if place < len(notes)))
        for caveat in caveats_of(comparison.comparability, comparison.notes)
        if caveat.code != NoteCode.TABLE_ABSENT
    ]
    caveats, _ = filled(map(for_page, map(as_plain, found)), 2 * _LIST_BYTES)
    rest = {"caveats": caveats, "notes": notes, **_if_any("notes_left_out", len(comparison.notes) - len(notes))}
    parts["tables"] = first_rows(comparison.tables, MOST_BYTES - len(encoded({**parts, **rest})))
    return fitted(encoded({**parts, **rest}), MOST_BYTES)


def first_rows(tables: Mapping[str, Table], room: int) -> dict[str, Any]:
    """The tables with as many of their first rows as fit into `room` bytes together; what is left out is counted and
    summed."""
    heads = {name: _head(table) for name, table in tables.items()}
    rows = _shared(tables, room - len(encoded(heads)) - _RESERVE - _LEFT_OUT_BYTES * len(heads))
    return {
        name: {**head, "rows": rows[name][0], **_left_out(tables[name], rows[name][1])} for name, head in heads.items()
    }


def table_answer(table: Table, chosen: ChosenRows, page: Page, row: str = "", lost: int = 0) -> bytes:
    """A page of the chosen rows; of the row with the key `row`, its place among them. `lost`: notes that say what
    could not be read, so that pages of a whole answer are not mixed with those of one that lacks a file."""
    head = {
        "schema": TABLE_SCHEMA,
        "version": __version__,
        "table": table.name,
        "columns": list(page.columns) or [column.name for column in table.columns],
        **_counts(table, chosen, page),
        "place": place_of(table, chosen, row) if row else None,
        "lost": lost,
    }
    rows = _page_rows(table, chosen, page, MOST_BYTES - len(encoded(head)) - _RESERVE)
    return fitted(encoded({**head, **rows}), MOST_BYTES)


def view_answer(
    view: str, reading: str, side: SideFacts, table: Table, notes: Sequence[Note], chosen: ChosenRows, page: Page
) -> bytes:
    """A page of one run's own table."""
    sent_notes, _ = filled(map(as_plain, notes), 2 * _LIST_BYTES)
    head: dict[str, Any] = {
        "schema": VIEW_SCHEMA,
        "view": view,
        "reading": reading,
        "side": raw(_side(side)),
    }
    table_head = {**_head(table), **_counts(table, chosen, page)}
    used = len(encoded(head)) + len(encoded(table_head)) + len(encoded(sent_notes)) + _RESERVE
    body = {**table_head, **_page_rows(table, chosen, page, MOST_BYTES - used)}
    whole = {**head, "table": body, "notes": sent_notes, **_if_any("notes_left_out", len(notes) - len(sent_notes))}
    return fitted(encoded(whole), MOST_BYTES)


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
    """As many as fit, at least one."""
    numbers = chosen.rows[page.offset : page.offset + min(page.limit, MOST_ASKED)].tolist()
    names = [column.name for column in table.columns]
    unknown = [name for name in page.columns if name not in names]
    if unknown:
        raise SelectionError(f"{table.name} has no column {unknown[0][:80]!r}", hint=choices(unknown[0], names))
    places = [names.index(name) for name in page.columns]
    wanted = picked(table.rows, numbers)
    rows, _ = filled(([row[place] for place in places] if places else row for row in wanted), room)
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


def _shared(tables: Mapping[str, Table], room: int) -> dict[str, tuple[msgspec.Raw, int]]:
    """Rows of each table, and how many; those that seem to need the least are served first, each with up to an equal
    share of what is left."""
    most = {name: min(len(table.rows), _FIRST_ROWS.get(name, MOST_ROWS)) for name, table in tables.items()}
    need = {name: _row_bytes(table.rows) * most[name] for name, table in tables.items()}
    out: dict[str, tuple[msgspec.Raw, int]] = {}
    for served, name in enumerate(sorted(tables, key=lambda name: (need[name], name))):
        share = max(0, room) // (len(tables) - served)
        if need[name] <= share:
            made, count, used = filled_list(tables[name].rows[: most[name]], share)
        else:
            some, used = filled(itertools.islice(tables[name].rows, most[name]), share)
            made, count = raw(some), len(some)
        out[name] = made, count
        room -= used
    return out


def _row_bytes(rows: Sequence[Any]) -> float:
    """About, by a few of them."""
    few = rows[:: max(1, len(rows) // _LOOKED_AT)]
    return len(encoded(few)) / max(1, len(few))


def _ledger(comparison: Comparison) -> dict[str, Any]:
    """With as many rows as fit; entries that findings point to are among them."""
    linked = {item.row for finding in comparison.findings for item in finding.evidence if item.table == "ledger"}
    named = {path for path in comparison.ledger.paths() if " / ".join(path) in linked} if linked else set()
    rows = comparison.ledger.rows
    some = replace(comparison.ledger, rows=rows[:: max(1, len(rows) // _LOOKED_AT)])
    most = min(_LEDGER_ROWS, int(_LEDGER_BYTES / _row_bytes(some.to_dict()["rows"])))
    ledger = cut_ledger(comparison.ledger, most, named)
    while len(encoded(found := ledger.to_dict())) > _LEDGER_BYTES and most > len(named):
        most = most * 3 // 4
        ledger = cut_ledger(comparison.ledger, most, named)
    lost = len(rows) - len(ledger.rows)
    entries = sum(len(comparison.ledger.entities(head.path[0])) for head in comparison.ledger.heads) if lost else 0
    return {**found, **({"rows_left_out": lost, "entries": entries} if lost else {})}


def _side(side: SideFacts) -> dict[str, Any]:
    """Without the last files and left-out steps of a side that has very many; their numbers say so."""
    whole = side.to_dict()
    dropped = _first(whole["steps"]["dropped"])
    files = _first(whole["files"])
    rest = side.dropped[len(dropped) :]
    lost = {"steps": len(rest), "total_us": sum(step.total_ns for step in rest) / 1000}
    steps = {**whole["steps"], "dropped": dropped, **({"dropped_left_out": lost} if rest else {})}
    return {**whole, "steps": steps, "files": files, **_if_any("files_left_out", len(side.files) - len(files))}


def _if_any(name: str, count: int) -> dict[str, int]:
    return {name: count} if count else {}


def _first(values: Sequence[Any]) -> Sequence[Any]:
    return values[: len(filled(values, _LIST_BYTES)[0])]
