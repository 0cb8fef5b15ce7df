"""Time and operators that come back in every k-th step: an evaluation, a checkpoint, logging."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.wording import signed_time
from tb_perfcompare.model.arrays import Flags, median, unique
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.summary import Summary

LONGEST_PERIOD = 10

MIN_TIMES = 3
"""Fewest long steps of a recording."""

MAX_P = 0.001
"""Largest probability that equal steps fall apart so by chance, at one period."""

MUCH_LONGER, MAX_P_OF_MUCH = 3, 0.02
"""The same if all long ones are this many times as long as any other, as three of 15 are."""

MAIN_SHARE = 0.5
"""Share of a category's change that long steps must add to the mean step, and that the change must be of that."""


def recurring_clause(a: Summary, b: Summary, category: StepCategory, delta_us: float) -> str:
    """Clause on the category's change in microseconds per step, if most of it recurs: "mostly in every 3rd step,
    +14.6 ms in each"; "" if not."""
    every, more_us = recurrence(a, b, category, delta_us)
    return f"mostly in {every}, {signed_time(math.copysign(more_us, delta_us))} in each" if every else ""


def recurrence(a: Summary, b: Summary, category: StepCategory, delta_us: float) -> tuple[str, float]:
    """("every 3rd step", microseconds in each, beyond those of the other side), if most of the category's change is in
    every k-th step of the side with more; ("", 0.0) if not."""
    one, other = (b, a) if delta_us > 0 else (a, b)
    period, more_us = _recurrence(one, category)
    period_of_other, usual_us = _recurrence(other, category)
    if period_of_other == period:
        more_us -= usual_us
    change_us = abs(delta_us) * period
    is_most = MAIN_SHARE * change_us <= more_us and MAIN_SHARE * more_us <= change_us
    return (every_text(period), more_us) if period and is_most else ("", 0.0)


def recurring_operators(side: Summary) -> set[str]:
    """Operators that exactly every k-th step of each recording calls, k >= 2."""
    table = side.groups.get("operators")
    if table is None:
        return set()
    called = table.calls > 0
    rare = np.flatnonzero(called.mean(axis=1) <= 1 / 2).tolist()
    return {table.keys[row][0] for row in rare if period_of(side, called[row])}


def period_of(side: Summary, marked: Flags) -> int:
    """k if the marked steps are every k-th of each recording, at least MIN_TIMES; else 0."""
    captures = [side.steps.capture == capture for capture in unique(side.steps.capture)]
    periods = {_period(np.flatnonzero(marked[own]), int(own.sum())) for own in captures}
    return min(periods) if len(periods) == 1 else 0


def every_text(period: int) -> str:
    """ "every 3rd step"."""
    return f"every {_ordinal(period)} step"


def _period(steps: NDArray[np.int64], count: int) -> int:
    """k if these are every k-th of so many steps, at least MIN_TIMES; else 0. The first step may be no such one."""
    apart = np.diff(steps)
    if len(steps) < MIN_TIMES or np.ptp(apart):
        return 0
    period = int(apart[0])
    return period if steps[0] <= period and steps[-1] + period >= count else 0


def _recurrence(side: Summary, category: StepCategory) -> tuple[int, float]:
    """(k, microseconds by which every k-th step takes longer in the category); (0, 0.0) if steps do not recur so: in
    each recording, every k-th takes longer than all of the others, in enough steps or by far."""
    times, captures = side.owned.by_category()[category], side.steps.capture
    each = [times[captures == capture] for capture in unique(captures)]
    for period in range(2, LONGEST_PERIOD + 1):
        long = [_long_steps(steps, period) for steps in each]
        if not all(len(own) for own in long):
            continue
        longer = np.concatenate([steps[own] for steps, own in zip(each, long, strict=True)])
        others = np.concatenate([np.delete(steps, own) for steps, own in zip(each, long, strict=True)])
        if _chance(each, long, period) < (MAX_P_OF_MUCH if longer.min() >= MUCH_LONGER * others.max() else MAX_P):
            return period, float(longer.mean() - median(others)) / 1000
    return 0, 0.0


def _long_steps(times: NDArray[np.int64], period: int) -> NDArray[np.int64]:
    """Steps of a recording, `period` apart, that all take longer than the others; empty if there are none."""
    long = np.arange(int(np.argmax(times)) % period, len(times), period)
    if len(long) < MIN_TIMES or times[long].min() <= np.delete(times, long).max():
        return long[:0]
    return long


def _chance(each: Sequence[NDArray[np.int64]], long: Sequence[NDArray[np.int64]], period: int) -> float:
    """Probability that equal steps fall apart so by chance: with the same first step in all recordings if it is the
    same, else with any."""
    same_start = len({int(steps[0]) for steps in long}) == 1
    ways = math.pow(period, 1 if same_start else len(long))
    return ways / math.prod(math.comb(len(times), len(own)) for times, own in zip(each, long, strict=True))


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")
