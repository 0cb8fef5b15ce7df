"""How far each category's exposed time per step moved, and how sure that is."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CategoryShift:
    """Of one category, microseconds per step; None where it cannot be told. q is p corrected for as many tests as there
    are categories with any time (Benjamini-Hochberg)."""

    p: float | None = None
    shift_us: float | None = None
    low_us: float | None = None
    high_us: float | None = None
    q: float | None = None


def category_shifts(a: Summary, b: Summary, alpha: float) -> dict[str, CategoryShift]:
    """Hodges-Lehmann shift with its interval of level 1 - alpha and p, of the owned time per observation
    (docs/method/statistics.md); nothing with one observation on a side."""
    baseline, candidate = observations(a), observations(b)
    if min(len(baseline.label), len(candidate.label)) < 2:
        return dict.fromkeys(CATEGORY_LABELS, CategoryShift())
    x, y = baseline.means(a.owned.by_category()), candidate.means(b.owned.by_category())
    tests = row_shifts(x, y, (baseline.capture, candidate.capture), alpha)
    q = q_values(np.where(x.any(axis=1) | y.any(axis=1), tests.p, np.nan))
    shifts = ((ns / 1000).tolist() for ns in (tests.shift, tests.low, tests.high))
    rows = zip(tests.p.tolist(), *shifts, q.tolist(), strict=True)
    return {
        label: CategoryShift(*(None if math.isnan(figure) else figure for figure in row))
        for label, row in zip(CATEGORY_LABELS, rows, strict=True)
    }
