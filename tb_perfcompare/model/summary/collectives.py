"""Individual collectives, so that the same one can be identified on several ranks, and their overlap with compute.

Message sizes and the bytes put on the links are defined as by nccl-tests:
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md; docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import CaptureIndex, Ints, Nanoseconds, places_of
from tb_perfcompare.model.summary.split_time import distinct
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class RankSteps:
    """s steps of all ranks of a side, in order of rank.

    capture      (s,) int32 index into Summary.captures
    span         s texts, span of the capture
    label        s texts
    total_ns     (s,) int64
    owned_ns     (8, s) int64 exposed time of the categories
    amounts      (4, s) int64 as in model/summary/amounts.py
    collectives  collectives in these steps, None without any
    """

    capture: CaptureIndex
    span: tuple[str, ...]
    label: tuple[str, ...]
    total_ns: Nanoseconds
    owned_ns: Nanoseconds
    amounts: Ints
    collectives: Collectives | None

    def of_job_steps(self, kept: Set[tuple[str, str]]) -> RankSteps:
        """The steps whose (span, label) is in `kept`."""
        names = zip(self.span, self.label, strict=True)
        columns = np.flatnonzero([name in kept for name in names]).astype(np.intp)
        return RankSteps(
            self.capture[columns],
            tuple(self.span[at] for at in columns.tolist()),
            tuple(self.label[at] for at in columns.tolist()),
            self.total_ns[columns],
            self.owned_ns[:, columns],
            self.amounts[:, columns],
            None if self.collectives is None else self.collectives.of_steps(columns),
        )


BY_MESSAGE = "communication_by_message"
"""Table of collectives by name, ranks of the group and message size."""

SIZED_CALLS, SIZED_TIME, MESSAGE_BYTES, BUS_BYTES = "sized_calls", "sized", "message_bytes", "bus_bytes"
"""Measures of collectives over the calls whose message size is known: number of calls, their time, message bytes as
nccl-tests counts them, and message bytes times the bus bandwidth factor."""

UNKNOWN = -1
"""A group size or duration that was not recorded."""


@dataclass(frozen=True, slots=True, eq=False)
class Collectives:
    """c calls in s steps, ordered by step and start.

    keys        k tuples (operation, process group), unique; all ranks of the group make the calls of one key in the
                same order. The operation is the collective with its message size and type, or the kernel's name if
                that was not recorded; the group is "" if not recorded
    group_size  (k,) int64 ranks of the group, UNKNOWN if not recorded
    key         (c,) int64 index into keys
    step        (c,) int64 admitted step in which the call starts
    start_ns    (c,) int64 in the clock of the capture
    dur_ns      (c,) int64 duration of the call, including the wait for other ranks
    busy_ns     (s,) int64 time of the step in which at least one collective runs
    hidden_ns   (s,) int64 part of busy_ns that overlaps with compute kernels; UNKNOWN if collectives were recorded on
                the host only
    """

    keys: tuple[tuple[str, str], ...]
    group_size: Ints
    key: Ints
    step: Ints
    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    busy_ns: Nanoseconds
    hidden_ns: Nanoseconds

    def __len__(self) -> int:
        return len(self.key)

    def of_steps(self, columns: NDArray[np.intp]) -> Collectives | None:
        """The calls in the selected steps, with steps and keys renumbered; None without any."""
        place = places_of(columns, len(self.busy_ns)).astype(np.int64)
        selected = place[self.step] >= 0
        if not selected.any():
            return None
        step = place[self.step[selected]]
        order = np.argsort(step, kind="stable")
        used, key = distinct(self.key[selected][order], len(self.keys))
        return Collectives(
            tuple(self.keys[at] for at in used.tolist()),
            self.group_size[used],
            key,
            step[order],
            self.start_ns[selected][order],
            self.dur_ns[selected][order],
            self.busy_ns[columns],
            self.hidden_ns[columns],
        )


def joined(parts: list[tuple[Collectives | None, int]]) -> Collectives | None:
    """Concatenates the (collectives, number of steps) of several captures; None if no capture has collectives.

    A capture without collectives contributes steps without calls.
    """
    if all(part is None for part, _ in parts):
        return None
    index: dict[tuple[str, str], int] = {}
    size: list[int] = []
    numbered: list[Collectives] = []
    start = 0
    for part, steps in parts:
        if part is None:
            empty = np.zeros(0, dtype=np.int64)
            zeros = np.zeros(steps, dtype=np.int64)
            numbered.append(Collectives((), empty, empty, empty, empty, empty, zeros, zeros))
        else:
            number = []
            for key, ranks in zip(part.keys, part.group_size.tolist(), strict=True):
                at = index.setdefault(key, len(index))
                if at == len(size):
                    size.append(ranks)
                size[at] = max(size[at], ranks)
                number.append(at)
            numbers = np.array(number, dtype=np.int64)
            numbered.append(replace(part, key=numbers[part.key], step=part.step + start))
        start += steps
    return Collectives(
        tuple(index),
        np.array(size, dtype=np.int64),
        key=np.concatenate([part.key for part in numbered]),
        step=np.concatenate([part.step for part in numbered]),
        start_ns=np.concatenate([part.start_ns for part in numbered]),
        dur_ns=np.concatenate([part.dur_ns for part in numbered]),
        busy_ns=np.concatenate([part.busy_ns for part in numbered]),
        hidden_ns=np.concatenate([part.hidden_ns for part in numbered]),
    )


_MAX_BYTES = 2**50
"""Larger message sizes are taken as corrupt."""

ELEMENT_BYTES = {
    **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz",
                     "Float8_e8m0fnu", "QInt8", "QUInt8"), 1),
    **dict.fromkeys(("Short", "Half", "BFloat16", "UInt16"), 2),
    **dict.fromkeys(("Int", "Float", "UInt32", "ComplexHalf", "QInt32"), 4),
    **dict.fromkeys(("Long", "Double", "UInt64", "ComplexFloat"), 8),
    "ComplexDouble": 16,
}  # fmt: skip
"""Element type as named in torch's NCCL annotations -> bytes."""


