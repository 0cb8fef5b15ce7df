"""The reason that follows the verdict: clauses in lower case, without a full stop. The first clause is the headline,
at most twelve words and its figures; the rest says how far it can be trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import p_text
from tb_perfcompare.comparison.statistics.estimate import ShiftEstimate
from tb_perfcompare.comparison.statistics.rank_test import EXACT_LIMIT
from tb_perfcompare.comparison.verdict import over_captures
from tb_perfcompare.comparison.verdict.rules import Settled
from tb_perfcompare.comparison.verdict.words import (
    Words,
    least_change,
    percent_range,
    percent_with_range,
    signed_percent,
)
from tb_perfcompare.number_text import count, listed, number, p_value, setting

_NAMED_STEPS = 3
TAIL_SHARE = 0.5
"""Least fraction of the difference of the means due to outlying steps at which these, not all steps, make it."""


def explain_verdict(settled: Settled, words: Words) -> str:
    """Explains the verdict: the interval over steps, then the effect of captures on it."""
    estimate = settled.estimate
    if settled.bound is not None:
        return over_captures.bounded(settled, words)
    if settled.verdict is not settled.by_steps:
        return f"{_lead(estimate.by_steps, words)}, {over_captures.weakened_clause(settled, words)}"
    sentence = _interval_clause(settled.verdict, estimate, words)
    if settled.verdict is not Verdict.INCONCLUSIVE or estimate.level is None:
        return sentence
    # detectable change, from whichever of steps and captures makes the interval wide
    if over_captures.widen(estimate):
        return sentence + over_captures.adequacy(settled)
    return sentence + _adequacy(estimate, words)


def _interval_clause(verdict: Verdict, estimate: ShiftEstimate, words: Words) -> str:
    """Explains the verdict by the position of the interval relative to the threshold."""
    noun = words.noun
    if estimate.n == (1, 1):
        size = signed_percent(estimate.theta)
        return f"one {noun} per side, {size}; the size is certain, its repeatability is not"
    if estimate.level is None and not verdict.is_sure:
        return _too_few(estimate, words)
    lead, towards = _lead(estimate, words), words.threshold_towards(estimate.theta)
    below = "below" if estimate.theta >= 0 else "above"
    if verdict.is_sure:
        return f"{lead}{_small_sample_clause(estimate, words)}"
    if verdict.is_probable:
        return f"{lead}, partly {below} {towards}"
    return f"{lead}, within {words.both_thresholds}" if verdict is Verdict.SAME else lead


def _small_sample_clause(estimate: ShiftEstimate, words: Words) -> str:
    """What decides if there are too few steps for an interval; "" otherwise."""
    if estimate.level is not None:
        return ""
    if estimate.p <= estimate.alpha:
        return f"; n too small for a {words.level}, {p_text(estimate.p)}"
    return f"; n too small for a {words.level} or a rank test, but the gap is wider than both samples"


def _lead(estimate: ShiftEstimate, words: Words) -> str:
    """Estimate with its interval: "typical step +19.4 % (95 % CI +18.0 to +20.1 %)"; the range of all pairs if
    there is no interval."""
    of = " of its kind" if estimate.kinds else words.of
    if estimate.level is None:
        change = percent_with_range(estimate.theta, estimate.steps_low, estimate.steps_high, "all pairs")
    else:
        change = percent_with_range(estimate.theta, estimate.theta_low, estimate.theta_high, words.level)
    return f"typical {words.noun}{of} {change}"


def _too_few(estimate: ShiftEstimate, words: Words) -> str:
    few = f"too few {words.noun}s for a {words.level} ({estimate.n[0]:,} and {estimate.n[1]:,})"
    clause = f"{few}, all pairs differ by {percent_range(estimate.steps_low, estimate.steps_high)}"
    return f"{clause}; p cannot be below {p_value(estimate.p_min)}" if estimate.p_min > estimate.alpha else clause


def _adequacy(estimate: ShiftEstimate, words: Words) -> str:
    """Smallest change that these steps can detect, and whether more steps would resolve the margin."""
    detectable = estimate.detectable
    if detectable is None:
        return f"; the spread is too large to say how many {words.noun}s are needed"
    counts = f"{estimate.n[0]:,} and {estimate.n[1]:,} {words.noun}s"
    clause = f"; {counts} like these detect {least_change(detectable)}"
    margin = words.options.margin
    if detectable > margin > 0 and estimate.steps_needed(margin) is None:
        clause += f"; more such {words.noun}s would not resolve {setting(margin)}"
    return clause


def is_tail_driven(estimate: ShiftEstimate, share: float | None, margin: float) -> bool:
    """Whether outlying steps, `share` of the difference of the means (None: unknown), make the mean change differently
    from the typical step."""
    return estimate.mean_disagrees(margin) and any(estimate.outliers) and (share is None or share >= TAIL_SHARE)


def mean_disagrees(
    estimate: ShiftEstimate, interval: tuple[float, float] | None, share: float | None, words: Words
) -> str:
    """Clause for a mean that changes differently from the typical step: because of outlying steps, beyond the interval
    of the typical step, or the other way; "" for any other difference.

    interval: of ln(mean / mean), by resampling; share: fraction of the difference of the means due to outlying steps.
    """
    tail_driven = is_tail_driven(estimate, share, words.options.margin)
    is_inside = estimate.theta_low <= estimate.log_mean_ratio <= estimate.theta_high
    if not tail_driven and is_inside and estimate.log_mean_ratio * estimate.theta >= 0:
        return ""
    change = signed_percent(estimate.log_mean_ratio)
    if interval is not None and min(estimate.n) > 1:
        change = percent_with_range(estimate.log_mean_ratio, *interval, words.level)
    mean = f"the mean{' within kinds' if estimate.kinds else ''}"
    if not tail_driven:
        return f"; {mean} changes by {change}"
    named = " and ".join(_named(side, estimate, words) for side in (0, 1) if estimate.outliers[side])
    return f"; a few long {words.noun}s move {mean} by {change}: {named}"


def _named(side: int, estimate: ShiftEstimate, words: Words) -> str:
    """Outlying steps of a side: "candidate steps 9, 10"."""
    indices = estimate.outliers[side]
    names = listed((words.labels[side][i] if words.labels else str(i + 1) for i in indices), _NAMED_STEPS)
    return f"{SIDES[side]} {words.noun}{'s' if len(indices) > 1 else ''} {names}"


def identical(count: int, words: Words) -> str:
    """Reason for sides with identical times."""
    if count == 1:
        return f"one {words.noun} each, of exactly the same length"
    return f"both sides have exactly the same {count:,} {words.noun} times"


def why_unusable(sides: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None], words: Words) -> str:
    """Returns why the samples cannot be compared, "" if they can. A side is None if its times are not finite
    numbers."""
    clauses = []
    for name, side in zip(SIDES, sides, strict=True):
        if side is None:
            clauses.append(f"the {words.noun} times of the {name} are not all finite numbers below 2^62 ns")
        elif len(side) == 0:
            clauses.append(f"the {name} has no {words.noun} to compare")
        elif wrong := int((side <= 0).sum()):
            clauses.append(f"{wrong:,} of {len(side):,} {words.noun} times of the {name} are not positive")
    return "; ".join(clauses)


def method(estimate: ShiftEstimate, words: Words) -> str:
    """Describes the tests used."""
    if estimate.n == (1, 1):
        return f"difference of two {words.noun}s; no test"
    clauses = [f"Hodges-Lehmann shift of the logarithms of {words.noun} times"]
    if estimate.kinds:
        clauses.append(f"within {estimate.kinds} kinds, weighted by their time")
    what = "Mann-Whitney p" if estimate.level is None else "Mann-Whitney interval and p"
    if estimate.kinds:
        widened = f", widened {number(estimate.widening)} times for autocorrelation" if estimate.widening > 1 else ""
        clauses.append(f"Mann-Whitney intervals of the kinds in quadrature{widened}")
    elif estimate.exact:
        clauses.append(f"exact {what}")
    elif estimate.widening > 1:
        clauses.append(f"{what}, widened {number(estimate.widening)} times for autocorrelation")
    else:
        cause = f"more than {EXACT_LIMIT} {words.noun}s" if max(estimate.n) > EXACT_LIMIT else "ties"
        clauses.append(f"{what} in normal approximation ({cause})")
    if estimate.level is None:
        clauses.append("range of all pairs instead of an interval")
    if estimate.between is not None:
        degrees_of_freedom = float(estimate.between.degrees_of_freedom[0])
        clauses.append(f"Student's interval over captures, degrees of freedom: {count(degrees_of_freedom)}")
    clauses.append(f"Cliff's delta {number(estimate.cliffs_delta, signed=True, most=2)} ({estimate.effect_word})")
    return "; ".join(clauses)
