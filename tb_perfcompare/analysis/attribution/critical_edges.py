"""Edges of a step's critical path: what each piece of work waited for, as far as a trace records it.

* A device event waits for its launch, for the previous work on its stream or, if the program makes streams wait for
  each other, for work on another stream.
* A synchronizing host call waits for the last device work that ended during it.
* Of the threads that launch device work or run backward, an idle one waits for the one that worked meanwhile.

Docs: docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.intervals import union_by_lane
from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import sorted_order
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.api_calls import RELEASE, STREAM_WAIT, WAIT
from tb_perfcompare.model.arrays import EventIndex, Flags, Ints, are_in, is_of, is_run_start, places_of, unique
from tb_perfcompare.model.events import Category, FlowTable
from tb_perfcompare.quick_dataclass import dataclass

LAUNCH, STREAM, EVENT = 0, 1, 2
"""What a device event waited for last."""

_NEVER = int(np.iinfo(np.int64).min)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceEdges:
    """k device events, stream by stream in order of start.

    row, start_ns, end_ns  (k,) each
    why      (k,) LAUNCH, STREAM or EVENT; with STREAM the event waited for the one before it
    first    (k,) first event of the unbroken STREAM chain that leads to this event; the event itself if there is none
    before   (k,) predecessor: a host lane for LAUNCH, a device event for EVENT
    at_ns    (k,) when the predecessor was done, at most the event's start
    """

    row: EventIndex
    start_ns: Ints
    end_ns: Ints
    why: Ints
    first: Ints
    before: Ints
    at_ns: Ints


@dataclass(frozen=True, slots=True, eq=False)
class HostEdges:
    """c instants, in time order, at which a host lane resumed because something else was done.

    resumed_ns  (c,)
    of_device   (c,) bool it waited for a device event, else for another lane
    before      (c,) that device event or lane
    at_ns       (c,) when that was done
    """

    resumed_ns: Ints
    of_device: Flags
    before: Ints
    at_ns: Ints


def device_edges(timeline: InterpretedTrace, main: int) -> DeviceEdges:
    """Returns the edges of device events.

    Events without a recorded launch and without earlier work on their stream wait for the main lane, at their own
    start.
    """
    events = timeline.events
    rows = np.flatnonzero(timeline.is_device & (events.dur_ns > 0))
    # equal starts are ordered by launch, name, id and duration, so that file order has no influence
    name = Coded(events.name[rows], events.strings.ranks())
    ties = events.dur_ns[rows], events.external_id[rows], name, events.correlation[rows]
    rows = rows[sorted_order(timeline.lane[rows].astype(np.int64), ~events.start_ns[rows], *ties)]
    start, end, lane = events.start_ns[rows], timeline.ends(rows), timeline.lane[rows]
    launcher = timeline.launcher[rows]
    launched = np.where(launcher >= 0, np.minimum(timeline.ends(launcher), start), _NEVER)
    stream_done = np.full(len(rows), _NEVER)
    stream_done[1:] = np.where(lane[1:] == lane[:-1], np.minimum(end[:-1], start[1:]), _NEVER)
    # a call that returned after its copy was done waited for it, and so for earlier work, from its own start
    blocking = (launcher >= 0) & (timeline.ends(launcher) >= end)
    blocking &= is_of(events.category[rows], Category.MEMCPY)
    called = np.where(blocking, events.start_ns[launcher], launched)
    why = np.where((stream_done >= called) & (stream_done > _NEVER), STREAM, LAUNCH)
    at = np.where(why == STREAM, stream_done, np.where(launched > _NEVER, launched, start))
    before = np.where(launcher >= 0, timeline.lane[launcher], main).astype(np.int64)
    if len(rows) and len(timeline.calls_with(STREAM_WAIT)):
        last, done = _last_ended(end, start)
        later = (last >= 0) & (done > at) & (lane[last] != lane)
        why, before, at = (np.where(later, new, old) for new, old in ((EVENT, why), (last, before), (done, at)))
    first = np.maximum.accumulate(np.where(why == STREAM, 0, np.arange(len(rows))))
    return DeviceEdges(rows, start, end, why, first, before, at)


def host_edges(timeline: InterpretedTrace, device: DeviceEdges, flows: FlowTable, main: int) -> Mapping[int, HostEdges]:
    busy = _busy(timeline, _program_lanes(timeline, flows, main))
    waits, handed = _waits(timeline, device), _handed_over(*busy)
    lane, resumed, before, done = (np.concatenate(both) for both in zip(waits, handed, strict=True))
    order = np.lexsort((resumed, lane))
    lane, resumed, before, done = (column[order] for column in (lane, resumed, before, done))
    of_device = order < len(waits[0])
    lanes = unique(np.concatenate([lane, busy[0]]))
    bounds = zip(*(np.searchsorted(lane, lanes, side=side).tolist() for side in ("left", "right")), strict=True)
    return {
        number: HostEdges(resumed[low:high], of_device[low:high], before[low:high], done[low:high])
        for number, (low, high) in zip(lanes.tolist(), bounds, strict=True)
    }


def _last_ended(end: Ints, at: Ints) -> tuple[Ints, Ints]:
    """Per instant, (index of the event that ended last by then or -1, its end)."""
    order = np.argsort(end, kind="stable")
    place = np.searchsorted(end[order], at, side="right") - 1
    if not len(end):
        return place, np.full(len(at), _NEVER)
    return np.where(place >= 0, order[place], -1), np.where(place >= 0, end[order[place]], _NEVER)


def _waits(timeline: InterpretedTrace, device: DeviceEdges) -> tuple[Ints, Ints, Ints, Ints]:
    """Calls that waited for device work: (lane, return time, device event, its end).

    Calls with the role WAIT or RELEASE do, and copies that were done before the call that started them returned.
    """
    rows = timeline.calls_with(WAIT, RELEASE)
    last, done = _last_ended(device.end_ns, timeline.ends(rows))
    waited = done > timeline.events.start_ns[rows]
    copies = np.flatnonzero(is_of(timeline.events.category[device.row], Category.MEMCPY))
    caller = timeline.launcher[device.row[copies]]
    at_once = (caller >= 0) & (device.end_ns[copies] <= timeline.ends(caller))
    rows = np.concatenate([rows[waited], caller[at_once]])
    done = np.concatenate([done[waited], device.end_ns[copies[at_once]]])
    last = np.concatenate([last[waited], copies[at_once]])
    return timeline.lane[rows].astype(np.int64), timeline.ends(rows), last, done


def _program_lanes(timeline: InterpretedTrace, flows: FlowTable, main: int) -> list[int]:
    """Returns the main lane, lanes that launch device work, and lanes that arrows from forward to backward lead to.

    Empty if the main lane is the only one.
    """
    elsewhere = timeline.host.row[timeline.lane[timeline.host.row] != main]
    arrives = elsewhere[are_in(timeline.events.start_ns[elsewhere], flows.start_ns[~flows.is_start])]
    taking_part = np.concatenate([timeline.launcher[timeline.launcher >= 0], arrives])
    others = np.flatnonzero(np.bincount(timeline.lane[taking_part], minlength=main + 1)).tolist()
    others = [lane for lane in others if lane != main]
    return [main, *others] if others else []


def _busy(timeline: InterpretedTrace, lanes: list[int]) -> tuple[Ints, Ints, Ints]:
    """When operators and API calls run: disjoint intervals (lane, start, end), by lane, then time."""
    forest = timeline.host
    rows = np.concatenate([forest.row[forest.parent < 0], np.flatnonzero(timeline.is_api)])
    rows = rows[are_in(timeline.lane[rows], np.array(lanes, dtype=np.int64))]
    return union_by_lane(timeline.lane[rows], timeline.events.start_ns[rows], timeline.ends(rows))


def _handed_over(lane: Ints, begins: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Gaps of a lane in which another lane started working: (lane, end of gap, other lane, until when it worked).

    Of several other lanes, the one that worked longest.
    """
    is_first = is_run_start(lane)
    since = np.where(is_first, _NEVER, np.roll(ends, 1))
    by_start = np.argsort(begins, kind="stable")
    # a lane starts nothing within its own gaps, so these are starts of other lanes
    low, high = (np.searchsorted(begins[by_start], at, side="left") for at in (since, begins))
    gaps = np.flatnonzero(high > low)
    last = by_start[_place_of_largest(ends[by_start], low[gaps], high[gaps])]
    done = np.minimum(ends[last], begins[gaps])
    in_gap = done > since[gaps]
    return lane[gaps][in_gap], begins[gaps][in_gap], lane[last][in_gap], done[in_gap]


def _place_of_largest(values: Ints, low: Ints, high: Ints) -> Ints:
    """Index of the largest value in each non-empty range [low, high), the first of equal ones."""
    order = np.lexsort((-np.arange(len(values)), values))
    ranks = np.append(places_of(order, len(values)), 0)
    return order[np.maximum.reduceat(ranks, np.stack([low, high], axis=1).ravel())[::2]]
