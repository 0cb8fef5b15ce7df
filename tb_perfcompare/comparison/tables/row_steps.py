"""One row of a table, step by step: the values that its mean and its test are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tb_perfcompare.comparison.statistics.samples import Samples, observations
from tb_perfcompare.comparison.tables.group_shapes import SHAPES, Shape
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary import GroupTable, Summary


@dataclass(frozen=True, slots=True)
class SideSteps:
    """o observations of a side: steps, of ranks that recorded the same ones the mean over them.

    step      (o,) number of the step
    capture   (o,) which span it was recorded in, numbered from 0
    time_us   measure -> (o,) microseconds in each; None: the side does not have the row
    """

    step: tuple[str, ...]
    capture: tuple[int, ...]
    time_us: Mapping[str, tuple[float, ...]] | None


@dataclass(frozen=True, slots=True)
class RowSteps:
    """A row of both sides. `measures`: name -> label, "" the table's main one; `metric` says what a step is."""

    table: str
    row: str
    metric: str
    measures: Mapping[str, str]
    baseline: SideSteps
    candidate: SideSteps


@dataclass(frozen=True, slots=True, eq=False)
class StepSource:
    """What the rows of one side are taken from: a small part of its summary."""

    metric: str
    samples: Samples
    groups: Mapping[str, GroupTable]


def step_source(summary: Summary) -> StepSource:
    """Of a side with the names under which rows are joined (alignment/same_names.py)."""
    groups = {name: table for name, table in summary.groups.items() if name in SHAPES}
    return StepSource(summary.metric, observations(summary), groups)


def row_steps(name: str, row: str, baseline: StepSource, candidate: StepSource) -> RowSteps:
    """The row with the key `row` (tables/row_query.py) of the table `name`. Raises SelectionError where it is no table
    of entities with times of each step, or has no such row."""
    shape = SHAPES.get(name)
    if shape is None:
        raise SelectionError(
            f"rows of {name[:80]!r} have no times of single steps", hint=f"of these: {', '.join(SHAPES)}"
        )
    tables = baseline.groups.get(name), candidate.groups.get(name)
    found = [None if table is None else _place(table, row) for table in tables]
    if found == [None, None]:
        raise SelectionError(f"{name} has no row {row[:200]!r}", hint="its key columns joined by ' › '")
    for table in tables:
        if table is not None and not table.sampled:
            raise SelectionError(f"{name} has no times of single steps: the source gives totals", hint="use a trace")
    measures = {
        measure.name: measure.label or shape.title
        for measure in shape.measures
        if all(table is None or measure.source in table.measures_ns for table in tables)
    }
    sides = (
        _side(one, table, at, shape, measures)
        for one, table, at in zip((baseline, candidate), tables, found, strict=True)
    )
    return RowSteps(name, row, baseline.metric, measures, *sides)


def _place(table: GroupTable, row: str) -> int | None:
    return next((at for at, key in enumerate(table.keys) if " › ".join(key) == row), None)


def _side(
    source: StepSource, table: GroupTable | None, at: int | None, shape: Shape, measures: Mapping[str, str]
) -> SideSteps:
    seen = source.samples
    if table is None or at is None:
        return SideSteps(seen.label, tuple(seen.capture.tolist()), None)
    times = {
        measure.name: tuple((seen.means(np.asarray(table.measures_ns[measure.source][at], np.int64)) / 1000).tolist())
        for measure in shape.measures
        if measure.name in measures
    }
    return SideSteps(seen.label, tuple(seen.capture.tolist()), times)
