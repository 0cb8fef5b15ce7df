"""Machine part: the shift of the pace of the same work between the sides, with captures as the unit."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.comparison.pace.clocked import ASKED, Clocked, Follower, without_long_steps
from tb_perfcompare.comparison.pace.pace import MIN_COVERAGE, is_interrupted, shift_of_pace
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.between_captures import (
    BetweenCaptures,
    between_captures,
    capture_counts,
    middles,
)
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES, SLACK
from tb_perfcompare.model.arrays import SidePair
from tb_perfcompare.quick_dataclass import dataclass

MACHINE_SHARE = 0.2
"""Fraction of alpha at which the machine counts as slower or faster: machines change during a recording, alternating
or not, and another recording settles the question."""

CLEARLY = 0.1
"""p up to which paces count as different. Their difference then makes it uncertain how long the time that follows no
pace would have taken, which widens the interval."""


@dataclass(frozen=True, slots=True)
class MachinePart:
    """Shift of ln(pace), its interval, p and verdict."""

    theta: float
    low: float
    high: float
    p: float | None
    verdict: Verdict


def machine_part(clocked: Clocked, options: CompareOptions) -> MachinePart:
    """Shift of the pace between the sides. No verdict with one capture each, since other captures may differ, or if
    the common work covers too little of the step."""
    clocked = without_long_steps(clocked)
    captures = clocked.captures
    if max(capture_counts(captures)) == 1:
        return _of_two_captures(clocked)
    between = _between(clocked.machine, captures, options.alpha)
    stricter = _between(clocked.machine, captures, MACHINE_SHARE * options.alpha)
    theta, low, high = float(between.middle[0]) + 0.0, float(between.low[0]) + 0.0, float(between.high[0]) + 0.0
    limit = math.log1p(options.margin) + SLACK
    few = min(capture_counts(captures)) < MIN_CONCLUSIVE_CAPTURES
    floor = max(float(np.ptp(side)) for side in middles(clocked.machine, captures)) if few else 0.0
    verdict = Verdict.INCONCLUSIVE
    covered = all(follower.pace.coverage >= MIN_COVERAGE for follower in clocked.followers)
    if min(capture_counts(captures)) > 1 and covered:
        verdict = _verdict((low, high), (float(stricter.low[0]), float(stricter.high[0])), limit, floor)
    return MachinePart(theta, low, high, float(between.p[0]), verdict)


def _verdict(shown: tuple[float, float], clearer: tuple[float, float], limit: float, floor: float) -> Verdict:
    if clearer[0] > max(limit, floor):
        return Verdict.SLOWER
    if clearer[1] < -max(limit, floor):
        return Verdict.FASTER
    if -limit <= shown[0] and shown[1] <= limit and floor <= limit:
        return Verdict.SAME
    return Verdict.INCONCLUSIVE


def paces_differ(clocked: Clocked, options: CompareOptions) -> bool:
    """Whether a pace clearly differs between the sides."""
    limit = math.log1p(options.margin)
    paces = [follower.pace for follower in clocked.followers if follower.share >= ASKED]
    if max(capture_counts(clocked.captures)) == 1:
        return any(abs(pace.center) > max(limit, pace.half) for pace in paces)
    return any(float(_between(pace.log, clocked.captures, options.alpha).p[0]) <= CLEARLY for pace in paces)


def interruption(follower: Follower, clocked: Clocked) -> float:
    """How far the rest of the step may deviate from the pace because rows were interrupted, in ln(time). Time slices
    taken by other processes fall on some calls, not on the fastest, and hit the rest of the step to a different extent.
    Without device work, the uninterrupted steps of several captures account for it; with fewer captures the rest may
    follow the typical row as well as all rows together. 0 with iterations of several kinds, whose mix of rows differs
    rather than their pace."""
    pace = follower.pace
    if clocked.strata is not None:
        return 0.0
    shift = shift_of_pace(pace.log, clocked.captures)
    if clocked.relative is None:
        few = min(capture_counts(clocked.captures)) < MIN_CONCLUSIVE_CAPTURES
        return (1 - pace.coverage) * abs(shift - pace.center) if few else 0.0
    return abs(shift - pace.center) if is_interrupted(shift, pace.fastest) else 0.0


def _between(pair: SidePair, captures: Captures, alpha: float) -> BetweenCaptures:
    between = between_captures(*middles(pair, captures), alpha, shared=True)
    assert between is not None
    return between


def _of_two_captures(clocked: Clocked) -> MachinePart:
    """Change of the typical row of each pace, weighted by the share of the step that follows the pace. The interval
    includes the change of all rows together: if other processes took the CPU, only some rows were hit."""
    whole = max(sum(follower.share for follower in clocked.followers), 1.0)
    weighted = [(follower.share, follower.pace) for follower in clocked.followers]
    theta = sum(share * pace.center for share, pace in weighted) / whole
    half = math.hypot(*(share * pace.half for share, pace in weighted)) / whole
    together = sum(share * shift_of_pace(pace.log, clocked.captures) for share, pace in weighted) / whole
    low, high = min(theta - half, together), max(theta + half, together)
    return MachinePart(theta + 0.0, low + 0.0, high + 0.0, None, Verdict.INCONCLUSIVE)
