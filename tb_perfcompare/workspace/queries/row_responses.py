"""Step times of table rows: of one row in full, or of several for sparklines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.tables.row_steps import (
    RowSteps,
    SideSteps,
    StepSource,
    only_table,
    row_steps,
    shape_of,
    step_source,
)
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, row_sparklines
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.render.wire.row_paths import MeasureDict
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, fitted
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, finished

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.queries.computations import Computations

ROW_SCHEMA = "tb_perfcompare.row/1"
_TABLE_CACHE_BYTES = 192 * 2**20
"""Must hold 50,000 rows of 200 steps: pooling a side's captures and joining names takes as long as a hundred
responses."""


class StepTimesDict(TypedDict):
    """Times of one row in each step of a side."""

    steps: Sequence[str]
    captures: Annotated[Sequence[int], "for each step, index of the span that recorded it, from 0"]
    time_us: Annotated[
        Mapping[str, Sequence[float]] | None, "times by measure, one per step; null if the side lacks the row"
    ]


class RowStepsDict(TypedDict):
    """Answer of api/row."""

    schema: Annotated[str, (ROW_SCHEMA,)]
    version: str
    table: str
    row: str
    metric: str
    unit: Annotated[str, ("us",)]
    measures: Sequence[MeasureDict]
    baseline: StepTimesDict
    candidate: StepTimesDict


class RowResponses:
    """Answers requests for the step times of table rows, from the same cached summaries as the comparisons."""

    def __init__(self, computations: Computations) -> None:
        self._computations = computations
        self._tables: SingleFlight[tuple[StepSource, StepSource]] = SingleFlight(ByteCache(_TABLE_CACHE_BYTES))

    def step_times(
        self, request: ComparisonRequest, table: str, row: str, report: Reporter = silent
    ) -> tuple[bytes, bool]:
        """Returns (JSON, whether it is provisional). Stops waiting when `report` raises; work that no caller waits for
        is cancelled. Raises SelectionError for an unknown table or row, and what reading raises."""
        (baseline, candidate), provisional = self._sources(request, table, report)
        return row_answer(row_steps(table, row, baseline, candidate)), provisional

    def sparklines(
        self,
        request: ComparisonRequest,
        table: str,
        rows: Sequence[str],
        measure: str,
        points: int,
        report: Reporter = silent,
    ) -> tuple[RowSparklines, bool]:
        """Returns (sparklines of the rows with these keys, whether they are provisional), with at most `points` values
        per side."""
        (baseline, candidate), provisional = self._sources(request, table, report)
        return row_sparklines(table, rows, measure, points, baseline, candidate), provisional

    def _sources(
        self, request: ComparisonRequest, table: str, report: Reporter
    ) -> tuple[tuple[StepSource, StepSource], bool]:
        shape_of(table)  # raises for an unknown table before anything is read

        def make(flight: Flight[tuple[StepSource, StepSource]]) -> tuple[StepSource, StepSource]:
            sides, provisional = [], False
            for side in self._computations.agreed(request.sides, request.options.window, flight.report):
                sides.append(self._computations.load_within(flight, side, request.options.window))
                provisional |= flight.provisional
            flight.provisional = provisional
            baseline, candidate, _ = with_same_names(*(only_table(side, table) for side in sides))
            return step_source(baseline, {table}), step_source(candidate, {table})

        flight = finished(self._tables.joined((request, table), make), report)
        return flight.result(), flight.provisional

    def close(self) -> None:
        """Cancels work under way."""
        self._tables.cancel_all()


def row_answer(row_times: RowSteps) -> bytes:
    """Encodes the step times of a row as JSON."""
    answer: RowStepsDict = {
        "schema": ROW_SCHEMA,
        "version": __version__,
        "table": row_times.table,
        "row": row_times.row,
        "metric": row_times.metric,
        "unit": "us",
        "measures": [{"name": name, "label": label} for name, label in row_times.measures.items()],
        "baseline": _side(row_times.baseline),
        "candidate": _side(row_times.candidate),
    }
    return fitted(encoded(answer), MOST_BYTES)


def _side(side: SideSteps) -> StepTimesDict:
    return {"steps": side.step, "captures": side.capture, "time_us": side.time_us}
