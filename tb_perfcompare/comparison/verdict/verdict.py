"""Builds the headline from two samples of step times: verdict, reason, scope. Definitions:
docs/method/statistics.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tb_perfcompare.comparison.kinds.strata import Strata, WithinKinds
from tb_perfcompare.comparison.result.headline import Certainty, Headline, Recorded, Shift, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import capture_counts, median_test
from tb_perfcompare.comparison.statistics.estimate import LONGEST_STEP_NS, ShiftEstimate
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean, mean_interval, share_of_outliers
from tb_perfcompare.comparison.verdict import over_captures, reason
from tb_perfcompare.comparison.verdict.rules import Settled, settle
from tb_perfcompare.comparison.verdict.words import Words
from tb_perfcompare.model.arrays import SideTimes, each_side

_Sides = tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]


def judge(
    times_ns: tuple[ArrayLike, ArrayLike],
    captures: tuple[ArrayLike, ArrayLike],
    options: CompareOptions,
    *,
    metric: str = "step_time",
    labels: tuple[Sequence[str], Sequence[str]] | None = None,
    strata: Strata | None = None,
    of: str = "",
) -> Headline:
    """Builds the headline of two samples of times in ns, in time order within each capture, and the capture of each.

    labels  names of the steps per side, for sentences; without them steps are counted from 1
    strata  kinds of steps, which are compared within their kinds
    of      what the times are of, for sentences: " at equal work"; "" for whole steps as recorded

    Never raises for the content of the samples: if nothing can be compared, the verdict is `inconclusive` with the
    reason.
    """
    sides = each_side(_times, times_ns)
    capture_of = each_side(partial(np.asarray, dtype=np.int32), captures)
    words = Words(metric, labels, options, of)
    baseline, candidate = sides
    if baseline is not None and candidate is not None:
        times = baseline, candidate
        if len(baseline) and np.array_equal(np.sort(baseline), np.sort(candidate)):
            return _identical(times, capture_of, words)
        if not reason.why_unusable(times, words):
            return _judged(times, capture_of, words, strata)
    return _headline(
        sides, words, n=each_side(np.size, times_ns), verdict=Verdict.INCONCLUSIVE,
        reason=reason.why_unusable(sides, words), scope="nothing was compared", method="no test",
    )  # fmt: skip


def _judged(times: SideTimes, captures: Captures, words: Words, strata: Strata | None) -> Headline:
    options = words.options
    settled = settle(times, captures, options, strata=strata)
    estimate = settled.estimate
    mean = mean_interval(
        times, captures, options.alpha, seed=options.seed, resamples=options.resamples, rho=estimate.rho
    )
    sentence = reason.explain_verdict(settled, words)
    level, capture_of, named = (times, captures, words) if settled.within is None else _by_kind(settled.within, words)
    single_kind = settled.within is None
    share = share_of_outliers(*times, estimate.outliers) if single_kind else None
    if estimate.mean_disagrees(options.margin):
        sentence += reason.mean_disagrees(estimate, mean if single_kind else None, share, named)
    return _headline(
        times,
        words,
        n=(len(times[0]), len(times[1])),
        shift=_shift(estimate),
        p=None if estimate.n == (1, 1) else estimate.p,
        verdict=settled.verdict,
        reason=sentence,
        inflation=estimate.widening,
        scope=over_captures.scope(settled, capture_of, median_test(level, capture_of)),
        method=reason.method(estimate, words),
        certainty=_certainty(
            settled, capture_of, mean, reason.is_tail_driven(estimate, share, options.margin), options
        ),
        bound=settled.bound,
    )


def _by_kind(within: WithinKinds, words: Words) -> tuple[SideTimes, Captures, Words]:
    """SideTimes relative to those of their kinds, their captures, and Words with the labels of these steps."""
    if words.labels is None:
        return within.level, within.captures, words
    labels = each_side(lambda side, own: [side[at] for at in own.tolist()], words.labels, within.kept)
    return within.level, within.captures, replace(words, labels=labels)


def _certainty(
    settled: Settled, captures: Captures, mean: tuple[float, float] | None, tail_driven: bool, options: CompareOptions
) -> Certainty:
    estimate = settled.estimate
    mean_low, mean_high = (None, None) if mean is None else map(fraction_of, mean)
    return Certainty(
        effect_size=estimate.cliffs_delta,
        effect=estimate.effect_word,
        mean_low=mean_low,
        mean_high=mean_high,
        tail_driven=tail_driven,
        autocorrelation=estimate.rho,
        detectable=over_captures.detectable_fraction(estimate),
        steps_needed=estimate.steps_needed(options.margin),
        captures=capture_counts(captures),
        noise_floor=over_captures.floor_fraction(settled),
        captures_needed=over_captures.captures_to_decide(estimate, options.margin),
    )


def _times(values: ArrayLike) -> NDArray[np.int64] | None:
    """Converts times to int64 ns; None if a value is not a finite number of nanoseconds below 2**62."""
    given = np.asarray(values)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.dtype.kind == "f":
        return np.rint(given).astype(np.int64) if bool((np.abs(given) < LONGEST_STEP_NS).all()) else None
    if given.dtype.kind not in "iu" or int(given.max()) >= LONGEST_STEP_NS or int(given.min()) <= -LONGEST_STEP_NS:
        return None
    return given.astype(np.int64)


def _shift(estimate: ShiftEstimate) -> Shift:
    assert estimate.difference is not None
    return Shift(
        estimate=fraction_of(estimate.theta),
        low=fraction_of(estimate.theta_low),
        high=fraction_of(estimate.theta_high),
        estimate_us=float(estimate.difference.estimate_ns / 1000),
        low_us=estimate.difference.low_ns / 1000,
        high_us=estimate.difference.high_ns / 1000,
        level=estimate.level,
        mean=fraction_of(estimate.log_mean_ratio),
    )


def _identical(times: SideTimes, captures: Captures, words: Words) -> Headline:
    """Headline of identical samples: the shift is zero and so is its interval, at level 1."""
    return _headline(
        times,
        words,
        n=(len(times[0]), len(times[1])),
        shift=Shift(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, level=1.0),
        p=1.0,
        verdict=Verdict.SAME,
        reason=reason.identical(len(times[0]), words),
        scope=over_captures.scope_of_identical(captures),
        method=f"comparison of the {words.noun} times one by one; no test",
    )


def _headline(
    sides: _Sides,
    words: Words,
    *,
    n: tuple[int, int],
    verdict: Verdict,
    reason: str,
    scope: str,
    method: str,
    shift: Shift | None = None,
    p: float | None = None,
    inflation: float = 1.0,
    certainty: Certainty | None = None,
    bound: float | None = None,
) -> Headline:
    """Builds the headline. Means are exact and rounded once; delta is the difference of the exact means, rounded
    once."""
    a, b = (exact_mean(side) / 1000 if side is not None and len(side) else None for side in sides)
    ratio = float(b / a) if a is not None and b is not None and a > 0 and b > 0 else None
    typical, low, high = (None, None, None) if shift is None else (shift.estimate, shift.low, shift.high)
    return Headline(
        metric=words.metric,
        unit="us",
        baseline=None if a is None else float(a),
        candidate=None if b is None else float(b),
        delta=None if a is None or b is None else float(b - a),
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
        certainty=certainty,
        recorded=Recorded(verdict, typical, low, high, p, None if bound is None else fraction_of(bound)),
    )
