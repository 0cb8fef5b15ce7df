"""Tables of operators, kernels, copies and collectives: two sides joined by key, largest contribution first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import CellColumn, Column, Table, by_name, table_of
from tb_perfcompare.comparison.statistics.entity_tests import CHANGES, entity_tests, floor_ns, robust_z
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.tables import bandwidths
from tb_perfcompare.comparison.tables.exposed_time import exposed_time
from tb_perfcompare.comparison.tables.table_specs import IF_RECORDED, KEY_COLUMNS, TABLE_SPECS, Measure, TableSpec
from tb_perfcompare.comparison.work.row_work import OF_TABLES, RowWork, has_work, peaks_of, table_work
from tb_perfcompare.comparison.work.split import at_equal_work
from tb_perfcompare.comparison.work.work_columns import SHOWN_WORK, exposed_split, notes_of, pair_columns
from tb_perfcompare.model.arrays import Flags, Floats, Ints, divided, each_side
from tb_perfcompare.model.summary.summary import CYCLE_TIME, DEVICE_MEASURES, STEP_TIME, GroupTable, Summary
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, at_rows, join_rows
from tb_perfcompare.model.texts import TextPool
from tb_perfcompare.model.texts import column as text_column
from tb_perfcompare.quick_dataclass import dataclass

_Column = tuple[Column, CellColumn]
"""A column, and its cells in the order of the joined rows."""

Paces = Mapping[str, tuple[Floats, Floats]]
"""Pace ("host", "device") -> for each side, the factor by which the machine lengthens each observation."""

NO_PACES: Paces = {}

AtLevel = Callable[[tuple[Ints, Ints]], tuple[Floats, Floats]]
"""(r, n), (r, m) times as recorded -> those at equal amount of work."""

_OF_DEVICE = ("kernels", "kernels_by_operator", "kernels_by_launch", "kernels_by_module", "kernels_by_type")

DEFAULT_OPTIONS = CompareOptions()

_STATUSES = TextPool(["both", "added", "removed"])

_RAW_NAME = columns.text("raw_name", "Recorded name", "one recorded name, if not the joining name", shown=False)
_CHANGES = TextPool([change.value for change in CHANGES])

_TOGETHER = 250_000
"""Step times that are tested in one batch: a call costs more than a row, and memory is bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """The tests of all rows for one time of a table. `sides` returns (rows, steps) nanoseconds of each side; `cells`
    are filled in when the test runs. `follows`: the pace that the times follow, "host" or "device", "" for none."""

    shown: tuple[Column, ...]
    sides: Callable[[], tuple[Ints, Ints]]
    joined: JoinedRows
    delta_ns: Floats
    cells: list[_Column] = field(default_factory=list)
    follows: str = ""


_Draft = tuple[list[_Column | _Test], Callable[[], Table]]
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
    tests = [entry for cells, _ in drafts for entry in cells if isinstance(entry, _Test)]
    for batch in _batches(tests, len(baseline.steps) + len(candidate.steps)):
        _test(batch, (baseline, candidate), options, paces, at_level)
    return by_name(table() for _, table in drafts)


def _draft(
    name: str, baseline: Summary, candidate: Summary, headline_delta_us: float | None, numbers: TextNumbers,
    options: CompareOptions,
) -> _Draft | None:  # fmt: skip
    spec, both = TABLE_SPECS[name], (baseline, candidate)
    a, b = tables = baseline.groups.get(name), candidate.groups.get(name)
    there = [table for table in tables if table is not None]
    if len(there) < (len(tables) if name in IF_RECORDED else 1):
        return None
    keys_a, keys_b = (() if table is None else table.keys for table in tables)
    joined = join_rows(numbers, keys_a, keys_b, len(there[0].key_columns))
    calls = _per_step((None if table is None else table.calls for table in tables), joined, both)
    cells_of_times, main, order, ordered = _times(name, tables, joined, both)
    share, *effects_of = _share_and_effects(main, *calls, headline_delta_us)
    cycles = baseline.metric == CYCLE_TIME
    counted = not cycles or (baseline.counts_launches and candidate.counts_launches)
    # Without a clock nothing overlaps, and without entities the overlap is unknown.
    split = baseline.is_split and candidate.is_split and baseline.metric == STEP_TIME
    exposed = _exposed_cells(name, joined, both) if split else None
    works = _works(name, tables, joined, both, options)
    has_sizes = name in bandwidths.TABLES
    of_messages = bandwidths.pair_columns(baseline, candidate, name, joined.at_a, joined.at_b) if has_sizes else []
    status = text_column(np.where(joined.at_b < 0, 2, np.where(joined.at_a < 0, 1, 0)), _STATUSES)
    keys = (columns.key(key, *KEY_COLUMNS[key]) for key in there[0].key_columns)
    cells: list[_Column | _Test] = [
        *zip(keys, map(numbers.column, joined.parts), strict=True),
        *cells_of_times,
        *([] if cycles else [share]),  # times that overlap are not shares of the cycle
        *(effects_of if counted else []),
        *([] if exposed is None else exposed.cells),
        *(_calls(spec, calls, tables) if counted else []),
        *(_means_and_shares(spec.one, main, calls, joined) if spec.one else []),
        *_fact_cells(spec, a, b, joined),
        *([] if works is None else _work_cells(name, works, exposed, joined)),
        *of_messages,
        (columns.STATUS, status),
        (_RAW_NAME, _recorded(a, b, joined)),
    ]
    of_works = () if works is None else notes_of(*works)
    notes = [columns.CORRECTED, *spec.notes, *of_works, *bandwidths.notes_of(of_messages)]
    if exposed is not None:
        notes.insert(1, f"{spec.exposed} Rows are sorted by change in exposed time.")
    elif len(ordered) > 1:
        notes.append(f"Rows are sorted by change in {' plus '.join(ordered)}.")
    order = order if exposed is None else exposed.order + order * 1e-6

    def table() -> Table:
        made = [made for entry in cells for made in (entry.cells if isinstance(entry, _Test) else (entry,))]
        return table_of(name, spec.title, made, joined.by_size(order).tolist(), tuple(notes))

    return cells, table


