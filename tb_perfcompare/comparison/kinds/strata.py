"""Steps by kind: the shift of the step time within kinds, weighted by the time that each kind takes.

A kind is only compared with itself, so that a different mix of kinds is no change, and a kind counts by its time,
however rare it is. Formulas and rates: docs/method/iterations.md#the-verdict-within-kinds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.kinds.split import OTHERS, MixSplit
from tb_perfcompare.comparison.statistics.autocorrelation import Captures, autocorrelation, independent
from tb_perfcompare.comparison.statistics.between_captures import (
    MIN_OWN_CAPTURES,
    BetweenCaptures,
    between_captures,
    capture_counts,
    centers,
    middle_half,
)
from tb_perfcompare.comparison.statistics.distributions import normal_quantile, quantile
from tb_perfcompare.comparison.statistics.estimate import (
    LARGEST_EXPONENT,
    RANK_EFFICIENCY,
    SIGMA_FLOOR,
    Difference,
    ShiftEstimate,
)
from tb_perfcompare.comparison.statistics.hodges_lehmann import shift_of, shift_of_ns
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean, outlying_steps
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test, interval_rank, smallest_p
from tb_perfcompare.comparison.statistics.samples import Samples
from tb_perfcompare.model.arrays import Flags, Floats, Ints, SidePair, SideTimes, median, unique
from tb_perfcompare.quick_dataclass import dataclass

MIN_SHARED = 0.5
"""Share of each side's time that kinds of both sides must take for a comparison within kinds."""

_MIN_DEGREES_OF_FREEDOM = 4
"""Fewest degrees of freedom for the deviation of kinds with few steps."""

_BITS, _MAX_BITS = 40, 61


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """`code`: kind of each observation of both sides, (n,) and (m,), numbered from 0 in the same way on both."""

    code: tuple[Ints, Ints]

    def only(self, kept: tuple[Flags, Flags]) -> Strata:
        """Returns only the observations marked in `kept`."""
        return Strata((self.code[0][kept[0]], self.code[1][kept[1]]))


def strata_of(split: MixSplit, seen: tuple[Samples, Samples]) -> Strata:
    """Kinds of the observations of both sides; for ranks of one job, the step's kind on the first rank. The merged
    rarer kinds are not one kind, so they get a different number on each side."""
    codes = []
    for number, (steps, side) in enumerate(zip((split.baseline, split.candidate), seen, strict=True)):
        code = np.zeros(sum(map(len, steps)), dtype=np.int64)
        for kind, (name, places) in enumerate(zip(split.kinds, steps, strict=True)):
            code[places] = kind + number if name == OTHERS else kind
        codes.append(code[np.unique(side.group, return_index=True)[1]])
    return Strata((codes[0], codes[1]))


