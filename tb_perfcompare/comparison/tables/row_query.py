"""Selects and sorts rows of a table, as the page does for the tables it holds; used for longer ones.

Queries read a finished table; the only figures computed are sums of the rows that are not sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Row, Table, cells_of, numbers_of, picked
from tb_perfcompare.comparison.result.table_catalogue import CHANGE, DELTA, EFFECTS, VALUE, Q
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.arrays import Ints, Ints32
from tb_perfcompare.quick_dataclass import dataclass

CLEAR_Q = 0.05
"""Largest q of a clear difference."""

_ADDS_UP = {"time_us", "count"}
_SIDES = {"baseline", "candidate", "delta"}
_MEAN = "mean"
"""Measure of the time of one call."""
_DECIMALS = 6
_MAX_ROUNDED = 1e9
"""Size of floats from which they have fewer decimals."""

Sums = float | None
_RowTest = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class RowQuery:
    """Query on the rows of a table; equal queries have equal answers.

    words      words that the texts of a row must contain, or must not with a `-` in front; case is ignored
    sort       (what, descending), the most important first; without any the table's own order. A column, its absolute
               value as `|delta_us|`, a quotient as `delta_us/baseline_us`, or several of these separated by `?`: the
               first one with a value other than absence, 0, "" and the status `both`
    status     only rows with this status
    change     only rows with this word in a column of changes (`slower`, `cannot tell`, ...)
    category   only rows of this part of the step, if the table has such a column that is not its key
    least_us   smallest |delta| of any of the row's times, in microseconds
    clear      only rows with a q up to CLEAR_Q, if the table has q
    """

    words: str = ""
    sort: tuple[tuple[str, bool], ...] = ()
    status: str = ""
    change: str = ""
    category: str = ""
    least_us: float = 0.0
    clear: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ChosenRows:
    """The answer to a query.

    rows        (n,) int32 numbers of the rows that pass, in the requested order
    hidden      (h,) int32 numbers of the rows that only `least_us` leaves out, in the table's order
    sums        column -> sum over `rows`, over `hidden`, and over all rows of the table
    statuses    status -> number of rows that pass all conditions except status, change and least_us
    """

    rows: Ints32
    hidden: Ints32
    sums: Mapping[str, Sums]
    hidden_sums: Mapping[str, Sums]
    all_sums: Mapping[str, Sums]
    statuses: Mapping[str, int]


def choose_rows(table: Table, query: RowQuery) -> ChosenRows:
    """Answers the query. Raises SelectionError for a sort key that the table does not have."""
    passes = _tests(table, query)
    matching: Sequence[int] = range(len(table.rows))
    if passes:
        matching = [number for number, row in enumerate(table.rows) if all(test(row) for test in passes)]
    big = _large_rows(table, query.least_us)
    rows = [number for number in matching if big is None or big[number]]
    hidden = [number for number in matching if big is not None and not big[number]]
    for name, descending in reversed(query.sort):
        rows = _sorted(_sort_cells(table, name), rows, descending)
    return ChosenRows(
        np.array(rows, dtype=np.int32), np.array(hidden, dtype=np.int32), sums_of(table, rows),
        sums_of(table, hidden), sums_of(table), statuses_of(table, query),
    )  # fmt: skip


def sums_of(table: Table, rows: Sequence[int] | None = None) -> dict[str, Sums]:
    """Column -> sum over these rows (over all rows by default) for columns whose cells add up; None if nothing was
    measured."""
    some = None if rows is None else np.asarray(rows, dtype=np.int64)
    return {
        column.name: _sum(table.rows, index, some) for index, column in enumerate(table.columns) if is_additive(column)
    }


def _sum(rows: Sequence[Row], index: int, some: Ints | None) -> Sums:
    """Sum of one column, reading no others: they may hold texts that are costly to make."""
    numbers = numbers_of(rows, index)
    if numbers is not None:
        chosen = numbers if some is None else numbers[some]
        values = chosen[~np.isnan(chosen)].tolist()
    else:
        cells = cells_of(rows, index)
        asked = cells if some is None else (cells[number] for number in some.tolist())
        values = [cell for cell in asked if type(cell) is float or _is_number(cell)]
    return exact_sum(values) if values else None


def exact_sum(values: Iterable[float]) -> float:
    """Sum to a millionth: for decimals such as 59,945.216 the exact decimal, not the float next to it."""
    total = math.fsum(values)
    return round(total, _DECIMALS) if abs(total) < _MAX_ROUNDED else total


def is_additive(column: Column) -> bool:
    """Whether the column adds up over rows: amounts of one run; times and counts of a side, and their differences;
    not means or estimates of a difference."""
    return column.role == "amount" or (
        column.kind in _ADDS_UP and column.role in _SIDES and column.measure != _MEAN
        and column.statistic in (VALUE, DELTA, *EFFECTS)
    )  # fmt: skip


def statuses_of(table: Table, query: RowQuery) -> Mapping[str, int]:
    """Status -> number of rows that would be shown with it, empty for a table without a status."""
    out: dict[str, int] = {}
    index = next((i for i, column in enumerate(table.columns) if column.role == "status"), -1)
    if index < 0:
        return out
    passes = _tests(table, replace(query, status="", change=""))
    cells: Iterable[Cell] = cells_of(table.rows, index)
    if passes:
        cells = (row[index] for row in table.rows if all(test(row) for test in passes))
    for cell in cells:
        out[str(cell)] = out.get(str(cell), 0) + 1
    return out


def row_keys(table: Table) -> tuple[str, ...]:
    """Texts that identify the rows in links and findings: their key columns."""
    keys = [cells_of(table.rows, index) for index, column in enumerate(table.columns) if column.role == "key"]
    if not keys:
        return ("",) * len(table.rows)
    return tuple(" › ".join("" if cell is None else _text(cell) for cell in row) for row in zip(*keys, strict=True))


def place_of(table: Table, chosen: ChosenRows, key: str) -> int | None:
    """Position among the chosen rows of the row with this key, or else of the first with a text equal to it; None if
    there is none."""
    numbers = chosen.rows.tolist()
    keys = row_keys(table)
    keyed = next((position for position, number in enumerate(numbers) if keys[number] == key), None)
    if keyed is not None:
        return keyed
    return next((position for position, row in enumerate(picked(table.rows, numbers)) if key in row), None)


def _text(cell: Cell) -> str:
    """Cell as the page writes it."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _index(table: Table, name: str) -> int:
    names = table.places
    if name not in names:
        raise SelectionError(f"{table.name} has no column {name[:80]!r}", hint=choices(name, list(names), len(names)))
    return names[name]


