"""Memory that the running tasks need together: estimated before they begin, raised when they prove to need more."""

from __future__ import annotations

from collections.abc import Iterable

from tb_perfcompare.errors import OutOfMemory
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.workspace.workers.limits import MEMORY

PROCESS_BYTES = 64 * 2**20
PER_EVENT_BYTES = 200
"""Measured, tables included: 108 to 123 in traces from frameworks, 162 with short events only, and 273 in the worst
case found, for which the unused half of the machine's memory leaves room."""

_MIN_SHARE = 1 / 16
"""Event counts are not extrapolated from a smaller part of a file than this."""


class Need:
    """Memory that one task needs; `number` orders tasks by arrival. A need of 0 means unknown: the task does not wait
    for memory, and the need stays 0.

    bytes_  best estimate so far
    held    resident memory of its process, as last reported
    """

    def __init__(self, number: int, expected_bytes: int) -> None:
        self.number = number
        self.bytes_ = expected_bytes
        self.held = 0
        self._events: dict[str, float] = {}

    def update(self, progress: Progress, held: int) -> bool:
        """Updates the need from a progress report and the memory held; returns whether it has grown. The number of
        events is extrapolated from the part of the file that was read."""
        before, self.held = self.bytes_, held
        if not before:
            return False
        share = progress.done_bytes / progress.total_bytes if progress.total_bytes else 1.0
        self._events[progress.path] = progress.events / min(1.0, max(share, _MIN_SHARE))
        by_events = PROCESS_BYTES + round(PER_EVENT_BYTES * sum(self._events.values()))
        self.bytes_ = max(before, by_events, held)
        return self.bytes_ > before


def most_for_one(memory_bytes: int) -> int:
    """Bytes that one task may really hold: all memory for reading, and at least twice the size of an idle process."""
    return max(memory_bytes, 2 * PROCESS_BYTES)


def too_many(needs: Iterable[Need], memory_bytes: int) -> list[Need]:
    """Returns the tasks to end for the rest to fit, latest arrivals first. The first task always stays."""
    first_to_last = sorted((need for need in needs if need.bytes_), key=lambda need: need.number)
    total_bytes = sum(need.bytes_ for need in first_to_last)
    out: list[Need] = []
    while total_bytes > memory_bytes and len(first_to_last) > 1:
        out.append(first_to_last.pop())
        total_bytes -= out[-1].bytes_
    return out


def refusal(need: Need, memory_bytes: int) -> OutOfMemory:
    """Returns the error for a task that holds more memory than allowed."""
    needed_mb, allowed_mb = (-(-size // 2**20) for size in (max(need.bytes_, need.held), most_for_one(memory_bytes)))
    return OutOfMemory(
        f"reading it needs about {needed_mb:,} MB of memory, but only {allowed_mb:,} MB are allowed",
        hint=f"set {MEMORY}={needed_mb} if the machine has that much",
    )
