"""Tables of operators, kernels, copies and collectives: two sides joined by key, largest contribution first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table, by_name, table_of
from tb_perfcompare.comparison.tables import bandwidths
from tb_perfcompare.comparison.tables.exposed_time import exposed_time
from tb_perfcompare.comparison.tables.row_cells import (
    ColumnCells,
    calls_cells,
    fact_cells,
    means_and_shares,
    names_and_status,
    per_step,
    share_and_effects,
    triple_cells,
)
from tb_perfcompare.comparison.tables.row_tests import NO_PACES, AtLevel, Paces, RowTest, run_tests, tests_of
from tb_perfcompare.comparison.work.row_work import OF_TABLES, RowWork, has_work, peaks_of, table_work
from tb_perfcompare.comparison.work.split import at_equal_work
from tb_perfcompare.comparison.work.work_columns import SHOWN_WORK, exposed_split, notes_of, pair_columns
from tb_perfcompare.model.arrays import Floats, Ints, each_side
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME, Summary
from tb_perfcompare.model.summary.table_specs import IF_RECORDED, KEY_COLUMNS, TABLE_SPECS
from tb_perfcompare.model.summary.tables import DEVICE_MEASURES, GroupTable
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, join_rows

DEFAULT_OPTIONS = CompareOptions()

_Draft = tuple[list[ColumnCells | RowTest], Callable[[], Table]]
"""Columns of a table whose tests may not have run yet, and what builds it once they have."""


def diff_tables(
    names: Iterable[str], baseline: Summary, candidate: Summary, headline_delta_us: float | None,
    options: CompareOptions = DEFAULT_OPTIONS, paces: Paces = NO_PACES, numbers: TextNumbers | None = None,
    at_level: AtLevel | None = None,
) -> dict[str, Table]:  # fmt: skip
    """Builds those of the named tables of TABLE_SPECS that either side has; of IF_RECORDED those that both have. Rows
    are tested at equal machine speed if `paces` has their pace, and `at_level` if the amount of work varies. `numbers`
    may hold names of both sides already."""
    numbers = TextNumbers() if numbers is None else numbers
    drafts = [
        draft for name in names
        if (draft := _draft(name, baseline, candidate, headline_delta_us, numbers, options)) is not None
    ]  # fmt: skip
    tests = [entry for cells, _ in drafts for entry in cells if isinstance(entry, RowTest)]
    run_tests(tests, (baseline, candidate), options, paces, at_level)
    return by_name(table() for _, table in drafts)


def _draft(
    name: str, baseline: Summary, candidate: Summary, headline_delta_us: float | None, numbers: TextNumbers,
    options: CompareOptions,
) -> _Draft | None:  # fmt: skip
    spec, both = TABLE_SPECS[name], (baseline, candidate)
    a, b = tables = baseline.groups.get(name), candidate.groups.get(name)
    there = [table for table in tables if table is not None]
    if len(there) < (2 if name in IF_RECORDED else 1):
        return None
    keys_a, keys_b = (() if table is None else table.keys for table in tables)
    joined = join_rows(numbers, keys_a, keys_b, len(there[0].key_columns))
    calls = per_step((None if table is None else table.calls for table in tables), joined, both)
    cells_of_times, main, order, ordered = _times(name, tables, joined, both)
    share, *effects_of = share_and_effects(main, *calls, headline_delta_us)
    cycles = baseline.metric == CYCLE_TIME
    counted = not cycles or (baseline.counts_launches and candidate.counts_launches)
    # Without a clock nothing overlaps, and without entities the overlap is unknown.
    split = baseline.is_split and candidate.is_split and baseline.metric == STEP_TIME
    exposed = _exposed_cells(name, joined, both) if split else None
    works = _works(name, tables, joined, both, options)
    has_sizes = name in bandwidths.TABLES
    of_messages = bandwidths.pair_columns(baseline, candidate, name, joined.at_a, joined.at_b) if has_sizes else []
    keys = (columns.key(key, *KEY_COLUMNS[key]) for key in there[0].key_columns)
    cells: list[ColumnCells | RowTest] = [
        *zip(keys, map(numbers.column, joined.parts), strict=True),
        *cells_of_times,
        *([] if cycles else [share]),  # times that overlap are not shares of the cycle
        *(effects_of if counted else []),
        *([] if exposed is None else exposed.cells),
        *(calls_cells(spec, calls, tables) if counted else []),
        *(means_and_shares(spec.one, main, calls, joined) if spec.one else []),
        *fact_cells(spec, a, b, joined),
        *([] if works is None else _work_cells(name, works, exposed, joined)),
        *of_messages,
        *names_and_status(a, b, joined),
    ]
    of_works = () if works is None else notes_of(*works)
    notes = [columns.CORRECTED, *spec.notes, *of_works, *bandwidths.notes_of(of_messages)]
    if exposed is not None:
        notes.insert(1, f"{spec.exposed} Rows are sorted by change in exposed time.")
    elif len(ordered) > 1:
        notes.append(f"Rows are sorted by change in {' plus '.join(ordered)}.")
    order = order if exposed is None else exposed.order + order * 1e-6

    def table() -> Table:
        made = [made for entry in cells for made in (entry.cells if isinstance(entry, RowTest) else (entry,))]
        return table_of(name, spec.title, made, joined.by_size(order).tolist(), tuple(notes))

    return cells, table


def _times(
    name: str, tables: tuple[GroupTable | None, GroupTable | None], joined: JoinedRows,
    summaries: tuple[Summary, Summary],
) -> tuple[list[ColumnCells | RowTest], tuple[Floats, Floats, Floats], Floats, list[str]]:  # fmt: skip
    """Builds the times that both sides measured, as a difference needs both: their cells and tests, the main time of
    both sides and its difference, (rows,) sort values, and the names of the times in these."""
    spec = TABLE_SPECS[name]
    cells: list[ColumnCells | RowTest] = []
    order = np.zeros(len(joined))
    ordered: list[str] = []
    for measure in spec.measures:
        if not all(side is None or measure.source in side.measures_ns for side in tables):
            continue
        there = [measure.source not in DEVICE_MEASURES or summary.has_device for summary in summaries]
        if not any(there):
            continue
        values = (None if table is None else table.measures_ns[measure.source] for table in tables)
        x, y = (ns / 1000 for ns in per_step(values, joined, summaries))
        triple = columns.triple(measure.name, measure.label, measure.definition, shown=measure.shown)
        if not all(there):  # one side only: no difference
            x, y = (side if has else np.full(len(joined), np.nan) for side, has in zip((x, y), there, strict=True))
            cells += triple_cells(triple, (x, y, y - x), joined)
            continue
        delta = y - x
        if measure.source in spec.order:
            order += np.abs(delta)
            ordered.append(measure.definition.partition(":")[0].lower())
        cells += triple_cells(triple, (x, y, delta), joined)
        if not measure.name:
            main = (x, y, delta)
        if not measure.name or measure.source in spec.order:
            cells += tests_of(name, measure, joined, summaries, delta * 1000)
    return cells, main, order, ordered


class _Exposed(NamedTuple):
    """Cells of exposed time, (rows,) its absolute change, and (rows, steps) owned time of each side."""

    cells: list[ColumnCells | RowTest]
    order: Floats
    own: tuple[Ints, Ints]


def _exposed_cells(name: str, joined: JoinedRows, both: tuple[Summary, Summary]) -> _Exposed | None:
    """Builds the cells of exposed time; None if a side's ledger does not distinguish the rows."""
    own_a, own_b = (exposed_time(name, joined, side) for side in both)
    if own_a is None or own_b is None:
        return None
    x, y = (own.sum(axis=1) / own.shape[1] / 1000 for own in (own_a, own_b))
    triple = columns.triple("exposed", "Exposed", "Exposed time: time that the row owns in the ledger")
    test = RowTest(columns.tests("exposed", "exposed", shown=False), lambda: (own_a, own_b), joined, (y - x) * 1000)
    return _Exposed([*triple_cells(triple, (x, y, y - x), joined), test], np.abs(y - x), (own_a, own_b))


