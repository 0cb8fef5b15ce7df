"""Renders comparisons and tables in formats, by the names that the command line and the API use.

The report and the renderers of HTML, Markdown and CSV are imported when needed: a command that prints a list needs none
of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.result.table_catalogue import LEDGER
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.blocks import Block, table_blocks, view_blocks
from tb_perfcompare.render.text import text
from tb_perfcompare.render.widths import Terminal
from tb_perfcompare.render.wire.json_encoding import json_document

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison, View
    from tb_perfcompare.comparison.result.table import Table

DEFAULT_TOP = 20


@dataclass(frozen=True, slots=True)
class Format:
    """An output format; `extension` has no dot. All formats are UTF-8."""

    name: str
    media_type: str
    extension: str


FORMATS: dict[str, Format] = {
    found.name: found
    for found in (
        Format("text", "text/plain", "txt"),
        Format("md", "text/markdown; charset=utf-8", "md"),
        Format("csv", "text/csv", "csv"),
        Format("json", "application/json", "json"),
        Format("html", "text/html", "html"),
    )
}


def render(
    comparison: Comparison, name: str, *, table: str | None = None, top: int | None = None,
    terminal: Terminal | None = None,
) -> bytes:  # fmt: skip
    """Renders the comparison in a format of FORMATS, as UTF-8.

    table     render only this table (the ledger is one); CSV always has one table, by default the ledger
    terminal  the terminal that shows the text; None for a file or a pipe
    top       rows per table; None: DEFAULT_TOP in a report, all if `table` is given, in CSV and in JSON
    """
    from tb_perfcompare.render import document

    match name:
        case "json":
            return json_document(_narrowed(comparison, table, top).to_dict())
        case "csv":
            return _csv(document.table_named(comparison, table or LEDGER), top)
    if table is None and name == "html":
        from tb_perfcompare.render.html_report import report_page

        return _utf8(report_page(comparison, top=DEFAULT_TOP if top is None else top))
    if table is None:
        blocks = document.report(comparison, top=DEFAULT_TOP if top is None else top)
    else:
        blocks = document.table_report(comparison, table, top=top)
    return _utf8(_rendered(blocks, name, terminal))


def render_table(table: Table, name: str, *, terminal: Terminal | None = None) -> bytes:
    """Renders all of a single table as "text", "md", "csv" or "html"."""
    if name == "csv":
        return _csv(table, None)
    blocks = table_blocks(table, top=None)
    if name != "html":
        return _utf8(_rendered(blocks, name, terminal))
    from tb_perfcompare.render.html_report import table_page

    return _utf8(table_page(blocks, table))


def render_view(view: View, name: str, *, top: int | None = None, terminal: Terminal | None = None) -> bytes:
    """Renders one run's table as "text" with the run's notes, or as "csv" or "json"; `top` rows (None: all)."""
    match name:
        case "csv":
            return _csv(view.table, top)
        case "json":
            cut = view if top is None else replace(view, table=first_rows(view.table, top))
            return json_document(cut.to_dict())
    return _utf8(_rendered(view_blocks(view, top=top), name, terminal))


def _rendered(blocks: tuple[Block, ...], name: str, terminal: Terminal | None = None) -> str:
    match name:
        case "text":
            return text(blocks, terminal)
        case "md":
            from tb_perfcompare.render.markdown import markdown

            return markdown(blocks)
        case "html":
            from tb_perfcompare.render.html_report import block_page

            return block_page(blocks)
        case _:
            raise ValueError(f"no format {name!r}")


def _narrowed(comparison: Comparison, table: str | None, top: int | None) -> Comparison:
    """Returns the comparison with only `table` (None: all) and `top` rows per table, for JSON; the ledger is kept."""
    tables = dict(comparison.tables)
    if table == LEDGER:
        tables = {}
    elif table is not None:
        tables = {table: comparison.table(table)}
    if top is not None:
        tables = {name: first_rows(kept_table, top) for name, kept_table in tables.items()}
    return replace(comparison, tables=tables)


def first_rows(table: Table, top: int) -> Table:
    """Returns the table's first `top` rows, with a note if others are left out."""
    if len(table.rows) <= top:
        return table
    note = f"first {top:,} of {len(table.rows):,} rows"
    return replace(table, rows=table.rows[:top], notes=(*table.notes, note))


def _csv(table: Table, top: int | None) -> bytes:
    from tb_perfcompare.render.csv import csv

    return _utf8(csv(table, top=top))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