@dataclass(frozen=True, slots=True)
class _Collective:
    """A collective's message size and bus bandwidth factor, as in nccl-tests.

    `elements(in, out, ranks)` is the message's element count, None if the counts contradict each other; `factor(ranks)`
    is bus bandwidth divided by algorithm bandwidth.
    """

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
"""Torch's name without underscores -> collective. all_to_allv is missing: its split sizes are not recorded."""


@dataclass(frozen=True, slots=True)
class Message:
    """`size` is nccl-tests' message size in bytes, `bus_bytes` is `size` times the bus bandwidth factor."""

    collective: str
    ranks: int
    size: int
    bus_bytes: Fraction

    @property
    def key(self) -> tuple[str, str, str]:
        """Key of the message's row in the table of messages."""
        return self.collective, str(self.ranks), size_text(self.size)


def message(called: str, element_type: str, sent: int, received: int, ranks: int) -> Message | None:
    """Message of one rank's call, from torch's annotation: collective, element type, elements in and out, group size.

    None if any of these is missing, unknown or contradicts the others, and for a group of one rank.
    """
    collective = _COLLECTIVES.get(called.strip('"').replace("_", "").lower())
    width = ELEMENT_BYTES.get(element_type.strip('"'))
    if collective is None or width is None or sent <= 0 or received <= 0 or ranks < 2:
        return None
    elements = collective.elements(sent, received, ranks)
    if elements is None or elements * width > _MAX_BYTES:
        return None
    return Message(collective.name, ranks, elements * width, elements * width * collective.factor(ranks))


def size_text(size: int) -> str:
    """Exact size with a binary unit if divisible by it: "64 MiB", "4,100 B"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << power) == 0:
            return f"{size >> power:,} {unit}"
    return f"{size:,} B"
