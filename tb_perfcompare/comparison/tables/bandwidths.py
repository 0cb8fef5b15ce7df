"""Columns of collectives: message size, algorithm and bus bandwidth, as nccl-tests defines them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Column
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.summary.collectives import BUS_BYTES, BY_MESSAGE, MESSAGE_BYTES, SIZED_CALLS, SIZED_TIME
from tb_perfcompare.model.summary.summary import GroupTable
from tb_perfcompare.units import Better

TABLES = frozenset({"communication", BY_MESSAGE})
"""Tables that have these columns."""

NOTE = (
    "Bandwidth is over the whole duration of a collective, waiting for other ranks included, so a late rank lowers it "
    "too; factors are those of nccl-tests (docs/method/metrics.md)."
)

_OF = "of the calls whose type, sizes and group were recorded"
_FIGURES: Mapping[str, tuple[str, str, str, Better]] = {
    "message": ("Message", "bytes", f"mean message size as nccl-tests counts it, {_OF}", Better.NONE),
    "algorithm_bandwidth": ("Alg. bandwidth", "bytes/s", f"message size over duration, {_OF}", Better.HIGHER),
    "bus_bandwidth": (
        "Bus bandwidth", "bytes/s",
        f"algorithm bandwidth times NCCL's factor of the collective and its number of ranks, {_OF}", Better.HIGHER,
    ),
}  # fmt: skip
"""Figure -> label, unit, definition, direction."""


def bandwidths(table: GroupTable | None, at: Ints) -> dict[str, Floats]:
    """Figure -> (r,) value of each row, NaN where not known; `at` (r,) is its row in the table, -1 for none."""
    if table is None or SIZED_TIME not in table.measures_ns:
        return dict.fromkeys(_FIGURES, np.full(len(at), np.nan))

    def ratio(above: str, below: str) -> Floats:
        one, two = (
            np.where(at >= 0, np.append(table.measures_ns[name].sum(axis=1), 0)[at], 0) for name in (above, below)
        )
        found: Floats = np.divide(one, two, out=np.full(len(at), np.nan), where=two > 0)
        return found

    return {
        "message": ratio(MESSAGE_BYTES, SIZED_CALLS),
        "algorithm_bandwidth": ratio(MESSAGE_BYTES, SIZED_TIME) * 1e9,
        "bus_bandwidth": ratio(BUS_BYTES, SIZED_TIME) * 1e9,
    }


def pair_columns(a: GroupTable | None, b: GroupTable | None, at_a: Ints, at_b: Ints) -> list[tuple[Column, Floats]]:
    """Baseline, candidate and delta of every figure that is known of any row."""
    sides = bandwidths(a, at_a), bandwidths(b, at_b)
    out = []
    for figure in _FIGURES:
        x, y = (side[figure] for side in sides)
        if not (np.isfinite(x).any() or np.isfinite(y).any()):
            continue
        for side, letter, values in (("baseline", "A", x), ("candidate", "B", y)):
            out.append((_column(figure, f"{side}_{figure}", letter, side), values))
        out.append((_column(figure, f"{figure}_delta", "Δ", "delta"), y - x))
    return out


def own_columns(table: GroupTable) -> list[tuple[Column, Floats]]:
    """The figures of a run by itself."""
    found = bandwidths(table, np.arange(len(table), dtype=np.int64))
    return [(_column(name, name, "", ""), values) for name, values in found.items() if np.isfinite(values).any()]


def _column(figure: str, name: str, letter: str, side: str) -> Column:
    label, unit, what, better = _FIGURES[figure]
    said = {"": what, "delta": f"candidate minus baseline: {what}"}.get(side, f"{what} ({side})")
    shown = figure == "bus_bandwidth" and side != "delta"
    text, role = f"{label} {letter}".strip(), side or "plain"
    return columns.number(name, text, unit, said, role=role, better=better, shown=shown)
