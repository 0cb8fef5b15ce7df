"""One element of traceEvents, as decoded, and counts of elements."""

from __future__ import annotations

from collections import Counter
from dataclasses import field

import msgspec

from tb_perfcompare.quick_dataclass import dataclass

NULL = msgspec.Raw(b"null")


class Event(msgspec.Struct, gc=False):
    """The members of an element that are used; numbers and arguments stay JSON text."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: msgspec.Raw = NULL
    dur: msgspec.Raw = NULL
    id: msgspec.Raw = NULL
    args: dict[str, msgspec.Raw] | None = None


@dataclass(slots=True, eq=False)
class Counts:
    """Numbers of elements.

    seen      elements of traceEvents
    dropped   reason -> number of elements that cannot be used
    skipped   phase/category -> number of elements of kinds that are not read
    repaired  kind of repair -> number of elements
    negative  durations below zero, taken as zero
    finer     timestamps or durations that were rounded to a nanosecond
    """

    seen: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
    negative: int = 0
    finer: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.seen + other.seen,
            self.dropped + other.dropped,
            self.skipped + other.skipped,
            self.repaired + other.repaired,
            self.negative + other.negative,
            self.finer + other.finer,
        )
