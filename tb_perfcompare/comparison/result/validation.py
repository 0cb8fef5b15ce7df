"""Consistency checks for comparisons loaded from a file: cells of tables fit their columns, and the ledger adds up.

Computed comparisons always pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any

import numpy as np

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.table import CellColumn, Column, ColumnRows, Table

_TEXTS: frozenset[type] = frozenset({str, int, NoneType})
_NUMBERS: frozenset[type] = frozenset({int, float, bool, NoneType})

_STATUSES = frozenset({"both", "added", "removed"})

_ADDED_UP = frozenset({"time_us", "count"})
"""Kinds of columns that are summed."""

_MAX_VALUE = 1e200
"""Sums of larger numbers may overflow."""

_OF_CATEGORIES = frozenset({"category", "baseline_us", "candidate_us", "shift_low_us", "shift_high_us"})
"""Columns of the table of categories, which are looked up by name."""


def inconsistency(comparison: Comparison) -> str:
    """Returns the first inconsistency, "" if there is none."""
    return next(_inconsistencies(comparison), "")


def _inconsistencies(comparison: Comparison) -> Iterator[str]:
    yield from _ledger(comparison.ledger)
    for name, table in comparison.tables.items():
        if table.name != name:
            yield f"a table {table.name[:40]} in the place of {name[:40]}"
        if name == "categories" and not table.places.keys() >= _OF_CATEGORIES:
            yield f"a table {name[:40]} without its columns"
        yield from _table(table)


def _ledger(ledger: Ledger) -> Iterator[str]:
    """Checks that every row equals the sum of the rows below it."""
    if ledger.denominator < 1:
        yield f"a ledger of {ledger.denominator} steps"
    left: dict[tuple[str, ...], tuple[int, int]] = {(): (ledger.baseline, ledger.candidate)}
    parents: set[tuple[str, ...]] = {()}
    for row in ledger.rows:
        above = row.path[:-1]
        if not 1 <= len(row.path) <= 3 or above not in left or row.path in left:
            yield "a row of the ledger in no place"
            return
        if row.status not in _STATUSES:
            yield f"a row of the ledger that is {row.status[:40]}"
        baseline, candidate = left[above]
        left[above] = baseline - row.baseline, candidate - row.candidate
        left[row.path] = row.baseline, row.candidate
        parents.add(above)
        if not row.candidate - row.baseline == row.delta == row.count_effect + row.rate_effect:
            yield "a row of the ledger that does not add up"
    if ledger.delta != ledger.candidate - ledger.baseline or any(any(left[parent]) for parent in parents):
        yield "a ledger that does not add up"


def _table(table: Table) -> Iterator[str]:
    columns: Sequence[CellColumn]
    if isinstance(table.rows, ColumnRows):
        columns = table.rows.columns
    elif set(map(len, table.rows)) - {len(table.columns)}:
        columns = ()
    else:
        columns = tuple(zip(*table.rows, strict=True)) or ((),) * len(table.columns)
    if len(columns) != len(table.columns):
        yield f"{table.name[:40]}: cells of other columns"
    elif not all(map(_fits, table.columns, columns)):
        yield f"{table.name[:40]}: a column of something else"


def _fits(column: Column, cells: CellColumn) -> bool:
    """Whether the cells are valid for the column."""
    if isinstance(cells, np.ndarray):
        return column.kind != "text" and not (column.kind in _ADDED_UP and (np.abs(cells) > _MAX_VALUE).any())
    kinds = set(map(type, cells))
    if column.kind == "text" or not kinds <= _NUMBERS:
        return column.kind == "text" and kinds <= _TEXTS
    numbers: Any = list(filter(None, cells)) if column.kind in _ADDED_UP else ()
    return not numbers or bool(-_MAX_VALUE <= min(numbers) <= max(numbers) <= _MAX_VALUE)
