"""Columns of collectives: message size, algorithm and bus bandwidth, as nccl-tests defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.ranks.sides import transfers_of
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Column
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.summary.collectives import BUS_BYTES, BY_MESSAGE, MESSAGE_BYTES, SIZED_CALLS, SIZED_TIME
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.text_numbers import at_rows
from tb_perfcompare.units import Better

TABLES = frozenset({"communication", BY_MESSAGE})
"""Tables that have these columns."""

NOTE = (
    "Bandwidth is over the whole duration of a collective, waiting for other ranks included, so a late rank lowers it "
    "too; factors are those of nccl-tests (docs/method/metrics.md)."
)
NOTE_TRANSFER = (
    "Transfer: of calls that several ranks recorded, the shortest of their durations, without waiting for other ranks."
)

_OF = "of the calls whose type, sizes and group were recorded"
_FIGURES: Mapping[str, columns.Figure] = {
    "message": ("Message", "bytes", f"mean message size as in nccl-tests, {_OF}", Better.NONE),
    "algorithm_bandwidth": ("Alg. bandwidth", "bytes/s", f"message size over duration, {_OF}", Better.HIGHER),
    "bus_bandwidth": (
        "Bus bandwidth", "bytes/s",
        f"algorithm bandwidth times NCCL's factor of the collective and its number of ranks, {_OF}", Better.HIGHER,
    ),
    "transfer_bandwidth": (
        "Transfer bandwidth", "bytes/s",
        "bus bandwidth over the transfer alone, of the calls that several ranks recorded", Better.HIGHER,
    ),
    "transfer_coverage": (
        "Transfer known", "fraction", "share of the calls that several ranks recorded", Better.NONE,
    ),
}  # fmt: skip
"""Figure -> label, unit, definition, direction."""

_SHOWN = ("bus_bandwidth", "transfer_bandwidth")


def bandwidths(summary: Summary, name: str, rows: Ints) -> dict[str, Floats]:
    """Figure -> (r,) value for each row of the table `name`, NaN if not known; `rows` (r,) is the row's number in the
    summary, -1 for none."""
    table = summary.groups.get(name)
    if table is None or SIZED_TIME not in table.measures_ns:
        return dict.fromkeys(_FIGURES, np.full(len(rows), np.nan))

    def ratio(above: str, below: str) -> Floats:
        numerator, denominator = (
            at_rows(table.measures_ns[name].sum(axis=1), rows) for name in (above, below)
        )
        ratios: Floats = np.divide(numerator, denominator, out=np.full(len(rows), np.nan), where=denominator > 0)
        return ratios

    return {
        "message": ratio(MESSAGE_BYTES, SIZED_CALLS),
        "algorithm_bandwidth": ratio(MESSAGE_BYTES, SIZED_TIME) * 1e9,
        "bus_bandwidth": ratio(BUS_BYTES, SIZED_TIME) * 1e9,
        **_transfers(summary, name, table, rows, ratio(BUS_BYTES, SIZED_CALLS)),
    }


def _transfers(summary: Summary, name: str, table: GroupTable, rows: Ints, bus_bytes: Floats) -> dict[str, Floats]:
    """Figures of transfers; `bus_bytes` (r,) are those of one call of each row. Rows of several messages have none."""
    transfers = transfers_of(summary) if name == BY_MESSAGE else {}
    by_group = np.array([transfers.get(key, (0, 0)) for key in (*table.keys, ("",) * 3)], dtype=np.float64)
    calls, time = by_group.T[:, rows]
    recorded_by = 1 if summary.ranks is None else len({capture.worker for capture in summary.captures})
    every = at_rows(table.calls.sum(axis=1), rows) * recorded_by
    there = time > 0
    return {
        "transfer_bandwidth": np.where(there, bus_bytes * calls * 1e9 / np.where(there, time, 1), np.nan),
        "transfer_coverage": np.where(there, calls / np.maximum(every, 1), np.nan),
    }


def pair_columns(a: Summary, b: Summary, name: str, at_a: Ints, at_b: Ints) -> list[tuple[Column, Floats]]:
    """Baseline, candidate and delta columns of every figure that is known for any row."""
    sides = bandwidths(a, name, at_a), bandwidths(b, name, at_b)
    out = []
    for figure in _FIGURES:
        x, y = (side[figure] for side in sides)
        if not (np.isfinite(x).any() or np.isfinite(y).any()):
            continue
        out += [(_column(figure, "baseline"), x), (_column(figure, "candidate"), y), (_column(figure, "delta"), y - x)]
    return out


def own_columns(summary: Summary, name: str) -> list[tuple[Column, Floats]]:
    """Columns of the figures of a single run."""
    figures = bandwidths(summary, name, np.arange(len(summary.groups[name]), dtype=np.int64))
    return [(_column(name), values) for name, values in figures.items() if np.isfinite(values).any()]


def _column(figure: str, side: str = "") -> Column:
    return columns.figure(figure, _FIGURES[figure], side, shown=figure in _SHOWN and side != "delta")


def notes_of(made: Sequence[tuple[Column, Floats]]) -> tuple[str, ...]:
    with_transfers = any("transfer" in column.name for column, _ in made)
    return (NOTE, NOTE_TRANSFER)[: bool(made) + with_transfers]