def _times(
    name: str, tables: tuple[GroupTable | None, GroupTable | None], joined: JoinedRows,
    summaries: tuple[Summary, Summary],
) -> tuple[list[_Column | _Test], tuple[Floats, Floats, Floats], Floats, list[str]]:  # fmt: skip
    """Builds the times that both sides measured, as a difference needs both: their cells and tests, the main time of
    both sides and its difference, (rows,) sort values, and the names of the times in these."""
    spec = TABLE_SPECS[name]
    cells: list[_Column | _Test] = []
    order = np.zeros(len(joined))
    ordered: list[str] = []
    for measure in spec.measures:
        if not all(side is None or measure.source in side.measures_ns for side in tables):
            continue
        there = [measure.source not in DEVICE_MEASURES or summary.has_device for summary in summaries]
        if not any(there):
            continue
        values = (None if table is None else table.measures_ns[measure.source] for table in tables)
        x, y = (ns / 1000 for ns in _per_step(values, joined, summaries))
        triple = columns.triple(measure.name, measure.label, measure.definition, shown=measure.shown)
        if not all(there):  # one side only: no difference
            x, y = (side if has else np.full(len(joined), np.nan) for side, has in zip((x, y), there, strict=True))
            cells += _triple_cells(triple, (x, y, y - x), joined)
            continue
        delta = y - x
        if measure.source in spec.order:
            order += np.abs(delta)
            ordered.append(measure.definition.partition(":")[0].lower())
        cells += _triple_cells(triple, (x, y, delta), joined)
        if not measure.name:
            main = (x, y, delta)
        if not measure.name or measure.source in spec.order:
            cells += _tested(name, measure, joined, summaries, delta * 1000)
    return cells, main, order, ordered


def _triple_cells(
    triple: tuple[Column, ...], values: tuple[Floats, Floats, Floats], joined: JoinedRows
) -> list[_Column]:
    """Cells of baseline, candidate and difference; empty if a side lacks the row."""
    return [(column, _cells(value, _mask(column.role, joined))) for column, value in zip(triple, values, strict=True)]


class _Exposed(NamedTuple):
    """Cells of exposed time, (rows,) its absolute change, and (rows, steps) owned time of each side."""

    cells: list[_Column | _Test]
    order: Floats
    own: tuple[Ints, Ints]


def _exposed_cells(name: str, joined: JoinedRows, both: tuple[Summary, Summary]) -> _Exposed | None:
    """Builds the cells of exposed time; None if a side's ledger does not distinguish the rows."""
    own_a, own_b = (exposed_time(name, joined, side) for side in both)
    if own_a is None or own_b is None:
        return None
    x, y = (own.sum(axis=1) / own.shape[1] / 1000 for own in (own_a, own_b))
    triple = columns.triple("exposed", "Exposed", "Exposed time: time that the row owns in the ledger")
    test = _Test(columns.tests("exposed", "exposed", shown=False), lambda: (own_a, own_b), joined, (y - x) * 1000)
    return _Exposed([*_triple_cells(triple, (x, y, y - x), joined), test], np.abs(y - x), (own_a, own_b))


def _work_cells(
    name: str, works: tuple[RowWork, RowWork], exposed: _Exposed | None, joined: JoinedRows
) -> list[_Column | _Test]:
    """Cells of the rows' work, the test of whether it was done at a different rate, and for kernels how it splits the
    change of exposed time."""
    a, b, slower = at_equal_work(*works)
    test = _Test(columns.tests("rate", "rate", shown=False), lambda: (a, b), joined, slower)
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


def _recorded(a: GroupTable | None, b: GroupTable | None, joined: JoinedRows) -> CellColumn:
    """A recorded name of each row, the baseline's if it has the row."""
    numbers = joined.numbers
    names_a, names_b = (numbers.of(() if table is None else table.names) for table in (a, b))
    in_a = joined.at_a >= 0
    names = np.empty(len(joined), dtype=np.int64)
    names[in_a], names[~in_a] = names_a[joined.at_a[in_a]], names_b[joined.at_b[~in_a]]
    return numbers.column(names)


