"""The memory answers: by operator, over time, and as allocations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.forest import Forest
from tb_perfcompare.analysis.compat.memory import NO_NODE, MemoryRecords
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.events import ABSENT

_MEMORY_FACTORS = {"B": 1.0, "KB": 1 / 1024, "MB": 1 / 1024**2, "GB": 1 / 1024**3}
_TIME_FACTORS = {"us": 1.0, "ms": 0.001, "s": 0.000001}
_UNKNOWN = "<unknown>"
_SMALLEST_WITH_CENTS = 0.01


@dataclass(frozen=True, slots=True)
class MemoryUnits:
    """Units of an answer and what one byte or microsecond is in them."""

    memory: str
    time: str
    memory_factor: float
    time_factor: float


def memory_units(memory: str, time: str = "ms") -> MemoryUnits:
    """Units by name (B, K, KB, M, MB, G, GB; us, ms, s); SelectionError for others."""
    memory = memory if memory.endswith("B") else f"{memory}B"
    if memory not in _MEMORY_FACTORS or time not in _TIME_FACTORS:
        known = ", ".join([*_MEMORY_FACTORS, *_TIME_FACTORS])
        raise SelectionError(f"unknown unit {memory!r} or {time!r} for a memory view", hint=f"there are: {known}")
    return MemoryUnits(memory, time, _MEMORY_FACTORS[memory], _TIME_FACTORS[time])


def shown_size(value: float) -> float:
    """Two decimals, or one significant digit for what would vanish."""
    if value == 0 or abs(value) >= _SMALLEST_WITH_CENTS:
        return round(value, 2)
    return float(f"{value:.0e}")


# ---- by operator -----------------------------------------------------------------------------------------------------

_STAT_TOOLTIPS = (
    ("Size Increase ({unit})", "The memory increase size include all children operators."),
    ("Self Size Increase ({unit})", "The memory increase size associated with the operator itself."),
    ("Allocation Count", "The allocation count including all chidren operators."),
    ("Self Allocation Count", "The allocation count belonging to the operator itself."),
    ("Allocation Size ({unit})", "The allocation size including all children operators."),
    (
        "Self Allocation Size ({unit})",
        "The allocation size belonging to the operator itself.\n"
        "It will sum up all allocation bytes without considering the memory free.",
    ),
)


def memory_answer(
    records: MemoryRecords, forest: Forest, units: MemoryUnits, start: float | None, end: float | None
) -> dict[str, Any]:
    """The `memory` answer for records between `start` and `end` (microseconds as in the trace, None: open)."""
    low, high = -math.inf if start is None else start, math.inf if end is None else end
    seen = _seen_operators(records, forest, low, high)
    charged = _charged(records, forest, low, high)
    labels = dict.fromkeys(label for operator in seen for label in charged.get(operator.node, {}))
    found = {label: _stat_rows(label, charged, seen, forest, units.memory_factor) for label in labels}
    rows = {label: lines for label, lines in found.items() if lines}
    columns: list[dict[str, str]] = [
        {"name": "Operator Name", "type": "string"},
        {"name": "Calls", "type": "number", "tooltip": "# of calls of the operator."},
    ]
    for title, tooltip in _STAT_TOOLTIPS:
        columns.append({"name": title.format(unit=units.memory), "type": "number", "tooltip": tooltip})
    metadata = {
        "title": "Memory View",
        "default_device": default_device(rows),
        "search": "Operator Name",
        "sort": f"Self Size Increase ({units.memory})",
    }
    return {"metadata": metadata, "columns": columns, "rows": rows}


def default_device(labels: Iterable[str]) -> str:
    """First accelerator by label, else the CPU."""
    return next((label for label in sorted(labels) if label != "CPU"), "CPU")


@dataclass(frozen=True, slots=True)
class _SeenOperator:
    """An operator shown by the view: its node, and the place in the list of the nearest operator above it (-1: none)."""

    node: int
    above: int


def _seen_operators(records: MemoryRecords, forest: Forest, low: float, high: float) -> list[_SeenOperator]:
    """Operators within the range whose parent holds a record (at any time) somewhere below it."""
    touched = _touched(records, forest)
    seen = []
    for tree in forest.trees:
        pending = [(tree.root, -1)]
        while pending:
            node, above = pending.pop()
            if node != tree.root and (forest.start[node] > high or forest.end[node] < low):
                continue
            if forest.operator[node]:
                seen.append(_SeenOperator(node, above))
                above = len(seen) - 1
            if node == tree.root or node in touched:
                pending.extend((child, above) for child in reversed(forest.children[node]))
    return seen


def _touched(records: MemoryRecords, forest: Forest) -> set[int]:
    """Nodes that are, or enclose, the innermost node of any record."""
    parent = forest.parents()
    touched: set[int] = set()
    for node in np.unique(records.node).tolist():
        while node != NO_NODE and node not in touched:
            touched.add(node)
            node = parent[node]
    return touched


_Charge = tuple[int, int, int]


def _charged(records: MemoryRecords, forest: Forest, low: float, high: float) -> dict[int, dict[str, _Charge]]:
    """Operator node -> label -> (bytes, number of allocations, bytes allocated) of the node's own records in the range."""
    charged: dict[int, dict[str, _Charge]] = {}
    at = np.flatnonzero((records.time >= low) & (records.time <= high) & (records.node != NO_NODE))
    rows = zip(records.node[at].tolist(), records.size[at].tolist(), records.device[at].tolist(), strict=True)
    for node, size, device in rows:
        label = records.labels[device]
        if label is None or not forest.operator[node]:
            continue
        by_label = charged.setdefault(node, {})
        total, count, allocated = by_label.get(label, (0, 0, 0))
        by_label[label] = (total + size, count + (size > 0), allocated + max(size, 0))
    return charged


