"""Change of each rank, and its change relative to the others."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.sides import Pairs, Ranks
from tb_perfcompare.comparison.ranks.uneven_work import WorkChange, lies_apart
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.multiple_testing import holm, q_values
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.comparison.verdict.rules import settle
from tb_perfcompare.model.arrays import Ints, median
from tb_perfcompare.quick_dataclass import dataclass

_BEYOND_GROWTH = 0.25
"""Share of a change beyond the others that has to remain if all ranks had grown in proportion."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """Change of the step time of one rank; fractions are 0.05 for 5 % slower. None if it cannot be estimated."""

    verdict: Verdict | None = None
    shift: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    q: float | None = None


@dataclass(frozen=True, slots=True)
class OwnChange:
    """Own work of one rank beyond that of the others, microseconds per step. `q`: p of the change, corrected for the
    number of ranks (Holm). `is_clear`: the change is material, beyond the noise of the steps and of the other ranks.
    `work`: the rank's counted work changed beyond that of the others, None if not; `work_shows`: its time as well."""

    baseline_us: float | None = None
    candidate_us: float | None = None
    delta_us: float | None = None
    q: float | None = None
    is_clear: bool = False
    work: WorkChange | None = None
    work_shows: bool = False


def rank_changes(a: Ranks, b: Ranks, pairs: Pairs, options: CompareOptions, *, withheld: bool) -> list[RankChange]:
    """Verdict on the steps of each rank by the headline's rules. Among many ranks some differ by chance, so a
    direction whose q (Benjamini-Hochberg over the ranks) exceeds alpha becomes inconclusive."""
    if withheld:
        return [RankChange(Verdict.WITHHELD if None not in pair else None) for pair in pairs]
    changes = [RankChange() if x is None or y is None else _settled(a, b, x, y, options) for x, y in pairs]
    q = q_values(np.array([math.nan if rank_change.p is None else rank_change.p for rank_change in changes]))
    out = []
    for change, value in zip(changes, q.tolist(), strict=True):
        verdict = change.verdict
        if verdict is not None and verdict.way and not value <= options.alpha:
            verdict = Verdict.INCONCLUSIVE
        out.append(replace(change, verdict=verdict, q=None if math.isnan(value) else value))
    return out


def _settled(a: Ranks, b: Ranks, x: int, y: int, options: CompareOptions) -> RankChange:
    steps_a, steps_b = a.columns[x], b.columns[y]
    times = a.total_ns[steps_a], b.total_ns[steps_b]
    captures = a.capture[steps_a], b.capture[steps_b]
    if any(not len(side) or (side <= 0).any() for side in times):
        return RankChange(Verdict.INCONCLUSIVE)
    if np.array_equal(np.sort(times[0]), np.sort(times[1])):
        return RankChange(Verdict.SAME, 0.0, 0.0, 0.0, 1.0)
    settled = settle(times, captures, options)
    estimate = settled.estimate
    change = RankChange(settled.verdict, fraction_of(estimate.theta), p=None if estimate.n == (1, 1) else estimate.p)
    if estimate.level is None:
        return change
    return replace(change, low=fraction_of(estimate.theta_low), high=fraction_of(estimate.theta_high))


