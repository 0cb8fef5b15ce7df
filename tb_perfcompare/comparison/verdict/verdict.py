"""From two samples of step times to the headline: the verdict, its reason, what it holds for.

The interval of the shift is held against the margin, then against how far captures of one side differ among
themselves. Rules and their error rates: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tb_perfcompare.comparison.comparison import Headline, Shift, Verdict
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.statistics.estimate import LONGEST_STEP_NS, ShiftEstimate, estimate_shift, fraction_of
from tb_perfcompare.comparison.statistics.mean_effect import bootstrap_mean_effect, exact_mean, share_of_outliers
from tb_perfcompare.comparison.statistics.noise_floor import Captures, median_test, noise_floor
from tb_perfcompare.comparison.verdict import reason

SLACK = 1e-12
"""What rounding of logarithms may do; a shift of exactly the margin is inside it, whatever the clock's unit."""

_LESS_SURE = {Verdict.SLOWER: Verdict.PROBABLY_SLOWER, Verdict.FASTER: Verdict.PROBABLY_FASTER}

_Sides = tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]


def judge(
    baseline_ns: ArrayLike,
    baseline_capture: ArrayLike,
    candidate_ns: ArrayLike,
    candidate_capture: ArrayLike,
    options: CompareOptions,
    *,
    metric: str = "step_time",
    labels: tuple[Sequence[str], Sequence[str]] | None = None,
    captures_are: str = "spans",
) -> Headline:
    """The headline of two samples: times in ns in time order within each capture, and the capture of every time.

    labels        names of the steps per side, for sentences; without them steps are counted from 1
    captures_are  what several captures of a side are called: spans, workers, captures
    Never raises for what is in the samples: nothing to compare gives `inconclusive` with the reason.
    """
    sides = _times(baseline_ns), _times(candidate_ns)
    captures = np.asarray(baseline_capture, dtype=np.int32), np.asarray(candidate_capture, dtype=np.int32)
    words = reason.Words(metric, captures_are, labels, options)
    baseline, candidate = sides
    if baseline is not None and candidate is not None:
        times = baseline, candidate
        if len(baseline) and np.array_equal(np.sort(baseline), np.sort(candidate)):
            return _identical(times, captures, words)
        if not reason.why_unusable(times, words):
            return _judged(times, captures, words)
    return _unjudged(sides, (np.size(baseline_ns), np.size(candidate_ns)), words)


def decide(estimate: ShiftEstimate, margin: float) -> Verdict:
    """The verdict from the interval of the shift against the margin, or from the whole range with too few steps.

    The margin on the faster side is 1/(1 + margin) - 1, so that exchanging the sides exchanges the verdicts.
    """
    limit = math.log1p(margin) + SLACK
    low, high = estimate.theta_low, estimate.theta_high
    if estimate.level is None and estimate.p > estimate.alpha:
        return Verdict.INCONCLUSIVE
    if low > limit:
        return Verdict.SLOWER
    if high < -limit:
        return Verdict.FASTER
    if estimate.level is None:
        return Verdict.INCONCLUSIVE
    if -limit <= low and high <= limit:
        return Verdict.SAME
    if low > SLACK:
        return Verdict.PROBABLY_SLOWER
    if high < -SLACK:
        return Verdict.PROBABLY_FASTER
    return Verdict.INCONCLUSIVE


def hold_against_floor(verdict: Verdict, estimate: ShiftEstimate, margin: float, floor: float | None) -> Verdict:
    """What is left of a verdict when captures of one side differ by up to `floor` (of ln(time)) anyway.

    An interval beyond the floor keeps its verdict. If only the estimate is beyond, slower becomes probably slower.
    Anything less is inconclusive, and so is `same` when captures differ by more than the margin.
    """
    if floor is None or verdict is Verdict.INCONCLUSIVE:
        return verdict
    if verdict is Verdict.SAME:
        return Verdict.INCONCLUSIVE if floor > math.log1p(margin) + SLACK else verdict
    if max(estimate.theta_low, -estimate.theta_high) > floor:
        return verdict
    if verdict in _LESS_SURE and abs(estimate.theta) > floor:
        return _LESS_SURE[verdict]
    return Verdict.INCONCLUSIVE


