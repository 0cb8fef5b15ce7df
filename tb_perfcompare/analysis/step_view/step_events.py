"""The events of one step of a trace, laid out for drawing: lanes, rows, names, and links to launches.

The picture covers the step under both rules (trace/steps.py): from where the host started it to where the device
finished it. The device often works on a step while the host is in the next one; its launches then lie before the
window, but in the picture.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import named
from tb_perfcompare.analysis.columns.nesting import nest
from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
from tb_perfcompare.analysis.step_view.step_lanes import NOT_DRAWN, LanesFound, find_lanes
from tb_perfcompare.analysis.trace.event_steps import event_steps
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace, interpret
from tb_perfcompare.analysis.trace.vendor import find_vendor
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Ints, Ints32, Nanoseconds, places_of, unique
from tb_perfcompare.model.events import ARG_COLUMNS, ArgKind, Category, EventTable, SparseColumn
from tb_perfcompare.model.names.join_keys import kernel_key, operator_key
from tb_perfcompare.model.names.ranges import MODULE_PREFIX
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.step_events import DEVICE_LANES, KINDS, NO_EVENT, EventName, Lane, StepEvents

_JSON = frozenset(column.name for column in ARG_COLUMNS if column.kind is ArgKind.JSON)
_UNDRAWN = {
    Category.MEMORY: "allocations and releases of memory",
    Category.MEMORY_RECORD: "records of memory use",
}
_KIND_OF_CATEGORY: dict[Category, str] = {
    Category.OPERATOR: "operator",
    Category.PYTHON: "operator",
    Category.ANNOTATION: "annotation",
    Category.DEVICE_ANNOTATION: "annotation",
    Category.RUNTIME: "runtime",
    Category.DRIVER: "runtime",
    Category.KERNEL: "kernel",
    Category.MEMCPY: "memcpy",
    Category.MEMSET: "memset",
    Category.PYTHON_FUNCTION: "python",
    Category.SYNC: "wait",
    Category.OVERHEAD: "overhead",
}


class StepCutter:
    """Extracts steps from one trace."""

    def __init__(
        self, recording: TraceRecording, window: str, worker: str = "", span: str = "", *, marker: str = ""
    ) -> None:
        vendor = find_vendor(recording)
        self._recording = recording
        self._place = (worker, span)
        steps = trace_steps(interpret(recording.events, vendor), marker, tail=True)
        self._timeline, both = steps.timeline, steps.windows
        self._window = both[window]
        self._device, self._marker = both["device"], both["marker"]
        self._step = event_steps(self._timeline, both, window).step

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the steps that can be extracted."""
        return self._window.label

    def extent(self, label: str) -> tuple[int, int]:
        """Returns first and last nanosecond of the step's picture, in the trace's clock. Raises SelectionError."""
        at = self._at(label)
        first = min(int(self._device.start_ns[at]), int(self._marker.start_ns[at]))
        last = max(int(self._device.end_ns[at]), int(self._marker.end_ns[at]))
        return first, last

    def window(self, label: str) -> tuple[int, int]:
        """Returns start and end of the step, in the trace's clock. Raises SelectionError."""
        at = self._at(label)
        return int(self._window.start_ns[at]), int(self._window.end_ns[at])

    def cut(self, label: str) -> StepEvents:
        """Returns the events of the step. Raises SelectionError for an unknown step."""
        first, last = self.extent(label)
        begin, end = self.window(label)
        timeline, events = self._timeline, self._timeline.events
        touched = (events.start_ns < last) & (timeline.end_ns > first)
        touched |= (events.dur_ns == 0) & (events.start_ns >= first) & (events.start_ns < last)
        rows = np.flatnonzero(touched)
        left_out = _left_out(events.category[rows])
        all_lanes = find_lanes(self._recording, timeline, rows)
        rows, lane = rows[all_lanes.lane != NOT_DRAWN], all_lanes.lane[all_lanes.lane != NOT_DRAWN]
        tie = np.argsort(np.lexsort((events.strings.ranks()[events.name[rows]], events.external_id[rows])))
        depth, parent = pack(lane, events.start_ns[rows], timeline.ends(rows), tie)
        # device work that overlaps on a stream is not nested
        parent[np.isin(lane, [place for place, kind in enumerate(all_lanes.kind) if kind in DEVICE_LANES])] = NO_EVENT
        lanes = _lanes(all_lanes, lane, depth)
        row = np.array([each.first for each in lanes], dtype=np.int64)[lane] + depth if lanes else depth
        order = np.lexsort((tie, events.dur_ns[rows], events.start_ns[rows], row))
        number = places_of(rows[order], len(events) + 1)  # the last entry means no event
        place = places_of(order, len(rows) + 1)
        rows = rows[order]
        calls = timeline.is_device[rows] | timeline.is_api[rows]
        names, name = _names(timeline, rows)
        args, texts = _args(events, rows)
        return StepEvents(
            worker=self._place[0],
            span=self._place[1],
            label=label,
            zero_ns=begin,
            total_ns=end - begin,
            extent=(first - begin, last - begin),
            lanes=lanes,
            names=names,
            row=row[order].astype(np.int32),
            start_ns=events.start_ns[rows] - begin,
            dur_ns=events.dur_ns[rows],
            name=name,
            parent=place[parent[order]],
            operator=np.where(calls, number[timeline.operator[rows]], NO_EVENT).astype(np.int32),
            launcher=number[timeline.launcher[rows]],
            inside=self._step[rows] == self._at(label),
            args=args,
            texts=texts,
            left_out=left_out,
        )

    def _at(self, label: str) -> int:
        if label not in self._window.label:
            named = ", ".join(self._window.label[:20]) + (" ..." if len(self._window.label) > 20 else "")
            raise SelectionError(f"there is no step {label[:80]!r} to draw", hint=f"there are: {named}")
        return self._window.label.index(label)


