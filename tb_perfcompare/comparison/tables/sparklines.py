"""Sparklines: several rows of a table, step by step, thinned to what a small plot can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

import numpy as np

from tb_perfcompare.comparison.tables.row_steps import StepSource, measures_of, spec_of
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.arrays import Ints, row_medians
from tb_perfcompare.quick_dataclass import dataclass


class _SideLineDict(TypedDict):
    median_us: Annotated[float, "median of all steps"]
    low_us: Annotated[list[float], "time of each step; minimum of each group if `high_us` is present"]


class SideLineDict(_SideLineDict, total=False):
    """The steps of one row on one side, in order: the time of each, or the minimum and maximum of groups of steps."""

    high_us: Annotated[list[float], "maximum of each group of steps; absent if steps are not grouped"]


@dataclass(frozen=True, slots=True)
class SideLines:
    """The lines of several rows in the steps of a side, None for those it does not have."""

    steps: int
    lines: list[SideLineDict | None]


@dataclass(frozen=True, slots=True)
class RowSparklines:
    """One time of several rows on both sides. `measure` is its name, "" the table's main one, `label` its label."""

    table: str
    metric: str
    measure: str
    label: str
    baseline: SideLines
    candidate: SideLines


def row_sparklines(
    name: str, rows: Sequence[str], measure: str, points: int, baseline: StepSource, candidate: StepSource
) -> RowSparklines:
    """Sparklines of the rows with these keys (tables/row_query.py) of the table `name`, at most `points` figures for
    each side. Rows that neither side has are absent on both. Raises SelectionError if the table has no times of
    single steps, or no such time."""
    measures = {time.name: time for time in measures_of(name, baseline, candidate)}
    if measure not in measures:
        others = [other for other in measures if other]
        hint = choices(measure, others) if others else "leave it out: there is only the main one"
        raise SelectionError(f"{name} has no time {measure[:80]!r} of single steps", hint=hint)
    drawn = measures[measure]
    sides = (_side(side, name, drawn.source, rows, points) for side in (baseline, candidate))
    return RowSparklines(name, baseline.metric, measure, drawn.label or spec_of(name).title, *sides)


def extremes(values: Ints, points: int) -> tuple[Ints, Ints | None]:
    """(n, o) values -> (smallest, largest) of each of b buckets of neighbors, 2b <= points, so that no extreme is
    lost. If o <= points, the values themselves and None."""
    count = values.shape[1]
    if count <= points:
        return values, None
    buckets = max(1, points // 2)
    edges = np.arange(buckets) * count // buckets
    return np.minimum.reduceat(values, edges, axis=1), np.maximum.reduceat(values, edges, axis=1)


def _side(side: StepSource, name: str, source: str, rows: Sequence[str], points: int) -> SideLines:
    indices = [side.place(name, row) for row in rows]
    present = [index for index in indices if index is not None]
    count = len(side.samples.label)
    if not present or not count:
        return SideLines(count, [None] * len(rows))
    values = side.times_ns(name, source, present)
    low, high = extremes(values, points)
    lines: list[SideLineDict] = [
        {"median_us": median / 1000, "low_us": (least / 1000).tolist()}
        for median, least in zip(row_medians(values).tolist(), low, strict=True)
    ]
    for line, most in zip(lines, high if high is not None else (), strict=False):
        line["high_us"] = (most / 1000).tolist()
    found = iter(lines)
    return SideLines(count, [None if index is None else next(found) for index in indices])
