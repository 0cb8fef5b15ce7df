"""How far the uninterrupted steps of one side's captures are from those of the other. They give an open verdict a
direction: one figure per capture, so a busy machine hides less."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.pace.select import ALIKE_CALLS
from tb_perfcompare.comparison.pace.step_cells import Cells, FastestCalls, fastest_calls
from tb_perfcompare.comparison.pace.uninterrupted_steps import FEW_CAPTURES, StepsAlone
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import MIN_OWN_CAPTURES, capture_counts, gaps
from tb_perfcompare.comparison.statistics.mean_effect import LONG_STEPS
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.comparison.verdict.rules import DEFAULT_LEVEL, weaker_verdict
from tb_perfcompare.model.arrays import Flags, Floats, SidePair, each_side, row_medians, unique
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.texts import Keys

RANGES_OF_FEW = 2.0
"""Gap of two captures a side, as a multiple of the range of either, from which they are apart. However much normally
distributed captures vary, at most 4.0 % of equal sides are (three captures a side, at 1: 0.8 %)."""

_HOST = CATEGORY_LABELS[StepCategory.CPU_EXEC]


class Apart(NamedTuple):
    """Direction of the captures, and the change of ln(time) that every pair of them shows at least."""

    verdict: Verdict
    least: float


def captures_apart(
    alone: StepsAlone, theta: float, options: CompareOptions, kept: tuple[Flags, Flags] | None = None
) -> Apart | None:
    """Returns the direction of uninterrupted steps, if captures are apart in the direction of `theta` (of ln(time)).
    None else, and at a smaller alpha than usual, as the error rate does not depend on it.

    kept  (n,), (m,) steps that are used; None for all
    """
    kept = kept or each_side(lambda cells: np.ones(len(cells.capture), dtype=bool), alone.cells)
    few = min(capture_counts(each_side(lambda cells, keep: cells.capture[keep], alone.cells, kept)))
    if few < FEW_CAPTURES or options.alpha < DEFAULT_LEVEL:
        return None
    found = each_side(fastest_calls, alone.cells, kept)
    logs = each_side(_log_of_step, found)
    gap = _gap(logs, few)
    if few < MIN_OWN_CAPTURES:
        at_pace = _gap(each_side(np.subtract, logs, _paces(alone, found)), few)
        gap = math.copysign(min(abs(gap), abs(at_pace)), gap) if gap * at_pace > 0 else 0.0
    if abs(gap) <= LONG_STEPS or gap * theta <= 0:
        return None
    verdict = Verdict.SLOWER if gap > 0 else Verdict.FASTER
    return Apart(weaker_verdict(verdict) if few < MIN_OWN_CAPTURES else verdict, gap)


def _gap(logs: SidePair, few: int) -> float:
    """Gap between the sides' captures; zero if they are not apart. `few`: captures of the side with fewer."""
    ranges = RANGES_OF_FEW if few < MIN_OWN_CAPTURES else 1.0
    one, two = logs
    return float(gaps(one[None, :], two[None, :], ranges)[0])


def _log_of_step(found: FastestCalls) -> Floats:
    """(k,) ln of the ns of an uninterrupted step of each capture."""
    return np.log(np.maximum(np.bincount(found.place, found.each_ns * found.calls), 1.0))


def _paces(alone: StepsAlone, found: tuple[FastestCalls, FastestCalls]) -> SidePair:
    """(k,), (l,) ln of the pace of each capture: of the typical operator that all captures call equally often. NaN
    without any."""
    one, two = (_operators(*side) for side in zip(alone.cells, alone.keys, found, strict=True))
    both = [np.concatenate([one[key], two[key]], axis=1) for key in sorted(one.keys() & two.keys())]
    same = [of for of in both if of[0].max() <= (1 + ALIKE_CALLS) * of[0].min()]
    captures = len(unique(found[0].place)), len(unique(found[1].place))
    if not same:
        return np.full(captures[0], math.nan), np.full(captures[1], math.nan)
    calls, each = np.stack(same, axis=1)
    logs = np.log(np.maximum(each, 1.0))
    level = row_medians(logs)
    weight = calls.mean(axis=1) * np.exp(level)
    pace = np.array([weighted_median(column, weight) for column in (logs - level[:, None]).T])
    return pace[: captures[0]], pace[captures[0] :]


def _operators(cells: Cells, keys: Keys, found: FastestCalls) -> dict[tuple[str, ...], Floats]:
    """Calls per step and ns per call, (2, k), of the operators that all captures have on inputs of most of their
    steps."""
    figures = np.zeros((2, len(cells.named), len(unique(found.place))))
    figures[:, found.part, found.place] = found.calls, found.each_ns
    whole = (figures[0].min(axis=1) > 0) & (cells.named == np.arange(len(cells.named)))
    return {
        key: figures[:, part] for part in np.flatnonzero(whole).tolist() if (key := tuple(keys[part]))[0] == _HOST
    }
