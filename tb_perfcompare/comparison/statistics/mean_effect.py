"""Mean step: what the job pays for, its confidence interval, and the long steps that dominate it."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centers_of, row_means
from tb_perfcompare.model.arrays import Flags, Floats, Nanoseconds, SideTimes, median, quartiles

BLOCKS_FROM_RHO = 0.2
"""Rank autocorrelation from which neighboring steps are resampled together."""

BOOTSTRAP_LIMIT = 5000
"""Number of steps on both sides together above which nothing is resampled."""

LONG_STEPS = math.log(1.2)
"""ln of the least ratio of a long step to all others, and shift of the mean from which a few long steps may be the
change."""

MIN_STEPS = 6
"""Fewest steps among which some can be long."""

_CHUNK = 1_000_000  # drawn steps held at once


def exact_mean(times_ns: Nanoseconds) -> Fraction:
    """Mean in nanoseconds without rounding; at least one value."""
    return Fraction(sum(times_ns.tolist()), len(times_ns))


def outlying_steps(times_ns: Nanoseconds) -> tuple[int, ...]:
    """Indices of steps above the upper Tukey fence Q3 + 1.5 (Q3 - Q1), quartiles by linear interpolation."""
    if len(times_ns) < 4:
        return ()
    low, high = quartiles(times_ns)
    return tuple(np.flatnonzero(times_ns > high + 1.5 * (high - low)).tolist())


def long_steps(ln_times: Floats) -> Flags:
    """(n,) which steps, fewer than half, are long: further from all others than those are from each other."""
    order = np.sort(ln_times)
    least, size = len(order) // 2 + 1, len(order)
    gaps, widths = order[least:] - order[least - 1 : -1], order[least - 1 : -1] - order[:1]
    apart = np.flatnonzero((gaps >= LONG_STEPS) & (gaps >= widths)) + least
    return ln_times >= (order[apart[0]] if len(apart) and size >= MIN_STEPS else math.inf)


def fisher_p(one: tuple[int, int], two: tuple[int, int]) -> float:
    """Two-sided p of Fisher's exact test on (marked, all) of both sides, the one with the larger share first."""
    (own, n), (others, m) = one, two
    k = own + others
    least = sum(math.comb(n, marked) * math.comb(m, k - marked) for marked in range(own, min(k, n) + 1))
    return min(2 * least / math.comb(n + m, k), 1.0)


def share_of_outliers(
    baseline_ns: Nanoseconds,
    candidate_ns: Nanoseconds,
    outliers: tuple[tuple[int, ...], tuple[int, ...]],
) -> float | None:
    """Part of the difference of the means due to the outliers' excess over their side's median; None if the means
    are equal."""
    delta = exact_mean(candidate_ns) - exact_mean(baseline_ns)
    if delta == 0:
        return None
    excess = [
        sum((int(times[i]) - Fraction(float(median(times))) for i in indices), Fraction(0)) / len(times)
        for times, indices in zip((baseline_ns, candidate_ns), outliers, strict=True)
    ]
    return float((excess[1] - excess[0]) / delta)


def mean_interval(
    times: SideTimes,
    captures: Captures,
    alpha: float,
    *,
    seed: int,
    resamples: int,
    rho: float = 0.0,
) -> tuple[float, float] | None:
    """Interval of ln(mean candidate / mean baseline): by resampling steps and, if a side has several captures, by
    the spread of the captures' means, whichever reaches further at each end. None with one step on a side, or with
    too many steps."""
    if min(len(side) for side in times) < 2:
        return None
    by_steps = bootstrap_mean_effect(*times, alpha, seed=seed, resamples=resamples, rho=rho)
    if by_steps is None:
        return None
    means = centers_of((times[0][None], times[1][None]), captures, row_means)
    between = between_captures(np.log(means[0]), np.log(means[1]), alpha)
    return by_steps if between is None else between.hull(*by_steps)


def bootstrap_mean_effect(
    baseline_ns: Nanoseconds,
    candidate_ns: Nanoseconds,
    alpha: float,
    *,
    seed: int,
    resamples: int,
    rho: float = 0.0,
) -> tuple[float, float] | None:
    """Percentile interval of ln(mean candidate / mean baseline) for positive times; None with too many steps.

    Each side draws from a random stream that depends on the seed and its own values, so that exchanging the sides
    negates and exchanges the ends exactly.
    """
    if len(baseline_ns) + len(candidate_ns) > BOOTSTRAP_LIMIT:
        return None
    drawn = [
        np.log(_resampled_means(times, seed, resamples, blocks=rho > BLOCKS_FROM_RHO))
        for times in (baseline_ns, candidate_ns)
    ]
    effects = np.sort(drawn[1] - drawn[0])
    rank = max(1, math.floor(resamples * alpha / 2))
    return float(effects[rank - 1]) + 0.0, float(effects[resamples - rank]) + 0.0


def _resampled_means(times_ns: Nanoseconds, seed: int, resamples: int, *, blocks: bool) -> Floats:
    """(resamples,) means of steps drawn with replacement, singly or in blocks of ceil(n^(1/3)) neighbors."""
    steps = len(times_ns)
    length = math.ceil(steps ** (1 / 3)) if blocks else 1
    blocks_needed = math.ceil(steps / length)
    content = hashlib.blake2b(np.ascontiguousarray(times_ns).tobytes(), digest_size=16).digest()
    generator = np.random.default_rng([seed, int.from_bytes(content, "little")])
    values = times_ns.astype(np.float64)
    means = np.empty(resamples)
    chunk = max(1, _CHUNK // steps)
    for begin in range(0, resamples, chunk):
        count = min(chunk, resamples - begin)
        starts = generator.integers(0, steps - length + 1, size=(count, blocks_needed, 1))
        indices = (starts + np.arange(length)).reshape(count, -1)[:, :steps]
        means[begin : begin + count] = values[indices].mean(axis=1)
    return means
