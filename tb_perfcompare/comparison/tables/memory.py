"""Tables of memory: peaks and traffic per device, allocations per operator, curves over time
(docs/method/metrics.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table, by_name
from tb_perfcompare.comparison.tables.counter_join import device_labels
from tb_perfcompare.model.arrays import thinned
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.units import BYTES, COUNT, Better

MEMORY, BY_OPERATOR, CURVES = "memory", "memory_operators", "memory_curves"
"""Names of the tables."""

_FIGURES = {
    "peak allocated": ("bytes", "largest number of bytes held by tensors in any capture"),
    "peak reserved": ("bytes", "largest number of bytes held by the allocator"),
    "allocated per step": ("bytes", "bytes allocated, mean per admitted step"),
    "released per step": ("bytes", "bytes released, mean per admitted step"),
    "allocations per step": ("count", "number of allocations, mean per admitted step"),
}
"""Figure -> its unit and definition."""
_PER_STEP = tuple(_FIGURES)[2:]
_DEVICE = columns.key("device", "Device", "device that holds the memory")
_FIGURE_COLUMNS = (
    _DEVICE,
    columns.key("figure", "Figure", "; ".join(f"{name}: {what}" for name, (_, what) in _FIGURES.items())),
    columns.text("unit", "Unit", "unit of the row's values"),
)
_OPERATOR = columns.key("name", "Operator", "innermost operator open on the thread at the time of the record")
_ABSOLUTE = (
    "The profiler wrote no totals: curves count from zero at the recording's first record; "
    "peaks are growth, not size."
)

SHOWN_POINTS = 400
"""Number of points that a curve is thinned to, approximately."""


def memory_tables(baseline: Summary, candidate: Summary) -> dict[str, Table]:
    """Tables of memory of two sides, none without memory events on either. Devices are named as in the table of
    counters."""
    labels = device_labels(_devices(baseline), _devices(candidate))
    baseline, candidate = _renamed(baseline, labels[0]), _renamed(candidate, labels[1])
    a, b = baseline.memory, candidate.memory
    if a is None and b is None:
        return {}
    figures_a, figures_b = _by_device(baseline), _by_device(candidate)
    keys = sorted({*figures_a, *figures_b}, key=lambda key: (key[0], list(_FIGURES).index(key[1])))
    devices = tuple((*key, _FIGURES[key[1]][0], *_compared(figures_a.get(key), figures_b.get(key))) for key in keys)
    shown = (
        *_FIGURE_COLUMNS,
        *columns.sides(_number, "", "", "value in the {side}", sided=True),
        _number("delta", "Δ", "candidate minus baseline", role="delta"),
        columns.fraction("percent", "Δ %", "delta as a fraction of the baseline; empty if it is zero", role="percent"),
    )
    return by_name((
        Table(MEMORY, "Memory", shown, devices, _notes(a, b)), _operators(baseline, candidate),
        memory_curves({"baseline": a, "candidate": b}),
    ))  # fmt: skip


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


def _notes(*uses: MemoryUse | None) -> tuple[str, ...]:
    return (_ABSOLUTE,) if any(not curve.absolute for use in uses if use is not None for curve in use.curves) else ()


def own_memory(summary: Summary) -> Table | None:
    """Table of one run's memory by device; None without memory events."""
    if summary.memory is None:
        return None
    figures = tuple((*key, _FIGURES[key[1]][0], value) for key, value in _by_device(summary).items())
    shown = (*_FIGURE_COLUMNS, _number("value", "Value", "value"))
    return Table(MEMORY, "Memory", shown, figures, _notes(summary.memory))


def own_allocations(summary: Summary) -> Table | None:
    """Table of one run's allocations by operator; None without memory events."""
    if summary.memory is None:
        return None
    usage = _usage(summary)
    ordered = sorted(usage, key=lambda key: (-usage[key][0], key))
    own = (
        _OPERATOR,
        _DEVICE,
        _bytes("allocated", "Allocated", "bytes allocated per step"),
        _bytes("released", "Released", "bytes released per step"),
        columns.count("calls", "Allocations", "allocations per step"),
    )
    return Table(BY_OPERATOR, "Allocations by operator", own, tuple((*key, *usage[key]) for key in ordered))


def _by_device(summary: Summary) -> dict[tuple[str, str], float]:
    """(device, figure) -> value."""
    use = summary.memory
    if use is None:
        return {}
    out: dict[tuple[str, str], float] = {}
    for curve in use.curves:
        for figure, peak in (("peak allocated", curve.peak_allocated), ("peak reserved", curve.peak_reserved)):
            if peak is not None:
                out[curve.device, figure] = max(out.get((curve.device, figure), peak), peak)
    # a device with a known level was monitored: without a record in these steps nothing was allocated in them
    out |= {(curve.device, name): 0.0 for curve in use.curves for name in _PER_STEP}
    for name, values in zip(_PER_STEP, (use.allocated, use.released, use.calls), strict=True):
        for (_, device), total in zip(use.keys, values.sum(axis=1).tolist(), strict=True):
            out[device, name] = out.get((device, name), 0.0) + total / len(summary.steps)
    return out


def _usage(summary: Summary) -> dict[tuple[str, str], tuple[float, float, float]]:
    """(operator, device) -> bytes allocated and released and number of allocations, means per step."""
    use = summary.memory
    if use is None:
        return {}
    figures = use.allocated, use.released, use.calls
    allocated, released, calls = ((values.sum(axis=1) / len(summary.steps)).tolist() for values in figures)
    return dict(zip(use.keys, zip(allocated, released, calls, strict=True), strict=True))


def _operators(baseline: Summary, candidate: Summary) -> Table:
    usage_a, usage_b = _usage(baseline), _usage(candidate)
    none = (0.0, 0.0, 0.0)
    rows = []
    for key in sorted({*usage_a, *usage_b}):
        a, b = usage_a.get(key), usage_b.get(key)
        (before, _, calls_a), (after, _, calls_b) = a or none, b or none
        row: tuple[Cell, ...] = (
            *key, *(side[0] if side else None for side in (a, b)), after - before, calls_a, calls_b,
            *(side[1] if side else None for side in (a, b)), columns.status(a is not None, b is not None),
        )  # fmt: skip
        rows.append((-abs(after - before), key, row))
    shown = (
        _OPERATOR,
        _DEVICE,
        *columns.sides(_bytes, "", "Allocated", "bytes allocated per step of the {side}", sided=True),
        _bytes("delta", "Δ", "candidate minus baseline: bytes allocated per step", role="delta"),
        *columns.sides(columns.count, "calls", "Allocations", "allocations per step of the {side}"),
        *columns.sides(_bytes, "released", "Released", "bytes released per step of the {side}", shown=False),
        columns.STATUS,
    )
    note = "A tensor may be released by a different operator than allocated it."
    return Table(BY_OPERATOR, "Allocations by operator", shown, tuple(row for _, _, row in sorted(rows)), (note,))


def memory_curves(uses: Mapping[str, MemoryUse | None]) -> Table | None:
    """Table of memory in use over time, by side; None without memory events."""
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


def _bytes(name: str, label: str, description: str, *, role: str = "plain", shown: bool = True) -> Column:
    return columns.number(name, label, BYTES.symbol, description, role=role, better=Better.LOWER, shown=shown)


def _number(name: str, label: str, description: str, *, role: str = "plain") -> Column:
    what = f"{description}, in the row's unit"
    return columns.number(name, label, COUNT.symbol, what, role=role, better=Better.LOWER)