def _per_step(
    values: Iterable[Ints | None], joined: JoinedRows, both: tuple[Summary, Summary]
) -> tuple[Floats, Floats]:
    """(rows,) means per step of both sides' (groups, steps) values, 0 if the side lacks the row."""
    return each_side(
        lambda own, rows, side:
        np.zeros(len(rows)) if own is None else at_rows(own.sum(axis=1).astype(np.float64), rows) / len(side.steps),
        tuple(values), (joined.at_a, joined.at_b), both,
    )  # fmt: skip


def _tested(
    name: str, measure: Measure, joined: JoinedRows, both: tuple[Summary, Summary], delta_ns: Floats
) -> list[_Test]:
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
    return [_Test(tests, sides, joined, delta_ns, follows=_followed(name, measure.source))]


def _followed(name: str, source: str) -> str:
    """Pace that a time of a table follows; "" for API calls and copies, which follow no known pace."""
    if source in ("host_self", "host_total"):
        return "host"
    return "device" if source == "device_self" or (name in _OF_DEVICE and source == "total") else ""


def _batches(tests: list[_Test], steps: int) -> Iterator[list[_Test]]:
    """Yields groups of tests that run together; tests without rows have no observations."""
    batch: list[_Test] = []
    for test in tests:
        rows = sum(len(other.delta_ns) for other in (*batch, test))
        if batch and (rows * steps > _TOGETHER or not len(test.delta_ns) or not len(batch[0].delta_ns)):
            yield batch
            batch = []
        batch.append(test)
    if batch:
        yield batch


def _test(
    batch: list[_Test], both: tuple[Summary, Summary], options: CompareOptions, paces: Paces,
    at_level: AtLevel | None,
) -> None:  # fmt: skip
    """Runs the tests and fills in their cells; times are at equal machine speed if their pace is known."""
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
            test.cells.append((shown, _cells(figure[rows], None)))


def effects(x: Floats, y: Floats, calls_a: Floats, calls_b: Floats) -> tuple[Floats, Floats]:
    """Count and rate effect of the change from x to y (docs/method/ledger.md).

    They sum to y - x and change sign if the sides are exchanged.
    """
    mean_a, mean_b = divided(x, calls_a), divided(y, calls_b)
    mean_a, mean_b = np.where(np.isnan(mean_a), mean_b, mean_a), np.where(np.isnan(mean_b), mean_a, mean_b)
    count = np.where(calls_a == calls_b, 0.0, np.nan_to_num((calls_b - calls_a) * (mean_a + mean_b) / 2))
    return count, (y - x) - count


def _calls(
    spec: TableSpec, calls: tuple[Floats, Floats], tables: Sequence[GroupTable | None]
) -> list[_Column]:
    """Calls per step; none on a side without the table."""
    return [
        (column, _cells(values, None if table is not None else np.ones(len(values), np.bool_)))
        for column, values, table in zip(columns.calls(spec.calls, spec.counted), calls, tables, strict=True)
    ]


def _share_and_effects(
    main: tuple[Floats, Floats, Floats], calls_a: Floats, calls_b: Floats, headline_delta_us: float | None
) -> list[_Column]:
    x, y, delta = main
    count, rate = effects(x, y, calls_a, calls_b)
    share = delta / headline_delta_us if headline_delta_us else np.full(len(x), np.nan)
    return [
        (columns.SHARE, share),
        (columns.COUNT_EFFECT, _cells(count, None)),
        (columns.RATE_EFFECT, _cells(rate, None)),
    ]


def _means_and_shares(
    noun: str, main: tuple[Floats, Floats, Floats], calls: tuple[Floats, Floats], joined: JoinedRows
) -> list[_Column]:
    mean_a, mean_b = map(divided, main[:2], calls)
    out: list[_Column] = [
        (column, _cells(values, _mask(column.role, joined)))
        for column, values in zip(columns.means(noun), (mean_a, mean_b, mean_b - mean_a), strict=True)
    ]
    for column, time, absent in zip(columns.shares(), main, (joined.at_a < 0, joined.at_b < 0), strict=False):
        share = time / time.sum() if time.sum() else np.full(len(time), np.nan)
        out.append((column, _cells(share, absent)))
    return out


def _mask(role: str, joined: JoinedRows) -> Flags | None:
    """(rows,) whether the side of this role lacks the row, so that its cell is empty rather than zero; None for
    other roles."""
    return joined.at_a < 0 if role == "baseline" else joined.at_b < 0 if role == "candidate" else None


def _cells(values: Floats, absent: Flags | None) -> Floats:
    """Converts values to cells: NaN where absent or not finite."""
    there = np.isfinite(values) if absent is None else np.isfinite(values) & ~absent
    return np.where(there, values + 0.0, np.nan)


def _fact_cells(spec: TableSpec, a: GroupTable | None, b: GroupTable | None, joined: JoinedRows) -> list[_Column]:
    out: list[_Column] = []
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
            out += [(column, _cells(values, None)) for column, values in zip(pair, sides, strict=True)]
    return out
