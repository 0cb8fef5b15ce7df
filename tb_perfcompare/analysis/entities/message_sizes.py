"""Messages of the collectives of a trace, call by call and by size. Docs: docs/method/metrics.md."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, argument_values
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, StepIndex, is_of
from tb_perfcompare.model.collective_messages import Message, message
from tb_perfcompare.model.summary.collectives import BUS_BYTES, MESSAGE_BYTES, SIZED_CALLS, SIZED_TIME
from tb_perfcompare.model.summary.summary import GroupTable, StepCategory
from tb_perfcompare.quick_dataclass import dataclass

_UNKNOWN = -1

@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """Messages of r collectives on the device.

    message   (r,) index into `messages`, _UNKNOWN if the message is unknown
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
    message_of = np.full(len(rows), _UNKNOWN, dtype=np.int64)
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
            at = number[tuple(row)] = _UNKNOWN if read is None else index.setdefault(read, len(index))
        message_of[place] = at
    return Messages(message_of, tuple(index))


def _whole(timeline: InterpretedTrace, rows: EventIndex) -> Flags:
    """(r,) Whether a device event is an entire collective.

    It is if it names the collective itself, or if the operator that names it launched nothing else.
    """
    is_collective = argument_values(timeline.events, "collective_name", rows, _UNKNOWN) != _UNKNOWN
    device = timeline.is_device[rows]
    operator = timeline.operator[rows].astype(np.int64)
    launched = np.bincount(operator[device & (operator >= 0)], minlength=len(timeline.events) + 1)
    is_whole: Flags = device & (is_collective | (launched[operator] == 1))
    return is_whole


_ARGUMENTS = ("collective_name", "element_type", "in_elements", "out_elements", "group_size")


def recorded_argument(timeline: InterpretedTrace, argument: str, rows: EventIndex) -> Ints:
    """(r,) An argument of each event, or of the operator that launched it; -1 if neither has it."""
    events = timeline.events
    own = argument_values(events, argument, rows, _UNKNOWN)
    missing = np.flatnonzero((own == _UNKNOWN) & (timeline.operator[rows] >= 0))
    if len(missing):
        own = own.copy()
        own[missing] = argument_values(events, argument, timeline.operator[rows[missing]].astype(np.int64), _UNKNOWN)
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
