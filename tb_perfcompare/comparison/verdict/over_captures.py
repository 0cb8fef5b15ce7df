"""What several captures of a side add to the verdict, in figures and words."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, p_text
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import capture_counts, captures_needed, detectable
from tb_perfcompare.comparison.statistics.estimate import LARGEST_EXPONENT, ShiftEstimate
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, Settled
from tb_perfcompare.comparison.verdict.words import Words, least_change, percent_range, signed_percent
from tb_perfcompare.number_text import percent


def widen(estimate: ShiftEstimate) -> bool:
    """Whether the interval over captures is wider than that over steps alone."""
    return estimate.theta_low < estimate.steps_low or estimate.theta_high > estimate.steps_high


def captures_to_decide(estimate: ShiftEstimate, margin: float) -> int | None:
    """Captures per side that would separate the estimated change from the threshold, or resolve the threshold if the
    estimate is below twice that. None if the variation between captures is unknown, or no number is enough."""
    between = estimate.between
    if between is None:
        return None
    limit = math.log1p(margin)
    change = max(limit, abs(estimate.theta) - limit)
    least = captures_needed(float(between.deviation[0]), change, estimate.alpha)
    return None if least is None else max(least, MIN_CONCLUSIVE_CAPTURES)


def detectable_fraction(estimate: ShiftEstimate) -> float | None:
    """Smallest change that steps and captures detect with a power of about 80 %; None if it overflows a float."""
    between = estimate.between
    by_steps = estimate.detectable
    if between is None or by_steps is None:
        return by_steps
    deviation, degrees_of_freedom = float(between.deviation[0]), float(between.degrees_of_freedom[0])
    exponent = detectable(deviation, degrees_of_freedom, between.counts, estimate.alpha)
    return max(by_steps, math.expm1(exponent)) if exponent < LARGEST_EXPONENT else None


def floor_fraction(settled: Settled) -> float | None:
    """The noise floor as a fraction above zero, taken in the direction of the estimate: 25 % more is 20 % less."""
    if settled.floor is None:
        return None
    return abs(fraction_of(math.copysign(settled.floor, settled.estimate.theta)))


def weakened_clause(settled: Settled, words: Words) -> str:
    """Clause for a verdict weakened by captures: "but captures of one run vary by 13.1 %; 95 % CI over captures
    -1.20 to +19.4 %"."""
    estimate = settled.estimate
    clause = f"but captures of one run vary by {_floor(settled)}"
    if widen(estimate):
        clause += f"; {words.level} over captures {percent_range(estimate.theta_low, estimate.theta_high)}"
    return clause


def bounded(settled: Settled, words: Words) -> str:
    """Clause for a verdict that rests on a lower bound: "typical step at least +41.0 %: every candidate capture is
    above every baseline capture; 95 % CI over captures ..."."""
    estimate = settled.estimate
    assert settled.bound is not None
    above = "above" if settled.bound > 0 else "below"
    if settled.apart:
        why = f"every candidate capture is {above} every baseline capture"
    else:
        why = f"{words.level} with one deviation for both sides"
    of = " of its kind" if estimate.kinds else words.of
    clause = f"typical {words.noun}{of} at least {signed_percent(settled.bound)}: {why}"
    return f"{clause}; {words.level} over captures {percent_range(estimate.theta_low, estimate.theta_high)}"


def adequacy(settled: Settled) -> str:
    """Clause on the smallest change that this many captures can detect."""
    estimate = settled.estimate
    assert estimate.between is not None
    counts = estimate.between.counts
    detected = least_change(detectable_fraction(estimate))
    return f"; captures of one run vary by {_floor(settled)}, so {counts[0]} and {counts[1]} of them detect {detected}"


def scope(settled: Settled, captures: Captures, median_p: float | None) -> str:
    """What the verdict applies to: these captures only, or the configurations that they sample. median_p: p of the
    test of the captures' medians, if both sides have at least three captures."""
    counts = capture_counts(captures)
    if settled.floor is None:
        if settled.verdict in (Verdict.INCONCLUSIVE, Verdict.SAME):
            return _ABOUT_THESE
        return "one capture per side: these two captures differ, not necessarily the configurations"
    clause = f"{counts[0]} and {many(counts[1], 'capture')}; those of one run vary by {_floor(settled)}"
    if min(counts) < MIN_CONCLUSIVE_CAPTURES:
        clause += ", which a difference has to exceed"
    if 1 in counts:
        clause += f"; the {SIDES[counts.index(1)]} is one capture, assumed to vary as much"
    if median_p is not None:
        clause += f"; medians of captures: {p_text(median_p)}"
    return clause


def scope_of_identical(captures: Captures) -> str:
    """Scope of a comparison of identical step times."""
    counts = capture_counts(captures)
    return _ABOUT_THESE if counts == (1, 1) else f"{counts[0]} and {many(counts[1], 'capture')}"


_ABOUT_THESE = "one capture per side: this holds for these two captures, not necessarily for the configurations"


def _floor(settled: Settled) -> str:
    fraction = floor_fraction(settled)
    assert fraction is not None
    return percent(fraction)
