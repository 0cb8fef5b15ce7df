"""Step windows.

There are two rules. "marker": from one host marker to the next. "device" (default): torch-tb-profiler's extension,
where a step also includes the rest of the device work that it launched and the next step begins there; the mean of
these windows is the Average Step Time of torch-tb-profiler's Overview.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.columns.numbering import rows_where
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Ints, Nanoseconds, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.ranges import step_label
from tb_perfcompare.model.texts import numbered
from tb_perfcompare.quick_dataclass import dataclass

TAIL_SHARE = 0.8
"""The last step is cut off if it has less than this share of the previous step's device events.

Then the recording ended before the device had finished.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """s step windows in time order, disjoint.

    label     s texts
    start_ns  (s,) int64
    end_ns    (s,) int64
    dropped   (label, total_ns, reason) of steps that are left out
    unfinished  (label, reason) of steps that are kept although the recording ended before they did
    marked    False if the trace has no markers and is one window
    overlaps  number of windows that were cut because markers overlapped
    markers_end_ns  end of the last step's marker, left out or not; 0 without markers
    """

    label: tuple[str, ...]
    start_ns: Nanoseconds
    end_ns: Nanoseconds
    dropped: tuple[tuple[str, int, str], ...]
    marked: bool
    overlaps: int
    unfinished: tuple[tuple[str, str], ...] = ()
    markers_end_ns: int = 0


def step_windows(timeline: InterpretedTrace, *, tail: bool = False) -> dict[str, Windows]:
    """Returns windows of the profiler.step() steps under both rules: {"device": ..., "marker": ...}.

    Without markers, one window over the recording; none if the trace has no events to time. With `tail` the last step
    is kept even if the recording ended before it did.
    """
    markers = profiler_markers(timeline)
    if not len(markers):
        return whole_windows(timeline)
    events = timeline.events
    label = numbered(step_label(events.strings[code]) for code in events.name[markers].tolist())
    start, end = events.start_ns[markers], timeline.ends(markers)
    plain = end.copy()
    plain[:-1] = np.minimum(end[:-1], start[1:])
    overlaps = int((plain < end).sum())
    ranges = Windows(label, start, plain, (), True, overlaps)
    return range_windows(timeline, ranges, tail=tail, end_ns=_to_next_marker(label, start, plain))


def whole_windows(timeline: InterpretedTrace) -> dict[str, Windows]:
    """Returns the recording as one step, under both rules: with device work whose launch was not recorded."""
    window = _whole_window(timeline)
    ends = timeline.ends(rows_where(timeline.is_device & (timeline.launcher < 0)))
    if len(window.label) and len(ends):
        window = replace(window, end_ns=np.maximum(window.end_ns, ends.max()))
    return range_windows(timeline, window)


def range_windows(
    timeline: InterpretedTrace, ranges: Windows, *, tail: bool = False, end_ns: Nanoseconds | None = None
) -> dict[str, Windows]:
    """Returns windows of these ranges on the host under both rules; `end_ns` are other ends under the rule "marker"."""
    if ranges.marked:
        cut_off = sum(total_ns for _, total_ns, _ in ranges.dropped)
        ranges = replace(ranges, markers_end_ns=int(ranges.end_ns[-1]) + cut_off)
    device = _extend(timeline, ranges, tail=tail)
    kept = len(device.label)
    ends = ranges.end_ns if end_ns is None else end_ns
    return {"device": device, "marker": replace(device, start_ns=ranges.start_ns[:kept], end_ns=ends[:kept])}


def recorded_extent(timeline: InterpretedTrace) -> tuple[int, int] | None:
    """Returns start and end of the recording; None if it has nothing to time."""
    window = _whole_window(timeline)
    return (int(window.start_ns[0]), int(window.end_ns[0])) if len(window.label) else None


