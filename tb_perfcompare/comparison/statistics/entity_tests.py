"""Tests whether single operators, kernels or functions changed: one test per row of a table, with false discoveries
controlled.

The samples are a row's time in every observation, zero if it did not occur, in integer nanoseconds. Definitions and
error rates: docs/method/statistics.md.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures, Families
from tb_perfcompare.comparison.statistics.distributions import student_p
from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Flags, Floats, Ints, row_medians
from tb_perfcompare.quick_dataclass import dataclass

CLEARLY_APART_RATIO = 1.75
"""Factor between the sides above which rows are clearly apart: captures of one program can differ by half in single
rows, in all their steps, but not by more."""

_CLOCK_NS, _MIN_DEVIATION_SHARE = 1000.0, 1e-3
"""Resolution of the clock, and share of a row's time: least deviation of its steps."""


class Change(str, Enum):
    """Result of the test of one row."""

    SLOWER = "slower"
    FASTER = "faster"
    SLOWER_NEGLIGIBLE = "slower, negligible"
    FASTER_NEGLIGIBLE = "faster, negligible"
    ADDED = "added"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    UNDETERMINED = "cannot tell"


CHANGES = tuple(Change)
"""Change by its number."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityTests:
    """One family of tests, arrays of shape (rows,).

    p              two-sided p, the larger of that of steps and that of captures; NaN if a side has one observation.
                   If one capture a side has so few steps that ranks cannot give a small q, rows that are clearly apart
                   have the p of the gap
    q              adjusted within the family as the options say, NaN where p is
    shift_ns       Hodges-Lehmann shift per step, NaN if not computed
    low_ns, high_ns  its interval of level 1 - alpha; NaN if no such interval exists
    cliffs_delta   P(candidate above baseline) - P(below), NaN where p is
    changes        (rows,) int8 Change of each row, its place in CHANGES
    """

    p: Floats
    q: Floats
    shift_ns: Floats
    low_ns: Floats
    high_ns: Floats
    cliffs_delta: Floats
    changes: NDArray[np.int8]


def floor_ns(shorter_step_ns: float, options: CompareOptions) -> float:
    """Smallest change that matters, in nanoseconds per step. It depends on the shorter of the two mean steps, so
    that exchanging the sides does not alter it."""
    return max(options.material_fraction * shorter_step_ns, float(options.material_ns))


def entity_tests(
    baseline: Ints,
    candidate: Ints,
    captures: Captures,
    present: tuple[Flags, Flags],
    delta_ns: Floats,
    least_ns: float,
    options: CompareOptions,
    families: Families = (slice(None),),
) -> EntityTests:
    """Tests the rows of (g, n) against those of (g, m), nanoseconds per observation.

    captures  capture of each column
    present   (g,) whether each side has the row at all
    delta_ns  (g,) difference of the means, which must reach `least_ns` for a change to count
    families  slices of the rows within which q is adjusted, one per table
    """
    rows, n, m, alpha = len(delta_ns), baseline.shape[1], candidate.shape[1], options.alpha
    nothing = np.full(rows, np.nan)
    if min(n, m) < 2 or not rows:
        change = _changes(nothing, nothing, nothing, delta_ns, present, least_ns, alpha)
        return EntityTests(nothing, nothing, nothing, nothing, nothing, nothing, change)
    shifts = row_shifts(baseline, candidate, captures, alpha, importance=np.abs(delta_ns), alike=families)
    q, p = np.empty(rows), shifts.p.copy()
    if not any(len(set(capture.tolist())) > 1 for capture in captures):
        small = np.zeros(rows, dtype=bool)
        for family in families:
            small[family] = smallest_p(n, m) * len(p[family]) > alpha
        p[small] = np.minimum(p[small], _p_apart(baseline[small], candidate[small]))
    for family in families:
        q[family] = q_values(p[family])
    change = _changes(q, shifts.low, shifts.high, delta_ns, present, least_ns, alpha)
    return EntityTests(p, q, shifts.shift, shifts.low, shifts.high, shifts.cliffs_delta, change)


def _p_apart(baseline: Ints, candidate: Ints) -> Floats:
    """(g,) p of rows whose steps of one side all take CLEARLY_APART_RATIO times as long as the other's; 1 for other
    rows. So few steps give no small p by ranks, but the gap in standard errors does. Welch's test, with the degrees of
    freedom of the smaller side; no side's deviation is taken as less than the clock's resolution or a thousandth of
    its time."""
    n, m = baseline.shape[1], candidate.shape[1]
    apart = _far_below(baseline, candidate) | _far_below(candidate, baseline)
    p = np.ones(len(baseline))
    if not apart.any():
        return p
    x, y = baseline[apart].astype(np.float64), candidate[apart].astype(np.float64)
    error = np.zeros(len(x))
    for side, size in ((x, n), (y, m)):
        least = np.maximum(_CLOCK_NS, _MIN_DEVIATION_SHARE * side.mean(axis=1))
        error += np.maximum(side.std(axis=1, ddof=1), least) ** 2 / size
    distance = (y.mean(axis=1) - x.mean(axis=1)) / np.sqrt(error)
    p[apart] = student_p(distance, np.full(len(x), float(min(n, m) - 1)))
    return p


def _far_below(low: Ints, high: Ints) -> Flags:
    """(g,) whether every step of `high` takes CLEARLY_APART_RATIO times as long as every step of `low`."""
    below: Flags = CLEARLY_APART_RATIO * low.max(axis=1) < high.min(axis=1)
    return below


def _changes(
    q: Floats,
    low: Floats,
    high: Floats,
    delta: Floats,
    present: tuple[Flags, Flags],
    least: float,
    alpha: float,
) -> NDArray[np.int8]:
    """Number of each row's Change: by direction if significant and material; "negligible" if significant but the
    whole interval is too small to matter; unchanged if only the latter holds."""
    at_a, at_b = present
    with np.errstate(invalid="ignore"):
        significant = q <= alpha
        clear = significant & (np.abs(delta) >= least)
        still = (low >= -least) & (high <= least) & (np.abs(delta) < least)
    # a row of one side only is added or removed, however often it occurred there
    cases = {
        Change.ADDED: at_b & ~at_a, Change.REMOVED: at_a & ~at_b, Change.SLOWER: clear & (delta > 0),
        Change.FASTER: clear & (delta < 0),
        Change.SLOWER_NEGLIGIBLE: still & significant & (delta > 0),
        Change.FASTER_NEGLIGIBLE: still & significant & (delta < 0),
        Change.UNCHANGED: still | (delta == 0),
    }  # fmt: skip
    numbers = [CHANGES.index(change) for change in cases]
    changes = np.select(list(cases.values()), numbers, CHANGES.index(Change.UNDETERMINED))
    return changes.astype(np.int8)


def robust_z(baseline: Ints, candidate: Ints) -> Floats:
    """(g,) change of the median in robust deviations of the baseline, for display: always finite, within +-99.

    (median B - median A) / max(1.4826 MAD_A, 0.5 % of |median A|, 1 µs / sqrt(12)).
    """
    middle = row_medians(baseline)
    spread = MAD_TO_SIGMA * row_medians(np.abs(baseline - middle[:, None]))
    scale = np.maximum.reduce([spread, 0.005 * np.abs(middle), np.full(len(middle), 1000 / math.sqrt(12))])
    z: Floats = np.clip((row_medians(candidate) - middle) / scale, -99, 99) + 0.0
    return z
