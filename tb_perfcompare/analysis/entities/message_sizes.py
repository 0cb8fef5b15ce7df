"""Message sizes of collectives and the bytes that they put on the links, both as nccl-tests counts them
(https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md). Docs: docs/method/metrics.md."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, argument_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, StepIndex
from tb_perfcompare.model.summary.collectives import BUS_BYTES, BY_MESSAGE, MESSAGE_BYTES, SIZED_CALLS, SIZED_TIME
from tb_perfcompare.model.summary.summary import GroupTable, StepCategory
from tb_perfcompare.quick_dataclass import dataclass

_UNKNOWN = -1

_MOST_BYTES = 2**50
"""No message is larger: sizes beyond this are damaged."""

ELEMENT_BYTES = {
    **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz",
                     "Float8_e8m0fnu", "QInt8", "QUInt8"), 1),
    **dict.fromkeys(("Short", "Half", "BFloat16", "UInt16"), 2),
    **dict.fromkeys(("Int", "Float", "UInt32", "ComplexHalf", "QInt32"), 4),
    **dict.fromkeys(("Long", "Double", "UInt64", "ComplexFloat"), 8),
    "ComplexDouble": 16,
}  # fmt: skip
"""Element type as torch's NCCL annotations name it -> bytes."""


@dataclass(frozen=True, slots=True)
class _Collective:
    """`elements` of (in, out, n ranks) gives the elements of nccl-tests' message, None where they contradict each
    other; `factor` of n is bus bandwidth over algorithm bandwidth."""

    name: str
    elements: Callable[[int, int, int], int | None]
    factor: Callable[[int], Fraction]


def _same(sent: int, received: int, ranks: int) -> int | None:
    return sent if sent == received else None


def _gathered(sent: int, received: int, ranks: int) -> int | None:
    return received if received == sent * ranks else None


def _scattered(sent: int, received: int, ranks: int) -> int | None:
    return sent if sent == received * ranks else None


def _one_way(ranks: int) -> Fraction:
    return Fraction(1)


def _to_others(ranks: int) -> Fraction:
    return Fraction(ranks - 1, ranks)


_ALL_REDUCE = _Collective("all_reduce", _same, lambda ranks: 2 * _to_others(ranks))
_ALL_GATHER = _Collective("all_gather", _gathered, _to_others)
_REDUCE_SCATTER = _Collective("reduce_scatter", _scattered, _to_others)
_BROADCAST = _Collective("broadcast", _same, _one_way)
_REDUCE = _Collective("reduce", _same, _one_way)

_COLLECTIVES = {
    **dict.fromkeys(("allreduce", "allreducecoalesced"), _ALL_REDUCE),
    **dict.fromkeys(("allgather", "allgatherbase", "allgatherintotensorcoalesced"), _ALL_GATHER),
    **dict.fromkeys(("reducescatter", "reducescatterbase", "reducescattertensorcoalesced"), _REDUCE_SCATTER),
    **dict.fromkeys(("broadcast", "broadcastoop"), _BROADCAST),
    **dict.fromkeys(("reduce", "reduceoop"), _REDUCE),
    "alltoall": _Collective("all_to_all", _same, _to_others),
    "gather": _Collective("gather", _gathered, _to_others),
    "scatter": _Collective("scatter", _scattered, _to_others),
    "send": _Collective("send", _same, _one_way),
    "recv": _Collective("recv", _same, _one_way),
}  # fmt: skip
"""Torch's name of a collective without underscores. Not here: all_to_allv, whose split sizes are not recorded."""


@dataclass(frozen=True, slots=True)
class Message:
    """`size` bytes as nccl-tests states them, `bus_bytes` of them times the factor of the bus bandwidth."""

    collective: str
    ranks: int
    size: int
    bus_bytes: Fraction


def message(called: str, element_type: str, sent: int, received: int, ranks: int) -> Message | None:
    """The message of one call on one rank, from what torch records: name of the collective, type and elements in and
    out, size of the group. None where any of it is missing, unknown or contradicts another part, and without a link."""
    known = _COLLECTIVES.get(called.strip('"').replace("_", "").lower())
    width = ELEMENT_BYTES.get(element_type.strip('"'))
    if known is None or width is None or sent <= 0 or received <= 0 or ranks < 2:
        return None
    elements = known.elements(sent, received, ranks)
    if elements is None or elements * width > _MOST_BYTES:
        return None
    return Message(known.name, ranks, elements * width, elements * width * known.factor(ranks))


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
    said = np.asarray(argument_of(timeline.events, "collective_name", rows, _UNKNOWN), dtype=np.int64) != _UNKNOWN
    device = timeline.is_device[rows]
    operator = timeline.operator[rows].astype(np.int64)
    launched = np.bincount(operator[device & (operator >= 0)], minlength=len(timeline.events) + 1)
    whole: Flags = device & (said | (launched[operator] == 1))
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
        keys=tuple((one.collective, str(one.ranks), size_text(one.size)) for one in found.messages),
        names=names,
        calls=groups.matrix(),
        measures_ns={"total": groups.matrix(dur), **own.measures(group, of_step, steps, len(names), dur)},
        min_ns=low,
        max_ns=high,
        facts={},
    )


def size_text(size: int) -> str:
    """Exact: "64 MiB", "4,100 B"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << power) == 0:
            return f"{size >> power:,} {unit}"
    return f"{size:,} B"
