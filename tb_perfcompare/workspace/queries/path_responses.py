"""Callers of a table row and related rows, for the row's details in the tab.

The tables do not need callers, so these are not read with them: the first row that is opened reads the pair's files
again, further rows use the cached result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.ledger.call_tree import JointTree, joint_tree
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.comparison.tables.path_source import PathSource, path_source
from tb_perfcompare.comparison.tables.row_callees import callees
from tb_perfcompare.comparison.tables.row_durations import launch_durations
from tb_perfcompare.comparison.tables.row_paths import row_paths
from tb_perfcompare.comparison.tables.row_related import FrameLink, frame_index, frame_link, related_rows
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.row_paths import paths_answer
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, finished

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.queries.computations import Computations

MOST_FILES = 16
"""Sides with more recordings than this are not read again for a row's details."""

_PAIR_CACHE_BYTES = 96 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    baseline: PathSource
    candidate: PathSource
    frames: dict[tuple[str, str], FrameLink]
    tree: JointTree | None


class PathResponses:
    """Answers requests for the callers of table rows."""

    def __init__(self, computations: Computations) -> None:
        self._computations = computations
        self._pairs: SingleFlight[_Pair] = SingleFlight(ByteCache(_PAIR_CACHE_BYTES))

    def callers(
        self, request: ComparisonRequest, table: str, row: str, *, merge_modules: bool, report: Reporter = silent
    ) -> tuple[bytes, bool]:
        """Returns (JSON, whether it is provisional). Stops waiting when `report` raises; work that no caller waits for
        is cancelled. Raises SelectionError for an unknown table or row and for a side with too many files, and what
        reading raises."""
        for side in (request.baseline, request.candidate):
            if len(side.files) > MOST_FILES:
                raise SelectionError(
                    f"{side.source}: {len(side.files)} recordings are too many to read again for callers",
                    hint=f"choose one worker or span: callers are shown for at most {MOST_FILES} recordings",
                )

        def make(flight: Flight[_Pair]) -> _Pair:
            sides, provisional = [], False
            for side in self._computations.agreed(request.sides, request.options.window, flight.report):
                sides.append(self._computations.load_within(flight, side, request.options.window, paths=True))
                provisional |= flight.provisional
            flight.provisional = provisional
            baseline, candidate, _ = with_same_names(*sides)
            tree = joint_tree(baseline, candidate)
            frames = frame_index(None if tree is None else call_tree_table(tree))
            return _Pair(path_source(baseline), path_source(candidate), frames, tree)

        flight = finished(self._pairs.joined(request, make), report)
        pair = flight.result()
        paths = row_paths(table, row, pair.baseline, pair.candidate, together=merge_modules)
        related = related_rows(table, row, pair.baseline, pair.candidate)
        called = callees(pair.tree, table, row, (pair.baseline, pair.candidate))
        durations = launch_durations(table, row, pair.baseline, pair.candidate)
        return paths_answer(paths, related, frame_link(table, row, pair.frames), called, durations), flight.provisional

    def close(self) -> None:
        """Cancels work under way."""
        self._pairs.cancel_all()
