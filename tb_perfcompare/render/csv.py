"""Tables as CSV: every column and row, numbers unrounded, texts that no spreadsheet executes as formulas."""

from __future__ import annotations

import csv as writer
import math
from collections.abc import Iterable, Sequence

from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.printable import without_controls

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv(table: Table, *, top: int | None = None) -> str:
    """Returns a header of column names (stable, unlike labels) and the first `top` rows (None: all); absent cells are
    empty."""
    rows = table.rows if top is None else table.rows[:top]
    return lines([[guarded(column.name) for column in table.columns]], ([_cell(cell) for cell in row] for row in rows))


def lines(*rows: Iterable[Sequence[str | int | float]]) -> str:
    """Encodes each row as a line that ends with a newline. Texts with any kind of line break are quoted, as some
    readers take a lone carriage return for the end of a row."""
    out = _NewlineEnds()
    encoder = writer.writer(out, lineterminator="\r\n")  # quotes texts with either of these characters
    for group in rows:
        encoder.writerows(group)
    return "".join(out.lines)


class _NewlineEnds:
    """Collects the lines that the csv module writes, with `\\n` in place of `\\r\\n` at their ends."""

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
    """Escapes control characters, except tabs and line ends, and puts an apostrophe before a text that a spreadsheet
    would execute as a formula."""
    text = without_controls(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
