"""The collectives of a trace one by one, their messages by size, and how long compute kernels overlap them.

Docs: docs/method/metrics.md.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, argument_values
from tb_perfcompare.analysis.columns.intervals import covered_in_windows, union
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, StepIndex, is_of
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.collectives import (
    BUS_BYTES,
    MESSAGE_BYTES,
    SIZED_CALLS,
    SIZED_TIME,
    UNKNOWN,
    Collectives,
    Message,
    message,
)
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """Messages of r collectives on the device.

    message   (r,) index into `messages`, UNKNOWN if the message is unknown
    """

    message: Ints
    messages: tuple[Message, ...]

    def measures(self, group: AnyInts, step: StepIndex, steps: int, count: int, dur_ns: Ints) -> dict[str, Ints]:
        """Measure -> (count, steps) sums over the calls with a known message.

        The measures are calls, time, bytes, and bus bytes (rounded). `group`, `step` and `dur_ns` (r,) are of the
        calls.
        """
        sized = np.flatnonzero(self.message >= 0)
        at = self.message[sized]
        size = np.array([entry.size for entry in self.messages], dtype=np.int64)[at]
        bus = np.array([round(entry.bus_bytes) for entry in self.messages], dtype=np.int64)[at]
        sums = Groups(group[sized], count, step[sized], steps)
        return {
            SIZED_CALLS: sums.matrix(), SIZED_TIME: sums.matrix(dur_ns[sized]), MESSAGE_BYTES: sums.matrix(size),
            BUS_BYTES: sums.matrix(bus),
        }  # fmt: skip


def messages_of(timeline: InterpretedTrace, rows: EventIndex) -> Messages:
    """Returns the messages of these collectives; host ranges have none, as they do not last as long as the transfer."""
    events = timeline.events
    message_of = np.full(len(rows), UNKNOWN, dtype=np.int64)
    if "collective_name" not in events.args:
        return Messages(message_of, ())
    columns = [recorded_argument(timeline, name, rows).tolist() for name in _ARGUMENTS]
    texts = [*events.strings.texts, ""]
    number: dict[tuple[int, ...], int] = {}
    index: dict[Message, int] = {}
    for place, (is_whole, *row) in enumerate(zip(_whole(timeline, rows).tolist(), *columns, strict=True)):
        if not is_whole:
            continue
        at = number.get(tuple(row))
        if at is None:
            read = message(texts[row[0]], texts[row[1]], *row[2:])
            at = number[tuple(row)] = UNKNOWN if read is None else index.setdefault(read, len(index))
        message_of[place] = at
    return Messages(message_of, tuple(index))


def _whole(timeline: InterpretedTrace, rows: EventIndex) -> Flags:
    """(r,) Whether a device event is an entire collective.

    It is if it names the collective itself, or if the operator that names it launched nothing else.
    """
    is_collective = argument_values(timeline.events, "collective_name", rows, UNKNOWN) != UNKNOWN
    device = timeline.is_device[rows]
    operator = timeline.operator[rows].astype(np.int64)
    launched = np.bincount(operator[device & (operator >= 0)], minlength=len(timeline.events) + 1)
    is_whole: Flags = device & (is_collective | (launched[operator] == 1))
    return is_whole


_ARGUMENTS = ("collective_name", "element_type", "in_elements", "out_elements", "group_size")


def recorded_argument(timeline: InterpretedTrace, argument: str, rows: EventIndex) -> Ints:
    """(r,) An argument of each event, or of the operator that launched it; -1 if neither has it."""
    events = timeline.events
    own = argument_values(events, argument, rows, UNKNOWN)
    missing = np.flatnonzero((own == UNKNOWN) & (timeline.operator[rows] >= 0))
    if len(missing):
        own = own.copy()
        own[missing] = argument_values(events, argument, timeline.operator[rows[missing]].astype(np.int64), UNKNOWN)
    return own


def message_table(timeline: InterpretedTrace, step: StepIndex, steps: int) -> GroupTable | None:
    """Collectives on the device by name, ranks of the group and message size; None if no message is known."""
    rows = np.flatnonzero(is_of(timeline.role, StepCategory.COMMUNICATION) & timeline.is_device & (step >= 0))
    all_messages = messages_of(timeline, rows)
    is_known = all_messages.message >= 0
    if not is_known.any():
        return None
    rows, group, of_step = rows[is_known], all_messages.message[is_known], step[rows[is_known]]
    dur = timeline.events.dur_ns[rows]
    groups = Groups(group, len(all_messages.messages), of_step, steps)
    low, high = groups.span(dur)
    own = Messages(group, all_messages.messages)
    names = tuple(entry.collective for entry in all_messages.messages)
    return GroupTable(
        key_columns=("name", "group_size", "message"),
        keys=tuple(entry.key for entry in all_messages.messages),
        names=names,
        calls=groups.matrix(),
        measures_ns={"total": groups.matrix(dur), **own.measures(group, of_step, steps, len(names), dur)},
        min_ns=low,
        max_ns=high,
    )


Intervals = tuple[Ints, Ints]

_SYMMETRIC = regex("allreduce|allgather|reducescatter|broadcast|barrier")
"""Collectives whose messages have the same size on all ranks."""


def collectives(timeline: InterpretedTrace, windows: Windows, step: StepIndex) -> Collectives | None:
    """Returns the collectives that start in a step: on the device, or on the host if the device has none.

    `step` (n,) is each event's step or -1. None if there are no collectives.
    """
    role = is_of(timeline.role, StepCategory.COMMUNICATION)
    on_device = np.flatnonzero(role & timeline.is_device)
    rows = on_device if len(on_device) else _outermost(timeline, np.flatnonzero(role))
    counted = rows[step[rows] >= 0]
    if not len(counted):
        return None
    events = timeline.events
    counted = counted[np.lexsort((counted, events.start_ns[counted], step[counted]))]
    keys, group_size, key = _keys(timeline, np.sort(counted))
    places = np.searchsorted(np.sort(counted), counted)
    busy = union(events.start_ns[rows], timeline.ends(rows))
    hidden = np.full(len(windows.label), UNKNOWN, dtype=np.int64)
    if len(on_device):
        kernels = np.flatnonzero(is_of(timeline.role, StepCategory.KERNEL))
        hidden = _covered_by_both(busy, union(events.start_ns[kernels], timeline.ends(kernels)), windows)
    return Collectives(
        keys, group_size, key[places], step[counted].astype(np.int64), events.start_ns[counted], events.dur_ns[counted],
        covered_in_windows(busy, windows.start_ns, windows.end_ns), hidden,
    )  # fmt: skip


def _outermost(timeline: InterpretedTrace, rows: EventIndex) -> Ints:
    """Drops host ranges inside another range of the same thread.

    `record_param_comms` around `nccl:all_reduce` is one collective.
    """
    start, end, lane = timeline.events.start_ns[rows], timeline.ends(rows), timeline.lane[rows]
    order = np.lexsort((rows, -end, start, lane))
    outermost = []
    current_lane, reach = None, 0
    for at in order.tolist():
        if lane[at] == current_lane and end[at] <= reach:
            continue
        current_lane, reach = lane[at], int(end[at])
        outermost.append(at)
    return np.sort(rows[np.array(outermost, dtype=np.int64)])


def _keys(timeline: InterpretedTrace, rows: EventIndex) -> tuple[tuple[tuple[str, str], ...], Ints, Ints]:
    """Returns (the keys, size of each key's group, key of each row). Rows must ascend."""
    events = timeline.events
    group, ranks, called, dtype, *sizes = (
        recorded_argument(timeline, name, rows)
        for name in ("process_group", "group_size", "collective_name", "element_type", "in_elements", "out_elements")
    )
    launcher, shape = _launchers(timeline, rows), recorded_argument(timeline, "input_dims", rows)
    name = events.name[rows].astype(np.int64)
    index: dict[tuple[str, str], int] = {}
    number: dict[tuple[int, ...], int] = {}
    strings = [*events.strings.texts, ""]  # the last means not recorded
    key = np.zeros(len(rows), dtype=np.int64)
    columns = (name, group, called, dtype, launcher, shape, *sizes)
    for place, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        at = number.get(row)
        if at is None:
            operation = _operation(strings[row[2]], strings[row[3]], row[6:])
            operation = operation or _plain_operation(kernel_key(strings[row[0]]), strings[row[4]], strings[row[5]])
            at = number[row] = index.setdefault((operation, strings[row[1]]), len(index))
        key[place] = at
    size = np.full(len(index), UNKNOWN, dtype=np.int64)
    np.maximum.at(size, key, ranks)
    return tuple(index), size, key


def _launchers(timeline: InterpretedTrace, rows: EventIndex) -> Ints:
    """(r,) Name code of the collective operator that launched each event, else UNKNOWN."""
    operator = timeline.operator[rows].astype(np.int64)
    is_collective = (operator >= 0) & is_of(timeline.role[operator], StepCategory.COMMUNICATION)
    return np.where(is_collective, timeline.events.name[operator], UNKNOWN).astype(np.int64)


def _operation(called: str, dtype: str, sizes: tuple[int, ...]) -> str:
    """Describes what ranks must agree on: collective, data type and size; "" if it was not recorded.

    No size for collectives with uneven messages (all-to-all, gather).
    """
    plain = _plain(called)
    shown = [text for text in (plain, dtype.strip('"')) if text] if plain else []
    if _SYMMETRIC.search(plain):
        shown += [f"{size:,}" for size in sizes if size != UNKNOWN]
    return " ".join(shown)


def _plain_operation(kernel: str, launcher: str, shape: str) -> str:
    """Describes the operation from names alone, with the launcher: libraries use one kernel for many operations."""
    shown = [kernel, *([launcher] if launcher and launcher != kernel else [])]
    if any(_SYMMETRIC.search(_plain(name)) for name in shown):
        shown += [shape] if shape else []
    return " ".join(shown)


def _plain(name: str) -> str:
    return name.strip('"').replace("_", "").lower()


def _covered_by_both(left: Intervals, right: Intervals, windows: Windows) -> Ints:
    """(s,) Length of each window that both interval sets cover."""
    either = union(np.concatenate([left[0], right[0]]), np.concatenate([left[1], right[1]]))
    a, b, total = (covered_in_windows(busy, windows.start_ns, windows.end_ns) for busy in (left, right, either))
    return a + b - total
