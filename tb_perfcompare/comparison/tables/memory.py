"""Tables of memory: peaks and traffic per device, allocations per operator, curves over time
(docs/method/metrics.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.tables.counter_join import device_labels
from tb_perfcompare.model.arrays import thinned
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import BYTES, COUNT, Better

MEMORY, BY_OPERATOR, CURVES = "memory", "memory_operators", "memory_curves"
"""Names of the tables."""

_FIGURES = (
    ("peak allocated", "bytes", "largest number of bytes held by tensors in any capture"),
    ("peak reserved", "bytes", "largest number of bytes held by the allocator"),
    ("allocated per step", "bytes", "bytes allocated, mean per admitted step"),
    ("released per step", "bytes", "bytes released, mean per admitted step"),
    ("allocations per step", "count", "number of allocations, mean per admitted step"),
)  # fmt: skip
_FIGURE_WHAT = "; ".join(f"{name}: {what}" for name, _, what in _FIGURES)
_ABSOLUTE = (
    "The profiler wrote no totals: curves count from zero at the recording's first record; "
    "peaks are growth, not size."
)

SHOWN_POINTS = 400
"""Number of points that a curve is thinned to, approximately."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Bytes allocated and released and number of allocations for one (operator, device), means per step."""

    allocated: float
    released: float
    calls: float


def memory_tables(baseline: Summary, candidate: Summary) -> dict[str, Table]:
    """Tables of memory of two sides, none without memory events on either. Devices are named as in the table of
    counters."""
    labels = device_labels(_devices(baseline), _devices(candidate))
    baseline, candidate = _renamed(baseline, labels[0]), _renamed(candidate, labels[1])
    a, b = baseline.memory, candidate.memory
    if a is None and b is None:
        return {}
    figures_a, figures_b = _by_device(baseline), _by_device(candidate)
    keys = sorted({*figures_a, *figures_b}, key=lambda key: (key[0], [name for name, _, _ in _FIGURES].index(key[1])))
    units = {name: unit for name, unit, _ in _FIGURES}
    devices = tuple(
        (device, figure, units[figure], *_compared(figures_a.get((device, figure)), figures_b.get((device, figure))))
        for device, figure in keys
    )
    shown = (
        columns.key("device", "Device", "device that holds the memory"),
        columns.key("figure", "Figure", _FIGURE_WHAT),
        columns.text("unit", "Unit", "unit of the row's values"),
        _number("baseline", "A", "value in the baseline", role="baseline"),
        _number("candidate", "B", "value in the candidate", role="candidate"),
        _number("delta", "Δ", "candidate minus baseline", role="delta"),
        columns.fraction("percent", "Δ %", "delta as a fraction of the baseline; empty if it is zero", role="percent"),
    )
    notes = (_ABSOLUTE,) if any(not c.absolute for use in (a, b) if use is not None for c in use.curves) else ()
    tables = {MEMORY: Table(MEMORY, "Memory", shown, devices, notes)}
    tables[BY_OPERATOR] = _operators(baseline, candidate)
    curves = _curves({"baseline": a, "candidate": b})
    if curves is not None:
        tables[CURVES] = curves
    return tables


def _devices(summary: Summary) -> list[str]:
    use = summary.memory
    return [] if use is None else [*(device for _, device in use.keys), *(curve.device for curve in use.curves)]


def _renamed(summary: Summary, names: Mapping[str, str]) -> Summary:
    use = summary.memory
    if use is None or all(device == name for device, name in names.items()):
        return summary
    keys = tuple((operator, names[device]) for operator, device in use.keys)
    curves = tuple(replace(curve, device=names[curve.device]) for curve in use.curves)
    return replace(summary, memory=replace(use, keys=keys, curves=curves))


def memory_views(summary: Summary) -> dict[str, Table]:
    """Tables of memory of one run."""
    use = summary.memory
    if use is None:
        return {}
    figures = _by_device(summary)
    units = {name: unit for name, unit, _ in _FIGURES}
    shown = (
        columns.key("device", "Device", "device that holds the memory"),
        columns.key("figure", "Figure", _FIGURE_WHAT),
        columns.text("unit", "Unit", "unit of the row's values"),
        _number("value", "Value", "value, in the row's unit"),
    )
    rows = tuple((device, figure, units[figure], value) for (device, figure), value in figures.items())
    notes = (_ABSOLUTE,) if any(not curve.absolute for curve in use.curves) else ()
    tables = {MEMORY: Table(MEMORY, "Memory", shown, rows, notes)}
    usage = _rows(summary)
    own = (
        columns.key("name", "Operator", "innermost operator open on the thread at the time of the record"),
        columns.key("device", "Device", "device that holds the memory"),
        _bytes("allocated", "Allocated", "bytes allocated per step"),
        _bytes("released", "Released", "bytes released per step"),
        columns.count("calls", "Allocations", "allocations per step"),
    )
    ordered = sorted(usage, key=lambda key: (-usage[key].allocated, key))
    tables[BY_OPERATOR] = Table(
        BY_OPERATOR, "Allocations by operator", own,
        tuple((*key, usage[key].allocated, usage[key].released, usage[key].calls) for key in ordered), (),
    )  # fmt: skip
    curves = _curves({"run": use})
    if curves is not None:
        tables[CURVES] = curves
    return tables


