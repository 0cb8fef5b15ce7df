"""The critical path of every step: from its end, back from each piece of work to what it waited for last.

The pieces of the path have no gap or overlap, so they sum to the step. Another view of time that the ledger already
counts. Docs: docs/method/metrics.md.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.critical_edges import (
    LAUNCH,
    STREAM,
    DeviceEdges,
    HostEdges,
    device_edges,
    host_edges,
)
from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.attribution.ownership import Claims, owned_shares
from tb_perfcompare.analysis.columns.numbering import gather, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.analysis.trace.threads import main_lane
from tb_perfcompare.model.arrays import EventIndex, Ints, chunks, is_of, unique
from tb_perfcompare.model.events import FlowTable
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory
from tb_perfcompare.model.summary.groups import EVENT_EDGE, LAUNCH_EDGE, STREAM_EDGE, WAIT_EDGE
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import TextPool, column, keys

_GAPS = (LAUNCH_EDGE, STREAM_EDGE, EVENT_EDGE, WAIT_EDGE, (NOTHING_RECORDED, CATEGORY_LABELS[StepCategory.OTHER]))
_RETURN, _IDLE = 3, 4
"""Further indices into _GAPS; LAUNCH, STREAM and EVENT are the first three."""
OnStreams = tuple[EventIndex, Ints, Ints, Ints]
_LABELS = TextPool([*CATEGORY_LABELS, *(label for _, label in _GAPS)])


def critical_path(timeline: InterpretedTrace, owners: Owners, windows: Windows, flows: FlowTable) -> GroupTable | None:
    """Returns time on the path by (name, category) and step; calls are pieces of the path. None without host events."""
    main = main_lane(timeline)
    if main < 0:
        return None
    device = device_edges(timeline, main)
    walk = _Walk(device, host_edges(timeline, device, flows, main))
    for step, (low, high) in enumerate(zip(windows.start_ns.tolist(), windows.end_ns.tolist(), strict=True)):
        walk.step(step, low, high, main)
    on_streams = _on_streams(device, _columns(walk.streams, 4), windows)
    host, gaps = _columns(walk.host, 4), _columns(walk.gaps, 3)
    del walk, device  # frees memory for the next steps
    return _table(timeline, owners, (on_streams, host, gaps), windows)


class _Walk:
    """Pieces of the paths, in the order they are walked.

    streams  (first event, last event, until, step): these and all events between them on a stream
    host     (lane, from, until, step)
    gaps     (index into _GAPS, ns, step)
    """

    def __init__(self, device: DeviceEdges, host: Mapping[int, HostEdges]) -> None:
        self.streams, self.host, self.gaps = array("q"), array("q"), array("q")
        columns = device.start_ns, device.why, device.first, device.before, device.at_ns
        self._start, self._why, self._first, self._before, self._at = map(_as_ints, columns)
        order = np.argsort(device.end_ns, kind="stable")
        self._ends, self._by_end = _as_ints(device.end_ns[order]), _as_ints(order)
        self._lanes = {
            lane: (_as_ints(own.resumed_ns), _as_ints(own.of_device), _as_ints(own.before), _as_ints(own.at_ns))
            for lane, own in host.items()
        }
        self._max_pieces = 2 * len(self._start) + 2 * sum(len(own[0]) for own in self._lanes.values()) + 2

    def step(self, step: int, low: int, high: int, main: int) -> None:
        """Walks one step back, from the device event that ends with the window, else from the main lane."""
        last = bisect_right(self._ends, high) - 1
        on_device = last >= 0 and self._ends[last] == high
        place, now = self._by_end[last] if on_device else main, high
        for _ in range(self._max_pieces):
            if now <= low:
                return
            on_device, place, now = (self._from_device if on_device else self._from_host)(place, step, low, now)
        self._gap(_IDLE, low, now, step)  # recorded times contradict each other

    def _from_device(self, event: int, step: int, low: int, now: int) -> tuple[bool, int, int]:
        first = self._first[event]
        if self._start[first] <= low:
            begun = max(bisect_right(self._start, low, first, event + 1) - 1, first)
            self.streams.extend((begun, event, now, step))
            return True, event, low
        self.streams.extend((first, event, now, step))
        begin = min(self._start[first], now)
        done = max(min(self._at[first], begin), low)
        self._gap(self._why[first], done, begin, step)
        return self._why[first] != LAUNCH, self._before[first], done

    def _from_host(self, lane: int, step: int, low: int, now: int) -> tuple[bool, int, int]:
        resumed, of_device, before, at = self._lanes.get(lane, ((), (), (), ()))
        last = bisect_right(resumed, now) - 1
        begin = max(resumed[last], low) if last >= 0 else low
        if now > begin:
            self.host.extend((lane, begin, now, step))
        if last < 0 or begin <= low:
            return False, lane, low
        done = max(at[last], low)
        self._gap(_RETURN if of_device[last] else _IDLE, done, begin, step)
        return bool(of_device[last]), before[last], done

    def _gap(self, number: int, low: int, high: int, step: int) -> None:
        if high > low:
            self.gaps.extend((number, high - low, step))


def _table(
    timeline: InterpretedTrace, owners: Owners, walked: tuple[OnStreams, Ints, Ints], windows: Windows
) -> GroupTable:
    """Sums pieces by name and category: rows of entities, then of _GAPS.

    `walked` is the result of _on_streams and the columns of the other pieces of a _Walk.
    """
    entities = len(owners.key)
    pool = operator_keys_of(timeline.events.strings)
    gap_places = np.array(pool.places([name for name, _ in _GAPS]), dtype=np.int32)
    nameless = is_of(owners.category, StepCategory.OTHER) & (owners.key.code == gap_places[_IDLE])
    # idle time has one row, whether it is an entity or a gap
    idle_row = int(np.append(np.flatnonzero(nameless), entities + _IDLE)[0])
    row_of_gap = np.append(entities + np.arange(_IDLE), idle_row)
    (on_stream, step, run, gap), host, gaps = walked
    ran = [(on_stream, step, run), *_on_host(timeline, owners, host)]
    entity = np.full(len(timeline.events) + 1, idle_row, dtype=np.int32)  # the last entry is for no event
    entity[owners.row] = owners.entity
    pieces = [
        *((gather(entity, event), step, ns) for event, step, ns in ran),
        (np.full(len(gap), entities + STREAM), step, gap),
        (row_of_gap[gaps[0]], gaps[2], gaps[1]),
    ]
    columns = [list(parts) for parts in zip(*pieces, strict=True)]
    del ran, pieces, entity  # so that _joined can free the parts of each column
    row, step, ns = (_joined(parts) for parts in columns)
    row[ns <= 0] = -1
    rows, steps = entities + len(_GAPS), len(windows.label)
    time = scatter_add(row, rows, step, steps, ns)
    used = np.flatnonzero(time.any(axis=1))
    name = np.append(owners.key.code, gap_places)[used]
    label = np.append(owners.category, len(CATEGORY_LABELS) + np.arange(len(_GAPS)))[used].astype(np.int32)
    return GroupTable(
        key_columns=("name", "category"),
        keys=keys((name, pool.pool), (label, _LABELS)),
        names=column(name, pool.pool),
        calls=scatter_add(row, rows, step, steps)[used],
        measures_ns={"total": time[used]},
    )


def _joined(parts: list[Ints]) -> Ints:
    """Concatenates the parts and empties the list, to free them."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def _as_ints(column: NDArray[Any]) -> Sequence[int]:
    """The column as Python integers, made on access: a walk looks at few of them."""
    return np.ascontiguousarray(column).data


