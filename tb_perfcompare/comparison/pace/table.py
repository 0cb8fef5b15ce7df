"""Table of the rows of the same work: used for the pace or excluded, and why."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.pace.pace import PaceRows
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Row, Table
from tb_perfcompare.comparison.result.wording import percent_text
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of

NAME = "common_work"

MAX_ROWS = 1000
"""Most rows in the table for each kind, by time; and as many that are not used."""

_USED, _CHANGED, _NO_TIME = "used", "excluded: changed on its own", "excluded: no time of its own"
_FOLLOWS = {"host": "operators", "device": "kernels"}


def common_work_table(work: CommonWork) -> Table | None:
    """One row per operator with its input shapes, or kernel with its launch; None if no rows were searched for."""
    if not work.selected:
        return None
    paces_by_kind = {one.pace.of: one for one in work.found}
    rows: list[Row] = []
    nothing: tuple[Cell, ...] = (None,) * 6
    for of, selected in work.selected:
        if of in paces_by_kind:
            rows += _of_pace(of, paces_by_kind[of])
        refused = sorted(selected.refused.items())[:MAX_ROWS]
        rows += [(_FOLLOWS[of], *key, f"not used: {reason}", *nothing) for key, reason in refused]
    shown = (
        columns.key("of", "Clock", "operators: host time by input shape; kernels: device time by launch configuration"),
        columns.key("name", "Name", "name by which the two sides are joined"),
        columns.key("detail", "Shape or launch", "input shapes of an operator, launch configuration of a kernel"),
        columns.text("used", "Used", "whether the row counts for the pace, or why not"),
        columns.count("work", "Calls", "calls per step that both sides make: the smaller of the two numbers"),
        columns.time("baseline_us", "Per call A", "time of a typical call in the baseline", role="baseline"),
        columns.time("candidate_us", "Per call B", "time of a typical call in the candidate", role="candidate"),
        columns.time("delta_us", "Per call Δ", "time of a typical call, candidate minus baseline", role="delta"),
        columns.fraction("change", "Change", "change of time per call; the pace is the change that most rows share"),
        columns.fraction("share", "Weight", "fraction of the common work that the row makes up"),
    )
    notes = tuple(
        f"{one.pace.kept:,} of {one.pace.rows:,} {_FOLLOWS[one.pace.of]} show the pace: typical change "
        f"{percent_text(fraction_of(one.pace.centre), signed=True)}, coverage {percent_text(one.pace.coverage)}."
        for one in work.found
    )
    return Table(NAME, "Common work", shown, tuple(rows), notes)


def _of_pace(of: str, pace_rows: PaceRows) -> list[Row]:
    changes, rows = pace_rows.changes, pace_rows.rows
    medians = [np.exp(side.mean(axis=1)) / 1000 for side in changes.usual]
    weight = changes.work * np.sqrt(medians[0] * medians[1])
    total = float(weight.sum()) or 1.0
    order = sorted(range(len(rows)), key=lambda row: (-weight[row], rows.keys[row]))
    out: list[Row] = []
    for row in order[:MAX_ROWS]:
        timed = bool(medians[0][row] > 0 and medians[1][row] > 0)
        used = _USED if changes.kept[row] else _CHANGED if timed else _NO_TIME
        before, after = float(medians[0][row]), float(medians[1][row])
        change = fraction_of(float(changes.change[row])) if timed else None
        out.append((
            _FOLLOWS[of], *rows.keys[row], used, float(changes.work[row]), before, after, after - before, change,
            float(weight[row]) / total,
        ))  # fmt: skip
    return out
