"""Categories of step time that differ significantly, and their confidence in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, WITHIN_SPREAD
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.wording import p_text, signed_time
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import (
    MIN_OWN_CAPTURES,
    capture_counts,
    centers,
    gaps,
    middle_half,
)
from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.rank_test import smallest_p
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_LOG_GAP, MIN_NS = math.log(1.5), 1000.0
"""Smallest gap of ln(time) between captures of the sides that counts; shorter times are taken as MIN_NS."""

_INTERRUPTED = frozenset({StepCategory.CPU_EXEC, StepCategory.OTHER})
"""Contention falls mostly on these categories, and unevenly on captures."""


@dataclass(frozen=True, slots=True)
class SignificantCategories:
    """names: categories that differ clearly; apart: those of them in which all steps of one side lie beyond the
    other's; too_few: those that do so with too few steps for that to mean anything."""

    names: frozenset[str]
    apart: frozenset[str]
    too_few: frozenset[str] = frozenset()


def significant_categories(
    baseline: Summary, candidate: Summary, p_values: Mapping[str, float | None], alpha: float
) -> SignificantCategories:
    """Finds the categories that differ significantly: their q over all categories that take any time is at most
    alpha; or the sides are completely separated; or, except for host time, captures of the sides are farther apart
    than those of either side, and by more than MIN_LOG_GAP. With too few steps for any test, all categories count."""
    tested = {name: p for name, p in p_values.items() if p is not None and p < 1}
    sides = [observations(side) for side in (baseline, candidate)]
    least = smallest_p(*(len(side.label) for side in sides)) * max(len(tested), 1)
    if None in p_values.values():
        return SignificantCategories(frozenset(p_values), frozenset())
    x, y = (seen.means(side.owned.by_category()) for seen, side in zip(sides, (baseline, candidate), strict=True))
    apart = frozenset(CATEGORY_LABELS[row] for row in np.flatnonzero(are_separated(x, y)).tolist())
    if least > alpha:
        return SignificantCategories(frozenset(p_values), frozenset(), apart)
    q = q_values(np.array([*tested.values()], dtype=np.float64))
    clear = {name for name, value in zip(tested, q.tolist(), strict=True) if value <= alpha}
    far = _far_apart((x, y), (sides[0].capture, sides[1].capture))
    return SignificantCategories(frozenset(clear | apart | far), apart)


def _far_apart(times: tuple[NDArray[np.int64], NDArray[np.int64]], captures: Captures) -> frozenset[str]:
    if min(capture_counts(captures)) < MIN_OWN_CAPTURES:
        return frozenset()
    one, two = (
        np.log(np.maximum(centers(side, of, middle_half), MIN_NS)) for side, of in zip(times, captures, strict=True)
    )
    far = {StepCategory(row) for row in np.flatnonzero(np.abs(gaps(one, two)) > MIN_LOG_GAP).tolist()}
    return frozenset(CATEGORY_LABELS[category] for category in far - _INTERRUPTED)


def are_separated(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(g,) whether each row of (g, n) is completely separated from the same row of (g, m). Unlike p, this is valid
    for autocorrelated steps too."""
    apart: NDArray[np.bool_] = (x.max(axis=1) < y.min(axis=1)) | (y.max(axis=1) < x.min(axis=1))
    return apart


MACHINES_SHARE = 0.5
"""A significant change counts as the machine's if less than this share of it is left at equal machine speed."""


@dataclass(frozen=True, slots=True)
class PacedChange:
    """Change of a category at equal machine speed with its p, and as recorded, in microseconds per step."""

    us: float
    p: float
    recorded_us: float

    def is_shown(self, alpha: float) -> bool:
        """Whether it is significant, in the direction of the change as recorded."""
        return self.p <= alpha and self.us * self.recorded_us > 0

    def is_gone(self, alpha: float) -> bool:
        """Whether most of the change as recorded is the machine's."""
        return self.p > alpha and abs(self.us) < MACHINES_SHARE * abs(self.recorded_us)


_WHOLE = {
    Verdict.INCONCLUSIVE: "is not",
    Verdict.SAME: "stays within the threshold",
    Verdict.WITHHELD: "is not comparable",
}
"""Verdict on the step time as a whole -> words for it next to a significant part; other verdicts need none. A whole
that is the same may be significant, too."""


def repeatability(
    p: float | None, verdict: Verdict, alpha: float, noun: str = "step", *, apart: bool = False, too_few: bool = False,
    paced: PacedChange | None = None,
) -> str:  # fmt: skip
    """How repeatable a change is, in words; the size itself is exact. `noun`: term for one sample; `apart`: the
    sides are completely separated, which has a probability of at most alpha by chance; `too_few`: that probability
    is larger; `paced`: the change at equal machine speed, if known."""
    if p is None:
        return f"size certain, {REPEATABILITY_UNKNOWN} (only one {noun} on a side)"
    if p <= alpha:
        whole = _WHOLE.get(verdict, "")
        rest = f"; the {noun} time as a whole {whole}" if whole else ""
        if paced is not None and paced.is_gone(alpha):
            rest += f"; at equal machine speed {signed_time(paced.us)} ({p_text(paced.p)})"
        return f"significant over {noun}s ({p_text(p)}){rest}"
    if apart:
        return f"no overlap between the {noun}s of the two sides"
    if too_few:
        return f"no overlap between the two sides; {REPEATABILITY_UNKNOWN}: too few {noun}s to test ({p_text(p)})"
    shown = paced is not None and paced.is_shown(alpha)
    rest = f", but significant at equal machine speed ({p_text(paced.p)})" if paced is not None and shown else ""
    return f"{WITHIN_SPREAD} {noun}s ({p_text(p)}){rest}"
