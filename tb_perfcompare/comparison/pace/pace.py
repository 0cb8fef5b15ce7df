"""Pace: duration of the same work in each step, relative to its mean over all captures."""

from __future__ import annotations

import math
from dataclasses import replace
from math import fsum

import numpy as np

from tb_perfcompare.comparison.pace.rows import RowChanges, WorkRows, heterogeneity, row_changes
from tb_perfcompare.comparison.result.wording import many, percent_text, ratio_text
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import middles
from tb_perfcompare.comparison.statistics.distributions import quantile
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.model.arrays import CaptureIndex, Floats, Ints, SidePair, each_side, median, unique
from tb_perfcompare.number_text import setting
from tb_perfcompare.quick_dataclass import dataclass

MIN_COVERAGE = 0.2
"""Share of the step that the common work has to cover for the rest to be assumed to follow it."""

MIN_NAMES = 3
MIN_KEPT = 0.5
"""Fewest operators (kernels) with different names, and least share of all weights, that have to follow one pace."""

MAX_APART = 0.2
"""Standard error of the rows' common change in ln(time) above which they have no common pace, unless interrupted."""

MAX_EXPLAINED = 0.35
"""With interrupted calls, the fastest calls explain at most this share of the pace, as logarithms."""

INTERRUPTED = math.log(1.2)
"""Shift of ln(pace) from which interruptions are considered."""


@dataclass(frozen=True, slots=True, eq=False)
class Pace:
    """Pace of one kind of row: of operators on the host, or of kernels on the device.

    of        "host" or "device"
    rows      number of rows with the same work; kept: number of rows that the pace is computed from
    log       (n,), (m,) ln of the pace of each observation, relative to its mean over captures
    common    (n,), (m,) time of the same work, ns
    level     ns: exp of the mean of ln(common)
    coverage  kappa: share of the time that the rows cover, at most 1
    tau       how far rows differ in their change beyond their scatter
    center, half  change of the typical row, and half the width of its interval
    fastest   ln of the ratio of the fastest calls, weighted median of the kept rows; None if not known
    reason    why the pace cannot be used, "" if it can
    """

    of: str
    rows: int
    kept: int
    log: SidePair
    common: SidePair
    level: float
    coverage: float
    tau: float
    center: float
    half: float
    degrees_of_freedom: float
    reason: str
    fastest: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PaceRows:
    """A pace with the rows it is computed from."""

    pace: Pace
    rows: WorkRows
    changes: RowChanges


def pace_of(
    of: str, rows: WorkRows, captures: Captures, whole_ns: SidePair, noun: str, alpha: float,
    least: float = MIN_COVERAGE, *, sliced: bool = False,
) -> PaceRows | str:  # fmt: skip
    """Computes the pace from the rows, or returns why there is none.

    captures  (n,), (m,) int32 capture of each observation
    whole_ns  (n,), (m,) time of which the rows are a share: the step, or all work of the kind
    noun      term for the rows in the reason: "operators", "kernels"
    least     required coverage
    sliced    whether other processes may take slices of the time; longer calls meet more of them
    """
    if not len(rows):
        return f"no {noun} do the same work on both sides"
    # on the host, interruptions lengthen some rows of one side, and their mean is the better weight
    changes = row_changes(rows, captures, by_shorter=of == "device")
    every = replace(changes, kept=changes.weights > 0)
    interrupted = sliced and _are_interrupted(rows, every, captures)
    changes = every if interrupted else changes
    if not changes.kept.any():
        return f"no {noun} of the same work took time in every capture"
    common = _together(rows, changes)
    if common is None:
        return f"steps in which the {noun} of the same work took no time"
    logs = each_side(np.log, common)
    means = np.concatenate(each_side(capture_means, logs, captures)).tolist()
    level = fsum(means) / len(means)
    log = each_side(lambda side: side - level, logs)
    coverage = _coverage(common, whole_ns)
    names = max(changes.effective_names, 1.0)
    degrees_of_freedom = max(names - 1, 1.0)
    pace = Pace(
        of=of,
        rows=len(rows),
        kept=int(changes.kept.sum()),
        log=log,
        common=common,
        level=math.exp(level),
        coverage=coverage,
        tau=heterogeneity(changes, each_side(capture_means, log, captures)),
        center=changes.center,
        half=quantile(degrees_of_freedom, 1 - alpha / 2) * changes.spread / math.sqrt(names),
        degrees_of_freedom=degrees_of_freedom,
        reason=_unusable_reason(changes, coverage, noun, least, interrupted=interrupted),
        fastest=_fastest(rows, changes),
    )
    return PaceRows(pace, rows, changes)


