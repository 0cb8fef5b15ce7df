"""Whether one step contains the other's work. Measured by time, not calls: many more tiny calls do not make another
program, and names in common do not make two programs the same."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import NamedTuple, TypeVar


class Work(NamedTuple):
    """Self time and calls per step."""

    time_ns: float
    calls: float


Key = TypeVar("Key")


def inside(here: Mapping[Key, Work], there: Mapping[Key, Work]) -> float:
    """Share of the time in `here` whose work is done in `there` as often: 0 to 1, 1 without time.

    Sum over keys of t min(1, c_there / c_here), over the sum of t.
    """
    total_ns = fsum(work.time_ns for work in here.values())
    if not total_ns:
        return 1.0
    common = fsum(
        work.time_ns * min(1.0, there[key].calls / work.calls)
        for key, work in here.items()
        if key in there and work.calls > 0
    )
    return common / total_ns
