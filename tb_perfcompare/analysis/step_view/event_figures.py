"""Figures of one event of a step: self time, launched work, queueing, and totals of events with its name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.arrays import Flags, Ints, Nanoseconds
from tb_perfcompare.model.summary.step_events import (
    DEVICE_LANES,
    KINDS,
    MAX_LINKED,
    NO_EVENT,
    EventFigures,
    Lane,
    Linked,
    NameTotals,
    StepEvents,
)

_ENCLOSING = [KINDS.index(kind) for kind in ("python", "module")]


def own_times(step: StepEvents, area: tuple[int, int] | None = None) -> Ints:
    """(n,) Self time of each event within the picture or an area of it, at least 0.

    Excludes events directly inside it on the same lane and, for operators, their API calls. `area`: nanoseconds from
    the step's zero.
    """
    first, last = area or step.extent
    start = np.clip(step.start_ns, first, last)
    end = np.clip(step.end_ns, first, last)
    own = end - start
    inner = np.flatnonzero(step.parent != NO_EVENT)
    outer = step.parent[inner]
    np.subtract.at(own, outer, np.maximum(np.minimum(end[inner], end[outer]) - start[inner], 0))
    # only outermost calls: a driver call inside a runtime call counts there
    calls = np.flatnonzero((step.operator != NO_EVENT) & (step.parent == NO_EVENT) & step.in_lanes(("calls",)))
    caller = step.operator[calls]
    within = np.minimum(end[calls], end[caller]) - np.maximum(start[calls], start[caller])
    np.subtract.at(own, caller, np.maximum(within, 0))
    own_ns: Nanoseconds = np.maximum(own, 0)
    return own_ns


def name_totals(step: StepEvents, area: tuple[int, int] | None = None) -> tuple[NameTotals, ...]:
    """Calls and self time of the step's work by name and kind, of all events or those active in an area.

    Excludes Python functions and modules, whose operators and calls are included, and ranges on streams, which repeat
    those of the host.
    """
    active = np.ones(len(step), bool) if area is None else (step.start_ns < area[1]) & (step.end_ns > area[0])
    counted = np.flatnonzero(~step.in_lanes(("ranges",)) & step.inside & active)
    own = own_times(step, area)[counted]
    numbers: dict[tuple[str, int], int] = {}
    group = np.array([numbers.setdefault((name.key, name.kind), len(numbers)) for name in step.names], dtype=np.int64)
    of_event = group[step.name[counted]] if len(group) else np.zeros(0, dtype=np.int64)
    calls = np.bincount(of_event, minlength=len(numbers))
    time = np.zeros(len(numbers), dtype=np.int64)
    np.add.at(time, of_event, own)
    longest = np.full(len(numbers), NO_EVENT, dtype=np.int64)
    order = np.lexsort((-np.arange(len(own)), own))
    longest[of_event[order]] = counted[order]  # the last assignment wins
    totals = []
    for (key, kind), at in numbers.items():
        if calls[at] and kind not in _ENCLOSING:
            event = int(longest[at])
            shown = step.names[int(step.name[event])].name
            totals.append(NameTotals(shown, key, kind, int(calls[at]), int(time[at]), event))
    return tuple(totals)


_TEXT_ARGS = np.int32
_NESTED = ("host", "python", "calls")
"""Lanes whose events can enclose others."""


def event_figures(step: StepEvents, event: int) -> EventFigures:
    """Returns the figures of an event by its index. Raises SelectionError for an unknown index."""
    if not 0 <= event < len(step):
        raise SelectionError(f"step {step.label} has no event {event}", hint=f"they are numbered 0 to {len(step) - 1}")
    lane = lane_of(step, event)
    same = _same_name(step, event)
    launched = _launched(step, event, lane)
    return EventFigures(
        event=event,
        self_ns=int(own_times(step)[event]) if lane.kind in _NESTED else None,
        device_ns=None if launched is None else int(step.dur_ns[launched].sum()),
        launches=None if launched is None else len(launched),
        queue_ns=_queue(step, event),
        idle_ns=_idle(step, event) if lane.kind in DEVICE_LANES else None,
        same_count=int(same.sum()),
        same_ns=int(step.dur_ns[same].sum()),
        enclosing=_enclosing(step, event),
        linked=_linked(step, event, launched),
        args=_args(step, event),
    )


def lane_of(step: StepEvents, event: int) -> Lane:
    return step.lanes[int(step.lane_of_row[step.row[event]])]


def _same_name(step: StepEvents, event: int) -> Flags:
    """(n,) Whether each event has the same name key and kind as this event."""
    own = step.names[int(step.name[event])]
    is_same_name = np.array([(name.key, name.kind) == (own.key, own.kind) for name in step.names], dtype=np.bool_)
    is_same: Flags = is_same_name[step.name]
    return is_same


def _launched(step: StepEvents, event: int, lane: Lane) -> NDArray[np.intp] | None:
    """Returns the device work launched by an API call, or by the calls of an operator and its descendants.

    None for kinds of events that launch nothing.
    """
    if lane.kind == "calls":
        return np.flatnonzero(step.launcher == event)
    if lane.kind != "host":
        return None
    start, end = step.start_ns[event], step.start_ns[event] + step.dur_ns[event]
    within = (step.row >= step.row[event]) & (step.row < lane.first + lane.rows)
    within &= (step.start_ns >= start) & (step.end_ns <= end)
    has_operator = (step.operator != NO_EVENT) & step.in_lanes(DEVICE_LANES)
    return np.flatnonzero(has_operator & within[step.operator])


def _queue(step: StepEvents, event: int) -> int | None:
    """Nanoseconds from the start of the launch to the start of the work; None without a recorded launch."""
    launcher = int(step.launcher[event])
    return None if launcher == NO_EVENT else int(step.start_ns[event] - step.start_ns[launcher])


def _idle(step: StepEvents, event: int) -> int:
    """Nanoseconds since the previous event of its row; events of a row have consecutive indices and do not overlap."""
    first = event == 0 or step.row[event - 1] != step.row[event]
    before = step.extent[0] if first else int(step.end_ns[event - 1])
    return max(0, int(step.start_ns[event]) - before)


def _enclosing(step: StepEvents, event: int) -> tuple[str, ...]:
    """Names of enclosing events, outermost first; for calls and device work, of their operators."""
    names: list[str] = []
    at = int(step.parent[event])
    if at == NO_EVENT:
        at = int(step.operator[event])
    while at != NO_EVENT and len(names) < MAX_LINKED:
        names.append(step.names[int(step.name[at])].name)
        above = int(step.parent[at])
        at = int(step.operator[at]) if above == NO_EVENT else above
    return tuple(reversed(names))


def _linked(step: StepEvents, event: int, launched: NDArray[np.intp] | None) -> tuple[Linked, ...]:
    links = []
    if step.operator[event] != NO_EVENT:
        links.append(Linked(int(step.operator[event]), "operator"))
    if step.launcher[event] != NO_EVENT:
        links.append(Linked(int(step.launcher[event]), "launcher"))
    return (*links, *(Linked(int(work), "launched") for work in ([] if launched is None else launched[:MAX_LINKED])))


def _args(step: StepEvents, event: int) -> dict[str, int | float | str]:
    """Returns the recorded arguments; texts are JSON as in the file."""
    arguments: dict[str, int | float | str] = {}
    for name, column in step.args.items():
        at = int(np.searchsorted(column.rows, event))
        if at < len(column.rows) and column.rows[at] == event:
            value = column.values[at]
            arguments[name] = step.texts[int(value)] if column.values.dtype == _TEXT_ARGS else value.item()
    return arguments
