"""Tables of a report: their main measure, and the rows that tell something."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.table_catalogue import DELTA, VALUE
from tb_perfcompare.render.grid import largest
from tb_perfcompare.render.ledger_tables import largest_category

_LEAST_CHANGE = 0.01
"""Change of a row, as a fraction of the largest, below which a table of a report does not end with it."""
_RESULTS_IN_NOTES = frozenset({"ranks"})
"""Tables whose notes are results, not definitions."""
_MAIN_ROLES = frozenset({"baseline", "candidate", "delta", "percent"})
_MAIN_TEXTS = frozenset({"verdict", "stands_out"})


def brief(table: Table, top: int) -> Table:
    """Reduces a table to its main measure: keys, one baseline, candidate and delta, share, calls, status.

    Deltas of other times are kept if one differs clearly in the first `top` rows, because they influence the order of
    rows; they then replace the share of the change. The definitions that are notes of the whole table are left out."""
    main, *others = _time_deltas(table) or [-1]
    other_deltas = [table.columns[index] for index in others if _differ(table, main, index, top)]
    used_roles: set[str] = {"percent"} if other_deltas else set()
    chosen = []
    for column in table.columns:
        is_main = (column.role in _MAIN_ROLES and column.role not in used_roles) or column in other_deltas
        used_roles.add(column.role)
        is_essential = column.role in ("key", "status") or column.kind == "count" or column.name in _MAIN_TEXTS
        chosen.append(column if is_main or is_essential else replace(column, shown=False))
    notes = table.notes if table.name in _RESULTS_IN_NOTES else ()
    return replace(table, columns=tuple(map(_narrow, chosen)), notes=(*notes, *_what_is_measured(table)))


def _differ(table: Table, one: int, other: int, top: int) -> bool:
    """Whether two columns of changes differ by _LEAST_CHANGE of the largest in one of the first rows; of results,
    whether the second has any."""
    rows = table.rows[:top]
    if table.name in _RESULTS_IN_NOTES:
        return any(row[other] for row in rows)
    least = _LEAST_CHANGE * largest(table, rows, table.columns[one].__eq__)
    cells = [(row[one], row[other]) for row in rows]
    return any(isinstance(x, float) and isinstance(y, float) and y != 0 and abs(x - y) > least for x, y in cells)


def telling_rows(table: Table, top: int, ledger: Ledger) -> int:
    """Number of first rows to show: at most `top`, and of changes none after the last that makes _LEAST_CHANGE of the
    largest change of a row or a category."""
    deltas = [table.columns[index] for index in _time_deltas(table)]
    if table.name in _RESULTS_IN_NOTES or not table.rows or not deltas:
        return min(top, len(table.rows))
    deltas = [column for column in deltas if column.measure == "exposed"] or deltas
    changes = [largest(table, [row], deltas.__contains__) for row in table.rows[:top]]
    least = _LEAST_CHANGE * max(*changes, largest_category(ledger) / (ledger.denominator * 1000))
    return max((place for place, change in enumerate(changes, start=1) if change >= least), default=0)


def _time_deltas(table: Table) -> list[int]:
    """Indices of the shown columns with changes of times."""
    return [
        index for index, column in enumerate(table.columns)
        if column.role == "delta" and column.kind == "time_us" and column.shown
    ]  # fmt: skip


_LETTERS = {"baseline": "A", "candidate": "B", "delta": "Δ"}
"""Role of a column of a table's main measure -> its label."""


def _is_main(column: Column) -> bool:
    return column.measure == "" and column.kind == "time_us" and column.statistic in (VALUE, DELTA)


def _narrow(column: Column) -> Column:
    return replace(column, label=_LETTERS.get(column.role, column.label)) if _is_main(column) else column


def _what_is_measured(table: Table) -> tuple[str, ...]:
    """Explains the letters that _narrow has put in place of the table's own labels; () if they were A and B already."""
    firsts = [column for column in table.columns if _is_main(column) and column.role == "baseline"]
    labels = [column.label.removesuffix(" A") for column in firsts]
    return tuple(f"A, B and Δ are {label.lower()} time." for label in labels if label != "A")