def _columns(pieces: array[int], width: int) -> Ints:
    """(width, p) Columns of p pieces."""
    return np.ascontiguousarray(np.frombuffer(pieces, np.int64).reshape(-1, width).T)


def _on_streams(device: DeviceEdges, streams: Ints, windows: Windows) -> OnStreams:
    """Splits stretches of streams into events: (row, step, time on the path, gap after it).

    All events of a stretch but its last are cut where the next one starts.
    """
    first, last, until, step = streams
    count = last - first + 1
    stretch = np.repeat(np.arange(len(count)), count)
    event = np.arange(len(stretch)) - np.repeat(np.cumsum(count) - count, count) + first[stretch]
    low, is_last = windows.start_ns[step][stretch], event == last[stretch]
    following = np.where(is_last, until[stretch], device.start_ns[np.minimum(event + 1, len(device.row) - 1)])
    end = np.maximum(np.minimum(device.end_ns[event], following), low)
    run = end - np.clip(device.start_ns[event], low, end)
    gap = np.where(is_last, 0, np.maximum(following, low) - end)
    return device.row[event], step[stretch], run, gap


def _on_host(timeline: InterpretedTrace, owners: Owners, host: Ints) -> list[tuple[Ints, Ints, Ints]]:
    """Concatenates _on_lane over all lanes."""
    lanes, on_host = gather(timeline.lane, owners.row), ~gather(timeline.is_device, owners.row)
    pieces = []
    for lane in unique(host[0]).tolist():
        own = rows_where((lanes == lane) & on_host)
        pieces += _on_lane(timeline, owners, own, host[1:, host[0] == lane])
    return pieces


def _on_lane(
    timeline: InterpretedTrace, owners: Owners, own: EventIndex, stretches: Ints
) -> list[tuple[Ints, Ints, Ints]]:
    """Attributes stretches (from, until, step) of a lane to its innermost owners: (row or -1, step, ns)."""
    events = timeline.events
    low, high, step = stretches[:, np.argsort(stretches[0], kind="stable")]
    rows = gather(owners.row, own)
    begin, reached = np.append(low, np.iinfo(np.int64).max), np.empty(len(rows), dtype=np.bool_)
    for chunk in chunks(len(rows)):
        start = gather(events.start_ns, rows[chunk])
        until = start + gather(events.dur_ns, rows[chunk])
        reached[chunk] = begin[np.searchsorted(high, start, side="right")] < until
    rows, role = rows[reached], gather(owners.role, own[reached])
    times = (gather(column, rows) for column in (events.start_ns, events.dur_ns, events.external_id))
    claims = Claims(next(times), next(times), role, tuple(times))
    shares = owned_shares(claims, Windows(("",) * len(low), low, high, (), False, 0))
    no_row = np.full(len(shares.gap_step), -1)
    return [
        (gather(rows, shares.claim), gather(step, shares.step), shares.time_ns),
        (no_row, step[shares.gap_step], shares.gap_end - shares.gap_start),
    ]