def profiler_markers(timeline: InterpretedTrace) -> Ints:
    """Returns the rows of step markers in time order.

    Threads may repeat a marker: of overlapping markers with the same name the longest counts. The same name at another
    time is another step.
    """
    events = timeline.events
    rows = np.flatnonzero(timeline.is_marker)
    if not len(rows):
        # A trace of device streams alone still has copies of the markers.
        names = np.array([text.startswith("ProfilerStep#") for text in events.strings.texts], dtype=bool)
        if timeline.is_host_work.any() or not len(names):
            return rows
        rows = np.flatnonzero(names[events.name] & is_of(events.category, Category.DEVICE_ANNOTATION))
    markers_of_name: dict[int, list[int]] = {}
    end_of = dict(zip(rows.tolist(), timeline.ends(rows).tolist(), strict=True))
    for row in rows[np.lexsort((events.start_ns[rows], -events.dur_ns[rows]))].tolist():
        start, end = events.start_ns[row], end_of[row]
        same = markers_of_name.setdefault(int(events.name[row]), [])
        if all(end <= events.start_ns[other] or start >= end_of[other] for other in same):
            same.append(row)
    chosen = np.array([row for same in markers_of_name.values() for row in same], dtype=np.int64)
    return chosen[np.lexsort((events.strings.ranks()[events.name[chosen]], events.start_ns[chosen]))]


def _whole_window(timeline: InterpretedTrace) -> Windows:
    """One step "0" over all host operators and annotations; without any, over all events with a role."""
    events = timeline.events
    rows = np.flatnonzero(timeline.is_host_work)
    if not len(rows):
        rows = np.flatnonzero(timeline.role >= 0)
    if not len(rows):
        empty = np.zeros(0, dtype=np.int64)
        return Windows((), empty, empty, (), False, 0)
    start = events.start_ns[rows].min(keepdims=True)
    end = timeline.ends(rows).max(keepdims=True)
    return Windows(("0",), start, end, (), False, 0)


def _to_next_marker(label: tuple[str, ...], start: Nanoseconds, end: Nanoseconds) -> Ints:
    """Ends each step at the next marker if their numbers are consecutive, else at its own marker's end."""
    out = end.copy()
    for k in range(len(label) - 1):
        if label[k].isdigit() and label[k + 1].isdigit() and int(label[k + 1]) == int(label[k]) + 1:
            out[k] = start[k + 1]
    return out


def _extend(timeline: InterpretedTrace, host: Windows, *, tail: bool = False) -> Windows:
    """Applies torch-tb-profiler's device extension and tail removal, on correctly linked launches."""
    count = len(host.label)
    if not count:
        return host
    work = np.flatnonzero(timeline.launcher >= 0)
    call = timeline.launcher[work]
    call_start, call_end = timeline.events.start_ns[call], timeline.ends(call)
    step = np.searchsorted(host.start_ns, call_start, side="right") - 1
    inside = (step >= 0) & (call_end <= host.end_ns[np.maximum(step, 0)])
    if not inside.any():
        return host
    step, launched = step[inside], work[inside]
    hits = np.bincount(step, minlength=count)
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(first, step, timeline.events.start_ns[launched])
    np.maximum.at(last, step, timeline.ends(launched))
    previous = int(host.start_ns[0])
    if hits[0]:
        foreign = timeline.is_device.copy()
        foreign[launched] = False
        early = timeline.ends(rows_where(foreign))
        early = early[early < first[0]]
        if len(early):
            previous = max(previous, int(early.max()))
    start, end = host.start_ns.copy(), host.end_ns.copy()
    for k in range(count):
        start[k] = max(previous, int(start[k]))
        end[k] = max(int(end[k]), int(last[k]) if hits[k] else int(start[k]), int(start[k]))
        previous = int(end[k])
    kept = _without_tail(hits)
    if tail:
        unfinished = tuple((host.label[k], _tail_reason(hits, k)) for k in range(kept, count))
        return replace(host, start_ns=start, end_ns=end, unfinished=unfinished)
    cut_off = tuple((host.label[k], int(end[k] - start[k]), _tail_reason(hits, k)) for k in range(kept, count))
    return replace(
        host, label=host.label[:kept], start_ns=start[:kept], end_ns=end[:kept], dropped=(*cut_off, *host.dropped)
    )


def _without_tail(hits: AnyInts) -> int:
    """Number of leading steps that are kept."""
    if len(hits) < 2 or not hits.any():
        return len(hits)
    k = int(np.flatnonzero(hits)[-1])
    return k if k > 0 and TAIL_SHARE * hits[k - 1] > hits[k] else k + 1


def _tail_reason(hits: AnyInts, k: int) -> str:
    if not hits[k]:
        return "incomplete: no device work of this step was recorded"
    return f"incomplete: {int(hits[k])} device events recorded, {int(hits[k - 1])} in the step before"
