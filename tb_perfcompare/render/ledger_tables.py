"""The ledger as tables in microseconds per step: complete, its categories, or its parts (docs/method/ledger.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.table_catalogue import LEDGER
from tb_perfcompare.comparison.result.wording import of_cpu_alone

_TITLE = "Exposed time per step, adding up to the change"
_PARTS_TITLE = "The largest of these by who called them and with which input shape"

_COLUMNS = (
    columns.key("category", "Category", "category of step time"),
    columns.key("name", "Name", "owner of the time; empty for the whole category"),
    columns.key("part", "Called by, with shape", "caller and input shape within the entry; empty for the whole entry"),
    *columns.triple("", "", "Exposed time"),
    *columns.calls("Calls"),
    columns.COUNT_EFFECT,
    columns.RATE_EFFECT,
    columns.MIX_EFFECT,
    columns.SAME_SHAPE_EFFECT,
    columns.STATUS,
)
_CATEGORY, _NAME, _PART, _FIRST_CALLS = 0, 1, 2, 6


def ledger_table(comparison: Comparison) -> Table:
    """Returns all rows of the ledger: the categories add up to the row "total", and other rows to the row they are part
    of. The JSON form has the exact integers."""
    return _table(comparison.ledger, comparison.ledger.rows)


def _table(ledger: Ledger, shown: Sequence[LedgerRow]) -> Table:
    def per_step(value: int) -> float:
        return value / ledger.denominator / 1000

    rows: list[tuple[Cell, ...]] = []
    name = ""
    for row in _recorded_rows(ledger, shown):
        depth = len(row.path)
        name = ("", row.name, name)[depth - 1]
        recorded = ledger.recorded(row.path[0])
        times = zip((per_step(row.baseline), per_step(row.candidate)), recorded, strict=True)
        sides = [us if is_known else None for us, is_known in times]
        calls = [count if is_known else None for count, is_known in zip(row.calls, recorded, strict=True)]
        effects = (row.count_effect, row.rate_effect, row.mix_effect, row.same_shape_effect)
        rows.append(
            (row.path[0], name, row.path[2] if depth == 3 else "", *sides, per_step(row.delta), *calls,
             *map(per_step, effects), row.status)
        )  # fmt: skip
    total = map(per_step, (ledger.baseline, ledger.candidate, ledger.delta))
    rows.append(("", "total", "", *total, *[None] * 6, "both"))
    notes = tuple(of_cpu_alone(ledger))
    if any(ledger.backlog):
        a, b = (number_text.time(per_step(backlog)) for backlog in ledger.backlog)
        notes += (
            f"Backlog: device work that an earlier step launched owns {a} of the baseline's mean step, {b} of the "
            "candidate's.",
        )
    return Table(LEDGER, _TITLE, _COLUMNS, tuple(rows), notes)


def _recorded_rows(ledger: Ledger, rows: Sequence[LedgerRow]) -> Iterator[LedgerRow]:
    """Yields the rows of categories that at least one side could record."""
    return (row for row in rows if any(ledger.recorded(row.path[0])))


def category_table(comparison: Comparison) -> Table:
    """Returns the ledger's category rows that have time, and their sum; with the changes at equal machine speed, if
    these are known."""
    full_table = _table(comparison.ledger, comparison.ledger.heads)
    changed = [row for row in full_table.rows[:-1] if any(row[_PART + 1 : _FIRST_CALLS + 2])]
    rows = [*changed, ("total", *full_table.rows[-1][1:])]
    table = _narrowed(replace(full_table, rows=tuple(rows)), (_CATEGORY, *range(_PART + 1, _FIRST_CALLS + 2)))
    paced = at_equal_speed(comparison)
    if not paced:
        return table
    sums = math.fsum(change for change, _ in paced.values() if isinstance(change, float)), None
    with_paced = [(*row, *paced.get(str(row[0]), (None, None))) for row in table.rows[:-1]] + [(*table.rows[-1], *sums)]
    return replace(table, columns=(*table.columns, *columns.AT_EQUAL_SPEED), rows=tuple(with_paced))


def largest_category(ledger: Ledger) -> int:
    """Largest change of a category, without its sign, in ledger units."""
    return max((abs(head.delta) for head in ledger.heads), default=0)


def at_equal_speed(comparison: Comparison) -> dict[str, tuple[Cell, Cell]]:
    """Category -> change at equal machine speed and its p; empty if not known."""
    table = comparison.tables.get("categories")
    change, p = (column.name for column in columns.AT_EQUAL_SPEED)
    if table is None or change not in table.places:
        return {}
    change_at, p_at = table.places[change], table.places[p]
    return {str(row[0]): (row[change_at], row[p_at]) for row in table.rows}


def entity_table(comparison: Comparison) -> Table:
    """Returns categories and their entities, without the entities' parts."""
    full_table = ledger_table(comparison)
    rows = tuple(row for row in full_table.rows if not row[_PART])
    kept = [index for index in range(len(_COLUMNS)) if index != _PART]
    return _narrowed(replace(full_table, rows=rows), kept)


def parts_table(comparison: Comparison) -> Table | None:
    """Returns the parts of all entities, those of the entity with the largest change first; None if there are none."""
    full_table = ledger_table(comparison)
    groups: dict[tuple[str, str], list[tuple[Cell, ...]]] = {}
    size: dict[tuple[str, str], int] = {}
    for row, cells in zip(_recorded_rows(comparison.ledger, comparison.ledger.rows), full_table.rows, strict=False):
        match row.path:
            case (category, entity):
                size[category, entity] = abs(row.delta)
            case (category, entity, _):
                groups.setdefault((category, entity), []).append(cells)
    if not groups:
        return None
    ordered = sorted(groups, key=lambda key: (-size[key], key))
    rows = tuple(cells for key in ordered for cells in groups[key])
    return _narrowed(replace(full_table, title=_PARTS_TITLE, rows=rows), range(_NAME, len(_COLUMNS)))


def _narrowed(table: Table, kept: range | tuple[int, ...] | list[int]) -> Table:
    rows = tuple(tuple(row[index] for index in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[index] for index in kept), rows=rows)
