"""Memory events -> what every operator allocated in every step, and each device's curve.

A record belongs to the innermost operator open on its thread at its time. Definitions: docs/memory.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.entities import step_of
from tb_perfcompare.analysis.nesting import Enclosers, innermost
from tb_perfcompare.analysis.steps import Windows
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.device import CPU
from tb_perfcompare.model.events import ABSENT, Category
from tb_perfcompare.model.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.names import operator_key

Ints = NDArray[np.int64]

OUTSIDE = "(outside operators)"
"""Stands for records that no operator of their thread encloses."""

CURVE_POINTS = 400
"""A curve is thinned to about this many points."""


def memory_use(timeline: Timeline, windows: Windows) -> MemoryUse | None:
    """None when the trace has no memory events in the compared window."""
    events = timeline.events
    rows = np.flatnonzero(events.category == Category.MEMORY)
    if not len(rows) or not len(windows.label):
        return None
    start, end = int(windows.start_ns[0]), int(windows.end_ns[-1])
    inside = (events.start_ns[rows] >= start) & (events.start_ns[rows] < end)
    rows = rows[inside]
    if not len(rows):
        return None
    size = np.asarray(events.arg("bytes", 0), dtype=np.int64)[rows]
    # records of one instant in the order of the file would make the curve depend on it: releases come first
    order = np.lexsort((size, events.start_ns[rows]))
    rows, size = rows[order], size[order]
    device = _devices(timeline, rows)
    keys, key_of = _keys(timeline, rows, device)
    allocated, released, calls = _per_step(step_of(events.start_ns[rows], windows), key_of, size, len(keys), windows)
    seen = np.flatnonzero(calls.any(axis=1) | released.any(axis=1))
    return MemoryUse(
        keys=tuple(keys[i] for i in seen.tolist()),
        allocated=allocated[seen],
        released=released[seen],
        calls=calls[seen],
        curves=_curves(timeline, rows, size, device, start),
    )


def _devices(timeline: Timeline, rows: Ints) -> list[str]:
    kinds = np.asarray(timeline.events.arg("device_type", ABSENT), dtype=np.int64)[rows]
    numbers = np.asarray(timeline.events.arg("device_id", ABSENT), dtype=np.int64)[rows]
    names: dict[tuple[int, int], str] = {}
    for kind, number in zip(kinds.tolist(), numbers.tolist(), strict=True):
        names.setdefault((kind, number), _device(timeline, kind, number))
    return [names[pair] for pair in zip(kinds.tolist(), numbers.tolist(), strict=True)]


def _device(timeline: Timeline, kind: int, number: int) -> str:
    if kind in CPU.memory_types:
        return CPU.word
    word = timeline.vendor.word if kind in timeline.vendor.memory_types or kind == ABSENT else f"device type {kind}"
    return word if number in (ABSENT, -1) else f"{word} {number}"


def _keys(timeline: Timeline, rows: Ints, device: list[str]) -> tuple[list[tuple[str, str]], Ints]:
    """((operator, device) pairs, pair of each record)."""
    events, forest = timeline.events, timeline.host
    enclosers = Enclosers(timeline.lane[forest.row], events.start_ns[forest.row], forest.end_ns, forest.parent)
    node = innermost(enclosers, timeline.lane[rows], events.start_ns[rows])
    name = np.where(node >= 0, events.name[forest.row[np.maximum(node, 0)]] if len(forest.row) else -1, -1)
    texts = {code: operator_key(events.strings[code]) if code >= 0 else OUTSIDE for code in np.unique(name).tolist()}
    index: dict[tuple[str, str], int] = {}
    of = [
        index.setdefault((texts[code], where), len(index)) for code, where in zip(name.tolist(), device, strict=True)
    ]
    # in the order of names, whatever came first in the trace
    ordered = sorted(index)
    place = np.empty(len(ordered), dtype=np.int64)
    place[[index[key] for key in ordered]] = np.arange(len(ordered))
    return ordered, place[np.array(of, dtype=np.int64)]


def _per_step(step: Ints, key: Ints, size: Ints, keys: int, windows: Windows) -> tuple[Ints, Ints, Ints]:
    """(keys, s) bytes allocated, bytes released, allocations."""
    steps = len(windows.label)
    out = [np.zeros((keys, steps), dtype=np.int64) for _ in range(3)]
    known = step >= 0
    for target, chosen, values in (
        (out[0], known & (size > 0), size),
        (out[1], known & (size < 0), -size),
        (out[2], known & (size > 0), np.ones(len(size), dtype=np.int64)),
    ):
        np.add.at(target, (key[chosen], step[chosen]), values[chosen])
    return out[0], out[1], out[2]


def _curves(timeline: Timeline, rows: Ints, size: Ints, device: list[str], start: int) -> tuple[MemoryCurve, ...]:
    events = timeline.events
    totals = np.asarray(events.arg("total_allocated", np.nan), dtype=np.float64)[rows]
    reserved = np.asarray(events.arg("total_reserved", np.nan), dtype=np.float64)[rows]
    names = np.array(device)
    curves = []
    for name in sorted(set(device)):
        mine = np.flatnonzero(names == name)
        stated = np.isfinite(totals[mine])
        absolute = bool(stated.any())
        if absolute:
            mine = mine[stated]
            held = totals[mine].astype(np.int64)
        else:
            held = np.cumsum(size[mine])
        kept_by_allocator = reserved[mine]
        has_reserved = absolute and bool(np.isfinite(kept_by_allocator).all()) and bool((kept_by_allocator > 0).any())
        above = kept_by_allocator.astype(np.int64) if has_reserved else None
        shown = _thinned(held)
        curves.append(
            MemoryCurve(
                capture=0,
                device=name,
                absolute=absolute,
                time_ns=events.start_ns[rows[mine[shown]]] - start,
                allocated=held[shown],
                reserved=None if above is None else above[shown],
                peak_allocated=int(held.max()),
                peak_reserved=None if above is None else int(above.max()),
            )
        )
    return tuple(curves)


def _thinned(held: Ints) -> Ints:
    """Positions to keep: first, last, and the highest and lowest of every bucket."""
    n = len(held)
    if n <= CURVE_POINTS:
        return np.arange(n)
    edges = np.linspace(0, n, CURVE_POINTS // 2 + 1).astype(np.int64)
    kept = [0, n - 1]
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if high > low:
            part = held[low:high]
            kept += [low + int(part.argmax()), low + int(part.argmin())]
    return np.unique(np.array(kept, dtype=np.int64))
