"""Rows of finished tables, chosen and ordered once and cut into pages afterwards."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from tb_perfcompare.compare.comparison import Table
from tb_perfcompare.compare.row_query import ChosenRows, RowQuery, choose_rows
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.render.document import table_named
from tb_perfcompare.workspace.cache import ByteCache
from tb_perfcompare.workspace.flights import Flight, SharedWork, follow
from tb_perfcompare.workspace.jobs import Side
from tb_perfcompare.workspace.run_views import RunView, run_view

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Question, Workspace

_CHOSEN_CACHE_BYTES = 16 * 2**20
_VIEW_CACHE_BYTES = 64 * 2**20


class TablePages:
    """What a workspace's tables answer to a query of rows. Comparisons and views are computed once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._views: SharedWork[RunView] = SharedWork(ByteCache(_VIEW_CACHE_BYTES))
        self._chosen: ByteCache[ChosenRows] = ByteCache(_CHOSEN_CACHE_BYTES)

    def of_pair(self, question: Question, name: str, query: RowQuery) -> tuple[Table, ChosenRows]:
        """A table of the pair's comparison ("ledger" is one). Raises SelectionError for a name or column that there is
        not, and what comparing raises."""
        table = table_named(self._workspace.compare(question), name)
        return table, self._rows((question, name), table, query)

    def of_run(
        self, side: Side, window: str, view: str, query: RowQuery, report: Reporter = silent
    ) -> tuple[RunView, ChosenRows]:
        """A run's own table. Raises SelectionError where the run does not have it, and what reading raises."""

        def make(flight: Flight[RunView]) -> RunView:
            return run_view(self._workspace.load(side, window, flight.report), view, side.source)

        key = (side, window, view)
        with self._views.joined(key, make) as flight:
            follow([flight], report)
            found = flight.result()
        return found, self._rows(key, found.table, query)

    def close(self) -> None:
        """Ends work under way."""
        self._views.cancel_all()

    def _rows(self, of: Hashable, table: Table, query: RowQuery) -> ChosenRows:
        key = (of, query)
        known = self._chosen.get(key)
        if known is None:
            known = choose_rows(table, query)
            self._chosen.put(key, known)
        return known
