"""Tests of the rows of tables, many in one batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Column
from tb_perfcompare.comparison.statistics.entity_tests import CHANGES, entity_tests, floor_ns, robust_z
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.tables.row_cells import ColumnCells, to_cells
from tb_perfcompare.model.arrays import Floats, Ints, each_side
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import Measure
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.text_numbers import JoinedRows
from tb_perfcompare.model.texts import TextPool
from tb_perfcompare.model.texts import column as text_column
from tb_perfcompare.quick_dataclass import dataclass

Paces = Mapping[str, tuple[Floats, Floats]]
"""Pace ("host", "device") -> for each side, the factor by which the machine lengthens each observation."""

NO_PACES: Paces = {}

AtLevel = Callable[[tuple[Ints, Ints]], tuple[Floats, Floats]]
"""(r, n), (r, m) times as recorded -> those at equal amount of work."""

_CHANGES = TextPool([change.value for change in CHANGES])

_TOGETHER = 250_000
"""Step times that are tested in one batch: a call costs more than a row, and memory is bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class RowTest:
    """The tests of all rows for one time of a table. `sides` returns (rows, steps) nanoseconds of each side; `cells`
    are filled in when the test runs. `follows`: the pace that the times follow, "host" or "device", "" for none."""

    shown: tuple[Column, ...]
    sides: Callable[[], tuple[Ints, Ints]]
    joined: JoinedRows
    delta_ns: Floats
    cells: list[ColumnCells] = field(default_factory=list)
    follows: str = ""


def tests_of(
    name: str, measure: Measure, joined: JoinedRows, both: tuple[Summary, Summary], delta_ns: Floats
) -> list[RowTest]:
    """Test of each row; empty if a side has only totals, divided among the steps."""
    tables = [summary.groups.get(name) for summary in both]
    if not all(table is None or table.sampled for table in tables):
        return []

    def times(summary: Summary, table: GroupTable | None, rows: Ints) -> Ints:
        values = np.zeros((len(rows), len(summary.steps)), dtype=np.int64)
        if table is not None:
            values[rows >= 0] = table.measures_ns[measure.source][rows[rows >= 0]]
        return values

    def sides() -> tuple[Ints, Ints]:
        return each_side(times, both, tables, (joined.at_a, joined.at_b))

    there = any(table is not None and table.measures_ns[measure.source].any() for table in tables)
    shown = not measure.name or there
    tests = columns.tests(measure.name, measure.label, shown=shown)
    return [RowTest(tests, sides, joined, delta_ns, follows=measure.pace)]


def run_tests(
    tests: list[RowTest], both: tuple[Summary, Summary], options: CompareOptions, paces: Paces, at_level: AtLevel | None
) -> None:  # fmt: skip
    """Fills in the cells of the tests; times are at equal machine speed if their pace is known."""
    for batch in _batches(tests, sum(len(side.steps) for side in both)):
        _test(batch, both, options, paces, at_level)


def _batches(tests: list[RowTest], steps: int) -> Iterator[list[RowTest]]:
    """Yields groups of tests that run together; tests without rows have no observations."""
    batch: list[RowTest] = []
    for test in tests:
        rows = sum(len(other.delta_ns) for other in (*batch, test))
        if batch and (rows * steps > _TOGETHER or not len(test.delta_ns) or not len(batch[0].delta_ns)):
            yield batch
            batch = []
        batch.append(test)
    if batch:
        yield batch


def _test(
    batch: list[RowTest], both: tuple[Summary, Summary], options: CompareOptions, paces: Paces,
    at_level: AtLevel | None,
) -> None:  # fmt: skip
    seen = [observations(summary) for summary in both]
    values = (np.concatenate(side) for side in zip(*(test.sides() for test in batch), strict=True))
    x, y = (own.means(side) if len(side) else side for own, side in zip(seen, values, strict=True))
    least = floor_ns(min(float(side.steps.total_ns.mean()) for side in both), options)
    at_a = np.concatenate([test.joined.at_a for test in batch]) >= 0
    at_b = np.concatenate([test.joined.at_b for test in batch]) >= 0
    ends = np.cumsum([0, *(len(test.delta_ns) for test in batch)]).tolist()
    families = tuple(slice(start, end) for start, end in itertools.pairwise(ends))
    delta_ns = np.concatenate([test.delta_ns for test in batch])
    for test, rows in zip(batch, families, strict=True):
        if test.follows not in paces:
            continue
        times = (x[rows], y[rows]) if at_level is None else at_level((x[rows], y[rows]))
        x[rows], y[rows] = each_side(
            lambda side, pace: np.rint(side / pace).astype(np.int64), times, paces[test.follows]
        )
        at_one_pace = y[rows].mean(axis=1) - x[rows].mean(axis=1)
        # a change of the opposite sign is not known
        delta_ns[rows] = np.where(delta_ns[rows] * at_one_pace >= 0, at_one_pace, np.nan)
    captures = seen[0].capture, seen[1].capture
    tested = entity_tests(x, y, captures, (at_a, at_b), delta_ns, least, options, families)
    enough = min(x.shape[1], y.shape[1]) >= 2
    interval = (ns / 1000 for ns in (tested.shift_ns, tested.low_ns, tested.high_ns))
    figures = (tested.q, tested.p, *interval, robust_z(x, y), tested.cliffs_delta) if enough else ()
    for test, rows in zip(batch, families, strict=True):
        change, *rest = test.shown
        test.cells.append((change, text_column(tested.changes[rows], _CHANGES)))
        for shown, figure in zip(rest, figures, strict=False):
            test.cells.append((shown, to_cells(figure[rows], None)))
