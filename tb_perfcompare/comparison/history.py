"""History of a series of runs: its levels, where they change, and how each run compares with the level before it.

Every point is one observation, the median of its steps (docs/guide/history.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import numpy as np

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.change_points import can_be_found, change_points
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.model.saved.history import PointFacts
from tb_perfcompare.quick_dataclass import dataclass

OUTLIER_Z = 3.5
"""Modified z beyond which a point is an outlier of its level (Iglewicz and Hoaglin, How to detect and handle
outliers, 1993)."""

SLOWER, FASTER, SAME, CANNOT_TELL = "slower", "faster", "same", "cannot_tell"

MAX_POINTS = 5000
"""Largest number of points: the test holds 999 orders of a series in memory, 40 MB for this many. Of a longer series
only the last points are used."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Points of one level, neighbors in time."""

    first: Annotated[int, "index of its first point"]
    last: Annotated[int, "index of its last point"]
    typical_us: Annotated[float, "median of the points' median steps, in microseconds"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of level."""

    point: Annotated[int, "index of the first point of the new level"]
    shift: Annotated[float, "Hodges-Lehmann shift from the level before, as a fraction"]
    p: Annotated[float, "p of the permutation test that found it"]
    verdict: Annotated[str, "direction of `shift`", ("slower", "faster")]


@dataclass(frozen=True, slots=True)
class Standing:
    """Result for one point; None without a step time.

    segment     number of its segment
    difference  fraction by which it differs from the median of the previous point's level; None for the first point
    verdict     meaning of the difference; None for the first point
    outlier     the point lies far from its own level, which does not change
    """

    segment: int | None
    difference: float | None
    verdict: str | None
    outlier: bool = False


@dataclass(frozen=True, slots=True)
class SeriesHistory:
    """`points` in time order, `standings` of each; `segments` and `changes` refer to positions in `points`."""

    points: tuple[PointFacts, ...]
    standings: tuple[Standing, ...]
    segments: tuple[Segment, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def history_of(points: Sequence[PointFacts]) -> SeriesHistory:
    """Computes the history; `points` have to be in time order."""
    options = CompareOptions()
    notes = list(_notes(points))
    if len(points) > MAX_POINTS:
        notes.append(f"only the last {MAX_POINTS:,} of {len(points):,} points are used")
        points = points[-MAX_POINTS:]
    metric = _metric(points)
    timed = [
        place for place, point in enumerate(points) if point.median_ns is not None and point.metric == metric
    ]  # fmt: skip
    times_us = np.array([(points[place].median_ns or 0.0) / 1000 for place in timed])
    splits = change_points(np.log(times_us), options)
    ends = [0, *(split.start for split in splits), len(timed)]
    segments = tuple(
        Segment(timed[start], timed[end - 1], float(np.median(times_us[start:end])))
        for start, end in pairwise(ends)
        if end > start
    )
    changes = tuple(
        Change(timed[split.start], fraction_of(split.shift), split.p, SLOWER if split.shift > 0 else FASTER)
        for split in splits
    )
    numbers = np.searchsorted(ends, np.arange(len(timed)), side="right") - 1
    standings = [Standing(None, None, None)] * len(points)
    strays = _outliers(times_us, segments, numbers, options)
    turned = {change.point: change.verdict for change in changes}
    for at, place in enumerate(timed):
        number = int(numbers[at])
        if at == 0:
            standings[place] = Standing(number, None, None, bool(strays[at]))
            continue
        before = times_us[ends[int(numbers[at - 1])] : at]  # of that level, without the point itself
        theta = math.log(times_us[at] / float(np.median(before)))
        verdict = turned.get(place) or _without_change(at, theta, ends[number], ends[number + 1], options)
        standings[place] = Standing(number, fraction_of(theta), verdict, bool(strays[at]))
    if 0 < len(timed) < _fewest(options):
        notes.append(f"finding a change of level takes {_fewest(options)} points; there are {len(timed)}")
    return SeriesHistory(tuple(points), tuple(standings), segments, changes, tuple(notes))


def _outliers(times_us: Floats, segments: Sequence[Segment], numbers: Ints, options: CompareOptions) -> Flags:
    """(n,) flags of points beyond the margin whose logarithm has a modified z beyond OUTLIER_Z about their segment's
    median; the deviations of all segments are pooled."""
    if len(times_us) == 0:
        return np.zeros(0, dtype=bool)
    levels = np.array([segment.typical_us for segment in segments])
    away = np.abs(np.log(times_us / levels[numbers]))
    outliers: Flags = away > max(OUTLIER_Z / 0.6745 * float(np.median(away)), math.log1p(options.margin))
    return outliers


def _without_change(at: int, theta: float, start: int, end: int, options: CompareOptions) -> str:
    """Verdict on a point at which no change begins: the same, unless it differs by more than the margin and there
    are too few points before or after it for any change to be found."""
    if abs(theta) <= math.log1p(options.margin) or can_be_found(end - start, at - start, options.alpha):
        return SAME
    return CANNOT_TELL


def _fewest(options: CompareOptions) -> int:
    return next(n for n in range(4, 10_000) if can_be_found(n, n // 2, options.alpha))


def _metric(points: Sequence[PointFacts]) -> str:
    """The metric of most points; of equally frequent ones the latest point's."""
    counts = Counter(point.metric for point in reversed(points))
    return max(counts, key=counts.__getitem__, default="")


def _notes(points: Sequence[PointFacts]) -> list[str]:
    notes = []
    devices = sorted({point.device for point in points})
    if len(devices) > 1:
        notes.append(f"the points come from different devices: {', '.join(name or 'unknown' for name in devices)}")
    metric = _metric(points)
    others = [point.metric for point in points if point.metric != metric]
    if others:
        named = ", ".join(one.replace("_", " ") for one in sorted(set(others)))
        notes.append(
            f"{len(others)} of {len(points)} points measure something else ({named} instead of "
            f"{metric.replace('_', ' ')}) and are left out of the search for changes"
        )
    untimed = sum(point.median_ns is None for point in points)
    if untimed:
        notes.append(f"{untimed} of {len(points)} points have no step times")
    return notes
