"""Did this operator, kernel or function really change? One test per row of a table, false discoveries controlled.

The samples are a row's time in every observation, zero where it did not occur, in integer nanoseconds. Definitions and
error rates: docs/method/statistics.md.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures, Families, student_p
from tb_perfcompare.comparison.statistics.multiple_testing import family_wise_p, q_values
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.quick_dataclass import dataclass

FAR = 1.75
"""Captures of one program may differ by half in single rows, all of their steps: what is further apart does not."""

_CLOCK_NS, _STEADY = 1000.0, 1e-3


class Change(str, Enum):
    """What can be said about one row."""

    SLOWER = "slower"
    FASTER = "faster"
    SLOWER_NEGLIGIBLE = "slower, negligible"
    FASTER_NEGLIGIBLE = "faster, negligible"
    ADDED = "added"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    UNDETERMINED = "cannot tell"


CHANGES = tuple(Change)
"""Change by number."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityTests:
    """One family of tests, arrays of shape (rows,).

    p              two-sided p, the larger of that of steps and that of captures; NaN where a side has one observation.
                   Where so few steps of one capture a side cannot make a small q by their ranks, rows that lie apart
                   have the p of the gap
    q              adjusted within the family as the options say, NaN where p is
    shift_ns       Hodges-Lehmann shift per step, NaN where it was not computed
    low_ns, high_ns  its interval of level 1 - alpha; NaN where no such interval exists
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

    @property
    def change(self) -> tuple[Change, ...]:
        """Change of each row."""
        return tuple(map(CHANGES.__getitem__, self.changes.tolist()))


def floor_ns(shorter_step_ns: float, options: CompareOptions) -> float:
    """Changes below this many nanoseconds per step do not matter; of the shorter side's mean step, so that it is the
    same whichever side is which."""
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
    q, p = np.empty(rows), found.p.copy()
    for family in families:
        if options.discoveries == "family_wise":
            q[family] = family_wise_p(baseline[family], candidate[family], captures, options.seed)
            continue
        if smallest_p(n, m) * len(p[family]) > alpha and not any(len(set(at.tolist())) > 1 for at in captures):
            p[family] = np.minimum(p[family], _p_apart(baseline[family], candidate[family]))
        q[family] = q_values(p[family], any_dependence=options.discoveries == "any_dependence")
    change = _changes(q, found.low, found.high, delta_ns, present, least_ns, alpha)
    return EntityTests(p, q, found.shift, found.low, found.high, found.cliffs_delta, change)


def _p_apart(baseline: Ints, candidate: Ints) -> Floats:
    """(g,) p of rows whose steps of one side all take FAR times as long as the other's, 1 of other rows: so few steps
    make no small p by their ranks, but the gap in standard errors does. Welch's, with the freedom of the smaller side
    alone and no side steadier than the clock or than a thousandth of its time."""
    n, m = baseline.shape[1], candidate.shape[1]
    apart = _far_below(baseline, candidate) | _far_below(candidate, baseline)
    p = np.ones(len(baseline))
    if not apart.any():
        return p
    x, y = baseline[apart].astype(np.float64), candidate[apart].astype(np.float64)
    error = np.zeros(len(x))
    for side, size in ((x, n), (y, m)):
        least = np.maximum(_CLOCK_NS, _STEADY * side.mean(axis=1))
        error += np.maximum(side.std(axis=1, ddof=1), least) ** 2 / size
    distance = (y.mean(axis=1) - x.mean(axis=1)) / np.sqrt(error)
    p[apart] = student_p(distance, np.full(len(x), float(min(n, m) - 1)))
    return p


def _far_below(low: Ints, high: Ints) -> Flags:
    """(g,) whether every step of `high` takes FAR times as long as every step of `low`."""
    found: Flags = FAR * low.max(axis=1) < high.min(axis=1)
    return found


def _changes(
    q: Floats,
    low: Floats,
    high: Floats,
    delta: Floats,
    present: tuple[Flags, Flags],
    least: float,
    alpha: float,
) -> NDArray[np.int8]:
    """Clear changes by their direction, with a word more where the whole interval is too small to matter; no change
    only where it is and nothing is clear."""
    at_a, at_b = present
    with np.errstate(invalid="ignore"):
        known = q <= alpha
        clear = known & (np.abs(delta) >= least)
        still = (low >= -least) & (high <= least) & (np.abs(delta) < least)
    # a row of one side only is new or gone, however often it occurred there
    cases = {
        Change.ADDED: at_b & ~at_a, Change.REMOVED: at_a & ~at_b, Change.SLOWER: clear & (delta > 0),
        Change.FASTER: clear,
        Change.SLOWER_NEGLIGIBLE: still & known & (delta > 0), Change.FASTER_NEGLIGIBLE: still & known & (delta < 0),
        Change.UNCHANGED: still | (delta == 0),
    }  # fmt: skip
    numbers = [CHANGES.index(change) for change in cases]
    found = np.select(list(cases.values()), numbers, CHANGES.index(Change.UNDETERMINED))
    return found.astype(np.int8)


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
