"""Lanes of a step's picture: the lane of each event, their names and their order."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import EventIndex, Ints, places_of, unique
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.step_events import LANE_KINDS
from tb_perfcompare.quick_dataclass import dataclass

NOT_DRAWN = -1

_HOST, _CALLS, _PYTHON, _DEVICE, _RANGES, _WAITS, _OVERHEAD, _OTHER = range(8)
_GROUP: dict[Category, int] = {
    Category.OPERATOR: _HOST,
    Category.ANNOTATION: _HOST,
    Category.PYTHON: _HOST,
    Category.RUNTIME: _CALLS,
    Category.DRIVER: _CALLS,
    Category.PYTHON_FUNCTION: _PYTHON,
    Category.KERNEL: _DEVICE,
    Category.MEMCPY: _DEVICE,
    Category.MEMSET: _DEVICE,
    Category.DEVICE_ANNOTATION: _RANGES,
    Category.SYNC: _WAITS,
    Category.OVERHEAD: _OVERHEAD,
    Category.OTHER: _OTHER,
}
"""Group of categories that share a lane; categories without an entry are not drawn."""

_LANE_KIND = ("host", "calls", "python", "stream", "ranges", "waits", "overhead", "other")
_OF_THREADS = ("host", "calls", "python")
_COPIES = (StepCategory.MEMCPY, StepCategory.MEMSET)


@dataclass(frozen=True, slots=True, eq=False)
class LanesFound:
    """Lanes in drawing order.

    kind, name  of each lane
    lane        (n,) lane of every event, NOT_DRAWN for events without a lane
    """

    kind: tuple[str, ...]
    name: tuple[str, ...]
    lane: Ints


def find_lanes(recording: TraceRecording, timeline: InterpretedTrace, rows: EventIndex) -> LanesFound:
    """Finds the lanes of (k,) rows of the event table, in an order that is equal for two runs of one program.

    Devices come first: their lanes are few and low, and most informative.
    """
    events = timeline.events
    groups = np.full(max(Category) + 1, NOT_DRAWN, dtype=np.int64)
    for category, number in _GROUP.items():
        groups[category] = number
    group = groups[events.category[rows]]
    drawn = group != NOT_DRAWN
    width = len(_LANE_KIND)
    code = np.where(drawn, timeline.lane[rows] * width + group, NOT_DRAWN)
    codes, place = np.unique(code[drawn], return_inverse=True)
    places = _Places(recording, timeline)
    lanes = []
    for number, value in enumerate(codes.tolist()):
        lane, which = divmod(value, width)
        of_lane = rows[drawn][place.reshape(-1) == number]
        kind = _device_kind(timeline, of_lane) if which == _DEVICE else _LANE_KIND[which]
        lanes.append((_order(kind, places, lane, of_lane), kind, places.name(lane, kind), number))
    lanes.sort()
    new_place = places_of([number for _, _, _, number in lanes], len(codes))
    lane_of = np.full(len(rows), NOT_DRAWN, dtype=np.int64)
    lane_of[drawn] = new_place[place.reshape(-1)]
    return LanesFound(tuple(kind for _, kind, _, _ in lanes), tuple(name for _, _, name, _ in lanes), lane_of)


def _device_kind(timeline: InterpretedTrace, rows: EventIndex) -> str:
    """Returns "communication" or "copies" for a stream that does nothing else, else "stream"."""
    roles = timeline.role[rows]
    if (roles == StepCategory.COMMUNICATION).all():
        return "communication"
    return "copies" if np.isin(roles, _COPIES).all() else "stream"


def _order(kind: str, places: _Places, lane: int, rows: Ints) -> tuple[int, ...]:
    """Sort key of a lane.

    Threads by markers, then by number of events, each with its calls and Python functions; streams by device and
    number.
    """
    rank = LANE_KINDS.index(kind)
    if kind in _OF_THREADS:
        return (LANE_KINDS.index(_OF_THREADS[0]), *places.thread_order(lane), rank)
    return (rank, *places.stream_order(lane), len(rows))


class _Places:
    """Threads and streams by lane, with the names that the trace gives them."""

    def __init__(self, recording: TraceRecording, timeline: InterpretedTrace) -> None:
        table = recording.events.lanes
        self._of: dict[int, tuple[int | str, int | str]] = {}
        names: dict[int, str] = {}
        # two spellings of one thread ("25738" and 25738) share a lane; either may have the name
        spellings, first = np.unique(timeline.events.lane, return_index=True)
        for row, lane in zip(spellings.tolist(), timeline.lane[first].tolist(), strict=True):
            key = (table.pid[row], table.tid[row])
            self._of.setdefault(lane, key)
            names[lane] = names.get(lane, "") or recording.thread_names.get(key, "")
        self._thread_names = names
        self._labels = recording.process_labels
        self._processes = recording.process_names
        self._word = timeline.vendor.word
        host = timeline.is_host_work
        count = max(self._of, default=0) + 1
        self._busy = np.bincount(timeline.lane[host], minlength=count)
        self._marks = np.bincount(timeline.lane[timeline.is_marker], minlength=count)
        self._host_processes = {
            str(self._of[lane][0]) for lane in unique(timeline.lane[host]).tolist() if lane in self._of
        }

    def name(self, lane: int, kind: str) -> str:
        pid, tid = self._of[lane]
        recorded_name = self._thread_names[lane].strip()
        if kind in _OF_THREADS:
            thread = recorded_name or f"thread {tid}"
            several_processes = len(self._host_processes) > 1
            return f"{self._process(pid)} {thread}" if several_processes else thread
        if kind == "overhead":
            return "profiler"
        stream = str(tid) if isinstance(tid, str) and not tid.lstrip("-").isdigit() else f"stream {tid}"
        return f"{self._process(pid)} {recorded_name or stream}"

    def thread_order(self, lane: int) -> tuple[int, ...]:
        return (-int(self._marks[lane]), -int(self._busy[lane]), *self.stream_order(lane))

    def stream_order(self, lane: int) -> tuple[int, ...]:
        pid, tid = self._of[lane]
        return (_number(pid), _number(tid))

    def _process(self, pid: int | str) -> str:
        label = self._labels.get(pid, "") or self._processes.get(pid, "")
        if label and label != "CPU":
            return label
        return f"{self._word} {pid}" if isinstance(pid, int) and 0 <= pid < _MAX_DEVICES else f"process {pid}"


_MAX_DEVICES = 256


def _number(place: int | str) -> int:
    """Returns the number in a process or thread id, for sorting."""
    digits = "".join(letter for letter in str(place) if letter.isdecimal())
    return int(digits[:18]) if digits else 0
