"""How far some steps of a side exceed its others, in what, and whether by chance."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.model.arrays import row_medians
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary

MAIN_SHARE = 0.5
"""Share of the change of the step, or of the category that grows most, that such steps must explain."""

MIN_SLOW_RATIO = 1.1
"""Least ratio of a slow step to the median of its side: of few steps, some are outside the fence by chance."""

MAX_P = 0.01
"""Largest p of slow steps at varying places: a busy machine makes slow steps on both sides."""

LEADING = 0.25
"""Share of a recording's first steps that may be a warm-up, and of all steps that may be slow ones."""


def growth_in(summary: Summary, steps: NDArray[np.int64]) -> dict[Part, float]:
    """Entity -> microseconds by which it takes longer in these steps than in the median of the other steps."""
    usual = np.setdiff1d(np.arange(len(summary.steps)), steps, assume_unique=True)
    owned = summary.owned
    growth = (owned.time_ns[:, steps].mean(axis=1) - row_medians(owned.time_ns[:, usual])) / 1000
    return {
        (CATEGORY_LABELS[category], key): us
        for category, key, us in zip(owned.category.tolist(), owned.key, growth.tolist(), strict=True)
    }


def explained_by_steps(growth: Mapping[Part, float], share: float, delta: float) -> dict[Part, float]:
    """Part -> what entities that grow in `share` of the steps add to the mean step, together at most what those
    steps add."""
    grown = {part: us * share for part, us in growth.items() if us > 0}
    scale = min(1.0, abs(delta) / math.fsum(grown.values())) if grown else 1.0
    return {part: math.copysign(us * scale, delta) for part, us in grown.items()}
