"""What memory the tasks under way need together: as expected before they begin, more once they show that it is more."""

from __future__ import annotations

from collections.abc import Iterable

from tb_perfcompare.errors import OutOfMemory
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.workspace.workers.limits import MEMORY

PROCESS_BYTES = 64 * 2**20
PER_EVENT_BYTES = 200
"""Measured, tables included: 108 to 123 in traces as frameworks write them, 162 with short ones only, and 273 in the
worst case that was found, which the other half of the machine's memory has room for."""

_LEAST_SHARE = 1 / 16
"""A smaller part of a file says nothing about the rest."""


class Need:
    """What one task needs; `number` orders tasks by arrival. A task that expects 0 is unknown: it neither waits nor
    grows.

    bytes_  at least so much, as far as is known
    held    resident memory of its process, as that said last
    """

    def __init__(self, number: int, expected_bytes: int) -> None:
        self.number = number
        self.bytes_ = expected_bytes
        self.held = 0
        self._events: dict[str, float] = {}

    def see(self, progress: Progress, held: int) -> bool:
        """Whether it has grown, by how many events there are for the part that was read, or by what is held."""
        before, self.held = self.bytes_, held
        if not before:
            return False
        share = progress.done_bytes / progress.total_bytes if progress.total_bytes else 1.0
        self._events[progress.path] = progress.events / min(1.0, max(share, _LEAST_SHARE))
        by_events = PROCESS_BYTES + round(PER_EVENT_BYTES * sum(self._events.values()))
        self.bytes_ = max(before, by_events, held)
        return self.bytes_ > before


def most_for_one(memory_bytes: int) -> int:
    """What a task may really hold: everything, and in any case twice what its process takes by itself."""
    return max(memory_bytes, 2 * PROCESS_BYTES)


def too_many(needs: Iterable[Need], memory_bytes: int) -> list[Need]:
    """Which tasks have to end for the rest to fit: the last that came. The first one stays however much it needs."""
    first_to_last = sorted((need for need in needs if need.bytes_), key=lambda need: need.number)
    left = sum(need.bytes_ for need in first_to_last)
    out: list[Need] = []
    while left > memory_bytes and len(first_to_last) > 1:
        out.append(first_to_last.pop())
        left -= out[-1].bytes_
    return out


def refusal(need: Need, memory_bytes: int) -> OutOfMemory:
    """The error of a task that holds more than it may."""
    needed_mb, allowed_mb = (-(-size // 2**20) for size in (max(need.bytes_, need.held), most_for_one(memory_bytes)))
    return OutOfMemory(
        f"reading it needs about {needed_mb:,} MB of memory, but only {allowed_mb:,} MB are allowed",
        hint=f"set {MEMORY}={needed_mb} if the machine has that much",
    )
