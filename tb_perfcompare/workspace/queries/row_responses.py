"""Responses about table rows: step times of one row in full, or of several for sparklines, and callers and related rows
of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.ledger.call_tree import JointTree, joint_tree
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.comparison.tables.path_source import PathSource, path_source
from tb_perfcompare.comparison.tables.row_callees import callees
from tb_perfcompare.comparison.tables.row_paths import row_paths
from tb_perfcompare.comparison.tables.row_related import (
    FrameLink,
    frame_index,
    frame_link,
    launch_durations,
    related_rows,
)
from tb_perfcompare.comparison.tables.row_steps import (
    RowSteps,
    StepSource,
    StepTimes,
    reduce_to_table,
    row_steps,
    spec_of,
    step_source,
)
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, row_sparklines
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.rows import MeasureDict, paths_answer
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, wait_for

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.workspace import Workspace


ROW_SCHEMA = "tb_perfcompare.row/1"
MAX_FILES = 16
"""Sides with more recordings than this are not read again for a row's callers."""


class RowStepsDict(TypedDict):
    """Answer of api/row."""

    schema: Annotated[str, "name and number of this schema", (ROW_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    table: Annotated[str, "name of the table that the row is from"]
    row: Annotated[str, "its key: key columns joined by ` › `"]
    metric: Annotated[str, "what a step's time is: `step_time`, `kernel_time` or `cycle_time`"]
    unit: Annotated[str, "microseconds, for all times", ("us",)]
    measures: Annotated[Sequence[MeasureDict], "kinds of time that both sides have per step, the main one first"]
    baseline: Annotated[StepTimes, "the row in each step of the baseline"]
    candidate: Annotated[StepTimes, "the row in each step of the candidate"]


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    baseline: PathSource
    candidate: PathSource
    frames: dict[tuple[str, str], FrameLink]
    tree: JointTree | None


_PAIRS: Kind[_Pair] = Kind("pairs with callers", 96 * 2**20)
"""Tables do not need callers, so these are not read with them: the first row that is opened reads the pair's files
again."""

_TABLES: Kind[tuple[StepSource, StepSource]] = Kind("tables by step", 192 * 2**20)
"""Must hold 50,000 rows of 200 steps: pooling a side's captures and joining names takes as long as a hundred
responses."""


def step_times(
    workspace: Workspace, request: ComparisonRequest, table: str, row: str, report: Reporter = silent
) -> tuple[bytes, bool]:
    """Returns (JSON, whether it is provisional). Stops waiting when `report` raises; work that no caller waits for
    is cancelled. Raises SelectionError for an unknown table or row, and what reading raises."""
    (baseline, candidate), provisional = _sources(workspace, request, table, report)
    return row_answer(row_steps(table, row, baseline, candidate)), provisional


def sparklines(
    workspace: Workspace, request: ComparisonRequest, table: str, rows: Sequence[str], measure: str, points: int,
    report: Reporter,
) -> tuple[RowSparklines, bool]:  # fmt: skip
    """Returns (sparklines of the rows with these keys, whether they are provisional), with at most `points` values
    per side."""
    (baseline, candidate), provisional = _sources(workspace, request, table, report)
    return row_sparklines(table, rows, measure, points, baseline, candidate), provisional


def with_callers(
    workspace: Workspace, request: ComparisonRequest, table: str, row: str, merge_modules: bool, report: Reporter
) -> tuple[bytes, bool]:
    """One row with its callers and related rows, as of `one`. Raises SelectionError also for a side with too many
    files."""
    for side in request.sides:
        if len(side.files) > MAX_FILES:
            raise SelectionError(
                f"{side.source}: {len(side.files)} recordings are too many to read again for callers",
                hint=f"choose one worker or span: callers are shown for at most {MAX_FILES} recordings",
            )

    def make(flight: Flight[_Pair]) -> _Pair:
        baseline, candidate, _ = with_same_names(*_loaded(workspace, flight, request, paths=True))
        tree = joint_tree(baseline, candidate)
        frames = frame_index(None if tree is None else call_tree_table(tree))
        return _Pair(path_source(baseline), path_source(candidate), frames, tree)

    flight = wait_for(workspace.flights(_PAIRS).joined(request, make), report)
    pair = flight.result()
    paths = row_paths(table, row, pair.baseline, pair.candidate, together=merge_modules)
    related = related_rows(table, row, pair.baseline, pair.candidate)
    called = callees(pair.tree, table, row, (pair.baseline, pair.candidate))
    durations = launch_durations(table, row, pair.baseline, pair.candidate)
    return paths_answer(paths, related, frame_link(table, row, pair.frames), called, durations), flight.provisional


def _loaded(
    workspace: Workspace, flight: Flight[Any], request: ComparisonRequest, *, paths: bool = False
) -> list[Summary]:
    """Both sides, cut into the same steps."""
    sides, provisional = [], False
    for side in workspace.agreed(request.sides, request.options.window, flight.report):
        sides.append(workspace.load_within(flight, side, request.options.window, paths=paths))
        provisional |= flight.provisional
    flight.provisional = provisional
    return sides


def _sources(
    workspace: Workspace, request: ComparisonRequest, table: str, report: Reporter
) -> tuple[tuple[StepSource, StepSource], bool]:
    spec_of(table)  # raises for an unknown table before anything is read

    def make(flight: Flight[tuple[StepSource, StepSource]]) -> tuple[StepSource, StepSource]:
        sides = (reduce_to_table(side, table) for side in _loaded(workspace, flight, request))
        baseline, candidate, _ = with_same_names(*sides)
        return step_source(baseline, {table}), step_source(candidate, {table})

    flight = wait_for(workspace.flights(_TABLES).joined((request, table), make), report)
    return flight.result(), flight.provisional


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
        "baseline": row_times.baseline,
        "candidate": row_times.candidate,
    }
    return cut_to_fit(encoded(answer), MAX_BYTES)