def _are_interrupted(rows: WorkRows, every: RowChanges, captures: Captures) -> bool:
    """Whether interruptions make up the pace of all rows."""
    sums = _together(rows, every)
    shift = 0.0 if sums is None else shift_of_pace(each_side(np.log, sums), captures)
    return is_interrupted(shift, _fastest_together(rows, every))


def _coverage(common: SidePair, whole_ns: SidePair) -> float:
    """Median share of the observations that the common work covers, at most 1."""
    shares = [
        np.divide(one, whole, out=np.zeros_like(one), where=whole > 0)
        for one, whole in zip(common, whole_ns, strict=True)
    ]
    return min(1.0, float(median(np.concatenate(shares))))


def _together(rows: WorkRows, changes: RowChanges) -> SidePair | None:
    """(n,), (m,) time of all kept rows in each observation; None if an observation has none. At equal amount of work
    their sum is moved as a whole: interruptions of single rows are outliers of the rows' slopes, and would be lost."""

    def summed(parts: SidePair) -> SidePair:
        return each_side(lambda side: side[changes.kept].sum(axis=0), parts)

    sums = [summed(changes.common)]
    if rows.amount is not None and rows.recorded_ns is not None:
        sums.insert(0, rows.amount.at_level(summed(rows.recorded_ns)))
    return next((pair for pair in sums if all((side > 0).all() for side in pair)), None)


def _fastest(rows: WorkRows, changes: RowChanges) -> float | None:
    timed, one, two = _fastest_calls(rows, changes)
    return weighted_median(np.log(two / one), changes.weights[timed]) if len(timed) else None


def _fastest_together(rows: WorkRows, changes: RowChanges) -> float | None:
    """ln of the ratio of the time that all kept rows would take if each call were as long as the row's fastest."""
    timed, one, two = _fastest_calls(rows, changes)
    calls = rows.calls[0][timed].mean(axis=1) + rows.calls[1][timed].mean(axis=1)
    if not len(timed):
        return None
    return math.log(fsum((calls * two).tolist())) - math.log(fsum((calls * one).tolist()))


def _fastest_calls(rows: WorkRows, changes: RowChanges) -> tuple[Ints, Floats, Floats]:
    """Kept rows whose fastest call took time on both sides, and the times of these calls."""
    one, two = (np.zeros(len(rows)),) * 2 if rows.fastest_ns is None else rows.fastest_ns
    timed = np.flatnonzero(changes.kept & (one > 0) & (two > 0))
    return timed, one[timed], two[timed]


def shift_of_pace(log: SidePair, captures: Captures) -> float:
    """Difference of the sides' means over captures of the center of ln(pace)."""
    one, two = (float(side.mean()) for side in middles(log, captures))
    return two - one + 0.0


def capture_means(values: Floats, capture: CaptureIndex) -> Floats:
    """(n,) values -> (k,) mean of each capture."""
    return np.array([values[capture == which].mean() for which in unique(capture)])


def is_interrupted(shift: float, fastest: float | None) -> bool:
    """Whether time slices taken by other processes make up the pace: they lengthen some calls, mostly the longer
    ones, and leave the fastest calls unchanged."""
    return fastest is not None and abs(shift) >= INTERRUPTED and abs(fastest) <= MAX_EXPLAINED * abs(shift)


def max_deviation(pace: Pace, alpha: float) -> float:
    """How far time outside the common work may deviate from the pace, in ln(time)."""
    return quantile(pace.degrees_of_freedom, 1 - alpha / 2) * (1 - pace.coverage) * pace.tau


def _unusable_reason(changes: RowChanges, coverage: float, noun: str, least: float, *, interrupted: bool) -> str:
    if coverage < least:
        return f"{noun} of the same work cover only {percent_text(coverage)} of the step ({setting(least)} needed)"
    if changes.kept_names < MIN_NAMES:
        names = many(changes.kept_names, f"different {noun.removesuffix('s')}")
        return f"only {names} of the same work ({MIN_NAMES} needed)"
    if changes.kept_share < MIN_KEPT:
        return f"{noun} of the same work do not change alike: only {percent_text(changes.kept_share)} follow one pace"
    if not interrupted and changes.spread > MAX_APART * math.sqrt(changes.effective_names):
        apart = ratio_text(math.exp(changes.spread))
        return f"{noun} of the same work do not change alike: {apart} apart"
    return ""
