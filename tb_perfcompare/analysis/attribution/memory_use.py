"""Memory allocated per operator and step, and each device's memory curve, from memory events.

A record belongs to the innermost operator open on its thread at its time. Definitions: docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.analysis.columns.nesting import Enclosers, innermost, sorted_order
from tb_perfcompare.analysis.columns.numbering import gather, scatter_add
from tb_perfcompare.analysis.trace.event_steps import step_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import EventIndex, Ints, is_of, thinned, unique, unique_places
from tb_perfcompare.model.events import ABSENT, Category
from tb_perfcompare.model.names.join_keys import other_keys
from tb_perfcompare.model.summary.categories import OUTSIDE_OPERATORS
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.summary.split_time import distinct
from tb_perfcompare.model.vendors import CPU

CURVE_POINTS = 2000
"""Approximate number of points of a thinned curve; more if there are many steps, as each keeps its extremes."""


def memory_use(timeline: InterpretedTrace, windows: Windows) -> MemoryUse | None:
    """Sums memory events by operator, device and step. None if the compared windows have no memory events.

    `windows` are those of the host's markers.
    """
    events = timeline.events
    rows = np.flatnonzero(is_of(events.category, Category.MEMORY))
    if not len(rows) or not len(windows.label):
        return None
    start, end = int(windows.start_ns[0]), int(windows.end_ns[-1])
    early = rows[events.start_ns[rows] < start]
    rows = rows[(events.start_ns[rows] >= start) & (events.start_ns[rows] < end)]
    if not len(rows):
        return None
    size = argument_values(events, "bytes", rows, 0)
    # records of one instant: releases first, so that the curve does not depend on file order
    order = sorted_order(events.start_ns[rows], ~size)
    devices, device = _devices(timeline, rows)
    rows, size, device = rows[order], size[order], device[order]
    keys, key_of = _keys(timeline, rows, devices, device)
    step, steps = step_of(events.start_ns[rows], windows), len(windows.label)
    of_allocation, of_release = np.where(size > 0, key_of, -1), np.where(size < 0, key_of, -1)
    calls = scatter_add(of_allocation, len(keys), step, steps)
    allocated = scatter_add(of_allocation, len(keys), step, steps, size)
    released = -scatter_add(of_release, len(keys), step, steps, size)
    seen = np.flatnonzero(calls.any(axis=1) | released.any(axis=1))
    return MemoryUse(
        keys=tuple(keys[i] for i in seen.tolist()),
        allocated=allocated[seen],
        released=released[seen],
        calls=calls[seen],
        curves=_curves(timeline, rows, size, (devices, device), _last_before(timeline, early), windows),
    )


def _devices(timeline: InterpretedTrace, rows: EventIndex) -> tuple[list[str], Ints]:
    """Returns (device names, index of each record's device)."""
    events = timeline.events
    arguments = ("device_type", "device_id")
    kinds, numbers = (unique_places(argument_values(events, argument, rows, ABSENT)) for argument in arguments)
    width = len(numbers[0])
    pairs, at = distinct(kinds[1] * width + numbers[1], len(kinds[0]) * width)
    index: dict[str, int] = {}
    number = [
        index.setdefault(_device(timeline, int(kinds[0][pair // width]), int(numbers[0][pair % width])), len(index))
        for pair in pairs.tolist()
    ]
    return list(index), np.array(number, dtype=np.int64)[at]


def _device(timeline: InterpretedTrace, kind: int, number: int) -> str:
    if kind in CPU.memory_types:
        return CPU.word
    word = timeline.vendor.word if kind in timeline.vendor.memory_types or kind == ABSENT else f"device type {kind}"
    return word if number in (ABSENT, -1) else f"{word} {number}"


def _keys(
    timeline: InterpretedTrace, rows: EventIndex, devices: list[str], device: Ints
) -> tuple[list[tuple[str, str]], Ints]:
    """Returns (sorted (operator, device) pairs, index of each record's pair)."""
    events, forest = timeline.events, timeline.host
    lane, start = gather(timeline.lane, forest.row), gather(events.start_ns, forest.row)
    node = innermost(Enclosers(lane, start, forest.end_ns, forest.parent), timeline.lane[rows], events.start_ns[rows])
    name = gather(np.append(forest.row, np.int32(-1)), node)
    name = np.where(node >= 0, gather(events.name, name), -1).astype(np.int64)
    code, pair_of = distinct((name + 1) * len(devices) + device, (len(events.strings) + 1) * len(devices))
    name_at, device_at = np.divmod(code, len(devices))
    used = unique(name_at[name_at > 0])
    texts = [events.strings.texts[at - 1] for at in used.tolist()]
    for at, key in other_keys(texts).items():
        texts[at] = key
    key_of = {0: OUTSIDE_OPERATORS, **dict(zip(used.tolist(), texts, strict=True))}
    pairs = [(key_of[name], devices[at]) for name, at in zip(name_at.tolist(), device_at.tolist(), strict=True)]
    ordered = sorted(set(pairs))
    place = {pair: number for number, pair in enumerate(ordered)}
    return ordered, np.array([place[pair] for pair in pairs], dtype=np.int64)[pair_of]


def _last_before(timeline: InterpretedTrace, early: Ints) -> dict[str, int]:
    """Maps each device to its last record before the compared window, among records that state totals."""
    events = timeline.events
    rows = early[np.isfinite(argument_values(events, "total_allocated", early, np.nan))]
    if not len(rows):
        return {}
    rows = rows[sorted_order(events.start_ns[rows], ~argument_values(events, "bytes", rows, 0))]
    devices, device = _devices(timeline, rows)
    return {name: int(rows[np.flatnonzero(device == number)[-1]]) for number, name in enumerate(devices)}


def _curves(
    timeline: InterpretedTrace, rows: EventIndex, size: Ints, devices: tuple[list[str], Ints],
    before: Mapping[str, int], windows: Windows,
) -> tuple[MemoryCurve, ...]:  # fmt: skip
    """Curves of the records (r,) of the compared window in time order. `devices`: as from _devices."""
    events = timeline.events
    zero = int(windows.start_ns[0])
    starts, ends = windows.start_ns - zero, windows.end_ns - zero
    curves = []
    for name in sorted(devices[0]):
        of_device = np.flatnonzero(devices[1] == devices[0].index(name))
        row = rows[of_device]
        stated = np.isfinite(argument_values(events, "total_allocated", row, np.nan))
        absolute = bool(stated.any())
        if absolute:
            row = row[stated]
            time_ns = events.start_ns[row] - zero
            if name in before and time_ns[0] > 0:  # memory held when the first step begins
                row, time_ns = np.append(before[name], row), np.append(0, time_ns)
            held_bytes = argument_values(events, "total_allocated", row, np.nan).astype(np.int64)
        else:
            time_ns = events.start_ns[row] - zero
            held_bytes = np.cumsum(size[of_device])
        stated_reserved = argument_values(events, "total_reserved", row, np.nan)
        has_reserved = absolute and bool(np.isfinite(stated_reserved).all()) and bool((stated_reserved > 0).any())
        reserved = stated_reserved.astype(np.int64) if has_reserved else None
        # first record of each step and of each gap after a step
        cuts = unique(np.searchsorted(time_ns, np.concatenate((starts, ends)), side="left").astype(np.int64))
        shown = thinned((held_bytes,) if reserved is None else (held_bytes, reserved), CURVE_POINTS, cuts)
        curves.append(
            MemoryCurve(
                capture=0,
                device=name,
                absolute=absolute,
                label=windows.label,
                start_ns=starts,
                end_ns=ends,
                time_ns=time_ns[shown],
                allocated=held_bytes[shown],
                reserved=None if reserved is None else reserved[shown],
                peak_allocated=int(held_bytes.max()),
                peak_reserved=None if reserved is None else int(reserved.max()),
            )
        )
    return tuple(curves)
