"""Columns of work: FLOPs, bytes, rates, shares of the peak, coverage, and the split of the change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.exact_integers import divided
from tb_perfcompare.comparison.result.table import CellColumn, Column
from tb_perfcompare.comparison.work.row_work import BOUND_FROM, COMPUTE, MEMORY, RIDGE, RowWork
from tb_perfcompare.comparison.work.split import WorkSplit, split_of, work_effects
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.units import Better

Made = tuple[Column, CellColumn]

NOTES = (
    "Rates cover the calls whose work follows from their input shapes (see coverage); bytes are the least that must "
    "move (docs/method/work.md).",
)
ABOVE_PEAK = (
    "A share above 100 % means that data stayed in a cache, the kernel did less than the model says, or the device's "
    "peak is not that of its data sheet."
)

SHOWN_WORK = ("flop_rate", "byte_rate", "roof_share")
"""Figures shown by default in tables by shape."""

_TIME = "device self time of the calls whose work is known; host self time in traces without device work"


def figures(work: RowWork) -> dict[str, Floats]:
    """Figure -> (r,) value of one side, NaN if not known."""
    modeled = work.has_model()
    return {
        "modelled_us": np.where(modeled, work.per_step("time_ns") / 1000, np.nan),
        "flops": np.where(modeled, work.per_step("flops"), np.nan),
        "moved_bytes": np.where(modeled, work.per_step("bytes"), np.nan),
        "flop_rate": _positive(work.ratio("flops", "time_ns") * 1e9),
        "byte_rate": _positive(work.ratio("bytes", "time_ns") * 1e9),
        "intensity": work.ratio("flops", "bytes"),
        "roof_share": work.roof_share(),
        "coverage": np.where(modeled, work.coverage(), np.nan),
    }


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, np.nan)


_FIGURES: Mapping[str, columns.Figure] = {
    "modelled_us": ("Modeled", "us", f"{_TIME}; per step", Better.LOWER),
    "flops": ("FLOPs", "FLOP", "floating-point operations per step, from input shapes", Better.NONE),
    "moved_bytes": ("Moved", "bytes", "minimum bytes moved per step, from input shapes", Better.NONE),
    "flop_rate": ("FLOP/s", "FLOP/s", "FLOPs over modeled time", Better.HIGHER),
    "byte_rate": ("Bytes/s", "bytes/s", "minimum bytes moved over modeled time", Better.HIGHER),
    "intensity": ("Intensity", "FLOP/byte", "FLOPs over minimum bytes moved", Better.NONE),
    "roof_share": (
        "Of peak", "fraction",
        "fraction of the device's peak for the data type, compute or memory, whichever takes longer", Better.HIGHER,
    ),
    "coverage": ("Coverage", "fraction", "fraction of the row's time in calls whose work is known", Better.NONE),
}  # fmt: skip
_WITH_DELTA = frozenset({"flops", "moved_bytes", "flop_rate", "byte_rate", "roof_share"})


def pair_columns(a: RowWork, b: RowWork, shown: Collection[str] = ()) -> list[Made]:
    """Columns of two sides: baseline, candidate and, where meaningful, delta of every figure; the bound, data types,
    why there is no model, and the two effects. `shown`: figures shown by default."""
    sides = figures(a), figures(b)
    out: list[Made] = []
    for figure, specified in _FIGURES.items():
        x, y = (side[figure] for side in sides)
        out.append((columns.figure(figure, specified, "baseline", shown=figure in shown), x))
        out.append((columns.figure(figure, specified, "candidate", shown=figure in shown), y))
        if figure in _WITH_DELTA:
            out.append((columns.figure(figure, specified, "delta", shown=False), y - x))
    out += _texts((a, b))
    split, there = work_effects(a, b), a.has_model() | b.has_model()
    change = np.where(there, divided(split.work + split.rate, 1000 * split.denominator), np.nan)
    effects = _effects(split, there, (columns.WORK_EFFECT, columns.SPEED_EFFECT))
    return [*out, (columns.MODELED_DELTA, change), *effects]


def exposed_split(works: tuple[RowWork, RowWork], own: tuple[Ints, Ints]) -> list[Made]:
    """Columns of the change of the rows' exposed time in the ledger (`own` (r, s) of each side) by work and by rate;
    NaN for rows with calls without a model."""
    split = split_of(works, [side.sum(axis=1) for side in own])
    known = [side.time_ns.sum(axis=1) == side.whole_ns for side in works]
    there = known[0] & known[1] & (works[0].has_model() | works[1].has_model())
    return _effects(split, there, (columns.EXPOSED_WORK_EFFECT, columns.EXPOSED_SPEED_EFFECT))


def _effects(split: WorkSplit, there: Flags, made: tuple[Column, Column]) -> list[Made]:
    unit = 1000 * split.denominator
    parts = zip(made, (split.work, split.rate), strict=True)
    return [(column, np.where(there, divided(values, unit), np.nan)) for column, values in parts]


def own_columns(work: RowWork, shown: Collection[str] = ()) -> list[Made]:
    """Columns of a single run."""
    out: list[Made] = [
        (columns.figure(figure, _FIGURES[figure], shown=figure in shown), values)
        for figure, values in figures(work).items()
    ]
    bound = columns.text("bound", "Bound", _BOUND, shown=False)
    types = columns.text("data_type", "Data type", _TYPES, shown=False)
    return [*out, (bound, tuple(work.bound())), (types, work.data_type), (_NO_MODEL, work.reason)]


_BOUND = (
    f"{COMPUTE} or {MEMORY}: the limit at whose peak rate the row's work takes longer; empty if the two are within "
    f"{100 * (RIDGE - 1):.0f} % of each other, or if the row reaches less than {100 * BOUND_FROM:.0f} % of its peak or "
    "the peak is unknown"
)
_TYPES = "data types of the arithmetic, by time, largest first"
_NO_MODEL = columns.text("no_model", "Work unknown", "reason why the work of some calls is unknown", shown=False)


def _texts(sides: Sequence[RowWork]) -> list[Made]:
    out: list[Made] = []
    bounds = columns.sides(columns.text, "bound", "Bound", f"{_BOUND} ({{side}})", shown=False)
    types = columns.sides(columns.text, "data_type", "Data type", f"{_TYPES} ({{side}})", shown=False)
    for work, bound, data_type in zip(sides, bounds, types, strict=True):
        out += [(bound, tuple(work.bound())), (data_type, work.data_type)]
    pairs = zip(sides[0].reason, sides[1].reason, strict=True)
    reasons = ("; ".join(filter(None, dict.fromkeys(pair))) for pair in pairs)
    return [*out, (_NO_MODEL, tuple(reasons))]


def notes_of(*sides: RowWork) -> tuple[str, ...]:
    """Notes for a table that has these columns."""
    above = any((np.nan_to_num(side.roof_share()) > 1).any() for side in sides)
    return (*NOTES, *((ABOVE_PEAK,) if above else ()))
