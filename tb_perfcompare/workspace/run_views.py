"""One run's own tables and what is said with them, made once and cut into pages afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tb_perfcompare.comparison.comparison import SideFacts, Table
from tb_perfcompare.comparison.engine import side_facts
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary import Summary


@dataclass(frozen=True, slots=True)
class RunViews:
    """All tables of a run by view, and why it has no others. `reading` is that of the summary (docs/readings.md)."""

    reading: str
    side: SideFacts
    tables: Mapping[str, Table]
    absent: Mapping[str, str]
    notes: tuple[Note, ...]

    def table(self, view: str) -> Table:
        """Raises SelectionError where the source does not hold it."""
        found = self.tables.get(view)
        if found is None:
            why = self.absent.get(view, "the source does not hold it")
            raise SelectionError(f"{self.side.source} has no {view}", hint=why)
        return found


def run_views(summary: Summary) -> RunViews:
    """Everything that can be shown of one run."""
    return RunViews(summary.reading, side_facts(summary), view_tables(summary), summary.absent, summary.notes)