def _stat_rows(
    label: str, charged: dict[int, dict[str, _Charge]], seen: list[_SeenOperator], forest: Forest, factor: float
) -> list[list[Any]]:
    """Rows per operator name: [name, calls, sizes and counts], by name; operators without any effect are left out."""
    sums: dict[str, list[int]] = {}
    for place, operator in enumerate(seen):
        own = charged.get(operator.node, {}).get(label, (0, 0, 0))
        line = sums.setdefault(forest.name[operator.node], [0] * 7)
        line[0] += 1
        for i, value in enumerate(own):
            line[2 + 2 * i] += value
            above = place if value else -1
            while above >= 0:
                sums[forest.name[seen[above].node]][1 + 2 * i] += value
                above = seen[above].above
    rows = []
    for name in sorted(sums):
        calls, increase, self_increase, count, self_count, size, self_size = sums[name]
        if not any(sums[name][1:]):
            continue
        cells = [shown_size(increase * factor), shown_size(self_increase * factor), count, self_count]
        rows.append([name, calls, *cells, shown_size(size * factor), shown_size(self_size * factor)])
    return rows


# ---- over time -------------------------------------------------------------------------------------------------------


def curve_answer(
    records: MemoryRecords, units: MemoryUnits, first: int | float, most_points: int | None
) -> dict[str, Any]:
    """The `memory_curve` answer; times are relative to `first`, the start of the recording."""
    stated = (records.address != ABSENT) & ~np.isnan(records.allocated) & ~np.isnan(records.reserved)
    curves: dict[str, list[list[Any]]] = {}
    peaks: dict[str, float] = {}
    at = np.flatnonzero(stated)
    for device in dict.fromkeys(records.device[at].tolist()):
        label = records.labels[device]
        if label is None:
            continue
        mine = at[records.device[at] == device]
        time = (records.time[mine] - first) * units.time_factor
        allocated = records.allocated[mine] * units.memory_factor
        reserved = records.reserved[mine] * units.memory_factor
        peaks[label] = max(peaks.get(label, 0.0), float(allocated.max()))
        points = np.column_stack((time, allocated, reserved)).tolist()
        curves[label] = curves.get(label, []) + points
    rows = {label: _sampled(_stepped(points), most_points) for label, points in curves.items()}
    columns = [
        {"name": f"Time ({units.time})", "type": "number", "tooltip": "Time since profiler starts."},
        {"name": f"Allocated ({units.memory})", "type": "number", "tooltip": "Total memory in use."},
        {
            "name": f"Reserved ({units.memory})",
            "type": "number",
            "tooltip": "Total reserved memory by allocator, both used and unused.",
        },
    ]
    metadata = {
        "default_device": default_device(rows),
        "devices": sorted(rows),
        "peaks": {label: f"Peak Memory Usage: {peak:.1f}{units.memory}" for label, peak in peaks.items()},
        "totals": {},
        "first_ts": first,
        "time_metric": units.time,
        "memory_metric": units.memory,
        "time_factor": units.time_factor,
        "memory_factor": units.memory_factor,
    }
    return {"metadata": metadata, "columns": columns, "rows": rows}


