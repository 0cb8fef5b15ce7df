"""Tables of operators, kernels, copies and collectives: two sides joined by key, largest contribution first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.comparison import Cell, Column, Table
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.statistics.entity_tests import entity_tests, floor_ns, robust_z
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.tables import columns
from tb_perfcompare.comparison.tables.group_shapes import KEY_COLUMNS, SHAPES, Measure, Shape
from tb_perfcompare.model.summary import CYCLE_TIME, DEVICE_CATEGORIES, GroupTable, Summary

Floats = NDArray[np.float64]

DEFAULT_OPTIONS = CompareOptions()


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Rows of both sides under the same key; index -1 where a side has none."""

    keys: list[tuple[str, ...]]
    names: list[str]
    at_a: NDArray[np.int64]
    at_b: NDArray[np.int64]


def diff_table(
    name: str,
    baseline: Summary,
    candidate: Summary,
    headline_delta_us: float | None,
    options: CompareOptions = DEFAULT_OPTIONS,
) -> Table | None:
    """The table `name` of SHAPES, None if neither side has it."""
    a, b = baseline.groups.get(name), candidate.groups.get(name)
    shape = SHAPES[name]
    if a is None and b is None:
        return None
    joined = _join(a, b)
    steps = (len(baseline.steps), len(candidate.steps))
    cells: list[tuple[Column, list[Cell]]] = []
    model = a if a is not None else b
    assert model is not None
    for position, key in enumerate(model.key_columns):
        label, what = KEY_COLUMNS[key]
        cells.append((columns.key(key, label, what), [row[position] for row in joined.keys]))
    calls_a, calls_b = (_per_step(t, at, n, _calls) for t, at, n in _sides(a, b, joined, steps))
    order = np.zeros(len(joined.keys))
    # Without a clock nothing overlaps, and without entities nobody knows what does.
    split = baseline.is_split and candidate.is_split and baseline.metric == "step_time"
    owned = [_exposed(joined, side) for side in (baseline, candidate)] if shape.exposed and split else None
    for measure in shape.measures:
        if not all(side is None or measure.source in side.measures_ns for side in (a, b)):
            continue  # a difference needs both
        x, y = (_per_step(t, at, n, _picker(measure.source)) / 1000 for t, at, n in _sides(a, b, joined, steps))
        delta = y - x
        if measure.source in shape.order:
            order += np.abs(delta)
        for column, values in zip(
            columns.triple(measure.name, measure.label, measure.what, shown=measure.shown), (x, y, delta), strict=True
        ):
            cells.append((column, _cells(values, _mask(column.role, joined))))
        if not measure.name:
            main = (x, y, delta)
        if not measure.name or measure.source in shape.order:
            cells += _tested(name, measure, joined, (baseline, candidate), delta * 1000, options)
    cycles = baseline.metric == CYCLE_TIME
    counted = not cycles or (baseline.counts_launches and candidate.counts_launches)
    share, *effects_of = _share_and_effects(main, calls_a, calls_b, headline_delta_us)
    cells += [] if cycles else [share]  # times that overlap are no shares of the cycle
    cells += effects_of if counted else []
    if owned is not None:
        what = "Exposed time: owned in the ledger"
        x, y = (own.sum(axis=1) / own.shape[1] / 1000 for own in owned)
        for column, values in zip(columns.triple("exposed", "Exposed", what), (x, y, y - x), strict=True):
            cells.append((column, _cells(values, _mask(column.role, joined))))
        cells += _test_columns(
            columns.tests("exposed", "exposed"), owned, joined, (baseline, candidate), (y - x) * 1000, options
        )
        order = np.abs(y - x) + order * 1e-6
    for column, values in zip(columns.calls(shape.calls), (calls_a, calls_b), strict=True) if counted else ():
        cells.append((column, _cells(values, None)))
    if shape.one:
        cells += _means_and_shares(shape.one, main, (calls_a, calls_b), joined)
    cells += _fact_cells(shape, a, b, joined)
    cells.append((columns.STATUS, _status(joined)))
    cells.append(
        (
            columns.text(
                "raw_name", "Recorded name", "a name as recorded, where the joining name differs", shown=False
            ),
            list(joined.names),
        )
    )
    rows = list(zip(*(values for _, values in cells), strict=True))
    ranked = sorted(range(len(rows)), key=lambda i: (-order[i], joined.keys[i]))
    notes = shape.notes if owned is None else (*shape.notes, shape.exposed)
    return Table(name, shape.title, tuple(column for column, _ in cells), tuple(rows[i] for i in ranked), notes)


