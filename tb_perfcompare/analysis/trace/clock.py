"""The clock of a device against the host's: profilers convert device times, and may miss by milliseconds.

Work starts after the call that launches it and ends before a later wait for the whole device returns. Where a trace
says otherwise, the device's times are moved until the shortest time from launch to start is a usual one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import is_one_of, named
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.model.api_calls import DEVICE_WAIT, calls
from tb_perfcompare.model.arrays import Flags, Ints, Ints32, unique
from tb_perfcompare.model.events import ABSENT, DEVICE_WORK, Category, EventTable
from tb_perfcompare.quick_dataclass import dataclass

MIN_EVENTS = 5
"""Number of events that must contradict the host's clock, and rank of the contradiction that counts: fewer, or larger
ones, are errors of single events.

Of 27 recordings of NVIDIA, AMD and Cambricon devices, 26 contradict it nowhere: the first kernel starts 4.5 to 640 µs
after its launch. In the other one, of an MLU, 244 of 4,376 start up to 81 ms before.
"""

MIN_SHARE = 0.01
"""Share of a device's events that must contradict the host's clock: in the recording above 5.6 %. Without it, eight of
1,080 events linked to wrong launches moved all by 17 ms."""

SHORTEST_LAUNCH_NS = 5_000
"""Shortest time from a launch to the start of its work: 4.5 to 6.4 µs in the recordings of current NVIDIA devices."""

WIDEST_NS = 2**62
"""Extent of the times of one recording up to which the differences of its times are exact."""

SLACK_NS = 100_000
"""Time that work may end after a wait for the device has returned: 8 µs at most in the same recordings."""

NEVER = np.iinfo(np.int64).min

_DEVICE_TIMES = (*DEVICE_WORK, Category.DEVICE_ANNOTATION, Category.SYNC)


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """`moved_ns` was added to the times of one device, as `events` of its events contradicted the host's clock.

    device  process of its events; `moved_ns` is above zero if its clock was behind the host's
    """

    device: str
    moved_ns: int
    events: int


def on_host_clock(
    events: EventTable, api: Flags, launcher: Ints32
) -> tuple[EventTable, tuple[ClockOffset, ...]]:
    """Returns the events with device times moved onto the host's clock, and by how much those of each device were.

    api       (n,) bool calls of the device's runtime
    launcher  (n,) row of the call that launched an event, -1
    """
    work = np.flatnonzero(launcher >= 0)
    call = launcher[work]
    early = gather(events.start_ns, call) - gather(events.start_ns, work)
    late = _late(events, api, work, call)
    if (early > 0).sum() < MIN_EVENTS and (late > SLACK_NS).sum() < MIN_EVENTS:
        return events, ()
    if int(events.start_ns.max()) - int(events.start_ns.min()) > WIDEST_NS:
        return events, ()
    process = _processes(events)
    certain = _of_one_process(events.correlation, process, api)[call]
    on_device = is_one_of(events.category, _DEVICE_TIMES)
    start, offsets = events.start_ns.copy(), []
    for device in unique(process[work]).tolist():
        own = certain & (process[work] == device)
        moved, count = _offset(early[own], late[own])
        if moved:
            start[on_device & (process == device)] += moved
            offsets.append(ClockOffset(str(events.lanes.pid[device]), moved, count))
    return replace(events, start_ns=start), tuple(offsets)


def _late(events: EventTable, api: Flags, work: Ints, call: Ints32) -> Ints:
    """(w,) How long after the end of the next wait for the device work ends. NEVER without such a wait, or if several
    devices or processes leave open what it waited for."""
    none = np.full(len(work), NEVER)
    waits = np.flatnonzero(api)
    waits = waits[named(events, waits, lambda name: calls(DEVICE_WAIT, name))]
    process = _processes(events)
    if not len(waits) or any(len(unique(process[rows])) > 1 for rows in (work, np.append(call, waits))):
        return none
    waits = waits[np.argsort(events.start_ns[waits])]
    following = np.searchsorted(events.start_ns[waits], gather(events.start_ns, call))
    waited = following < len(waits)
    until = gather(events.end_ns, waits)[np.minimum(following, len(waits) - 1)]
    return np.where(waited, gather(events.end_ns, work) - until, NEVER)


def _processes(events: EventTable) -> Ints:
    """(n,) Process of each event, as the first row of `lanes` that has it: "7" and 7 are one process."""
    first: dict[str, int] = {}
    rows = [first.setdefault(str(pid), row) for row, pid in enumerate(events.lanes.pid)]
    return gather(np.array(rows, dtype=np.int64), events.lane)


def _of_one_process(correlation: Ints, process: Ints, api: Flags) -> Flags:
    """(n,) Whether all calls with an event's correlation are of one process: merged traces repeat them."""
    pairs = np.unique(np.stack([correlation[api], process[api]]), axis=1)
    numbers, processes = np.unique(pairs[0], return_counts=True)
    return ~np.isin(correlation, numbers[(processes > 1) & (numbers != ABSENT)])


def _offset(early: Ints, late: Ints) -> tuple[int, int]:
    """Returns what to add to the times of a device, and the number of events that contradict the host's clock."""
    is_early, is_late = _contradictions(early, late)
    least = max(MIN_EVENTS, MIN_SHARE * len(early))
    if max(is_early, is_late) < least:
        return 0, 0
    moved = int(np.partition(early, -MIN_EVENTS)[-MIN_EVENTS]) + SHORTEST_LAUNCH_NS
    waited = late > NEVER
    if sum(_contradictions(early - moved, np.where(waited, late + moved, NEVER))) >= is_early + is_late:
        return 0, 0
    return moved, is_early if is_early >= least else is_late


def _contradictions(early: Ints, late: Ints) -> tuple[int, int]:
    """Number of events that start before their launch, and of those that end after a wait for them."""
    return int((early > 0).sum()), int((late > SLACK_NS).sum())