@dataclass(frozen=True, slots=True, eq=False)
class WithinKinds:
    """Steps of the kinds that both sides have, without the others.

    kept, times, captures  positions of these steps among all, their times and captures
    level    times relative to the typical one of their kind on both sides, in units of which that has about 2^40
    own      times relative to the typical one of their kind on their own side, in the same units
    places   positions of each kind among these steps, on both sides
    time     share of the time of kind k, mean of both sides
    count    share of the steps of kind k, mean of both sides
    few      (k,) kinds with too few steps for an interval of their own
    sigma    deviation of ln(time) within these, with its degrees of freedom
    """

    kept: tuple[Ints, Ints]
    times: SideTimes
    captures: Captures
    level: SideTimes
    own: SideTimes
    places: tuple[tuple[Ints, Ints], ...]
    time: tuple[float, ...]
    count: tuple[Fraction, ...]
    few: tuple[bool, ...]
    sigma: float
    degrees_of_freedom: int

    def shift(
        self, alpha: float, *, variation_from: BetweenCaptures | None = None, at_pace: bool = False
    ) -> ShiftEstimate:
        """Shift as in estimate_shift: the shifts of the kinds, weighted by time."""
        captures_decide = min(capture_counts(self.captures)) >= MIN_OWN_CAPTURES
        likeness = autocorrelation(self.own[0][np.newaxis], self.own[1][np.newaxis], self.captures)
        neighbors = independent(1, sum(map(len, self.times))) if captures_decide else likeness
        widening = float(neighbors.widening(alpha)[0])
        theta, low_alone, high_alone = _combined(self, alpha)
        middle, below, above = (np.array([value]) for value in (theta, low_alone, high_alone))
        steps_low, steps_high = (float(end[0]) for end in neighbors.interval(middle, below, above, alpha))
        p = float(neighbors.p(middle, below, above, alpha)[0])
        between = between_captures(*self.centers(), alpha, variation_from=variation_from, shared=at_pace)
        low, high = steps_low, steps_high
        if between is not None:
            p = max(p, float(between.p[0]))
            low, high = between.hull(low, high)
        n, m = map(len, self.times)
        ranks = batched_rank_test(self.level[0][np.newaxis], self.level[1][np.newaxis], ordered=False)
        return ShiftEstimate(
            n=(n, m),
            theta=theta,
            theta_low=max(low, -LARGEST_EXPONENT),
            theta_high=min(high, LARGEST_EXPONENT),
            steps_low=max(steps_low, -LARGEST_EXPONENT),
            steps_high=min(steps_high, LARGEST_EXPONENT),
            difference=None if at_pace else _difference(self, alpha, widening),
            level=1 - alpha,
            exact=False,
            rho=float(likeness.rho[0]),
            inflation=float(likeness.inflation[0]),
            scale=float(neighbors.scale[0]),
            widening=widening,
            between=between,
            p=p,
            p_min=smallest_p(n, m),
            cliffs_delta=float(ranks.cliffs_delta[0]),
            sigma=self._sigma(high_alone - low_alone, alpha),
            alpha=alpha,
            log_mean_ratio=self._log_mean_ratio(),
            outliers=(outlying_steps(self.level[0]), outlying_steps(self.level[1])),
            kinds=len(self.places),
        )

    def _sigma(self, width: float, alpha: float) -> float:
        """Deviation at which as many steps of one kind would give an interval of this width."""
        error = width / 2 / normal_quantile(1 - alpha / 2)
        n, m = map(len, self.times)
        return max(error * math.sqrt(RANK_EFFICIENCY / (1 / n + 1 / m)), SIGMA_FLOOR)

    def centers(self) -> SidePair:
        """(1, k), (1, l): for each capture the center of ln(level) of each of its kinds, weighted by time."""
        return _centers(self, 0), _centers(self, 1)

    def _log_mean_ratio(self) -> float:
        def mean(side: int, kind: int) -> float:
            return math.log(exact_mean(self.times[side][self.places[kind][side]]))

        return math.fsum(weight * (mean(1, kind) - mean(0, kind)) for kind, weight in enumerate(self.time)) + 0.0


def within_kinds(times: SideTimes, captures: Captures, strata: Strata | None, alpha: float) -> WithinKinds | None:
    """Prepares a comparison within kinds; None if kinds of both sides take too little of the time, or there are
    none. Kinds with few steps count only if together they give a deviation."""
    if strata is None:
        return None
    kinds = 1 + max(int(code.max(initial=-1)) for code in strata.code)
    steps_of = [_places(code, kinds) for code in strata.code]
    logs = np.log(times[0]), np.log(times[1])
    shared = [kind for kind, steps in enumerate(zip(*steps_of, strict=True)) if all(map(len, steps))]
    rare = {kind for kind in shared if smallest_p(len(steps_of[0][kind]), len(steps_of[1][kind])) > alpha}
    cells = [log[steps[kind]] for kind in sorted(rare) for log, steps in zip(logs, steps_of, strict=True)]
    degrees_of_freedom = sum(len(cell) - 1 for cell in cells)
    squares = math.fsum(float(((cell - cell.mean()) ** 2).sum()) for cell in cells)
    if degrees_of_freedom < _MIN_DEGREES_OF_FREEDOM:
        shared = [kind for kind in shared if kind not in rare]
    if not shared:
        return None
    a, b = (_one_side(log, [steps[kind] for kind in shared]) for log, steps in zip(logs, steps_of, strict=True))
    if any(time[side.kept].sum() < MIN_SHARED * time.sum() for time, side in zip(times, (a, b), strict=True)):
        return None
    middles = [(one + two) / 2 for one, two in zip(a.typical, b.typical, strict=True)]
    return WithinKinds(
        kept=(a.kept, b.kept),
        times=(times[0][a.kept], times[1][b.kept]),
        captures=(captures[0][a.kept], captures[1][b.kept]),
        level=(_over(a.logs, a.places, middles), _over(b.logs, b.places, middles)),
        own=(_over(a.logs, a.places, a.typical), _over(b.logs, b.places, b.typical)),
        places=tuple(zip(a.places, b.places, strict=True)),
        time=tuple((one + two) / 2 for one, two in zip(a.time_shares, b.time_shares, strict=True)),
        count=tuple((one + two) / 2 for one, two in zip(a.count_shares, b.count_shares, strict=True)),
        few=tuple(kind in rare for kind in shared),
        sigma=math.sqrt(squares / degrees_of_freedom) if degrees_of_freedom else 0.0,
        degrees_of_freedom=degrees_of_freedom,
    )  # fmt: skip


