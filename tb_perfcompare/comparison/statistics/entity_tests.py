"""Did this operator, kernel or function really change? One test per row of a table, false discoveries controlled.

The samples are a row's time in every observation, zero where it did not occur, in integer nanoseconds. Definitions and
error rates: docs/entity_tests.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures, Families
from tb_perfcompare.comparison.statistics.false_discoveries import q_values
from tb_perfcompare.comparison.statistics.family_wise import family_wise_p
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Change(str, Enum):
    """What can be said about one row."""

    SLOWER = "slower"
    FASTER = "faster"
    ADDED = "added"
    REMOVED = "removed"
    UNCHANGED = "same"
    UNDETERMINED = "inconclusive"


@dataclass(frozen=True, slots=True, eq=False)
class EntityTests:
    """One family of tests, arrays of shape (rows,).

    p              two-sided p, the larger of that of steps and that of captures; NaN where a side has one observation
    q              adjusted within the family as the options say, NaN where p is
    shift_ns       Hodges-Lehmann shift per step, NaN where it was not computed
    low_ns, high_ns  its interval of level 1 - alpha; NaN where no such interval exists
    cliffs_delta   P(candidate above baseline) - P(below), NaN where p is
    change         Change of each row
    """

    p: Floats
    q: Floats
    shift_ns: Floats
    low_ns: Floats
    high_ns: Floats
    cliffs_delta: Floats
    change: tuple[Change, ...]


def floor_ns(baseline_step_ns: float, options: CompareOptions) -> float:
    """Changes below this many nanoseconds per step do not matter."""
    return max(options.material_fraction * baseline_step_ns, float(options.material_ns))


def entity_tests(
    baseline: Ints,
    candidate: Ints,
    captures: Captures,
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    delta_ns: Floats,
    least_ns: float,
    options: CompareOptions,
    families: Families = (slice(None),),
) -> EntityTests:
    """Tests of the rows of (g, n) against those of (g, m), nanoseconds per observation.

    captures  capture of each column; present  (g,) whether a side has the row at all; delta_ns  (g,) difference of the
    means, which must be material (`least_ns`) for a change to count; families  all rows, cut into the stretches over
    which q is adjusted: a table each
    """
    rows, n, m, alpha = len(delta_ns), baseline.shape[1], candidate.shape[1], options.alpha
    nothing = np.full(rows, np.nan)
    if min(n, m) < 2 or not rows:
        change = _changes(nothing, nothing, nothing, delta_ns, present, least_ns, alpha)
        return EntityTests(nothing, nothing, nothing, nothing, nothing, nothing, change)
    found = row_shifts(baseline, candidate, captures, alpha, importance=np.abs(delta_ns), alike=families)
    q = np.empty(rows)
    for one in families:
        if options.discoveries == "family_wise":
            q[one] = family_wise_p(baseline[one], candidate[one], captures, options.seed)
        else:
            q[one] = q_values(found.p[one], any_dependence=options.discoveries == "any_dependence")
    change = _changes(q, found.low, found.high, delta_ns, present, least_ns, alpha)
    return EntityTests(found.p, q, found.shift, found.low, found.high, found.cliffs_delta, change)


def _changes(
    q: Floats,
    low: Floats,
    high: Floats,
    delta: Floats,
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    least: float,
    alpha: float,
) -> tuple[Change, ...]:
    """Clear and material changes by their direction; no change only where the whole interval is too small to matter."""
    at_a, at_b = present
    with np.errstate(invalid="ignore"):
        clear = (q <= alpha) & (np.abs(delta) >= least)
        still = (low >= -least) & (high <= least) & (np.abs(delta) < least)
    # a row of one side only is new or gone, however often it occurred there
    return tuple(
        Change.ADDED if new and not old
        else Change.REMOVED if old and not new
        else (Change.SLOWER if by > 0 else Change.FASTER) if sure
        else Change.UNCHANGED if same or by == 0
        else Change.UNDETERMINED
        for old, new, sure, same, by in zip(
            at_a.tolist(), at_b.tolist(), clear.tolist(), still.tolist(), delta.tolist(), strict=True
        )
    )  # fmt: skip


def robust_z(baseline: Ints, candidate: Ints, quantum_ns: float = 1000.0) -> Floats:
    """(g,) change of the median in robust deviations of the baseline, for display: never infinite, within +-99.

    (median B - median A) / max(1.4826 MAD_A, 0.5 % of |median A|, quantum / sqrt(12)).
    """
    middle = _medians(baseline)
    spread = 1.4826 * _medians(np.abs(baseline - middle[:, None]))
    scale = np.maximum.reduce([spread, 0.005 * np.abs(middle), np.full(len(middle), quantum_ns / math.sqrt(12))])
    z: Floats = np.clip((_medians(candidate) - middle) / scale, -99, 99) + 0.0
    return z


def _medians(values: Ints | Floats) -> Floats:
    """(g,) medians of (g, n): numpy's own, which for short rows takes six times as long as sorting them."""
    size = values.shape[1]
    ordered = np.sort(values, axis=1)
    middle: Floats = (ordered[:, (size - 1) // 2].astype(np.float64) + ordered[:, size // 2].astype(np.float64)) / 2
    return middle