def _judged(times: tuple[NDArray[np.int64], NDArray[np.int64]], captures: Captures, words: reason.Words) -> Headline:
    options = words.options
    estimate = estimate_shift(*times, options.alpha, captures=captures)
    floor = noise_floor(times, captures)
    alone = decide(estimate, options.margin)
    verdict = hold_against_floor(alone, estimate, options.margin, floor)
    sentence = reason.because(alone, estimate, words)
    floor_clause = None if floor is None else reason.floor_clause(floor, estimate, words)
    if verdict is not alone:
        sentence += f", but {floor_clause}"
    if estimate.mean_disagrees(options.margin):
        interval = bootstrap_mean_effect(
            *times, options.alpha, seed=options.seed, resamples=options.resamples, rho=estimate.rho
        )
        sentence += reason.mean_disagrees(estimate, interval, share_of_outliers(*times, estimate.outliers), words)
    return _headline(
        times,
        words,
        n=(len(times[0]), len(times[1])),
        shift=_shift(estimate),
        p=None if estimate.n == (1, 1) else estimate.p,
        verdict=verdict,
        reason=sentence,
        inflation=estimate.inflation,
        scope=reason.scope(verdict, captures, words, floor_clause, median_test(times, captures)),
        method=reason.method(estimate, words),
    )


def _times(values: ArrayLike) -> NDArray[np.int64] | None:
    """int64 ns, or None when a value is no finite number of nanoseconds below 2**62."""
    given = np.asarray(values)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.dtype.kind == "f":
        return np.rint(given).astype(np.int64) if bool((np.abs(given) < LONGEST_STEP_NS).all()) else None
    if given.dtype.kind not in "iu" or int(given.max()) >= LONGEST_STEP_NS or int(given.min()) <= -LONGEST_STEP_NS:
        return None
    return given.astype(np.int64)


def _shift(estimate: ShiftEstimate) -> Shift:
    return Shift(
        estimate=fraction_of(estimate.theta),
        low=fraction_of(estimate.theta_low),
        high=fraction_of(estimate.theta_high),
        estimate_us=float(estimate.difference.estimate_ns / 1000),
        low_us=estimate.difference.low_ns / 1000,
        high_us=estimate.difference.high_ns / 1000,
        level=estimate.level,
    )


def _identical(times: tuple[NDArray[np.int64], NDArray[np.int64]], captures: Captures, words: reason.Words) -> Headline:
    """Nothing is estimated from equal samples: the shift is zero and so is its interval, at level 1."""
    return _headline(
        times,
        words,
        n=(len(times[0]), len(times[1])),
        shift=Shift(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, level=1.0),
        p=1.0,
        verdict=Verdict.SAME,
        reason=reason.identical(len(times[0]), words),
        inflation=1.0,
        scope=reason.scope(Verdict.SAME, captures, words),
        method=f"comparison of the {words.noun} times one by one; no test",
    )


def _unjudged(sides: _Sides, n: tuple[int, int], words: reason.Words) -> Headline:
    return _headline(
        sides,
        words,
        n=n,
        shift=None,
        p=None,
        verdict=Verdict.INCONCLUSIVE,
        reason=reason.why_unusable(sides, words),
        inflation=1.0,
        scope="nothing was compared",
        method="no test",
    )


def _headline(
    sides: _Sides,
    words: reason.Words,
    *,
    n: tuple[int, int],
    shift: Shift | None,
    p: float | None,
    verdict: Verdict,
    reason: str,
    inflation: float,
    scope: str,
    method: str,
) -> Headline:
    """Means are exact and rounded once; delta is the difference of the exact means, rounded once."""
    a, b = (exact_mean(side) if side is not None and len(side) else None for side in sides)
    ratio = float(b / a) if a is not None and b is not None and a > 0 and b > 0 else None
    return Headline(
        metric=words.metric,
        unit="us",
        baseline=_us(a),
        candidate=_us(b),
        delta=None if a is None or b is None else _us(b - a),
        ratio=ratio,
        shift=shift,
        p=p,
        n=n,
        verdict=verdict,
        reason=reason,
        margin=words.options.margin,
        inflation=inflation,
        scope=scope,
        method=method,
    )


def _us(ns: Fraction | None) -> float | None:
    return None if ns is None else float(ns / 1000)