def _stepped(points: list[list[Any]]) -> list[list[Any]]:
    """A copy of the previous values at each new time, so that lines between points draw steps."""
    stepped = points[:1]
    for before, point in zip(points, points[1:], strict=False):
        stepped.append([point[0], *before[1:]])
        stepped.append(point)
    return stepped


def _sampled(points: list[list[Any]], most: int | None) -> list[list[Any]]:
    """At most `most` points, chosen to keep the curve's shape: largest triangle of three buckets (Steinarsson 2013) by time
    and allocated bytes. First and last point stay; buckets between them differ by at most one point, larger ones first."""
    if most is None or len(points) <= most:
        return points
    x, y, _ = np.array(points, dtype=np.float64).T
    buckets = [*np.array_split(np.arange(1, len(points) - 1), most - 2), np.array([len(points) - 1])]
    chosen = [0]
    for bucket, following in zip(buckets, buckets[1:], strict=False):
        mean_x, mean_y = x[following].mean(), y[following].mean()
        a = chosen[-1]
        area = np.abs((x[a] - mean_x) * (y[bucket] - y[a]) - (x[a] - x[bucket]) * (mean_y - y[a]))
        chosen.append(int(bucket[int(np.argmax(area))]))
    chosen.append(len(points) - 1)
    return [points[i] for i in chosen]


# ---- as allocations --------------------------------------------------------------------------------------------------


def events_answer(
    records: MemoryRecords,
    forest: Forest,
    units: MemoryUnits,
    first: int | float,
    start: float | None,
    end: float | None,
) -> dict[str, Any]:
    """The `memory_events` answer: matched allocations in order of release, then live ones, then releases of unknown ones."""
    low, high = -math.inf if start is None else start, math.inf if end is None else end
    owners = _owner_names(records, forest)
    rows: dict[str, list[list[Any]]] = {}
    live: dict[int, int] = {}
    unmatched: dict[int, int] = {}

    def show(record: int, owner: str, sized_by: int, cells: list[Any]) -> None:
        label = records.labels[int(records.device[record])]
        if label is not None:
            size = shown_size(abs(int(records.size[sized_by])) * units.memory_factor)
            rows.setdefault(label, []).append([owner, size, *cells])

    def since(record: int) -> float:
        return shown_size((records.time[record].item() - first) * units.time_factor)

    wanted = (records.address != ABSENT) & (records.time >= low) & (records.time <= high)
    for record in np.flatnonzero(wanted).tolist():
        address = int(records.address[record])
        if records.size[record] > 0:
            live[address] = record
        elif address in live:
            allocation = live.pop(address)
            lifetime = (records.time[record] - records.time[allocation]).item() * units.time_factor
            show(allocation, owners[allocation], record, [since(allocation), since(record), shown_size(lifetime)])
        else:
            unmatched[address] = record
    for record in live.values():
        show(record, owners[record], record, [since(record), None, None])
    for record in unmatched.values():
        show(record, owners[record], record, [None, since(record), None])
    titles = [f"Size ({units.memory})"]
    titles += [f"{what} ({units.time})" for what in ("Allocation Time", "Release Time", "Duration")]
    columns = [{"name": "Operator", "type": "string", "tooltip": ""}]
    columns += [{"name": title, "type": "number", "tooltip": ""} for title in titles]
    metadata = {"title": "Memory Events", "default_device": default_device(rows)}
    return {"metadata": metadata, "columns": columns, "rows": rows}


def _owner_names(records: MemoryRecords, forest: Forest) -> list[str]:
    """Per record, as shown, the operator that allocated the memory; a release takes the name of the allocation it ends."""
    parent = forest.parents()
    names = []
    by_address: dict[int, str] = {}
    rows = zip(records.node.tolist(), records.size.tolist(), records.address.tolist(), strict=True)
    for node, size, address in rows:
        if size <= 0:
            names.append(by_address.pop(address, _UNKNOWN))
            continue
        name = _UNKNOWN
        if node != NO_NODE and forest.operator[node]:
            name = forest.name[node]
            if name.startswith("aten::empty") and parent[node] != NO_NODE:
                name = f"{forest.name[parent[node]]} ({name})"
        if address != ABSENT:
            by_address[address] = name
        names.append(name)
    return names
