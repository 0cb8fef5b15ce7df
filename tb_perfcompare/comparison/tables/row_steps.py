"""One row of a table, step by step: the values behind its mean and its test."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np

from tb_perfcompare.comparison.statistics.samples import Samples, observations
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS, Measure, TableSpec
from tb_perfcompare.model.summary.tables import OwnedTime
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Times of one row in each step of a side. A step may be a mean over the ranks that recorded it."""

    steps: Annotated[tuple[str, ...], "number of each step, as recorded"]
    captures: Annotated[tuple[int, ...], "for each step, index of the span that recorded it, from 0"]
    time_us: Annotated[
        Mapping[str, tuple[float, ...]] | None, "times by measure, one per step; null if the side lacks the row"
    ]


@dataclass(frozen=True, slots=True)
class RowSteps:
    """A row of both sides. `measures`: name -> label, "" the table's main one; `metric` defines what a step is."""

    table: str
    row: str
    metric: str
    measures: Mapping[str, str]
    baseline: StepTimes
    candidate: StepTimes


@dataclass(frozen=True, slots=True, eq=False)
class StepTable:
    """A table's rows: `places` is key (tables/row_query.py) -> row, `measures_ns` as in its GroupTable."""

    places: Mapping[str, int]
    measures_ns: Mapping[str, Ints]
    sampled: bool


@dataclass(frozen=True, slots=True, eq=False)
class StepSource:
    """Data for the rows of one side: a small part of its summary."""

    metric: str
    samples: Samples
    tables: Mapping[str, StepTable]

    def place(self, name: str, row: str) -> int | None:
        """Number of the row with this key in the table, None if this side does not have it."""
        return self.tables[name].places.get(row) if name in self.tables else None

    def times_ns(self, name: str, source: str, places: list[int]) -> Ints:
        """(n, o) nanoseconds of n rows of a table in each observation."""
        return self.samples.means(np.asarray(self.tables[name].measures_ns[source][places], np.int64))


def step_source(summary: Summary, names: Collection[str] = TABLE_SPECS) -> StepSource:
    """Builds the source for the tables `names`, of a side that has the names under which rows are joined
    (alignment/same_names.py)."""
    tables = {
        name: StepTable(
            {" › ".join(key): index for index, key in enumerate(group.keys)},
            {measure.source: group.measures_ns[measure.source] for measure in spec_of(name).measures
             if measure.source in group.measures_ns},
            group.sampled,
        )
        for name, group in summary.groups.items()
        if name in names and name in TABLE_SPECS
    }  # fmt: skip
    return StepSource(summary.metric, observations(summary), tables)


def reduce_to_table(summary: Summary, name: str) -> Summary:
    """Reduces the summary to what joining the rows of one table needs; kernels are joined by the names of the table
    "kernels" (alignment/truncated_names.py). The rest would only take time to join."""
    wanted = {name, "kernels"} if name.startswith("kernels") else {name}
    owned = summary.owned
    none = OwnedTime(owned.category[:0], (), (), owned.time_ns[:0], owned.plain_ns[:0], owned.calls[:0])
    groups = {key: group for key, group in summary.groups.items() if key in wanted}
    return replace(summary, groups=groups, owned=none, launches=None, work=None, call_tree=None, call_paths={})


def row_steps(name: str, row: str, baseline: StepSource, candidate: StepSource) -> RowSteps:
    """Returns the row with the key `row` (tables/row_query.py) of the table `name`, step by step. Raises
    SelectionError if the table has no times of single steps, or no such row."""
    spec = spec_of(name)
    indices = [side.place(name, row) for side in (baseline, candidate)]
    if indices == [None, None]:
        raise SelectionError(f"{name} has no row {row[:200]!r}", hint="its key columns joined by ' › '")
    measures = measures_of(name, baseline, candidate)
    sides = (_side(side, name, index, measures) for side, index in zip((baseline, candidate), indices, strict=True))
    labels = {measure.name: measure.label or spec.title for measure in measures}
    return RowSteps(name, row, baseline.metric, labels, *sides)


def spec_of(name: str) -> TableSpec:
    """Returns the specification of a group table. Raises SelectionError for other tables."""
    spec = TABLE_SPECS.get(name)
    if spec is None:
        raise SelectionError(
            f"rows of {name[:80]!r} have no times of single steps", hint=f"of these: {', '.join(TABLE_SPECS)}"
        )
    return spec


def measures_of(name: str, baseline: StepSource, candidate: StepSource) -> list[Measure]:
    """The table's times that every side with such a table has, the main one first. Raises SelectionError if a source
    has totals only."""
    tables = [side.tables[name] for side in (baseline, candidate) if name in side.tables]
    if not all(table.sampled for table in tables):
        raise SelectionError(f"{name} has no times of single steps: the source gives totals", hint="use a trace")
    return [
        measure for measure in spec_of(name).measures if all(measure.source in table.measures_ns for table in tables)
    ]


def _side(side: StepSource, name: str, index: int | None, measures: list[Measure]) -> StepTimes:
    times = None if index is None else {
        measure.name: tuple((side.times_ns(name, measure.source, [index])[0] / 1000).tolist()) for measure in measures
    }  # fmt: skip
    return StepTimes(side.samples.label, tuple(side.samples.capture.tolist()), times)
