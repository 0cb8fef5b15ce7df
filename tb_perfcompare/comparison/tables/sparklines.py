"""Sparklines: several rows of a table, step by step, thinned to what a small plot can show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.tables.row_steps import StepSource, measures_of, spec_of
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.arrays import Flags, Floats, Ints, Nanoseconds, row_medians
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class SideLines:
    """n rows of a side in its o observations, in b buckets of neighbouring ones.

    steps       o
    present     (n,) bool, whether the side has the row; if not, the figures are zero
    median_ns   (n,) median over the observations
    low_ns      (n, b) smallest of each bucket
    high_ns     (n, b) largest of each bucket; None if every observation is its own bucket
    """

    steps: int
    present: Flags
    median_ns: Floats
    low_ns: Nanoseconds
    high_ns: Nanoseconds | None


@dataclass(frozen=True, slots=True, eq=False)
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
    """(n, o) values -> (smallest, largest) of each of b buckets of neighbours, 2b <= points, so that no extreme is
    lost. If o <= points, the values themselves and None."""
    count = values.shape[1]
    if count <= points:
        return values, None
    buckets = max(1, points // 2)
    edges = np.arange(buckets) * count // buckets
    return np.minimum.reduceat(values, edges, axis=1), np.maximum.reduceat(values, edges, axis=1)


def _side(side: StepSource, name: str, source: str, rows: Sequence[str], points: int) -> SideLines:
    indices = [side.place(name, row) for row in rows]
    present = np.array([index is not None for index in indices], dtype=np.bool_)
    count = len(side.samples.label)
    values = np.zeros((len(rows), count), dtype=np.int64)
    if present.any():
        values[present] = side.times_ns(name, source, [index for index in indices if index is not None])
    median = row_medians(values) if count else np.zeros(len(rows))
    return SideLines(count, present, median, *extremes(values, points))
