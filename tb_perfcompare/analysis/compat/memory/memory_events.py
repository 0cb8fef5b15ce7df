"""The `memory_events` answer: allocations with their lifetimes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.forest import Forest
from tb_perfcompare.analysis.compat.events.intervals import scalar
from tb_perfcompare.analysis.compat.memory.memory_records import NO_NODE, MemoryRecords
from tb_perfcompare.analysis.compat.memory.memory_units import MemoryUnits, TimeWindow, default_device, shown_size
from tb_perfcompare.model.events import ABSENT

_UNKNOWN = "<unknown>"


def events_answer(
    records: MemoryRecords, forest: Forest, units: MemoryUnits, first: int | float, window: TimeWindow
) -> dict[str, Any]:
    """The `memory_events` answer for the records in the window; times are relative to `first`, the recording's start.

    Matched allocations come in order of release, then those still held, then releases of memory allocated before.
    """
    owners = _owner_names(records, forest)
    held, ended, unmatched = _match(records, window)
    rows: dict[str, list[list[Any]]] = {}

    def since(record: int) -> float:
        return shown_size((scalar(records.time[record]) - first) * units.time_factor)

    def show(record: int, last: int, cells: list[Any]) -> None:
        label = records.labels[int(records.device[record])]
        if label is not None:
            size = shown_size(abs(int(records.size[last])) * units.memory_factor)
            rows.setdefault(label, []).append([owners[record], size, *cells])

    for allocation, release in ended:
        lifetime = scalar(records.time[release] - records.time[allocation]) * units.time_factor
        show(allocation, release, [since(allocation), since(release), shown_size(lifetime)])
    for record in held:
        show(record, record, [since(record), None, None])
    for record in unmatched:
        show(record, record, [None, since(record), None])
    titles = [f"Size ({units.memory})"]
    titles += [f"{what} ({units.time})" for what in ("Allocation Time", "Release Time", "Duration")]
    columns = [{"name": "Operator", "type": "string", "tooltip": ""}]
    columns += [{"name": title, "type": "number", "tooltip": ""} for title in titles]
    metadata = {"title": "Memory Events", "default_device": default_device(rows)}
    return {"metadata": metadata, "columns": columns, "rows": rows}


def _match(records: MemoryRecords, window: TimeWindow) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """(allocations still held, (allocation, release) pairs, last release of each address that had no allocation)."""
    held: dict[int, int] = {}
    unmatched: dict[int, int] = {}
    ended = []
    inside = (records.time >= window.low) & (records.time <= window.high)
    for record in np.flatnonzero(inside & (records.address != ABSENT)).tolist():
        address = int(records.address[record])
        if records.size[record] > 0:
            held[address] = record
        elif address in held:
            ended.append((held.pop(address), record))
        else:
            unmatched[address] = record
    return list(held.values()), ended, list(unmatched.values())


def _owner_names(records: MemoryRecords, forest: Forest) -> list[str]:
    """Per record the operator that allocated the memory, as shown; a release asks the allocation it ends."""
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
