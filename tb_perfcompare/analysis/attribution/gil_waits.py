"""Waits for the GIL: time in which the main thread starts and ends nothing, as long as Python's switch interval.

A thread that needs the GIL while another runs Python code asks for it after one interval. So its waits take 5 ms, or a
multiple, wherever they occur; Python code, input and output, and time slices of other processes take any time.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.numbering import gather, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.event_steps import step_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.analysis.trace.threads import main_lane
from tb_perfcompare.model.arrays import Flags, Ints, Nanoseconds, NodeIndex, unique
from tb_perfcompare.model.summary.categories import NOTHING_RECORDED
from tb_perfcompare.model.summary.tables import GroupTable

SWITCH_NS = 5_000_000
"""Python's default switch interval (sys.getswitchinterval): a thread that runs Python code keeps the GIL for so long
before it hands it over to one that waits."""

LATEST = 0.12
"""Share of the switch interval after which a wait has ended: in recordings 0.02 to 0.06, for the wake-up."""

MOST_INTERVALS = 4
"""Most intervals of a wait: other threads may get the GIL first."""

MIN_NS = SWITCH_NS * 4 // 5
"""Shortest pause that could as well be a wait: other pauses are not much shorter than the interval by chance."""

MIN_SHARE = 2 / 3
"""Share of the pauses from MIN_NS on that must be waits; of evenly distributed ones a third would be."""

MIN_SINGLE = 0.25
"""Share of the waits that must last one interval. Other processes take the CPU for 10 ms or a multiple on a kernel that
counts 100 ticks per second."""

_CHUNK = 1 << 14
"""Rows looked at in one piece. Freeing large arrays makes glibc keep later ones in its heap, where they take 2 % more
memory at the peak."""

MIN_WAITS = 8
MIN_PLACES = 5
"""Fewest waits, and fewest places where they occur: a loop that sleeps for 5 ms does so in one place."""


def gil_waits(timeline: InterpretedTrace, windows: Windows) -> GroupTable | None:
    """Returns waits by the operator in which the main thread waits, NOTHING_RECORDED outside operators.

    None if its pauses do not look like waits for the GIL. Operators without others inside are left out: they run
    without the GIL.
    """
    main = main_lane(timeline)
    pauses = _pauses(timeline, main)
    if pauses.shape[1] < MIN_WAITS:
        return None
    pauses = pauses[:, ~_in_calls(timeline, main, pauses)]
    intervals = _intervals(pauses[1] - pauses[0])
    start, end, around, following = pauses[:, intervals > 0]
    count = len(start)
    if count < max(MIN_WAITS, MIN_SHARE * len(intervals)) or np.count_nonzero(intervals == 1) < MIN_SINGLE * count:
        return None
    events = timeline.events
    inside, following = (events.name[timeline.host.row[rows]].astype(np.int64) for rows in (around, following))
    inside[around < 0] = -1
    if len(unique(inside * len(events.strings) + following)) < MIN_PLACES:
        return None
    return _table(timeline, windows, start, end, inside)


def _pauses(timeline: InterpretedTrace, lane: int) -> Ints:
    """(4, p) times of at least MIN_NS in which a thread starts and ends nothing, between its first and last operator.

    Start and end; forest rows of the innermost operator that runs, -1 outside operators, and of the next to start.
    """
    forest = timeline.host
    running = _before_late_starts(timeline, lane)
    following = running + 1
    since, until = (timeline.events.start_ns[forest.row[rows]] for rows in (running, following))
    found = [np.zeros((4, 0), dtype=np.int64)]
    innermost = True
    while len(running):
        ends = np.where(running >= 0, forest.end_ns[running], until)
        ended = ends < until
        stop = np.minimum(ends, until)
        is_pause = (stop - since >= MIN_NS) & ~(ended & innermost)
        found.append(np.array([since, stop, running, following])[:, is_pause])
        since, until, following = ends[ended], until[ended], following[ended]
        running = forest.parent[running[ended]]
        innermost = False
    return np.concatenate(found, axis=1)


def _before_late_starts(timeline: InterpretedTrace, lane: int) -> NodeIndex:
    """Forest rows of a thread, which are in order of start, whose successor starts at least MIN_NS later. Whatever ends
    between two starts lies between them, so that all pauses do."""
    late = [np.zeros(0, dtype=np.int64)]
    for begin in range(0, len(timeline.host.row), _CHUNK):
        rows = timeline.host.row[begin : begin + _CHUNK + 1]
        is_on, start = gather(timeline.lane, rows) == lane, gather(timeline.events.start_ns, rows)
        late.append(np.flatnonzero((np.diff(start) >= MIN_NS) & is_on[1:] & is_on[:-1]) + begin)
    return np.concatenate(late)


def _in_calls(timeline: InterpretedTrace, lane: int, pauses: Ints) -> Flags:
    """(p,) Whether a device API call starts in the pause: the thread may wait for the device."""
    calls = rows_where(timeline.is_api)
    start = np.sort(timeline.events.start_ns[calls[timeline.lane[calls] == lane]])
    is_called: Flags = np.searchsorted(start, pauses[1]) > np.searchsorted(start, pauses[0])
    return is_called


def _intervals(pause_ns: Ints) -> Ints:
    """(p,) Switch intervals of each pause, 0 if it is no wait."""
    intervals = pause_ns // SWITCH_NS
    is_wait = (intervals <= MOST_INTERVALS) & (pause_ns <= (1 + LATEST) * intervals * SWITCH_NS)
    return np.where(is_wait, intervals, 0)


def _table(
    timeline: InterpretedTrace, windows: Windows, start: Nanoseconds, end: Nanoseconds, name: Ints
) -> GroupTable | None:
    """Sums waits that start in a step; `name` (p,) is that of the operator around, -1 outside."""
    step, steps = step_of(start, windows), len(windows.label)
    inside = np.flatnonzero(step >= 0)
    step, name = step[inside], name[inside]
    spent = np.minimum(end[inside], windows.end_ns[step]) - start[inside]
    if not len(step):
        return None
    keys_of = operator_keys_of(timeline.events.strings)
    key = np.full(len(name), keys_of.places((NOTHING_RECORDED,))[0], dtype=np.int64)
    key[name >= 0] = keys_of.of(name[name >= 0])
    texts = [keys_of.pool.texts[at] for at in key.tolist()]
    keys = sorted(set(texts))
    row = np.array([keys.index(text) for text in texts])
    calls, total = (scatter_add(row, len(keys), step, steps, value) for value in (None, spent))
    return GroupTable(("name",), tuple((key,) for key in keys), tuple(keys), calls, {"total": total})
