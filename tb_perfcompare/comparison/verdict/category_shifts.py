"""Shift of each category's exposed time per step, with its uncertainty."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CategoryShift:
    """Shift of one category in microseconds per step; None if it cannot be estimated. q is p corrected for as many
    tests as there are categories with any time (Benjamini-Hochberg). paced_us: change of the mean at equal machine
    speed, and at equal work if the amount of work varies, with paced_p and the interval of the shift; None where
    that is not known."""

    p: float | None = None
    shift_us: float | None = None
    low_us: float | None = None
    high_us: float | None = None
    q: float | None = None
    paced_us: float | None = None
    paced_p: float | None = None
    paced_low_us: float | None = None
    paced_high_us: float | None = None


def category_shifts(a: Summary, b: Summary, alpha: float, paced: Floats | None) -> dict[str, CategoryShift]:
    """Returns, by category, the Hodges-Lehmann shift of the owned time per observation with p and its interval of
    level 1 - alpha (docs/method/statistics.md); all None if a side has fewer than two observations. `paced`: (4, 8)
    changes at equal machine speed, their p and interval, if known."""
    baseline, candidate = observations(a), observations(b)
    if min(len(baseline.label), len(candidate.label)) < 2:
        return dict.fromkeys(CATEGORY_LABELS, CategoryShift())
    x, y = baseline.means(a.owned.by_category()), candidate.means(b.owned.by_category())
    tests = row_shifts(x, y, (baseline.capture, candidate.capture), alpha)
    q = q_values(np.where(x.any(axis=1) | y.any(axis=1), tests.p, np.nan))
    shifts = ((ns / 1000).tolist() for ns in (tests.shift, tests.low, tests.high))
    changes = np.full((4, len(x)), math.nan) if paced is None else paced
    rows = zip(tests.p.tolist(), *shifts, q.tolist(), *changes.tolist(), strict=True)
    return {
        label: CategoryShift(*(None if math.isnan(figure) else figure for figure in row))
        for label, row in zip(CATEGORY_LABELS, rows, strict=True)
    }
