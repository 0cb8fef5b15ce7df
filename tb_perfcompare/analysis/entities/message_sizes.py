"""Messages of the collectives of a trace, call by call and by size. Docs: docs/method/metrics.md."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, argument_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, StepIndex
from tb_perfcompare.model.collective_messages import Message, message
from tb_perfcompare.model.summary.collectives import BUS_BYTES, BY_MESSAGE, MESSAGE_BYTES, SIZED_CALLS, SIZED_TIME
from tb_perfcompare.model.summary.summary import GroupTable, StepCategory
from tb_perfcompare.quick_dataclass import dataclass

_UNKNOWN = -1

@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """Of r collectives on the device, those whose message is known: `row` (r,) are their rows, `message` (r,) indices
    into `messages`, _UNKNOWN where it is not known."""

    row: EventIndex
    message: Ints
    messages: tuple[Message, ...]

    def measures(self, group: AnyInts, step: StepIndex, steps: int, count: int, dur_ns: Ints) -> dict[str, Ints]:
        """Measure -> (count, steps) sums over the calls whose message is known: their number, time, bytes, and bytes
        times the factor, rounded; `group`, `step` and `dur_ns` (r,) are of the calls."""
        known = np.flatnonzero(self.message >= 0)
        at = self.message[known]
        size = np.array([one.size for one in self.messages], dtype=np.int64)[at]
        bus = np.array([round(one.bus_bytes) for one in self.messages], dtype=np.int64)[at]
        sums = Groups(group[known], count, step[known], steps)
        return {
            SIZED_CALLS: sums.matrix(), SIZED_TIME: sums.matrix(dur_ns[known]), MESSAGE_BYTES: sums.matrix(size),
            BUS_BYTES: sums.matrix(bus),
        }  # fmt: skip


def messages_of(timeline: InterpretedTrace, rows: EventIndex) -> Messages:
    """The messages of these collectives. Ranges on the host have none: they do not last as long as the transfer."""
    events = timeline.events
    none = np.full(len(rows), _UNKNOWN, dtype=np.int64)
    if "collective_name" not in events.args:
        return Messages(rows, none, ())
    columns = [carried(timeline, name, rows).tolist() for name in _ARGUMENTS]
    texts = [*events.strings.texts, ""]
    number: dict[tuple[int, ...], int] = {}
    index: dict[Message, int] = {}
    found = none
    for place, (is_whole, *one) in enumerate(zip(_whole(timeline, rows).tolist(), *columns, strict=True)):
        if not is_whole:
            continue
        at = number.get(tuple(one))
        if at is None:
            read = message(texts[one[0]], texts[one[1]], *one[2:])
            at = number[tuple(one)] = _UNKNOWN if read is None else index.setdefault(read, len(index))
        found[place] = at
    return Messages(rows, found, tuple(index))


def _whole(timeline: InterpretedTrace, rows: EventIndex) -> Flags:
    """(r,) whether an event on the device is all of a collective: it says so itself, or no other one was launched by
    the operator that does."""
    collective = argument_of(timeline.events, "collective_name", rows, _UNKNOWN)
    is_collective = np.asarray(collective, dtype=np.int64) != _UNKNOWN
    device = timeline.is_device[rows]
    operator = timeline.operator[rows].astype(np.int64)
    launched = np.bincount(operator[device & (operator >= 0)], minlength=len(timeline.events) + 1)
    whole: Flags = device & (is_collective | (launched[operator] == 1))
    return whole


_ARGUMENTS = ("collective_name", "element_type", "in_elements", "out_elements", "group_size")


def carried(timeline: InterpretedTrace, argument: str, rows: EventIndex) -> Ints:
    """(r,) an argument of the events, of the operators that launched them where they do not have it, else -1."""
    events = timeline.events
    own = np.asarray(argument_of(events, argument, rows, _UNKNOWN), dtype=np.int64)
    lost = np.flatnonzero((own == _UNKNOWN) & (timeline.operator[rows] >= 0))
    if len(lost):
        own = own.copy()
        own[lost] = argument_of(events, argument, timeline.operator[rows[lost]].astype(np.int64), _UNKNOWN)
    return own


def message_table(timeline: InterpretedTrace, step: StepIndex, steps: int) -> GroupTable | None:
    """Collectives on the device by name, ranks of the group and message size; None without any whose message is
    known."""
    rows = np.flatnonzero((timeline.role == StepCategory.COMMUNICATION) & timeline.is_device & (step >= 0))
    found = messages_of(timeline, rows)
    kept = found.message >= 0
    if not kept.any():
        return None
    rows, group, of_step = rows[kept], found.message[kept], step[rows[kept]]
    dur = timeline.events.dur_ns[rows]
    groups = Groups(group, len(found.messages), of_step, steps)
    low, high = groups.span(dur)
    own = Messages(rows, group, found.messages)
    names = tuple(one.collective for one in found.messages)
    return GroupTable(
        kind=BY_MESSAGE,
        key_columns=("name", "group_size", "message"),
        keys=tuple(one.key for one in found.messages),
        names=names,
        calls=groups.matrix(),
        measures_ns={"total": groups.matrix(dur), **own.measures(group, of_step, steps, len(names), dur)},
        min_ns=low,
        max_ns=high,
        facts={},
    )
