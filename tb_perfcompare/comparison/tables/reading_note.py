"""Which reading a table's figures are in, as its note says."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.summary.summary import Summary

_CORRECTED = "Corrected reading"
"""Beginning of the note under tables made from traces."""

AS_ANSWERED = "Saved answers are in torch-tb-profiler's own reading (docs/inputs/answers.md)."
AS_LISTED = "Figures are the listing's own (docs/inputs/kernel_listings.md)."
AS_RECORDED = "Figures are the table's own (docs/inputs/perf_data.md)."

_TOLD = {"as listed": AS_LISTED, "as recorded": AS_RECORDED}
"""Reading -> note, where all sides have it."""


def as_read(tables: dict[str, Table], *sides: Summary) -> dict[str, Table]:
    """The tables, none of which says that it is corrected if a side is not."""
    if all(side.reading == "corrected" for side in sides):
        return tables
    readings = {side.reading for side in sides}
    told = _TOLD.get(readings.pop(), AS_ANSWERED) if len(readings) == 1 else AS_ANSWERED
    return {
        name: replace(table, notes=tuple(told if note.startswith(_CORRECTED) else note for note in table.notes))
        for name, table in tables.items()
    }