class _OneSide(NamedTuple):
    """Steps of the shared kinds on one side: positions among all steps and ln(time); by kind, positions among these
    steps and the typical ln(time)."""

    kept: Ints
    logs: Floats
    places: list[Ints]
    typical: list[float]

    @property
    def time_shares(self) -> list[float]:
        times = [len(places) * math.exp(log) for places, log in zip(self.places, self.typical, strict=True)]
        whole = math.fsum(times)
        return [time / whole for time in times]

    @property
    def count_shares(self) -> list[Fraction]:
        return [Fraction(len(places), len(self.kept)) for places in self.places]


def _one_side(log: Floats, steps: Sequence[Ints]) -> _OneSide:
    """`log`: ln(time) of all steps; `steps`: positions of each kind among them."""
    kept = np.sort(np.concatenate(steps))
    places = [np.searchsorted(kept, own) for own in steps]
    return _OneSide(kept, log[kept], places, [float(median(log[own])) for own in steps])


def _places(code: Ints, kinds: int) -> list[Ints]:
    order = np.argsort(code, kind="stable")
    return np.split(order, np.searchsorted(code[order], np.arange(1, kinds)))


def _combined(kinds: WithinKinds, alpha: float) -> tuple[float, float, float]:
    """Shift of ln(time) of the kinds, weighted by time, and its interval from theirs in quadrature."""
    logs = np.log(kinds.times[0]), np.log(kinds.times[1])
    shifts, below, above = [], [], []
    for weight, (steps_a, steps_b), few in zip(kinds.time, kinds.places, kinds.few, strict=True):
        rank = 0 if few else _rank(kinds.times[0][steps_a], kinds.times[1][steps_b], alpha)
        middle, low, high = shift_of(logs[0][steps_a], logs[1][steps_b], rank)
        if few:
            half = _half(kinds, alpha, len(steps_a), len(steps_b))
            low, high = middle - half, middle + half
        shifts.append(weight * middle)
        below.append((weight * (middle - low)) ** 2)
        above.append((weight * (high - middle)) ** 2)
    theta = math.fsum(shifts) + 0.0
    return theta, theta - math.sqrt(math.fsum(below)) + 0.0, theta + math.sqrt(math.fsum(above)) + 0.0


def _half(kinds: WithinKinds, alpha: float, n: int, m: int) -> float:
    """Half the width of the interval of ln(time) for a kind with few steps."""
    return quantile(kinds.degrees_of_freedom, 1 - alpha / 2) * kinds.sigma * math.sqrt(1 / n + 1 / m)


def _rank(times_a: Ints, times_b: Ints, alpha: float) -> int:
    test = batched_rank_test(times_a[np.newaxis], times_b[np.newaxis], ordered=False)
    exact, tie_factor = bool(test.countable[0]), float(test.tie_factor[0])
    return interval_rank(len(times_a), len(times_b), alpha, exact=exact, tie_factor=tie_factor)[0]


def _difference(kinds: WithinKinds, alpha: float, widening: float) -> Difference:
    """Shift of plain values, kinds weighted by how often they occur: the estimate is exact."""
    middle, below, above = Fraction(0), [], []
    for count, (steps_a, steps_b), few in zip(kinds.count, kinds.places, kinds.few, strict=True):
        x, y = kinds.times[0][steps_a], kinds.times[1][steps_b]
        shift, low, high = shift_of_ns(x, y, 0 if few else _rank(x, y, alpha))
        ends = float(shift - low), float(high - shift)
        if few:
            half = _half(kinds, alpha, len(x), len(y)) * (float(median(x)) + float(median(y))) / 2
            ends = half, half
        middle += count * shift
        below.append((float(count) * ends[0]) ** 2)
        above.append((float(count) * ends[1]) ** 2)
    down, up = (widening * math.sqrt(math.fsum(side)) for side in (below, above))
    return Difference(middle, round(float(middle) - down), round(float(middle) + up), 1 - alpha)


def _over(logs: Floats, places: Sequence[Ints], middles: Sequence[float]) -> Ints:
    """exp of ln(time) relative to the middle of its kind, in units of 2^-40."""
    middle = np.zeros(len(logs))
    for own, of in zip(places, middles, strict=True):
        middle[own] = of
    out: Ints = np.rint(np.exp2(np.clip((logs - middle) / math.log(2) + _BITS, 0, _MAX_BITS))).astype(np.int64)
    return out


def _centers(kinds: WithinKinds, side: int) -> Floats:
    capture, logs = kinds.captures[side], np.log(kinds.level[side])
    names = unique(capture)
    sums, weights = np.zeros((2, len(names)))
    for weight, places in zip(kinds.time, kinds.places, strict=True):
        own = places[side]
        has = np.searchsorted(names, unique(capture[own]))
        sums[has] += weight * centers(logs[None, own], capture[own], middle_half)[0]
        weights[has] += weight
    out: Floats = (sums / weights)[None, :]
    return out
