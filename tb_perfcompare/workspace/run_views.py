"""One run's own table and what is said with it, made once and cut into pages afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from tb_perfcompare.compare.comparison import SideFacts, Table
from tb_perfcompare.compare.engine import side_facts
from tb_perfcompare.compare.views import view_tables
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary import Summary


@dataclass(frozen=True, slots=True)
class RunView:
    """`reading` is that of the summary (docs/readings.md)."""

    reading: str
    side: SideFacts
    table: Table
    notes: tuple[Note, ...]


def run_view(summary: Summary, view: str, run: str) -> RunView:
    """Raises SelectionError where the source does not hold it."""
    table = view_tables(summary).get(view)
    if table is None:
        raise SelectionError(f"{run} has no {view}", hint=summary.absent.get(view, "the source does not hold it"))
    return RunView(summary.reading, side_facts(summary), table, summary.notes)
