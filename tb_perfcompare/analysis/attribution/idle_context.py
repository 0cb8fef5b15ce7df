"""What the host did around an interval without recorded events: "after X, before Y" on its main thread."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import sorted_order
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Ints, Nanoseconds
from tb_perfcompare.model.names.names import operator_key
from tb_perfcompare.model.summary.split_time import distinct


def idle_context(
    timeline: InterpretedTrace, rows: EventIndex, gap_start: Nanoseconds, gap_end: Nanoseconds
) -> tuple[Ints, list[str]]:
    """(g,) Index of each gap's text, and the texts. `rows` (m,) are the events that the gaps lie between.

    X ended last before the gap, Y starts first after it; of several at the same instant, the outermost.
    """
    if not len(gap_start):
        return np.zeros(0, dtype=np.int64), []
    events = timeline.events
    main = _on_main_thread(timeline, rows[~gather(timeline.is_device, rows)])
    start, end = gather(events.start_ns, main), timeline.ends(main)
    name = Coded(gather(events.name, main), events.strings.ranks())
    # only the neighbours of gaps are looked up, through the order: no other column is sorted
    order = sorted_order(end, start, name)
    last = _places(end, order, gap_start, "right") - 1
    after = np.where(last >= 0, main[order[last]], -1) if len(main) else np.full(len(last), -1)
    del order
    order = sorted_order(start, end, name)
    next_ = _places(start, order, gap_end, "left")
    before = np.append(order, np.int32(-1))[next_]
    before = np.where(before >= 0, main[before], -1) if len(main) else np.full(len(next_), -1)
    return _texts(timeline, after, before)


def _places(times: Ints, order: AnyInts, wanted: Ints, side: Literal["left", "right"]) -> Ints:
    """np.searchsorted in times[order] without building that array: there are many times and few wanted."""
    low, high = np.zeros(len(wanted), dtype=np.int64), np.full(len(wanted), len(order), dtype=np.int64)
    while (is_open := low < high).any():
        middle = (low + high) // 2
        at_middle = times[order[np.minimum(middle, len(order) - 1)]]
        is_behind = is_open & (at_middle <= wanted if side == "right" else at_middle < wanted)
        low, high = np.where(is_behind, middle + 1, low), np.where(is_open & ~is_behind, middle, high)
    return low


def _on_main_thread(timeline: InterpretedTrace, host: AnyInts) -> AnyInts:
    """Selects the host events on the main thread: the one with the most step markers, else with the most events.

    Ties go to the first by name.
    """
    events = timeline.events
    marker = np.flatnonzero(timeline.is_marker)
    count = np.bincount(events.lane[marker if len(marker) else host], minlength=len(events.lanes)).tolist()
    # Old traces write the id of a thread in two ways (number and text).
    names = [(str(pid), str(tid)) for pid, tid in zip(events.lanes.pid, events.lanes.tid, strict=True)]
    total: dict[tuple[str, str], int] = {}
    for name, number in zip(names, count, strict=True):
        total[name] = total.get(name, 0) + number
    main = min(total, key=lambda name: (-total[name], name), default=("", ""))
    on_main: AnyInts = host[np.array([name == main for name in names], dtype=bool)[gather(events.lane, host)]]
    return on_main


def _texts(timeline: InterpretedTrace, after: AnyInts, before: AnyInts) -> tuple[Ints, list[str]]:
    events = timeline.events
    width = len(events.strings) + 1
    names = [np.where(row >= 0, events.name[row], -1).astype(np.int64) + 1 for row in (after, before)]
    (left, at_left), (right, at_right) = (distinct(name, width) for name in names)
    code, place = distinct(at_left * len(right) + at_right, len(left) * len(right))

    def text(used: Ints, index: int, word: str) -> str:
        number = int(used[index])
        return f"{word} {operator_key(events.strings[number - 1])}" if number else ""

    pairs = [divmod(c, len(right)) for c in code.tolist()]
    return place, [", ".join(filter(None, (text(left, x, "after"), text(right, y, "before")))) for x, y in pairs]
