"""Tables of single launches: a run's own, and two runs side by side."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.launches.rows import STATUSES, LaunchRows, row_durations_ns
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table, table_of
from tb_perfcompare.comparison.result.wording import time_text
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.summary.bound import bound_class
from tb_perfcompare.model.summary.summary import BOUND_CLASSES, Summary
from tb_perfcompare.model.summary.tables import LaunchSequence
from tb_perfcompare.units import COUNT, TEXT, Better

MAX_ROWS = 20_000
"""Rows kept in the comparison of two runs; those with the smallest changes are left out and summed in a note."""

_STRETCHES_NAMED = 3

_TENSOR = ("tensor_active", "Tensor", "fraction of the launch (or of the peak) for which the tensor pipe was active")
_DRAM = ("dram_active", "DRAM", "fraction of the peak memory throughput")
_START = "summed duration of all earlier launches: the listing has no timestamps, so gaps are unknown"

_DIFF_STATUS = Column(
    "status", "Status", TEXT.symbol, Better.NONE,
    "both: the same kernel on both sides; replaced: another kernel in the same place; added: only in the candidate; "
    "removed: only in the baseline",
    role="status", kind="text",
)  # fmt: skip


def own_launches(summary: Summary) -> Table | None:
    """Table of a run's launches in order; None if the source does not list them."""
    launches = summary.launches
    if launches is None:
        return None
    keys = summary.groups["kernels"].keys
    end = np.cumsum(launches.dur_ns)
    classes = bound_class(launches.tensor, launches.dram)
    table_columns = (
        _place("index", "#", "number of the launch, from 1"),
        columns.time("start_us", "Start", _START),
        columns.text("name", "Name", "name of the kernel"),
        columns.time("dur_us", "Duration", "duration of the launch"),
        *(columns.fraction(name, label, what, better=Better.HIGHER) for name, label, what in (_TENSOR, _DRAM)),
        columns.text("bound", "Bound by", "resource that limits the launch (docs/inputs/kernel_listings.md)"),
    )
    rows = zip(
        range(1, len(launches) + 1),
        ((end - launches.dur_ns) / 1000).tolist(),
        (keys[row][0] for row in launches.kernel.tolist()),
        (launches.dur_ns / 1000).tolist(),
        _figures(launches.tensor),
        _figures(launches.dram),
        (BOUND_CLASSES[index] for index in classes.tolist()),
        strict=True,
    )
    return Table("launches", "Launches", table_columns, tuple(rows))


def launches_table(baseline: Summary, candidate: Summary, rows: LaunchRows) -> Table:
    """Table of both runs' launches side by side, in order; deltas of all rows and of those left out sum to the
    headline's."""
    a, b = baseline.launches, candidate.launches
    assert a is not None and b is not None
    delta = rows.deltas_ns(a, b)
    kept = largest_rows(delta)
    launch_a, launch_b = rows.at_a[kept], rows.at_b[kept]
    names_a, names_b = _names(baseline, a, launch_a), _names(candidate, b, launch_b)
    time_a, time_b = row_durations_ns(a.dur_ns, launch_a), row_durations_ns(b.dur_ns, launch_b)
    change = np.divide(time_b - time_a, time_a, out=np.full(len(kept), np.nan), where=(time_a > 0) & (launch_b >= 0))
    cells: list[tuple[Column, list[Cell]]] = [
        (_place("place", "Place", "row number, from 1, over the launches of both sides"), _whole(kept)),
        (columns.count("baseline_index", "# A", "number of the launch in the baseline, from 1"), _whole(launch_a)),
        (columns.count("candidate_index", "# B", "number of the launch in the candidate, from 1"), _whole(launch_b)),
        (columns.text("name", "Name", "joining name of the kernel; the baseline's if the kernel was replaced"),
         [x or y for x, y in zip(names_a, names_b, strict=True)]),
        (columns.text("candidate_name", "Replaced by", "candidate kernel, if it replaces another"),
         [y if x and y and x != y else "" for x, y in zip(names_a, names_b, strict=True)]),
        (columns.time("baseline_us", "A", "duration of the launch in the baseline", role="baseline"),
         _times(time_a, launch_a)),
        (columns.time("candidate_us", "B", "duration of the launch in the candidate", role="candidate"),
         _times(time_b, launch_b)),
        (columns.time("delta_us", "Δ", "duration, candidate minus baseline; zero for a missing launch", role="delta"),
         (delta[kept] / 1000).tolist()),
        (columns.fraction("percent", "Δ %", "delta as a fraction of the baseline", role="percent"), _figures(change)),
    ]  # fmt: skip
    for (name, label, what), pair in ((_TENSOR, (a.tensor, b.tensor)), (_DRAM, (a.dram, b.dram))):
        if any(np.isfinite(values).any() for values in pair):
            shown = columns.sides(columns.fraction, name, label, f"{what} ({{side}})", better=Better.HIGHER)
            for column, values, launch in zip(shown, pair, (launch_a, launch_b), strict=True):
                cells.append((column, _figures(np.where(launch >= 0, values[np.maximum(launch, 0)], np.nan))))
    shown = columns.sides(columns.time, "start_us", "Start", f"{_START} ({{side}})", shown=False)
    for column, launches, launch in zip(shown, (a, b), (launch_a, launch_b), strict=True):
        start = np.cumsum(launches.dur_ns) - launches.dur_ns
        cells.append((column, _times(row_durations_ns(start, launch), launch)))
    cells.append((_DIFF_STATUS, [STATUSES[index] for index in rows.status[kept].tolist()]))
    notes = _notes(rows, kept, delta, row_durations_ns(a.dur_ns, rows.at_a), row_durations_ns(b.dur_ns, rows.at_b))
    return table_of("launches", "Launches", ((column, tuple(values)) for column, values in cells), None, tuple(notes))


