"""The headline in words. Clauses start in lower case and have no full stop, to stand after the verdict's word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.comparison import Verdict
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate, fraction_of
from tb_perfcompare.comparison.statistics.noise_floor import Captures, capture_counts
from tb_perfcompare.comparison.statistics.rank_test import EXACT_LIMIT, INFLATION_IGNORED

_NOUNS = {"step_time": "step", "cycle_time": "cycle", "kernel_time": "recording"}
_SIDES = ("baseline", "candidate")
_NAMED_STEPS = 5
_SURE = frozenset({Verdict.SLOWER, Verdict.FASTER})
_PROBABLE = frozenset({Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER})


@dataclass(frozen=True, slots=True)
class Words:
    """What sentences call things: metric, captures_are and labels as in verdict.judge."""

    metric: str
    captures_are: str
    labels: tuple[Sequence[str], Sequence[str]] | None
    options: CompareOptions

    @property
    def noun(self) -> str:
        """What one sample is: step, cycle, recording."""
        return _NOUNS.get(self.metric, "step")

    @property
    def margin(self) -> str:
        """ "the margin of 1 %"."""
        return f"the margin of {100 * self.options.margin:g} %"

    @property
    def level(self) -> str:
        """ "95 %"."""
        return f"{100 * (1 - self.options.alpha):g} %"


def because(verdict: Verdict, estimate: ShiftEstimate, words: Words) -> str:
    """Why the interval against the margin gives `verdict`."""
    noun = words.noun
    if estimate.n == (1, 1):
        return f"one {noun} each: the size of the difference is certain, its repeatability is not known"
    if estimate.level is None:
        return _because_of_range(verdict, estimate, words)
    interval = f"the {words.level} interval, {_ends(estimate)}"
    if verdict in _SURE:
        return f"the typical {noun} takes {_change(estimate.theta)} and {interval}, lies beyond {words.margin}"
    if verdict in _PROBABLE:
        return (
            f"the typical {noun} takes {_change(estimate.theta)}; {interval}, leaves out no change "
            f"but reaches into {words.margin}"
        )
    if verdict is Verdict.SAME:
        return f"{interval}, lies inside {words.margin}"
    adequacy = _adequacy(estimate, words)
    return f"{interval}, holds no change as well as changes beyond {words.margin}{adequacy}"


def _because_of_range(verdict: Verdict, estimate: ShiftEstimate, words: Words) -> str:
    noun = words.noun
    if verdict in _SURE:
        return (
            f"the typical {noun} takes {_change(estimate.theta)} and all pairs of {noun}s differ by more than "
            f"{words.margin}, {_ends(estimate)} (range, n too small for an interval; p = {estimate.p:.2g})"
        )
    clause = f"range, n too small: {_counted(estimate, words)} give no {words.level} interval"
    if estimate.p_min > estimate.alpha:
        clause += f" and no p below {estimate.p_min:.2g}"
    elif estimate.inflation > INFLATION_IGNORED:
        clause += f" as neighbouring {noun}s resemble each other"
    return f"{clause}; all pairs of {noun}s differ by {_ends(estimate)}{_needed(estimate, words)}"


def _adequacy(estimate: ShiftEstimate, words: Words) -> str:
    """What these steps can show, and how many would settle the margin."""
    detectable = estimate.detectable
    if detectable is None:
        return "; the spread is too large to say how many would tell"
    clause = f"; {_counted(estimate, words)} like these show changes from {_percent(detectable)} on"
    return clause + _needed(estimate, words) if detectable > words.options.margin else clause


def _needed(estimate: ShiftEstimate, words: Words) -> str:
    """How many steps would settle the margin, "" when that many were taken or no number is enough."""
    steps = estimate.steps_needed(words.options.margin)
    if steps is None or steps <= min(estimate.n):
        return ""
    return f"; about {steps:,} {words.noun}s per side would show {words.margin}"


def floor_clause(floor: float, estimate: ShiftEstimate, words: Words) -> str:
    """ "spans of one run differ by up to 13.1 %", the percentage taken in the direction of the estimate."""
    fraction = fraction_of(math.copysign(floor, estimate.theta))
    return f"{words.captures_are} of one run differ by up to {_percent(abs(fraction))}"


def mean_disagrees(
    estimate: ShiftEstimate, interval: tuple[float, float] | None, share: float | None, words: Words
) -> str:
    """Added when the mean tells another story than the typical step.

    interval: of ln(mean / mean) by resampling; share: of the difference of the means, what outlying steps make.
    """
    named = [_named(side, estimate, words) for side in (0, 1) if estimate.outliers[side]]
    clause = "; tail-driven: the mean" if named else "; the mean"
    clause += f" changes by {_signed(estimate.log_mean_ratio)}"
    if interval is not None and min(estimate.n) > 1:
        clause += f" ({words.level} interval {_signed(interval[0])} to {_signed(interval[1])})"
    clause += f", the typical {words.noun} by {_signed(estimate.theta)}"
    if named:
        clause += f"; far above the others: {' and '.join(named)}"
        if share is not None and share > 0:
            clause += f", {_percent(share)} of the difference of the means"
    return clause


def _named(side: int, estimate: ShiftEstimate, words: Words) -> str:
    """ "candidate steps 9, 10"."""
    indices = estimate.outliers[side]
    names = [words.labels[side][i] if words.labels else str(i + 1) for i in indices[:_NAMED_STEPS]]
    more = f" and {len(indices) - _NAMED_STEPS:,} more" if len(indices) > _NAMED_STEPS else ""
    return f"{_SIDES[side]} {words.noun}{'s' if len(indices) > 1 else ''} {', '.join(names)}{more}"


def identical(count: int, words: Words) -> str:
    """Both sides hold the same times."""
    if count == 1:
        return f"one {words.noun} each, of exactly the same length"
    return f"both sides have exactly the same {count:,} {words.noun} times"


def why_unusable(sides: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None], words: Words) -> str:
    """Why the samples cannot be compared, "" when they can. None stands for times that are no numbers."""
    clauses = []
    for name, side in zip(_SIDES, sides, strict=True):
        if side is None:
            clauses.append(f"the {words.noun} times of the {name} are not all finite numbers below 2^62 ns")
        elif len(side) == 0:
            clauses.append(f"the {name} has no {words.noun} to compare")
        elif wrong := int((side <= 0).sum()):
            clauses.append(f"{wrong:,} of {len(side):,} {words.noun} times of the {name} are not above zero")
    return "; ".join(clauses)


def scope(
    verdict: Verdict, captures: Captures, words: Words, floor: str | None = None, median_p: float | None = None
) -> str:
    """What the verdict is about: these captures, or what they are captures of.

    floor     the floor_clause, when a side has two captures
    median_p  p of the medians of captures, when both sides have three
    """
    counts = capture_counts(captures)
    if counts == (1, 1):
        if verdict in _SURE | _PROBABLE:
            return "one capture per side: these two captures differ, not necessarily the configurations"
        return "one capture per side: this is about these two captures, not necessarily about the configurations"
    clause = f"{counts[0]} and {counts[1]} captures"
    if floor:
        clause += f": {floor}, and a difference has to be larger"
    if 1 in counts:
        clause += f"; the {_SIDES[counts.index(1)]} is one capture, how far others of it would differ is not known"
    if median_p is not None:
        clause += f"; medians of {words.captures_are}: p = {median_p:.2g}"
    return clause


def method(estimate: ShiftEstimate, words: Words) -> str:
    """Tests used, in words."""
    if estimate.n == (1, 1):
        return f"difference of two {words.noun}s; no test"
    clauses = [f"Hodges-Lehmann shift of the logarithms of {words.noun} times"]
    what = "Mann-Whitney p" if estimate.level is None else "Mann-Whitney interval and p"
    if estimate.exact:
        clauses.append(f"exact {what}")
    elif estimate.inflation > INFLATION_IGNORED:
        clauses.append(f"{what} in normal approximation, widened {estimate.inflation:.2f} times for autocorrelation")
    else:
        cause = f"more than {EXACT_LIMIT} {words.noun}s" if max(estimate.n) > EXACT_LIMIT else "ties"
        clauses.append(f"{what} in normal approximation ({cause})")
    if estimate.level is None:
        clauses.append("range of all pairs instead of an interval")
    clauses.append(f"Cliff's delta {estimate.cliffs_delta:+.2f} ({estimate.effect_word})")
    return "; ".join(clauses)


def _counted(estimate: ShiftEstimate, words: Words) -> str:
    return f"{estimate.n[0]:,} and {estimate.n[1]:,} {words.noun}s"


def _ends(estimate: ShiftEstimate) -> str:
    return f"{_signed(estimate.theta_low)} to {_signed(estimate.theta_high)}"


def _change(theta: float) -> str:
    return f"{_percent(abs(fraction_of(theta)))} {'longer' if theta > 0 else 'less'}"


def _signed(theta: float) -> str:
    fraction = fraction_of(theta)
    return f"{'+' if fraction > 0 else '-' if fraction < 0 else ''}{_percent(abs(fraction))}"


def _percent(fraction: float) -> str:
    """Three significant digits from 1 % on, two decimals below; never rounded to a zero that it is not."""
    value = 100 * fraction
    if value >= 1e6:
        return f"{value:.2e} %"
    if 0 < value < 0.005:
        return f"{value:.1g} %"
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f} %"