def _work_cells(
    name: str, works: tuple[RowWork, RowWork], exposed: _Exposed | None, joined: JoinedRows
) -> list[ColumnCells | RowTest]:
    """Cells of the rows' work, the test of whether it was done at a different rate, and for kernels how it splits the
    change of exposed time."""
    a, b, slower = at_equal_work(*works)
    test = RowTest(columns.tests("rate", "rate", shown=False), lambda: (a, b), joined, slower)
    split = exposed_split(works, exposed.own) if exposed is not None and name == "kernels" else []
    return [*pair_columns(*works, SHOWN_WORK if name == "operators_by_shape" else ()), test, *split]


def _works(
    name: str, tables: tuple[GroupTable | None, GroupTable | None], joined: JoinedRows, both: tuple[Summary, Summary],
    options: CompareOptions,
) -> tuple[RowWork, RowWork] | None:  # fmt: skip
    """Work of the rows of a table on both sides; None if neither side has it, or if the table has no work model."""
    if name not in OF_TABLES or not any(has_work(side, OF_TABLES[name][0]) for side in both):
        return None
    places: dict[tuple[str, ...], int] = {}
    for table, rows in zip(tables, (joined.at_a, joined.at_b), strict=True):
        if table is not None:
            keys = list(table.keys)
            places |= {keys[row]: joined_row for joined_row, row in enumerate(rows.tolist()) if row >= 0}
    return each_side(
        lambda side, peaks: table_work(side, name, places, len(joined), peaks), both, peaks_of(*both, options)
    )
