"""The `memory` answer: allocations and releases by operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.forest import Forest
from tb_perfcompare.analysis.compat.memory.memory_records import NO_NODE, MemoryRecords
from tb_perfcompare.analysis.compat.memory.memory_units import MemoryUnits, TimeWindow, default_device, shown_size

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


def memory_answer(records: MemoryRecords, forest: Forest, units: MemoryUnits, window: TimeWindow) -> dict[str, Any]:
    """The `memory` answer for the records in the window."""
    seen = _seen_operators(records, forest, window)
    charged = _charged(records, forest, window)
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


@dataclass(frozen=True, slots=True)
class _SeenOperator:
    """An operator of the view: its node, and the place in the list of the nearest operator above it (-1: none)."""

    node: int
    above: int


def _seen_operators(records: MemoryRecords, forest: Forest, window: TimeWindow) -> list[_SeenOperator]:
    """Operators within the range whose parent holds a record (at any time) somewhere below it."""
    touched = _touched(records, forest)
    seen = []
    for tree in forest.trees:
        pending = [(tree.root, -1)]
        while pending:
            node, above = pending.pop()
            if node != tree.root and (forest.start[node] > window.high or forest.end[node] < window.low):
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
    for innermost in np.unique(records.node).tolist():
        node = innermost
        while node != NO_NODE and node not in touched:
            touched.add(node)
            node = parent[node]
    return touched


_Charge = tuple[int, int, int]


def _charged(records: MemoryRecords, forest: Forest, window: TimeWindow) -> dict[int, dict[str, _Charge]]:
    """Operator node -> label -> (bytes, allocations, bytes allocated) of the node's own records in the window."""
    charged: dict[int, dict[str, _Charge]] = {}
    inside = (records.time >= window.low) & (records.time <= window.high)
    at = np.flatnonzero(inside & (records.node != NO_NODE))
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