def _left_out(category: NDArray[np.int8]) -> dict[str, int]:
    counts = {why: int((category == kind).sum()) for kind, why in _UNDRAWN.items()}
    return {why: count for why, count in counts.items() if count}


def _lanes(all_lanes: LanesFound, lane: Ints, depth: Ints) -> tuple[Lane, ...]:
    """Returns the lanes with the rows they need."""
    rows = np.zeros(len(all_lanes.kind), dtype=np.int64)
    np.maximum.at(rows, lane, depth + 1)
    first = np.cumsum(rows) - rows
    seen: dict[str, int] = {}
    lanes = []
    for number, (kind, name) in enumerate(zip(all_lanes.kind, all_lanes.name, strict=True)):
        place = seen[kind] = seen.get(kind, -1) + 1
        lanes.append(Lane(f"{kind}.{place}", kind, name, int(first[number]), int(rows[number])))
    return tuple(lanes)


def _names(timeline: InterpretedTrace, rows: EventIndex) -> tuple[tuple[EventName, ...], Ints32]:
    """Returns (the distinct names, (n,) index of each event's name); a name is a text and a kind."""
    events = timeline.events
    kind = _kinds(timeline, rows)
    code = events.name[rows].astype(np.int64) * len(KINDS) + kind
    distinct, place = np.unique(code, return_inverse=True)
    names = []
    device = {KINDS.index(name) for name in ("kernel", "communication", "memcpy", "memset")}
    for value in distinct.tolist():
        text, which = divmod(value, len(KINDS))
        name = events.strings[text]
        names.append(EventName(name, which, kernel_key(name) if which in device else operator_key(name)))
    return tuple(names), place.reshape(-1).astype(np.int32)


def _kinds(timeline: InterpretedTrace, rows: EventIndex) -> Ints:
    """(k,) Index into KINDS of each event."""
    events = timeline.events
    table = np.full(max(Category) + 1, KINDS.index("other"), dtype=np.int64)
    for category, name in _KIND_OF_CATEGORY.items():
        table[category] = KINDS.index(name)
    kind = table[events.category[rows]]
    role = timeline.role[rows]
    kind[role == StepCategory.COMMUNICATION] = KINDS.index("communication")
    kind[role == StepCategory.DATALOADER] = KINDS.index("dataloader")
    kind[timeline.is_marker[rows]] = KINDS.index("step")
    is_module = named(events, rows, lambda name: name.startswith(MODULE_PREFIX))
    kind[is_module & (kind == KINDS.index("python"))] = KINDS.index("module")
    return kind


def _args(events: EventTable, rows: EventIndex) -> tuple[Mapping[str, SparseColumn], tuple[str, ...]]:
    """Returns the arguments of (k,) rows, by their new indices; texts are renumbered."""
    new_row = places_of(rows, len(events))
    texts: dict[int, int] = {}
    out: dict[str, SparseColumn] = {}
    for name, column in events.args.items():
        is_shown = new_row[column.rows] != NO_EVENT
        if not is_shown.any():
            continue
        at, values = new_row[column.rows[is_shown]], column.values[is_shown]
        if name in _JSON:
            used, code = np.unique(values, return_inverse=True)
            numbers = np.array([texts.setdefault(int(text), len(texts)) for text in used.tolist()], dtype=np.int32)
            values = numbers[code.reshape(-1)]
        order = np.argsort(at, kind="stable")
        out[name] = SparseColumn(at[order], values[order])
    return out, tuple(events.strings[text] for text in texts)


def pack(lane: Ints, start: Nanoseconds, end: Nanoseconds, tie: AnyInts) -> tuple[Ints, Ints]:
    """Returns ((n,) row within the lane, (n,) enclosing event, -1 at the top).

    `tie` orders events of equal lane, start and end.
    """
    nesting = nest(lane, start, end - start, tie)
    order = nesting.order
    depth = np.empty(len(lane), dtype=np.int64)
    depth[order] = nesting.depth
    parent = np.full(len(lane), -1, dtype=np.int64)
    inner = nesting.parent >= 0
    parent[order[inner]] = order[nesting.parent[inner]]
    clipped = nesting.end < end[order]
    for tangled in unique(lane[order][clipped]).tolist():
        rows = order[lane[order] == tangled]
        depth[rows] = _first_free(start[rows].tolist(), end[rows].tolist())
    return depth, parent


def _first_free(starts: list[int], ends: list[int]) -> list[int]:
    """Rows of events in (start, -end) order: the first free row below the innermost event that fully encloses it."""
    row_ends: list[int] = []
    open_events: list[tuple[int, int]] = []
    rows = []
    for start, end in zip(starts, ends, strict=True):
        open_events = [(until, row) for until, row in open_events if until > start]
        below = max((row + 1 for until, row in open_events if until >= end), default=0)
        row = next((row for row in range(below, len(row_ends)) if row_ends[row] <= start), max(below, len(row_ends)))
        row_ends.extend([start] * (row + 1 - len(row_ends)))
        row_ends[row] = end
        open_events.append((end, row))
        rows.append(row)
    return rows
