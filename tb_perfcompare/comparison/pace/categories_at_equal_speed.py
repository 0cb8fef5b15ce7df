"""Change of each category of step time at equal machine speed: where the program's part is."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.pace.clocked import Clocked
from tb_perfcompare.comparison.pace.paced_time import ON_DEVICE, ON_HOST, Sides
from tb_perfcompare.comparison.pace.program import EstimateKind
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.pace.uninterrupted_parts import uninterrupted_categories
from tb_perfcompare.comparison.statistics.between_captures import between_captures, capture_counts
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.arrays import Floats, SidePair, each_side


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
