"""Duration of an uninterrupted step: the sum of its parts, each as in the fastest quarter of its steps.

Other programs take the core for milliseconds, which lengthens whatever runs then. On a busy machine that hits every
step, but a single part of a step (an operator with its shapes, a gap between two operators) only in a few of them. So
each part is freed of interruptions, and their sum is an uninterrupted step: one figure for each capture.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from tb_perfcompare.comparison.pace.pace import MIN_COVERAGE, Pace, pace_of
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.pace.step_cells import (
    MIN_SEEN_SHARE,
    Cells,
    cells,
    cells_of_steps,
    fastest_calls,
    rare_parts,
)
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import MIN_OWN_CAPTURES, capture_counts, centers, row_means
from tb_perfcompare.comparison.statistics.distributions import quantile
from tb_perfcompare.comparison.statistics.weights import capped, weighted_median
from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, SidePair, each_side, row_medians, unique
from tb_perfcompare.model.summary.categories import OTHER
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import Keys
from tb_perfcompare.quick_dataclass import dataclass

FEW_CAPTURES = 2
"""Captures of a side whose uninterrupted steps give a direction only as "probably"."""

MIN_STEPS = 4
"""Fewest steps in each capture for a fastest quarter."""

UNSTEADY = 0.2
"""Deviation of ln(time) between captures of a side, at one pace, from which a row of the same work is unsteady ..."""

UNLIKE_RATIO = 2.0
"""... if it is also this many times that of the typical row."""

VARYING = 0.25
"""Largest difference of the sides' shares of time in operators whose inputs vary from step to step: the fastest steps
of those are the ones with the smallest inputs, on that side only."""

_Parts = tuple[SplitTime | None, SplitTime | None]


@dataclass(frozen=True, slots=True, eq=False)
class StepsAlone:
    """All parts of the steps of both sides, whether or not the same work shows a pace. keys: of the recorded parts."""

    cells: tuple[Cells, Cells]
    keys: tuple[Keys, Keys]


@dataclass(frozen=True, slots=True, eq=False)
class UninterruptedSteps:
    """Uninterrupted steps of all captures of both sides, three or more captures each.

    wholes    all parts of the steps; rows: those of the same work
    work      (r,) calls per step that both sides do, for rows that show the pace; else zero
    unsteady  (r,) rows of the same work that are interrupted in every step: they show nothing about the program
    usual_ns  time per step of the unsteady rows on each side at one pace, with the same time per call on both
    pace      pace of the captures from the rows, without their times
    kept      (n,), (m,) steps that are used
    parts     of both sides' steps, as recorded
    """

    wholes: tuple[Cells, Cells]
    rows: tuple[Cells, Cells]
    work: Floats
    unsteady: Flags
    usual_ns: tuple[float, float]
    pace: Pace
    kept: tuple[Flags, Flags]
    parts: tuple[SplitTime, SplitTime]

    def only(self, kept: tuple[Flags, Flags]) -> UninterruptedSteps:
        """Returns only the steps marked in `kept`."""

        def left(mask: Flags, keep: Flags) -> Flags:
            mask = mask.copy()
            mask[mask] = keep
            return mask

        return replace(self, kept=each_side(left, self.kept, kept))

    def steady_ns(self) -> SidePair:
        """(k,), (l,) ns of an uninterrupted step of each capture, without the unsteady rows."""
        return each_side(partial(_steady, self.unsteady), self.wholes, self.rows, self.kept)

    def common_ns(self) -> SidePair:
        """(k,), (l,) ns of the work shared by both sides in an uninterrupted step of each capture."""
        return each_side(partial(_sums, work=self.work), self.rows, self.kept)


def steps_alone(parts: _Parts, captures: Captures) -> StepsAlone | None:
    """All parts of the steps of both sides; None with too few steps."""
    known = _enough(parts, captures, 1)
    if known is None:
        return None
    return StepsAlone(each_side(cells_of_steps, known, captures), each_side(lambda side: side.keys, known))


def _enough(
    parts: _Parts, captures: Captures, least: int = MIN_OWN_CAPTURES
) -> tuple[SplitTime, SplitTime] | None:
    """The parts; None with fewer than `least` captures or too few steps, or if one side spends more of its time in
    operators on inputs that few of its steps have, by VARYING."""
    one, two = parts
    if one is None or two is None or min(capture_counts(captures)) < least:
        return None
    if any(int(np.bincount(side)[unique(side)].min()) < MIN_STEPS for side in captures):
        return None
    shares = each_side(_varying_share, (one, two), captures)
    return None if abs(shares[0] - shares[1]) > VARYING else (one, two)


def _varying_share(parts: SplitTime, capture: CaptureIndex) -> float:
    """Share of a side's time in operators on inputs that fewer than half of a capture's steps have."""
    shaped = np.array([key[0] != OTHER and bool(key[-1]) for key in parts.keys], dtype=bool)
    part, step = parts.row.astype(np.int64), parts.step.astype(np.int64)
    rare = rare_parts(part, step, capture) & shaped[part]
    return float(parts.time_ns[rare].sum()) / max(float(parts.time_ns.sum()), 1.0)


def uninterrupted_steps(
    parts: _Parts, rows: WorkRows, captures: Captures, alpha: float, least: float = MIN_COVERAGE
) -> UninterruptedSteps | None:
    """Builds uninterrupted steps from the parts of both sides' steps and their rows of the same work; None with too
    few captures, steps or rows. `least`: required coverage."""
    known = _enough(parts, captures)
    if known is None:
        return None
    kept = each_side(lambda side: np.ones(len(side), dtype=bool), captures)
    of_rows = each_side(_cells_of_rows, rows.calls, rows.time_ns, captures)
    calls, each = zip(*each_side(_by_capture, of_rows, kept), strict=True)
    seen = np.minimum(
        *each_side(lambda side, at: centers(side > 0, at, row_means).min(axis=1), rows.calls, captures)
    )
    often = np.flatnonzero((seen >= MIN_SEEN_SHARE) & (np.minimum(*(side.min(axis=1) for side in each)) > 0))
    if not len(often):
        return None
    logs = each_side(lambda side: np.log(side[often]), each)
    work = np.minimum(*(side[often].mean(axis=1) for side in calls))
    weight = capped(work * np.exp(row_medians(np.concatenate(logs, axis=1))), rows.name_numbers()[often])
    scattered, usual = _unsteady(logs, weight)
    steady, unsteady = often[~scattered], np.zeros(len(rows), dtype=bool)
    unsteady[often[scattered]] = True
    wholes = each_side(cells_of_steps, known, captures)
    whole = each_side(partial(_steady, unsteady), wholes, of_rows, kept)
    single = WorkRows(rows.keys, calls, each_side(np.multiply, calls, each)).only(steady)
    numbers = each_side(lambda side: np.arange(side.shape[1], dtype=np.int32), each)
    pace_rows = pace_of("host", single, numbers, whole, "operators", alpha, least)
    if isinstance(pace_rows, str) or pace_rows.pace.reason:
        return None
    work = np.zeros(len(rows))
    work[steady[pace_rows.changes.kept]] = pace_rows.changes.work[pace_rows.changes.kept]
    fixed = each_side(lambda side: float((np.exp(usual) * side[often].mean(axis=1))[scattered].sum()), calls)
    share = min(float(np.mean(side)) / (float(np.mean(side)) + more) for side, more in zip(whole, fixed, strict=True))
    pace = replace(pace_rows.pace, coverage=1 - (1 - pace_rows.pace.coverage) * share)
    return UninterruptedSteps(wholes, of_rows, work, unsteady, fixed, pace, kept, known)


def _unsteady(logs: SidePair, weight: Floats) -> tuple[Flags, Floats]:
    """Returns ((r,) flags of unsteady rows, (r,) ln of the usual time per call at one pace).

    A row is unsteady if it scatters over the captures of a side, as rows interrupted in every step do, and the sides
    do not differ by more than that scatter.

    logs  (r, k), (r, l) ln(time per call)
    """
    level = row_medians(np.concatenate(logs, axis=1))[:, None]
    apart = []
    for side in logs:
        off = side - level
        apart.append(off - np.array([weighted_median(column, weight) for column in off.T]))
    counts = [side.shape[1] for side in apart]
    degrees_of_freedom = sum(counts) - 2
    squares = [((side - side.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for side in apart]
    deviation = np.sqrt((squares[0] + squares[1]) / degrees_of_freedom)
    between = np.abs(apart[1].mean(axis=1) - apart[0].mean(axis=1))
    chance = quantile(float(degrees_of_freedom), 0.975) * deviation * math.sqrt(sum(1 / count for count in counts))
    usual = level[:, 0] + row_medians(np.concatenate(apart, axis=1))
    limit = max(UNSTEADY, UNLIKE_RATIO * weighted_median(deviation, weight))
    return (deviation > limit) & (between <= chance), usual


def _by_capture(of: Cells, kept: Flags) -> tuple[Floats, Floats]:
    """(r, k) calls per step, and time per call, of the rows in each capture."""
    found = fastest_calls(of, kept)
    calls, each = np.zeros((2, len(of.named), len(unique(of.capture[kept]))))
    calls[found.part, found.place], each[found.part, found.place] = found.calls, found.each_ns
    return calls, each


def _steady(unsteady: Flags, whole: Cells, rows: Cells, kept: Flags) -> Floats:
    """(k,) ns of an uninterrupted step of each capture, without the unsteady rows."""
    found, all_parts = fastest_calls(rows, kept), _sums(whole, kept)
    gone = np.bincount(found.place, found.each_ns * found.calls * unsteady[found.part], minlength=len(all_parts))
    return np.maximum(all_parts - gone, 1.0)


def _sums(of: Cells, kept: Flags, work: Floats | None = None) -> Floats:
    """(k,) ns of an uninterrupted step of each capture; `work`: calls of each part, None for the recorded number."""
    found = fastest_calls(of, kept)
    calls = found.calls if work is None else work[found.part]
    return np.bincount(found.place, weights=found.each_ns * calls).astype(np.float64)


def _cells_of_rows(calls: Floats, time_ns: Floats, capture: CaptureIndex) -> Cells:
    """Cells of the rows of the same work; a step without a call of a row has no cell."""
    part, step = np.nonzero(calls > 0)
    return cells(capture, part, step, time_ns[part, step], calls[part, step], np.arange(len(calls)))