def largest_rows(delta: Ints) -> Ints:
    """Rows to show, in order: those with the largest changes, the earlier of equal ones."""
    if len(delta) <= MAX_ROWS:
        return np.arange(len(delta))
    return np.sort(np.argsort(-np.abs(delta), kind="stable")[:MAX_ROWS])


def _notes(rows: LaunchRows, kept: Ints, delta: Ints, time_a: Ints, time_b: Ints) -> list[str]:
    count = np.bincount(rows.status, minlength=len(STATUSES)).tolist()
    words = ("on both sides", "added", "removed", "replaced")
    notes = [
        "Launches in order, aligned by kernel (docs/method/alignment.md): "
        + ", ".join(f"{number:,} {word}" for number, word in zip(count, words, strict=True)) + ".",
    ]  # fmt: skip
    if len(kept) < len(rows):
        out = np.ones(len(rows), dtype=bool)
        out[kept] = False
        most = time_text(int(np.abs(delta[out]).max()) / 1000)
        sums = (f"{int(values[out].sum()) / 1000:,.3f} µs" for values in (time_a, time_b, delta))
        notes.append(
            f"{len(rows) - len(kept):,} more rows, which changed by at most {most} each, are left out. Together: "
            + "; ".join(f"{word} {text}" for word, text in zip(("A", "B", "Δ"), sums, strict=True)) + "."
        )  # fmt: skip
    notes += [
        f"Launches {_span(a0, a1)} of A and {_span(b0, b1)} of B are too different to be aligned: "
        "they are shown as removed and added."
        for a0, a1, b0, b1 in rows.unaligned[:_STRETCHES_NAMED]
    ]
    if len(rows.unaligned) > _STRETCHES_NAMED:
        notes.append(f"So are {len(rows.unaligned) - _STRETCHES_NAMED:,} more stretches.")
    return notes


def _span(begin: int, end: int) -> str:
    return f"{begin + 1:,} to {end:,}"


def _place(name: str, label: str, what: str) -> Column:
    return Column(name, label, COUNT.symbol, Better.NONE, what, role="key", kind="count")


def _names(side: Summary, launches: LaunchSequence, launch: Ints) -> list[str]:
    """Joining name of each row's launch, "" if there is none."""
    names = [key[0] for key in side.groups["kernels"].keys] + [""]
    return [names[row] for row in np.where(launch >= 0, launches.kernel[np.maximum(launch, 0)], -1).tolist()]


def _whole(indices: Ints) -> list[Cell]:
    """Numbers from 1, None if there is no launch."""
    return [index + 1 if index >= 0 else None for index in indices.tolist()]


def _times(ns: Ints, launch: Ints) -> list[Cell]:
    return [value if index >= 0 else None for value, index in zip((ns / 1000).tolist(), launch.tolist(), strict=True)]


def _figures(values: Floats) -> list[Cell]:
    return [None if value != value else value for value in values.tolist()]
