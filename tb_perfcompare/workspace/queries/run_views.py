"""Tables and notes of a single run, made once and served in pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_perfcompare.comparison.engine import side_facts
from tb_perfcompare.comparison.result.comparison import View
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.row_query import sums_of
from tb_perfcompare.comparison.tables.views import VIEWS, absent_views, view_tables
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.device_peaks import GivenPeak
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RunViews:
    """All tables of a run by view name, and why other views are absent. `reading` is that of its summary."""

    reading: str
    side: SideFacts
    tables: Mapping[str, Table]
    absent: Mapping[str, str]
    notes: tuple[Note, ...]

    def table(self, view: str) -> Table:
        """Returns the table of a view. Raises SelectionError if the run does not have it."""
        table = self.tables.get(view)
        if table is None:
            why = self.absent.get(view, "it records nothing of the kind")
            raise SelectionError(f"{self.side.source} has no view {view!r}: {why}", hint=choices(view, self.tables))
        return table

    def view(self, name: str) -> View:
        """Returns a view's table with its sums, the run's facts and notes. Raises SelectionError if the run does not
        have it."""
        table = self.table(name)
        return View(self.reading, self.side, table, sums_of(table), self.notes)


def check_view(name: str) -> None:
    """Raises SelectionError for an unknown view, before a run is read for it."""
    if name not in VIEWS:
        raise SelectionError(f"there is no view {name!r}", hint=choices(name, VIEWS, len(VIEWS)))


def run_views(summary: Summary, peaks: Sequence[GivenPeak] = ()) -> RunViews:
    """Builds all views of one run; `peaks` replace the device's known peak rates."""
    tables = view_tables(summary, peaks)
    return RunViews(summary.reading, side_facts(summary), tables, absent_views(summary), summary.notes)
