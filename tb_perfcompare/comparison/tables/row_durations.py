"""Durations of the single launches of a row on both sides, as a histogram with one logarithmic scale."""

from __future__ import annotations

from typing import Annotated

from tb_perfcompare.comparison.tables.path_source import PathSource
from tb_perfcompare.model.summary.groups import DURATION_TABLES, class_start_ns
from tb_perfcompare.quick_dataclass import dataclass

MAX_BINS = 40
"""Most bins of the histogram; for a wider range neighbouring bins are merged."""


@dataclass(frozen=True, slots=True)
class LaunchDurations:
    """Histogram of launch durations over all compared steps."""

    start_ns: Annotated[tuple[float, ...], "start of each bin and end of the last, in nanoseconds"]
    baseline: Annotated[tuple[int, ...] | None, "number of launches in each bin; null if the baseline lacks the row"]
    candidate: Annotated[tuple[int, ...] | None, "the same for the candidate"]


def launch_durations(table: str, row: str, baseline: PathSource, candidate: PathSource) -> LaunchDurations | None:
    """Builds the histogram; None if the table has no launches, or neither side counted those of this row one by one."""
    counted = [side.durations.get(DURATION_TABLES.get(table, ""), {}).get(row, {}) for side in (baseline, candidate)]
    classes = [number for side in counted for number in side]
    if not classes:
        return None
    first, last = min(classes), max(classes)
    width = 1
    while (last - first) // width + 1 > MAX_BINS:
        width *= 2
    bins = (last - first) // width + 1
    start = tuple(class_start_ns(first + index * width) for index in range(bins + 1))
    a, b = (_binned(side, first, width, bins) for side in counted)
    return LaunchDurations(start, a, b)


def _binned(counts: dict[int, int], first: int, width: int, bins: int) -> tuple[int, ...] | None:
    if not counts:
        return None
    out = [0] * bins
    for number, launches in counts.items():
        out[(number - first) // width] += launches
    return tuple(out)
