"""Steps: the marked spans, stretched to the device work they launched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.intervals import Numbers, running_total, scalar
from tb_perfcompare.analysis.compat.events.kinds import DEVICE_KINDS, Kind, step_label
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Ints

_MIN_SHARE_OF_PREVIOUS = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """`labels` as written in the markers (duplicates possible), `start` and `end` (s,) microseconds, in time order."""

    labels: tuple[str, ...]
    start: Numbers
    end: Numbers

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[str, Any, Any]]:
        return zip(self.labels, self.start.tolist(), self.end.tolist(), strict=True)

    @property
    def window(self) -> tuple[Any, Any]:
        """Start of the first and end of the last step."""
        return scalar(self.start[0]), scalar(self.end[-1])

    @property
    def average(self) -> float:
        """Mean length."""
        return running_total(self.end - self.start) / len(self)


def marked_steps(stream: EventStream) -> Steps:
    """Spans of the step markers; without any, one step `0` over the host events (over all events if there are none)."""
    at = stream.of(Kind.STEP)
    if len(at):
        labels = tuple(step_label(stream.texts[index]) or "" for index in stream.name[at].tolist())
        return Steps(labels, stream.start[at], stream.end[at])
    hosts = [Kind.OPERATOR, Kind.PYTHON]
    if stream.variant.annotations_in_window:
        hosts.append(Kind.ANNOTATION)
    at = stream.of(*hosts)
    if not len(at):
        at = np.flatnonzero((stream.kind != Kind.MEMORY) & (stream.kind != Kind.TRACE))
    if not len(at):
        at = np.arange(len(stream))
    if not len(at):
        return Steps(("0",), np.zeros(1, np.int64), np.zeros(1, np.int64))
    return Steps(("0",), stream.start[at].min(keepdims=True), stream.end[at].max(keepdims=True))


def extend_steps(stream: EventStream, links: Links, marked: Steps) -> Steps:
    """Steps that own the device work they launched, and begin where the work of the step before ends.

    A trailing run of steps without device work, and a last step with less than 0.8 of the launches of the one before,
    are cut off. Nothing changes if no step launched device work.
    """
    owner = _step_of_runtime(stream, links, marked)
    step_of_device = np.repeat(owner, np.diff(links.offset))
    inside = links.device[step_of_device >= 0]
    if not len(inside):
        return marked
    step_of_device = step_of_device[step_of_device >= 0]
    hits = np.bincount(step_of_device, minlength=len(marked))
    last_end = np.full(len(marked), stream.end[inside].min(), stream.end.dtype)
    np.maximum.at(last_end, step_of_device, stream.end[inside])
    start, end = [], []
    previous = scalar(marked.start[0])
    if hits[0]:
        previous = max([previous, *_earlier_ends(stream, inside, inside[step_of_device == 0])])
    for i, (_, begin, finish) in enumerate(marked):
        start.append(max(previous, begin))
        previous = max(finish, scalar(last_end[i]) if hits[i] else start[i], start[i])
        end.append(previous)
    keep = _kept(hits.tolist())
    dtype = marked.start.dtype
    return Steps(marked.labels[:keep], np.array(start[:keep], dtype), np.array(end[:keep], dtype))


def _earlier_ends(stream: EventStream, inside: Ints, of_first: Ints) -> list[Any]:
    """Latest end, if any, of device work that no step launched and that was over before the first step's work began."""
    outside = np.setdiff1d(stream.of(*DEVICE_KINDS), inside)
    ends = stream.end[outside]
    ends = ends[ends < stream.start[of_first].min()]
    return [scalar(ends.max())] if len(ends) else []


def _step_of_runtime(stream: EventStream, links: Links, marked: Steps) -> Ints:
    """(R,) step of each API call, -1 for none.

    One walk over calls and steps, both in time order: a call across the end of the current step belongs to none.
    """
    owner = np.full(len(links.runtime), -1, dtype=np.int64)
    spans = [(begin, finish) for _, begin, finish in marked]
    starts, ends = stream.start[links.runtime].tolist(), stream.end[links.runtime].tolist()
    step = 0
    for call, (start, end) in enumerate(zip(starts, ends, strict=True)):
        while step < len(spans):
            begin, finish = spans[step]
            if start < begin:
                break
            if end <= finish:
                owner[call] = step
                break
            if start < finish:
                break
            step += 1
        else:
            break
    return owner


def _kept(hits: list[int]) -> int:
    """How many steps remain after the tail is removed."""
    if len(hits) <= 1:
        return len(hits)
    with_work = [i for i, count in enumerate(hits) if count]
    if not with_work:
        return len(hits)
    last = with_work[-1]
    return last if last > 0 and _MIN_SHARE_OF_PREVIOUS * hits[last - 1] > hits[last] else last + 1
