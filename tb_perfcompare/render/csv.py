"""Comma-separated values: every column and row of one table, numbers as they are, texts that no spreadsheet runs."""

from __future__ import annotations

import csv as writer
import io
import math

from tb_perfcompare.comparison.comparison import Cell, Table

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv(table: Table, *, top: int | None = None) -> str:
    """A header of column names (stable, unlike labels) and the rows; absent cells are empty."""
    out = io.StringIO()
    lines = writer.writer(out, lineterminator="\n")
    lines.writerow(column.name for column in table.columns)
    for row in table.rows if top is None else table.rows[:top]:
        lines.writerow(_cell(cell) for cell in row)
    return out.getvalue()


def _cell(cell: Cell) -> str | int | float:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case str():
            return guarded(cell)
        case float() if not math.isfinite(cell):
            return ""
        case _:
            return cell


def guarded(text: str) -> str:
    """A spreadsheet runs a text cell that starts like a formula; an apostrophe in front makes it a text again."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