def own_changes(job: Job, least_us: float, options: CompareOptions) -> list[OwnChange]:
    """Changes of own work, in the steps that all ranks of a side recorded. Naming one rank needs strong evidence: q
    limits the chance of any false one to alpha, and the change also has to stand out from those of the other ranks,
    which are its controls. If ranks do different work, a change of all in proportion is not equal in microseconds, so
    it has to stand out in proportion, too."""
    a, b, pairs = job.a, job.b, job.pairs
    sides = [
        beyond_others(side.own_work_ns[side.common]) if len(side) > 1 and side.common.shape[1] else None
        for side in (a, b)
    ]
    means = [None if side is None else (side.mean(axis=1) / 1000).tolist() for side in sides]
    beyond = _beyond_growth(a, b, pairs)
    out = []
    for pair, work, more in zip(pairs, job.works, beyond, strict=True):
        before, after = (
            None if own is None or rank is None else own[rank] for own, rank in zip(means, pair, strict=True)
        )
        delta = None if before is None or after is None else after - before
        shows = work is not None and (more if work.is_more else -more) >= least_us
        out.append(OwnChange(before, after, delta, work=work, work_shows=shows))
    tested = _tested(a, b, sides, pairs, options)
    deltas = {number: out[number].delta_us or 0.0 for number in tested}
    for number, q in tested.items():
        delta, others = deltas[number], np.array([other for key, other in deltas.items() if key != number])
        least = max(least_us, _BEYOND_GROWTH * abs(delta))
        is_large = abs(delta) >= least_us and abs(beyond[number]) >= least and delta * beyond[number] > 0
        clear = q <= options.alpha and is_large and lies_apart(delta, others)
        out[number] = replace(out[number], q=q, is_clear=clear)
    return out


def _beyond_growth(a: Ranks, b: Ranks, pairs: Pairs) -> list[float]:
    """Microseconds per step by which each rank's own work changed beyond the growth of the other ranks; 0 if a side
    lacks it. Half of the others' growth is taken from each side, so that exchanging the sides negates it."""
    means = {
        number: (float(a.own_work_ns[a.columns[x]].mean()) / 1000, float(b.own_work_ns[b.columns[y]].mean()) / 1000)
        for number, (x, y) in enumerate(pairs)
        if x is not None and y is not None and len(a.columns[x]) and len(b.columns[y])
    }
    growth = {number: math.log(b) - math.log(a) for number, (a, b) in means.items() if a > 0 < b}
    out = [0.0] * len(pairs)
    for number in growth if len(growth) > 1 else ():
        half = float(median([other for key, other in growth.items() if key != number])) / 2
        before, after = means[number]
        out[number] = after * math.exp(-half) - before * math.exp(half)
    return out


def _tested(a: Ranks, b: Ranks, sides: list[Ints | None], pairs: Pairs, options: CompareOptions) -> dict[int, float]:
    """Number of the pair -> q, for ranks that both sides have."""
    own_a, own_b = sides
    numbers = [number for number, (x, y) in enumerate(pairs) if x is not None and y is not None]
    if own_a is None or own_b is None or min(own_a.shape[1], own_b.shape[1]) < 2 or not numbers:
        return {}
    x = own_a[[pairs[number][0] or 0 for number in numbers]]
    y = own_b[[pairs[number][1] or 0 for number in numbers]]
    lowest = min(int(x.min()), int(y.min()))  # the test needs numbers from zero; only their order matters
    captures = a.capture[a.common[0]], b.capture[b.common[0]]
    p = row_shifts(x - lowest, y - lowest, captures, options.alpha).p
    testable = np.flatnonzero(~np.isnan(p))
    return dict(zip((numbers[index] for index in testable.tolist()), holm(p[testable]).tolist(), strict=True))


def beyond_others(values: Ints) -> Ints:
    """(r, j) values of r ranks in j steps -> (r, j) value minus the median of the other ranks in the step, half
    nanoseconds rounded towards zero. Needs at least two ranks."""
    ranks = len(values)
    order = np.argsort(values, axis=0, kind="stable")
    position = np.argsort(order, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    # the one or two middle values of the others in order; those after the rank itself have moved up by one
    low, high = (ranks - 2) // 2, (ranks - 1) // 2
    below = np.take_along_axis(ordered, np.where(low < position, low, low + 1), axis=0)
    above = np.take_along_axis(ordered, np.where(high < position, high, high + 1), axis=0)
    twice = (values - below) + (values - above)
    beyond: Ints = np.sign(twice) * (np.abs(twice) // 2)
    return beyond
