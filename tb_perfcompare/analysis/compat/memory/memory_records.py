"""Allocations and releases, and the operators they are charged to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.forest import Forest, Tree
from tb_perfcompare.analysis.compat.events.intervals import Numbers
from tb_perfcompare.analysis.compat.events.kinds import Kind
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.events import ABSENT

NO_NODE = -1


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRecords:
    """Memory events in time order, m of them.

    time         (m,) microseconds
    size         (m,) int64 bytes, negative for a release
    address      (m,) int64, ABSENT if not written
    device       (m,) index into `devices`
    devices      (type, id) as written, in order of first appearance
    labels       what the answers call each device; None for a type the line does not know
    allocated, reserved   (m,) bytes held after the record, NaN if not written
    node         (m,) innermost node of the record's thread at that time, NO_NODE if there is none
    """

    time: Numbers
    size: Ints
    address: Ints
    device: Ints
    devices: tuple[tuple[int, int], ...]
    labels: tuple[str | None, ...]
    allocated: Floats
    reserved: Floats
    node: Ints

    def __len__(self) -> int:
        return len(self.size)

    def peaks(self) -> list[tuple[int, int, float]]:
        """(type, id, most bytes allocated) of the devices that state it, in order of the first such record."""
        stated = np.flatnonzero(~np.isnan(self.allocated))
        found = []
        for number in dict.fromkeys(self.device[stated].tolist()):
            most = float(self.allocated[stated][self.device[stated] == number].max())
            found.append((*self.devices[number], most))
        return found


def read_memory(stream: EventStream, forest: Forest) -> MemoryRecords:
    """Memory records of a trace."""
    at = stream.of(Kind.MEMORY)
    device_type = stream.argument("device_type", at, ABSENT)
    device_id = stream.argument("device_id", at, ABSENT)
    numbers: dict[tuple[int, int], int] = {}
    pairs = zip(device_type.tolist(), device_id.tolist(), strict=True)
    device = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.int64)
    known = stream.variant.memory_devices
    labels = tuple(
        (known[kind] if known[kind] == "CPU" else f"{known[kind]}{number}") if kind in known else None
        for kind, number in numbers
    )
    return MemoryRecords(
        time=stream.start[at],
        size=np.asarray(stream.argument("bytes", at, 0), dtype=np.int64),
        address=np.asarray(stream.argument("address", at, ABSENT), dtype=np.int64),
        device=device,
        devices=tuple(numbers),
        labels=labels,
        allocated=np.asarray(stream.argument("total_allocated", at, np.nan), dtype=np.float64),
        reserved=np.asarray(stream.argument("total_reserved", at, np.nan), dtype=np.float64),
        node=_innermost(stream, forest, at),
    )


def _innermost(stream: EventStream, forest: Forest, at: Ints) -> Ints:
    """(m,) node of the record's thread that runs at its time and has no running child; a node's end is outside it."""
    found = np.full(len(at), NO_NODE, dtype=np.int64)
    thread = np.array([ABSENT if t is None else t for t in stream.thread_of_lane], dtype=np.int64)
    of_record = thread[stream.lane[at]]
    for tree in forest.trees:
        here = np.flatnonzero(of_record == tree.thread)
        if not len(here):
            continue
        begin, node = _changes(forest, tree)
        time = stream.start[at[here]]
        slot = np.searchsorted(begin, time, side="right") - 1
        inside = (slot >= 0) & (time < forest.end[tree.root])
        found[here[inside]] = node[slot[inside]]
    return found


def _changes(forest: Forest, tree: Tree) -> tuple[Numbers, Ints]:
    """Times at which the innermost running node of a tree changes, ascending, and the node that runs from then on."""
    begin: list[Any] = []
    running: list[int] = []
    pending: list[tuple[int, int]] = [(tree.root, 0)]
    begin.append(forest.start[tree.root])
    running.append(tree.root)
    while pending:
        node, child_number = pending.pop()
        children = forest.children[node]
        if child_number < len(children):
            child = children[child_number]
            pending += [(node, child_number + 1), (child, 0)]
            begin.append(forest.start[child])
            running.append(child)
        elif pending:
            begin.append(forest.end[node])
            running.append(pending[-1][0])
    return np.maximum.accumulate(np.array(begin)), np.array(running, dtype=np.int64)
