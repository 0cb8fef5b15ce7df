"""Comma-separated values: every column and row of one table, numbers as they are, texts that no spreadsheet runs."""

from __future__ import annotations

import csv as writer
import math
from collections.abc import Iterable, Sequence

from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.printable import without_controls

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv(table: Table, *, top: int | None = None) -> str:
    """A header of column names (stable, unlike labels) and the rows; absent cells are empty."""
    rows = table.rows if top is None else table.rows[:top]
    return lines([[guarded(column.name) for column in table.columns]], ([_cell(cell) for cell in row] for row in rows))


def lines(*rows: Iterable[Sequence[str | int | float]]) -> str:
    """One line for each row, ended by a newline. Texts with any line break are quoted: a reader that takes a lone
    carriage return for the end of a line would else find another row in a name."""
    out = _Ended()
    drawn = writer.writer(out, lineterminator="\r\n")  # quotes what holds one of these two
    for some in rows:
        drawn.writerows(some)
    return "".join(out.lines)


class _Ended:
    """What csv writes to, a row at a time."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line[:-2] + "\n")


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
    """A text cell without control characters; tabs and line ends stay. A spreadsheet runs one that starts like a
    formula; an apostrophe in front makes it a text again."""
    text = without_controls(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