def _tests(table: Table, query: RowQuery) -> list[_RowTest]:
    """One test for each condition of the query that the table can meet."""
    columns = list(enumerate(table.columns))
    out: list[_RowTest] = []
    if query.status:
        out.append(_equals([at for at, column in columns if column.role == "status"], query.status))
    if query.change:
        out.append(_equals([at for at, column in columns if column.statistic == CHANGE], query.change))
    keys = [at for at, column in columns if column.role == "key"]
    category = [at for at, column in columns if column.name == "category" and keys[:1] != [at]]
    if query.category and category:
        out.append(_equals(category, query.category))
    if words := query.words.lower().split():
        texts = [at for at, column in columns if column.kind == "text" and column.role != "status"]
        out.append(_says(texts, words))
    qs = [at for at, column in columns if column.kind == "number" and column.statistic == Q]
    if query.clear and any(_is_number(cell) for at in qs for cell in cells_of(table.rows, at)):
        out.append(lambda row: any(_is_number(q := row[at]) and q <= CLEAR_Q for at in qs))  # type: ignore[operator]
    return out


def _equals(columns: Sequence[int], value: str) -> _RowTest:
    return lambda row: any(row[at] == value for at in columns)


def _says(columns: Sequence[int], words: Sequence[str]) -> _RowTest:
    """Whether texts of a row contain all words, and none of those with a `-` in front."""
    wanted = [word for word in words if not word.startswith("-")]
    unwanted = [word[1:] for word in words if len(word) > 1 and word.startswith("-")]

    def says(row: Row) -> bool:
        text = "\n".join(str(row[at] or "") for at in columns).lower()
        return all(word in text for word in wanted) and not any(word in text for word in unwanted)

    return says


def _large_rows(table: Table, least_us: float) -> list[bool] | None:
    """Whether each row is large enough; None if there is no limit."""
    deltas = [
        index for index, column in enumerate(table.columns) if column.statistic == DELTA and column.kind == "time_us"
    ]
    if least_us <= 0 or not deltas:
        return None
    big = np.zeros(len(table.rows), dtype=np.bool_)
    for index in deltas:
        numbers = numbers_of(table.rows, index)
        if numbers is None:
            cells = cells_of(table.rows, index)
            numbers = np.array([cell if _is_number(cell) else math.nan for cell in cells], np.float64)
        big |= np.isfinite(numbers) & (np.abs(numbers) >= least_us)
    large: list[bool] = big.tolist()
    return large


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell)


def _sort_cells(table: Table, what: str) -> Sequence[Cell]:
    """Cells to sort by, as specified in RowQuery.sort."""
    choices_of = [_quotients(table, part) for part in what.split("?")]
    if len(choices_of) == 1:
        return choices_of[0]
    rows = zip(*choices_of, strict=True)
    return [next((cell for cell in row if cell == cell and cell not in _NOTHING), None) for row in rows]


_NOTHING = (None, 0, "", "both")


def _quotients(table: Table, what: str) -> Sequence[Cell]:
    above, over, below = what.partition("/")
    if not over:
        return _sizes(table, above)
    pairs = zip(_sizes(table, above), _sizes(table, below), strict=True)
    return [_quotient(x, y) for x, y in pairs]


def _quotient(x: Cell, y: Cell) -> float | None:
    return x / y if _is_number(x) and _is_number(y) and y else None  # type: ignore[operator]


def _sizes(table: Table, what: str) -> Sequence[Cell]:
    if not (len(what) > 2 and what[0] == what[-1] == "|"):
        return cells_of(table.rows, _index(table, what))
    cells = cells_of(table.rows, _index(table, what[1:-1]))
    return [abs(cell) if _is_number(cell) else cell for cell in cells]  # type: ignore[arg-type]


def _sorted(cells: Sequence[Cell], rows: list[int], descending: bool) -> list[int]:
    """Sorts rows by their cells. Missing values come last in both directions, and equal rows keep their order. If a
    column has texts, all its cells are compared as texts."""
    there = [number for number in rows if (cell := cells[number]) is not None and cell == cell]
    if any(isinstance(cells[number], str) for number in there):
        there.sort(key=lambda number: _text(cells[number]), reverse=descending)
    else:
        there.sort(key=lambda number: cells[number], reverse=descending)  # type: ignore[arg-type,return-value]
    known = set(there)
    return there + [number for number in rows if number not in known]
