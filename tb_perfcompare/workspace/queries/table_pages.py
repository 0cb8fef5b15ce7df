"""What a tab is sent: the first answer about a pair, and rows of finished tables, chosen and ordered once and cut into
pages afterwards."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.tables import SUMMARY
from tb_perfcompare.comparison.tables.row_query import ChosenRows, RowQuery, choose_rows, row_keys
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.document import table_named
from tb_perfcompare.render.strict.wire import strict_tables
from tb_perfcompare.render.wire.pages import comparison_answer
from tb_perfcompare.workspace.inputs.sides import Side
from tb_perfcompare.workspace.jobs.strict_jobs import StrictRequest
from tb_perfcompare.workspace.queries.run_views import RunViews, run_views
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, finished

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.queries.computations import Computations

_ANSWER_CACHE_BYTES = 32 * 2**20
_CHOSEN_CACHE_BYTES = 16 * 2**20
_KEYS_CACHE_BYTES = 48 * 2**20
_TABLE_CACHE_BYTES = 96 * 2**20
"""A comparison of some 100,000 rows is too large to be kept, and reading it again takes a second."""
_STRICT_CACHE_BYTES = 32 * 2**20
_VIEW_CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table and the rows of it asked for; `provisional` where it may be more complete soon. `lost`: notes of the
    answer it belongs to that say what could not be read."""

    table: Table
    chosen: ChosenRows
    provisional: bool
    lost: int = 0


@dataclass(frozen=True, slots=True)
class TableKeys:
    """Keys of all rows of a table; `lost` and `provisional` as of TableRows."""

    keys: tuple[str, ...]
    lost: int
    provisional: bool = False


class TablePages:
    """What a workspace's tables answer to a query of rows. Comparisons and views are computed once."""

    def __init__(self, computations: Computations) -> None:
        self._computations = computations
        self._views: SingleFlight[RunViews] = SingleFlight(ByteCache(_VIEW_CACHE_BYTES))
        self._answers: SingleFlight[bytes] = SingleFlight(ByteCache(_ANSWER_CACHE_BYTES))
        self._strict: ByteCache[dict[str, Table]] = ByteCache(_STRICT_CACHE_BYTES)
        self._tables: ByteCache[tuple[Table, int]] = ByteCache(_TABLE_CACHE_BYTES)
        self._keys: ByteCache[TableKeys] = ByteCache(_KEYS_CACHE_BYTES)
        self._chosen: ByteCache[ChosenRows] = ByteCache(_CHOSEN_CACHE_BYTES)

    def first(self, question: ComparisonRequest) -> AbstractContextManager[Flight[bytes]]:
        """The answer about a pair that a tab is sent first, done, under way or started now, for as long as the body
        lasts. The work ends when no caller waits any more."""

        def make(flight: Flight[bytes]) -> bytes:
            kept = self._computations.kept_answer(question)
            if kept is not None:
                return kept
            compared = finished(self._computations.ask(question), flight.report)
            flight.provisional = compared.provisional
            comparison = compared.result()
            return self._computations.kept_answer(question) or comparison_answer(comparison)

        return self._answers.joined(question, make)

    def first_bytes(self, question: ComparisonRequest, report: Reporter = silent) -> bytes:
        """`first` and wait."""
        return finished(self.first(question), report).result()

    def of_pair(self, question: ComparisonRequest, name: str, query: RowQuery, report: Reporter = silent) -> TableRows:
        """A table of the pair's comparison ("ledger" is one). Raises SelectionError for a name or column that there is
        not, and what comparing raises."""
        of = (question, name)
        known = self._tables.get(of)
        if known is not None:
            return replace(self._rows(of, known[0], query, provisional=False), lost=known[1])
        compared = finished(self._computations.ask(question), report)
        comparison = compared.result()
        table, lost = table_named(comparison, name), comparison.files_left_out
        if not compared.provisional:
            self._tables.put(of, (table, lost))
        return replace(self._rows(of, table, query, compared.provisional), lost=lost)

    def keys_of_pair(
        self, question: ComparisonRequest, name: str, query: RowQuery, report: Reporter = silent
    ) -> tuple[TableKeys, ChosenRows]:
        """The keys of a table's rows and which of them are chosen, as of `of_pair`; without the comparison where they
        are known, which may be too large to be kept."""
        table = (question, name)
        known, chosen = self._keys.get(table), self._chosen.get((table, query))
        if known is not None and chosen is not None:
            return known, chosen
        rows = self.of_pair(question, name, query, report)
        if known is None:
            known = TableKeys(row_keys(rows.table), rows.lost, rows.provisional)
            if not rows.provisional:
                self._keys.put(table, known)
        return known, rows.chosen

    def views(self, side: Side, window: str) -> AbstractContextManager[Flight[RunViews]]:
        """A run's own tables, done, under way or started now, for as long as the body lasts."""

        def make(flight: Flight[RunViews]) -> RunViews:
            return run_views(self._computations.load_within(flight, side, window))

        return self._views.joined((side, window), make)

    def of_run(
        self, side: Side, window: str, view: str, query: RowQuery, report: Reporter = silent
    ) -> tuple[RunViews, TableRows]:
        """A run's own table. Raises SelectionError where the run does not have it, and what reading raises."""
        made = finished(self.views(side, window), report)
        found = made.result()
        return found, self._rows((side, window, view), found.table(view), query, made.provisional)

    def of_strict(self, question: StrictRequest, name: str, query: RowQuery, report: Reporter = silent) -> TableRows:
        """A table of the pair's strict answer. Raises SelectionError for one that there is not."""
        made = finished(self._computations.ask_strict(question), report)
        body = made.result()
        key = (question, hash(body))  # another answer to the same question has other tables
        tables = self._strict.get(key)
        if tables is None:
            tables = strict_tables(body)
            self._strict.put(key, tables)
        if name not in tables:
            raise SelectionError(f"there is no table {name[:80]!r}", hint=choices(name, tables))
        return replace(self._rows((key, name), tables[name], query, made.provisional), lost=len(tables[SUMMARY].notes))

    def close(self) -> None:
        """Ends work under way."""
        self._answers.cancel_all()
        self._views.cancel_all()

    def _rows(self, of: Hashable, table: Table, query: RowQuery, provisional: bool) -> TableRows:
        """`of` names the table; of one that may soon be another under the same name nothing is remembered."""
        key = (of, query)
        chosen = None if provisional else self._chosen.get(key)
        if chosen is None:
            chosen = choose_rows(table, query)
            if not provisional:
                self._chosen.put(key, chosen)
        return TableRows(table, chosen, provisional)
