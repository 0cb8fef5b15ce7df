"""What each event of a step took by itself, and what all events of a name did."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Flags, Ints, Nanoseconds
from tb_perfcompare.model.summary.step_events import KINDS, NOBODY, NameTotals, StepEvents

_ENCLOSING = [KINDS.index(kind) for kind in ("python", "module")]


def own_times(step: StepEvents) -> Ints:
    """(n,) duration within the picture without what is directly inside: events of the same lane, and the API calls that
    an operator makes. Never below 0."""
    first, last = step.extent
    start = np.clip(step.start_ns, first, last)
    end = np.clip(step.end_ns, first, last)
    own = end - start
    inner = np.flatnonzero(step.parent != NOBODY)
    outer = step.parent[inner]
    np.subtract.at(own, outer, np.maximum(np.minimum(end[inner], end[outer]) - start[inner], 0))
    # a driver call inside a runtime call is that call's; device work has a launcher, calls have none
    of_calls = np.array([lane.kind == "calls" for lane in step.lanes], dtype=np.bool_)
    calls = np.flatnonzero((step.operator != NOBODY) & (step.parent == NOBODY) & _in(step, of_calls))
    caller = step.operator[calls]
    within = np.minimum(end[calls], end[caller]) - np.maximum(start[calls], start[caller])
    np.subtract.at(own, caller, np.maximum(within, 0))
    own_ns: Nanoseconds = np.maximum(own, 0)
    return own_ns


def name_totals(step: StepEvents) -> tuple[NameTotals, ...]:
    """Calls and own time of the step's work by name and kind. Python functions and modules are left out, the operators
    and calls inside them are there; ranges on streams, which repeat those of the host, are left out as well."""
    repeats = _in(step, np.array([lane.kind == "ranges" for lane in step.lanes], dtype=np.bool_))
    counted = np.flatnonzero(~repeats & step.inside)
    own = own_times(step)[counted]
    numbers: dict[tuple[str, int], int] = {}
    group = np.array([numbers.setdefault((name.key, name.kind), len(numbers)) for name in step.names], dtype=np.int64)
    of_event = group[step.name[counted]] if len(group) else np.zeros(0, dtype=np.int64)
    calls = np.bincount(of_event, minlength=len(numbers))
    time = np.zeros(len(numbers), dtype=np.int64)
    np.add.at(time, of_event, own)
    longest = np.full(len(numbers), NOBODY, dtype=np.int64)
    order = np.lexsort((-np.arange(len(own)), own))
    longest[of_event[order]] = counted[order]  # the last one that is written stays
    found = []
    for (key, kind), at in numbers.items():
        if calls[at] and kind not in _ENCLOSING:
            event = int(longest[at])
            shown = step.names[int(step.name[event])].name
            found.append(NameTotals(shown, key, kind, int(calls[at]), int(time[at]), event))
    return tuple(found)


def _in(step: StepEvents, lanes: Flags) -> Flags:
    found: Flags = lanes[step.lane_of_row][step.row]
    return found
