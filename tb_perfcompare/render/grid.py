"""Formats a Table as headings and cells of text, to which text, Markdown and HTML only add their syntax."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.short_names import short_names
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.widths import display_width
from tb_perfcompare.units import Better

MARKS = {"both": "", "added": "new", "removed": "gone"}
"""Status of a row -> word shown for it."""

_OF_ROW_UNIT = {"bytes": number_text.size, "bytes/s": number_text.rate, "FLOP": number_text.operations}
_OF_UNIT = {
    "bytes/s": number_text.rate, "FLOP": number_text.operations, "FLOP/s": number_text.operation_rate,
}  # fmt: skip
_PROBABILITY = regex(r"(^|_)[pq]$|^p_holm$|^[pu]_(beta|mu)$")
"""Names of columns with p-values or similar."""

_SIGNED_ROLES = frozenset({"delta", "percent"})
_NUMERIC_KINDS = frozenset({"time_us", "count", "fraction", "number"})


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of a column. `numeric` cells are right-aligned; `code` columns hold names, shown verbatim; `is_delta`
    columns hold differences where less is better."""

    label: str
    numeric: bool
    code: bool
    description: str = ""
    is_delta: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A formatted table: every cell is printable text. `left_out` is the number of rows after the last one shown;
    `brief` tables are part of a report and are kept narrow."""

    name: str
    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()
    brief: bool = True


def grid_of(table: Table, *, top: int | None = None, brief: bool = True) -> Grid:
    """Formats the table's shown columns and first `top` rows (None: all). All times of a table have the same unit, and
    so have all sizes, so that columns can be compared by eye."""
    rows = table.rows if top is None else table.rows[:top]
    chosen = [index for index, column in enumerate(table.columns) if column.shown]
    times = number_text.table_scale(largest(table, rows, lambda column: column.kind == "time_us"))
    sizes = number_text.byte_scale(largest(table, rows, lambda column: column.unit == "bytes"))
    heads = tuple(_head(table.columns[index], times, sizes) for index in chosen)
    unit_at = table.places.get("unit")
    cells = tuple(
        tuple(
            _format_cell(table.columns[index], row[index], times, sizes, "" if unit_at is None else row[unit_at])
            for index in chosen
        )
        for row in rows
    )
    return Grid(table.name, table.title, heads, cells, len(table.rows) - len(rows), table.notes, brief)


def sums_line(table: Table, sums: Mapping[str, float | None]) -> tuple[str, ...]:
    """One line with the exact sums of columns over all rows, times in microseconds; () if no shown column has one."""
    parts = [
        f"{column.label} {_exact(column, total)}"
        for column in table.columns
        if column.shown and column.kind != "fraction" and (total := sums.get(column.name)) is not None
    ]
    return (f"Sum of {number_text.many(len(table.rows), 'row')}: {', '.join(parts)}.",) if parts else ()


def _exact(column: Column, total: float) -> str:
    number = f"{total:,.0f}" if float(total).is_integer() else f"{total:,.3f}"
    if column.kind == "time_us":
        return f"{number} {number_text.MICROSECONDS.symbol}"
    return f"{number} {column.unit}" if column.unit == "bytes" else number


def with_short_names(grid: Grid, widths: Sequence[int]) -> Grid:
    """Replaces the names of a column by short names if any is wider than the column, as cutting names in the middle
    would remove what tells kernels apart."""
    columns = [list(column) for column in zip(*grid.rows, strict=True)]
    for index, head in enumerate(grid.heads if columns else ()):
        if head.code and any(display_width(name) > widths[index] for name in columns[index]):
            columns[index] = short_names(columns[index])
    return replace(grid, rows=tuple(zip(*columns, strict=True)))


def without_blank(grid: Grid) -> Grid:
    """Removes text columns that are empty in every row."""
    kept = [
        index for index, head in enumerate(grid.heads)
        if head.numeric or head.code or not grid.rows
        or any(row[index] not in ("", number_text.ABSENT) for row in grid.rows)
    ]  # fmt: skip
    rows = tuple(tuple(row[index] for index in kept) for row in grid.rows)
    return replace(grid, heads=tuple(grid.heads[index] for index in kept), rows=rows)


def largest(table: Table, rows: Sequence[tuple[Cell, ...]], takes: Callable[[Column], bool]) -> float:
    """Largest number of these rows without its sign, in the columns that `takes` chooses; 0 if there is none."""
    indices = [index for index, column in enumerate(table.columns) if takes(column)]
    cells = (row[index] for row in rows for index in indices)
    return max((abs(cell) for cell in cells if isinstance(cell, int | float) and math.isfinite(cell)), default=0.0)


def _head(column: Column, times: number_text.Scale, sizes: number_text.Scale) -> Head:
    label = column.label
    if column.kind == "time_us":
        label = f"{label} ({times.symbol})"
    elif column.unit == "bytes":
        label = f"{label} ({sizes.symbol})"
    is_delta = column.role == "delta" and column.better is Better.LOWER
    return Head(label, column.kind in _NUMERIC_KINDS, column.role == "key", column.description, is_delta)


def _format_cell(column: Column, cell: Cell, times: number_text.Scale, sizes: number_text.Scale, unit: Cell) -> str:
    """Formats a cell; `unit` is the row's unit, for numbers in columns without one."""
    signed = column.role in _SIGNED_ROLES
    match cell:
        case None:
            return number_text.ABSENT
        case bool():
            return "yes" if cell else "no"
        case str() if column.name == "unit":
            return number_text.UNIT_TEXT.get(cell, printable(cell))
        case str():
            return MARKS.get(cell, printable(cell)) if column.role == "status" else printable(cell)
        case _ if column.kind == "time_us":
            return number_text.number(cell * times.factor, signed=signed)
        case _ if column.kind == "fraction" and column.role == "delta":
            return number_text.points(cell)
        case _ if column.kind == "fraction":
            share = column.role != "percent" or column.name == "share"
            return number_text.percent(cell, signed=signed, share=share)
        case _ if column.unit == "bytes":
            return number_text.number(cell * sizes.factor, signed=signed)
        case _ if column.kind == "number" and _PROBABILITY.search(column.name):
            return number_text.p_value(cell)
        case _ if column.unit in _OF_UNIT:
            return _OF_UNIT[column.unit](cell, signed=signed)
        case _ if column.kind == "number" and unit in _OF_ROW_UNIT:
            return _OF_ROW_UNIT[str(unit)](cell, signed=signed)
        case _:
            return number_text.count(cell, signed=signed)