def _join(a: GroupTable | None, b: GroupTable | None) -> _Joined:
    places: dict[tuple[str, ...], list[int]] = {}
    names: dict[tuple[str, ...], str] = {}
    for side, table in enumerate((a, b)):
        keys_here, shown = (table.keys, table.names) if table is not None else ((), ())
        for row, key in enumerate(keys_here):
            places.setdefault(key, [-1, -1])[side] = row
            names.setdefault(key, shown[row])
    keys = list(places)
    both = np.array(list(places.values()), dtype=np.int64).reshape(-1, 2)
    return _Joined(keys, [names[key] for key in keys], both[:, 0], both[:, 1])


_Side = tuple[GroupTable | None, NDArray[np.int64], int]


def _sides(a: GroupTable | None, b: GroupTable | None, joined: _Joined, steps: tuple[int, int]) -> tuple[_Side, _Side]:
    return ((a, joined.at_a, steps[0]), (b, joined.at_b, steps[1]))


def _calls(table: GroupTable) -> NDArray[np.int64]:
    return table.calls


def _picker(source: str) -> Callable[[GroupTable], NDArray[np.int64]]:
    return lambda table: table.measures_ns[source]


def _per_step(
    table: GroupTable | None, at: NDArray[np.int64], steps: int, pick: Callable[[GroupTable], NDArray[np.int64]]
) -> Floats:
    """(rows,) mean per step, 0 where the side lacks the row."""
    if table is None:
        return np.zeros(len(at))
    total = pick(table).sum(axis=1).astype(np.float64)
    return np.where(at >= 0, total[np.maximum(at, 0)], 0.0) / steps


def _tested(
    name: str, measure: Measure, joined: _Joined, both: tuple[Summary, Summary], delta_ns: Floats,
    options: CompareOptions,
) -> list[tuple[Column, list[Cell]]]:  # fmt: skip
    """Columns of the test of each row, none where a side only shares out a total."""
    sides = []
    for summary, at in zip(both, (joined.at_a, joined.at_b), strict=True):
        table = summary.groups.get(name)
        if table is not None and not table.sampled:
            return []
        values = np.zeros((len(at), len(summary.steps)), dtype=np.int64)
        if table is not None:
            values[at >= 0] = table.measures_ns[measure.source][at[at >= 0]]
        sides.append(values)
    return _test_columns(columns.tests(measure.name, measure.label), sides, joined, both, delta_ns, options)


def _test_columns(
    shown: tuple[Column, ...], sides: list[NDArray[np.int64]], joined: _Joined, both: tuple[Summary, Summary],
    delta_ns: Floats, options: CompareOptions,
) -> list[tuple[Column, list[Cell]]]:  # fmt: skip
    """sides: (rows, steps) nanoseconds of each."""
    seen = [observations(summary) for summary in both]
    x, y = (own.means(values) if len(values) else values for own, values in zip(seen, sides, strict=True))
    least = floor_ns(float(both[0].steps.total_ns.mean()), options)
    present = joined.at_a >= 0, joined.at_b >= 0
    found = entity_tests(x, y, (seen[0].capture, seen[1].capture), present, delta_ns, least, options)
    change, *rest = shown
    out: list[tuple[Column, list[Cell]]] = [(change, [each.value for each in found.change])]
    if min(x.shape[1], y.shape[1]) < 2:
        return out
    interval = (ns / 1000 for ns in (found.shift_ns, found.low_ns, found.high_ns))
    figures = (found.q, found.p, *interval, robust_z(x, y), found.cliffs_delta)
    return out + [(column, _cells(values, None)) for column, values in zip(rest, figures, strict=True)]


def _exposed(joined: _Joined, summary: Summary) -> NDArray[np.int64]:
    """(rows, steps) what rows own of each step, all entries of their name together."""
    owned = summary.owned
    place = {key[0]: row for row, key in enumerate(joined.keys)}
    rows = np.array([
        place.get(key, -1) if category in DEVICE_CATEGORIES else -1
        for category, key in zip(owned.category.tolist(), owned.key, strict=True)
    ], dtype=np.int64)  # fmt: skip
    own = np.zeros((len(joined.keys), len(summary.steps)), dtype=np.int64)
    np.add.at(own, rows[rows >= 0], owned.time_ns[rows >= 0])
    # rows that share a name show the same time
    return own[[place[key[0]] for key in joined.keys]]


