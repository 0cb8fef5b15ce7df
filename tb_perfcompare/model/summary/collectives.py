"""Individual collectives, so that the same one can be identified on several ranks, and their overlap with compute."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

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