def _by_device(summary: Summary) -> dict[tuple[str, str], float]:
    """(device, figure) -> value."""
    use = summary.memory
    if use is None:
        return {}
    out: dict[tuple[str, str], float] = {}
    for curve in use.curves:
        key = (curve.device, "peak allocated")
        out[key] = max(out.get(key, curve.peak_allocated), curve.peak_allocated)
        if curve.peak_reserved is not None:
            key = (curve.device, "peak reserved")
            out[key] = max(out.get(key, curve.peak_reserved), curve.peak_reserved)
    # a device with a known level was monitored: without a record in these steps nothing was allocated in them
    out |= {(curve.device, name): 0.0 for curve in use.curves for name, _, _ in _FIGURES[2:]}
    steps = len(summary.steps)
    for name, values in (
        ("allocated per step", use.allocated), ("released per step", use.released), ("allocations per step", use.calls),
    ):  # fmt: skip
        for (_, device), total in zip(use.keys, values.sum(axis=1).tolist(), strict=True):
            out[device, name] = out.get((device, name), 0.0) + total / steps
    return out


def _rows(summary: Summary) -> dict[tuple[str, str], _Row]:
    use = summary.memory
    if use is None:
        return {}
    steps = len(summary.steps)
    means = [(values.sum(axis=1) / steps).tolist() for values in (use.allocated, use.released, use.calls)]
    return {key: _Row(*row) for key, *row in zip(use.keys, *means, strict=True)}


def _operators(baseline: Summary, candidate: Summary) -> Table:
    usage_a, usage_b = _rows(baseline), _rows(candidate)
    rows = []
    for key in sorted({*usage_a, *usage_b}):
        a, b = usage_a.get(key), usage_b.get(key)
        delta = (b.allocated if b else 0.0) - (a.allocated if a else 0.0)
        row: tuple[Cell, ...] = (
            *key,
            a.allocated if a else None, b.allocated if b else None, delta,
            a.calls if a else 0.0, b.calls if b else 0.0,
            a.released if a else None, b.released if b else None,
            "both" if a and b else "added" if b else "removed",
        )  # fmt: skip
        rows.append((-abs(delta), key, row))
    shown = (
        columns.key("name", "Operator", "innermost operator open on the thread at the time of the record"),
        columns.key("device", "Device", "device that holds the memory"),
        _bytes("baseline", "Allocated A", "bytes allocated per step of the baseline", role="baseline"),
        _bytes("candidate", "Allocated B", "bytes allocated per step of the candidate", role="candidate"),
        _bytes("delta", "Δ", "candidate minus baseline: bytes allocated per step", role="delta"),
        columns.count("baseline_calls", "Allocations A", "allocations per step of the baseline"),
        columns.count("candidate_calls", "Allocations B", "allocations per step of the candidate"),
        _bytes("baseline_released", "Released A", "bytes released per step of the baseline", shown=False),
        _bytes("candidate_released", "Released B", "bytes released per step of the candidate", shown=False),
        columns.STATUS,
    )
    note = "A tensor may be released by a different operator than allocated it."
    return Table(BY_OPERATOR, "Allocations by operator", shown, tuple(row for _, _, row in sorted(rows)), (note,))


def _curves(uses: Mapping[str, MemoryUse | None]) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for side, use in uses.items():
        for curve in use.curves if use is not None else ():
            rows += [(side, curve.capture + 1, curve.device, *point) for point in _points(curve)]
    if not rows:
        return None
    shown = (
        columns.key("side", "Side", "baseline or candidate"),
        columns.key("capture", "Capture", "number of the capture on its side, from 1"),
        columns.key("device", "Device", "device that holds the memory"),
        columns.key("point", "Point", "number of the point on its curve"),
        columns.text("step", "Step", "step that contains the point"),
        columns.time("time_us", "Time", "time since the start of the first step"),
        columns.number("place", "Steps", "steps", "steps completed since then, plus the fraction of the current one"),
        _bytes("allocated", "Allocated", "bytes held by tensors after the record"),
        _bytes("reserved", "Reserved", "bytes held by the allocator; empty if not recorded"),
    )
    note = "Curves are thinned; peaks and lows are kept. Each ends where its last step ends."
    return Table(CURVES, "Memory over time", shown, tuple(rows), (note,))


def _points(curve: MemoryCurve) -> Iterator[tuple[Cell, ...]]:
    """Yields (number, step, microseconds, steps passed, bytes allocated, bytes reserved) of every point shown; the
    last one is the end of the last step."""
    held = (curve.allocated,) if curve.reserved is None else (curve.allocated, curve.reserved)
    shown = thinned(held, SHOWN_POINTS)
    steps_passed = curve.place[shown]
    shown = np.append(shown, shown[-1])
    time = np.append(curve.time_ns[shown[:-1]], curve.end_ns[-1]).tolist()
    steps_passed = np.append(steps_passed, len(curve.label))
    # a record between two steps is placed where the later one begins
    step = np.minimum(steps_passed.astype(np.int64), len(curve.label) - 1).tolist()
    reserved: Sequence[int | None] = [None] * len(shown) if curve.reserved is None else curve.reserved[shown].tolist()
    figures = zip(step, time, steps_passed.tolist(), curve.allocated[shown].tolist(), reserved, strict=True)
    for point, (step_index, ns, passed, allocated, above) in enumerate(figures, start=1):
        yield point, curve.label[step_index], ns / 1000, passed, allocated, above


def _compared(a: float | None, b: float | None) -> tuple[Cell, Cell, Cell, Cell]:
    if a is None or b is None:
        return a, b, None, None
    return a, b, b - a, (b - a) / a if a else None


def _bytes(name: str, label: str, what: str, *, role: str = "plain", shown: bool = True) -> Column:
    return Column(name, label, BYTES.symbol, Better.LOWER, what, role=role, kind="number", shown=shown)


def _number(name: str, label: str, what: str, *, role: str = "plain") -> Column:
    return Column(name, label, COUNT.symbol, Better.LOWER, f"{what}, in the row's unit", role=role, kind="number")
