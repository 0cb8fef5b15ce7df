"""Noise floor: how far captures of one side differ among themselves, a difference that means nothing."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.statistics.hodges_lehmann import log_shift
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test
from tb_perfcompare.model.arrays import SideTimes, median, unique

ALL_PAIRS_UP_TO = 8
"""Captures on a side up to which all pairs are compared; beyond that only the four fastest and the four slowest."""


def noise_floor(times: SideTimes, captures: Captures) -> float | None:
    """Largest |Hodges-Lehmann shift of ln(time)| between two captures of one side, None if no side has two.

    SideTimes are positive; `captures` gives the capture of each.
    """
    shifts = []
    for side, capture in zip(times, captures, strict=True):
        parts = sorted((side[capture == which] for which in unique(capture)), key=median)
        if len(parts) > ALL_PAIRS_UP_TO:
            parts = parts[: ALL_PAIRS_UP_TO // 2] + parts[-(ALL_PAIRS_UP_TO // 2) :]
        shifts += [abs(log_shift(one, other)) for i, one in enumerate(parts) for other in parts[i + 1 :]]
    return max(shifts, default=None)


def median_test(times: SideTimes, captures: Captures) -> float | None:
    """Two-sided p of a rank test on the medians of captures, each one observation of its configuration.

    Exact unless medians are equal. None with fewer than three captures on a side.
    """
    counts = capture_counts(captures)
    if min(counts) < 3:
        return None
    medians = [
        median(side[capture == which])
        for side, capture in zip(times, captures, strict=True)
        for which in unique(capture)
    ]
    places = np.unique(medians, return_inverse=True)[1].astype(np.int64)[np.newaxis]
    return float(batched_rank_test(places[:, : counts[0]], places[:, counts[0] :], ordered=False).p[0])
