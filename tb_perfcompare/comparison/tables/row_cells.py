"""Cells of the rows of two joined group tables: times, calls, effects, shares, facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import CellColumn, Column
from tb_perfcompare.model.arrays import Flags, Floats, Ints, divided, each_side
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import TableSpec
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.text_numbers import JoinedRows, at_rows
from tb_perfcompare.model.texts import TextPool
from tb_perfcompare.model.texts import column as text_column

ColumnCells = tuple[Column, CellColumn]
"""A column, and its cells in the order of the joined rows."""

_STATUSES = TextPool(["both", "added", "removed"])

_RAW_NAME = columns.text("raw_name", "Recorded name", "one recorded name, if not the joining name", shown=False)


def triple_cells(
    triple: tuple[Column, ...], values: tuple[Floats, Floats, Floats], joined: JoinedRows
) -> list[ColumnCells]:
    """Cells of baseline, candidate and difference; empty if a side lacks the row."""
    return [(column, to_cells(value, _mask(column.role, joined))) for column, value in zip(triple, values, strict=True)]


def names_and_status(a: GroupTable | None, b: GroupTable | None, joined: JoinedRows) -> list[ColumnCells]:
    """A recorded name of each row, the baseline's if it has the row, and which sides have the row."""
    numbers = joined.numbers
    names_a, names_b = (numbers.of(() if table is None else table.names) for table in (a, b))
    in_a = joined.at_a >= 0
    names = np.empty(len(joined), dtype=np.int64)
    names[in_a], names[~in_a] = names_a[joined.at_a[in_a]], names_b[joined.at_b[~in_a]]
    status = np.where(joined.at_b < 0, 2, np.where(joined.at_a < 0, 1, 0))
    return [(columns.STATUS, text_column(status, _STATUSES)), (_RAW_NAME, numbers.column(names))]


def per_step(
    values: Iterable[Ints | None], joined: JoinedRows, both: tuple[Summary, Summary]
) -> tuple[Floats, Floats]:
    """(rows,) means per step of both sides' (groups, steps) values, 0 if the side lacks the row."""
    return each_side(
        lambda own, rows, side:
        np.zeros(len(rows)) if own is None else at_rows(own.sum(axis=1).astype(np.float64), rows) / len(side.steps),
        tuple(values), (joined.at_a, joined.at_b), both,
    )  # fmt: skip


def _effects(x: Floats, y: Floats, calls_a: Floats, calls_b: Floats) -> tuple[Floats, Floats]:
    """Count and rate effect of the change from x to y (docs/method/ledger.md).

    They sum to y - x and change sign if the sides are exchanged.
    """
    mean_a, mean_b = divided(x, calls_a), divided(y, calls_b)
    mean_a, mean_b = np.where(np.isnan(mean_a), mean_b, mean_a), np.where(np.isnan(mean_b), mean_a, mean_b)
    count = np.where(calls_a == calls_b, 0.0, np.nan_to_num((calls_b - calls_a) * (mean_a + mean_b) / 2))
    return count, (y - x) - count


def calls_cells(
    spec: TableSpec, calls: tuple[Floats, Floats], tables: Sequence[GroupTable | None]
) -> list[ColumnCells]:
    """Calls per step; none on a side without the table."""
    return [
        (column, to_cells(values, None if table is not None else np.ones(len(values), np.bool_)))
        for column, values, table in zip(columns.calls(spec.calls, spec.counted), calls, tables, strict=True)
    ]


def share_and_effects(
    main: tuple[Floats, Floats, Floats], calls_a: Floats, calls_b: Floats, headline_delta_us: float | None
) -> list[ColumnCells]:
    """Share of the headline's change, count effect and rate effect."""
    x, y, delta = main
    count, rate = _effects(x, y, calls_a, calls_b)
    share = delta / headline_delta_us if headline_delta_us else np.full(len(x), np.nan)
    return [
        (columns.SHARE, share),
        (columns.COUNT_EFFECT, to_cells(count, None)),
        (columns.RATE_EFFECT, to_cells(rate, None)),
    ]


def means_and_shares(
    noun: str, main: tuple[Floats, Floats, Floats], calls: tuple[Floats, Floats], joined: JoinedRows
) -> list[ColumnCells]:
    """Time per call, and each side's share of the time of all rows."""
    mean_a, mean_b = map(divided, main[:2], calls)
    out: list[ColumnCells] = [
        (column, to_cells(values, _mask(column.role, joined)))
        for column, values in zip(columns.means(noun), (mean_a, mean_b, mean_b - mean_a), strict=True)
    ]
    for column, time, absent in zip(columns.shares(), main, (joined.at_a < 0, joined.at_b < 0), strict=False):
        share = time / time.sum() if time.sum() else np.full(len(time), np.nan)
        out.append((column, to_cells(share, absent)))
    return out


def _mask(role: str, joined: JoinedRows) -> Flags | None:
    """(rows,) whether the side of this role lacks the row, so that its cell is empty rather than zero; None for
    other roles."""
    return joined.at_a < 0 if role == "baseline" else joined.at_b < 0 if role == "candidate" else None


def to_cells(values: Floats, absent: Flags | None) -> Floats:
    """Converts values to cells: NaN where absent or not finite."""
    there = np.isfinite(values) if absent is None else np.isfinite(values) & ~absent
    return np.where(there, values + 0.0, np.nan)


def fact_cells(spec: TableSpec, a: GroupTable | None, b: GroupTable | None, joined: JoinedRows) -> list[ColumnCells]:
    """Facts that any row has, of both sides."""
    out: list[ColumnCells] = []
    for fact in spec.facts:
        sides = [
            np.full(len(rows), np.nan) if table is None or fact.name not in table.facts
            else at_rows(table.facts[fact.name], rows, np.nan)
            for table, rows in ((a, joined.at_a), (b, joined.at_b))
        ]  # fmt: skip
        if any(np.isfinite(side).any() for side in sides):
            pair = columns.sides(
                columns.fact, fact.name, fact.label, f"{fact.definition} ({{side}})", unit=fact.unit,
                better=fact.better, shown=fact.shown,
            )  # fmt: skip
            out += [(column, to_cells(values, None)) for column, values in zip(pair, sides, strict=True)]
    return out
