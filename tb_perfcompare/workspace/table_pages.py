"""What a tab is sent: the first answer about a pair, and rows of finished tables, chosen and ordered once and cut into
pages afterwards."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.comparison import Table
from tb_perfcompare.comparison.tables.row_query import ChosenRows, RowQuery, choose_rows
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.render.document import table_named
from tb_perfcompare.render.pages import comparison_answer
from tb_perfcompare.render.strict_pages import strict_tables
from tb_perfcompare.workspace.cache import ByteCache
from tb_perfcompare.workspace.flights import Flight, SharedWork, follow
from tb_perfcompare.workspace.jobs import Side
from tb_perfcompare.workspace.run_views import RunViews, run_views
from tb_perfcompare.workspace.strict_jobs import StrictQuestion

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Question, Workspace

_ANSWER_CACHE_BYTES = 32 * 2**20
_CHOSEN_CACHE_BYTES = 16 * 2**20
_STRICT_CACHE_BYTES = 32 * 2**20
_VIEW_CACHE_BYTES = 64 * 2**20


class TablePages:
    """What a workspace's tables answer to a query of rows. Comparisons and views are computed once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._views: SharedWork[RunViews] = SharedWork(ByteCache(_VIEW_CACHE_BYTES))
        self._answers: SharedWork[bytes] = SharedWork(ByteCache(_ANSWER_CACHE_BYTES))
        self._strict: ByteCache[dict[str, Table]] = ByteCache(_STRICT_CACHE_BYTES)
        self._chosen: ByteCache[ChosenRows] = ByteCache(_CHOSEN_CACHE_BYTES)

    def first(self, question: Question) -> Flight[bytes]:
        """The answer about a pair that a tab is sent first: done, under way or started now. The caller must `leave` it.
        """

        def make(flight: Flight[bytes]) -> bytes:
            kept = self._workspace.kept_answer(question)
            return kept if kept is not None else comparison_answer(self._workspace.compare(question, flight.report))

        return self._answers.join(question, make)

    def leave(self, flight: Flight[bytes]) -> None:
        """Stops waiting for it. When nobody waits any more the work ends."""
        self._answers.leave(flight)

    def first_bytes(self, question: Question, report: Reporter = silent) -> bytes:
        """`first` and wait."""
        flight = self.first(question)
        try:
            follow([flight], report)
            return flight.result()
        finally:
            self.leave(flight)

    def of_pair(self, question: Question, name: str, query: RowQuery) -> tuple[Table, ChosenRows]:
        """A table of the pair's comparison ("ledger" is one). Raises SelectionError for a name or column that there is
        not, and what comparing raises."""
        table = table_named(self._workspace.compare(question), name)
        return table, self._rows((question, name), table, query)

    def of_run(
        self, side: Side, window: str, view: str, query: RowQuery, report: Reporter = silent
    ) -> tuple[RunViews, Table, ChosenRows]:
        """A run's own table. Raises SelectionError where the run does not have it, and what reading raises."""

        def make(flight: Flight[RunViews]) -> RunViews:
            return run_views(self._workspace.load(side, window, flight.report))

        key = (side, window)
        with self._views.joined(key, make) as made:
            follow([made], report)
            found = made.result()
        table = found.table(view)
        return found, table, self._rows((key, view), table, query)

    def of_strict(self, question: StrictQuestion, name: str, query: RowQuery) -> tuple[Table, ChosenRows]:
        """A table of the pair's strict answer. Raises SelectionError for one that there is not."""
        tables = self._strict.get(question)
        if tables is None:
            tables = strict_tables(self._workspace.strict(question))
            self._strict.put(question, tables)
        if name not in tables:
            raise SelectionError(f"there is no table {name[:80]!r}", hint=f"there are: {', '.join(tables) or 'none'}")
        return tables[name], self._rows((question, name), tables[name], query)

    def close(self) -> None:
        """Ends work under way."""
        self._answers.cancel_all()
        self._views.cancel_all()

    def _rows(self, of: Hashable, table: Table, query: RowQuery) -> ChosenRows:
        key = (of, query)
        known = self._chosen.get(key)
        if known is None:
            known = choose_rows(table, query)
            self._chosen.put(key, known)
        return known
