"""Table of the rows of the same work: used for the pace or excluded, and why; and the change of each category of step
time at equal machine speed, which shows where the program's part is."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.pace.clocked import Clocked
from tb_perfcompare.comparison.pace.pace import PaceRows
from tb_perfcompare.comparison.pace.paced_time import ON_DEVICE, ON_HOST, Sides
from tb_perfcompare.comparison.pace.program_estimate import EstimateKind
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.pace.uninterrupted_parts import uninterrupted_categories
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Row, Table
from tb_perfcompare.comparison.result.wording import percent_text
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.arrays import Floats, SidePair, each_side

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
        f"{percent_text(fraction_of(one.pace.center), signed=True)}, coverage {percent_text(one.pace.coverage)}."
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


def categories_at_equal_speed(
    sides: Sides, work: CommonWork, amount: AmountOfWork | None, of: EstimateKind, alpha: float
) -> Floats | None:
    """(4, 8) changes of the mean time per step, their p, and the ends of the shift's interval of level 1 - alpha, in
    microseconds, NaN for categories without time: at equal machine speed, and at equal work if that varies. Of
    uninterrupted steps where these decided about the program (`of`), else of whole steps.

    None with kinds of steps, without a usable pace, or with one capture per side.
    """
    clocked = work.clocked
    if clocked is None or clocked.strata is not None or max(capture_counts(work.captures)) < 2:
        return None
    if of is EstimateKind.UNINTERRUPTED and clocked.uninterrupted is not None:
        x, y = uninterrupted_categories(clocked.uninterrupted)
        between = between_captures(x, y, alpha)
        assert between is not None  # uninterrupted steps need three captures per side
        return _of_means(x, y, between.p, between.low, between.high)
    recorded = each_side(lambda side: observations(side).means(side.owned.by_category()).astype(np.float64), sides)
    x, y = _at_pace(recorded if amount is None else amount.at_level(recorded), clocked)
    shifts = row_shifts(np.rint(x).astype(np.int64), np.rint(y).astype(np.int64), work.captures, alpha)
    return _of_means(x, y, shifts.p, shifts.low, shifts.high)


def _at_pace(times: SidePair, clocked: Clocked) -> SidePair:
    """(8, n), (8, m) times of the categories -> those at equal speed, which add up to the step's."""
    whole = each_side(np.exp, clocked.at_pace)
    if clocked.relative is None:
        return each_side(lambda side, step: side * (step / side.sum(axis=0)), times, whole)
    device = clocked.relative.get("device")
    sides = []
    for side, (recorded, step) in enumerate(zip(times, whole, strict=True)):
        moved = recorded.copy()
        if device is not None:
            moved[ON_DEVICE] /= np.exp(device[side])
        host = recorded[ON_HOST].sum(axis=0)
        left = step - (moved.sum(axis=0) - host)
        fits = (host > 0) & (left >= 0)
        moved[ON_HOST] *= np.where(fits, left / np.maximum(host, 1.0), 1.0)
        sides.append(moved * np.where(fits, 1.0, step / moved.sum(axis=0)))
    return sides[0], sides[1]


def _of_means(x: Floats, y: Floats, p: Floats, low: Floats, high: Floats) -> Floats:
    change = y.mean(axis=1) - x.mean(axis=1)
    some = x.any(axis=1) | y.any(axis=1)
    return np.where(some, np.stack([change / 1000, p, low / 1000, high / 1000]), np.nan)