def effects(x: Floats, y: Floats, calls_a: Floats, calls_b: Floats) -> tuple[Floats, Floats]:
    """Count and rate effect of the change from x to y (docs/ledger.md).

    They sum to y - x and change sign when the sides are swapped.
    """
    mean_a = np.divide(x, calls_a, out=np.full(len(x), np.nan), where=calls_a > 0)
    mean_b = np.divide(y, calls_b, out=np.full(len(y), np.nan), where=calls_b > 0)
    mean_a, mean_b = np.where(np.isnan(mean_a), mean_b, mean_a), np.where(np.isnan(mean_b), mean_a, mean_b)
    count = np.where(calls_a == calls_b, 0.0, np.nan_to_num((calls_b - calls_a) * (mean_a + mean_b) / 2))
    return count, (y - x) - count


def _share_and_effects(
    main: tuple[Floats, Floats, Floats], calls_a: Floats, calls_b: Floats, headline_delta_us: float | None
) -> list[tuple[Column, list[Cell]]]:
    x, y, delta = main
    count, rate = effects(x, y, calls_a, calls_b)
    share: list[Cell] = [None] * len(x) if not headline_delta_us else [float(d) / headline_delta_us for d in delta]
    return [
        (columns.SHARE, share),
        (columns.COUNT_EFFECT, _cells(count, None)),
        (columns.RATE_EFFECT, _cells(rate, None)),
    ]


def _means_and_shares(
    one: str, main: tuple[Floats, Floats, Floats], calls: tuple[Floats, Floats], joined: _Joined
) -> list[tuple[Column, list[Cell]]]:
    mean_a, mean_b = (
        np.divide(time, count, out=np.full(len(time), np.nan), where=count > 0)
        for time, count in zip(main[:2], calls, strict=True)
    )
    out = [
        (column, _cells(values, _mask(column.role, joined)))
        for column, values in zip(columns.means(one), (mean_a, mean_b, mean_b - mean_a), strict=True)
    ]
    for column, time, absent in zip(columns.shares(), main, (joined.at_a < 0, joined.at_b < 0), strict=False):
        share = time / time.sum() if time.sum() else np.full(len(time), np.nan)
        out.append((column, _cells(share, absent)))
    return out


def _mask(role: str, joined: _Joined) -> NDArray[np.bool_] | None:
    """A side without the row shows nothing rather than zero."""
    return joined.at_a < 0 if role == "baseline" else joined.at_b < 0 if role == "candidate" else None


def _cells(values: Floats, absent: NDArray[np.bool_] | None) -> list[Cell]:
    out: list[Cell] = [float(v) + 0.0 if np.isfinite(v) else None for v in values]
    if absent is not None:
        for row in np.flatnonzero(absent).tolist():
            out[row] = None
    return out


def _fact_cells(
    shape: Shape, a: GroupTable | None, b: GroupTable | None, joined: _Joined
) -> list[tuple[Column, list[Cell]]]:
    out: list[tuple[Column, list[Cell]]] = []
    for fact in shape.facts:
        sides = []
        for table, at in ((a, joined.at_a), (b, joined.at_b)):
            known = table.facts.get(fact.name) if table is not None else None
            sides.append(
                np.where(at >= 0, known[np.maximum(at, 0)], np.nan) if known is not None else np.full(len(at), np.nan)
            )
        if not (np.isfinite(sides[0]).any() or np.isfinite(sides[1]).any()):
            continue
        for side, letter, values in zip(("baseline", "candidate"), "AB", sides, strict=True):
            column = columns.fact(f"{side}_{fact.name}", f"{fact.label} {letter}", fact.unit, f"{fact.what} ({side})",
                                  better=fact.better, shown=fact.shown)  # fmt: skip
            out.append((column, _cells(values, None)))
    return out


def _status(joined: _Joined) -> list[Cell]:
    return [
        "both" if x >= 0 and y >= 0 else "added" if y >= 0 else "removed"
        for x, y in zip(joined.at_a.tolist(), joined.at_b.tolist(), strict=True)
    ]
