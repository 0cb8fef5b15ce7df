"""Weighted medians over rows with capped weights, so that no single name decides; exchanging the sides negates them
exactly. And whether one step contains the other's work, by time, not calls: many more tiny calls do not make another
program, and names in common do not make two programs the same."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import NamedTuple, TypeVar

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints

LARGEST_SHARE = 0.2
"""Largest share of all weights that the rows of one name may have together."""

_ROUNDING = 1e-9


def capped(weights: Floats, name: Ints) -> Floats:
    """(r,) weights, scaled down by name ((r,) numbers) so that no name exceeds LARGEST_SHARE of the capped total.

    With five names or fewer the cap makes them all equal.
    """
    totals: Floats = np.bincount(name, weights=weights).astype(np.float64)
    factor = np.zeros(len(totals))
    some = totals > 0
    if not some.any():
        return np.zeros(len(weights))
    factor[some] = np.minimum(totals[some], _cap(totals[some])) / totals[some]
    out: Floats = weights * factor[name]
    return out


def _cap(totals: Floats) -> float:
    """Largest total c with c <= LARGEST_SHARE of the sum of min(total, c)."""
    ordered = np.sort(totals)[::-1]
    for many in range(len(ordered)):
        rest = fsum(ordered[many:].tolist())
        remaining = 1 - LARGEST_SHARE * many
        cap = LARGEST_SHARE * rest / remaining if remaining > _ROUNDING else 0.0
        if ordered[many] <= cap * (1 + _ROUNDING):
            return max(cap, float(ordered[many]))
    return float(ordered[-1])


def weighted_median(values: Floats, weights: Floats) -> float:
    """Mean of the lower and the upper weighted median; NaN without weights."""
    if not len(values) or not weights.any():
        return float("nan")
    order = np.argsort(values, kind="stable")
    half = fsum(weights.tolist()) / 2 * (1 - _ROUNDING)
    ends = []
    for places in (order, order[::-1]):
        ends.append(float(values[places[np.searchsorted(np.cumsum(weights[places]), half)]]))
    return (ends[0] + ends[1]) / 2 + 0.0


def effective_number(weights: Floats, name: Ints) -> float:
    """Effective number of names: (sum of w)^2 / sum of w^2 over names."""
    totals = np.bincount(name, weights=weights)
    squares = fsum((totals**2).tolist())
    return fsum(totals.tolist()) ** 2 / squares if squares else 0.0


class Work(NamedTuple):
    """Self time and calls per step."""

    time_ns: float
    calls: float


Key = TypeVar("Key")


def inside(here: Mapping[Key, Work], there: Mapping[Key, Work]) -> float:
    """Share of the time in `here` whose work is done in `there` as often: 0 to 1, 1 without time.

    Sum over keys of t min(1, c_there / c_here), over the sum of t.
    """
    total_ns = fsum(work.time_ns for work in here.values())
    if not total_ns:
        return 1.0
    common = fsum(
        work.time_ns * min(1.0, there[key].calls / work.calls)
        for key, work in here.items()
        if key in there and work.calls > 0
    )
    return common / total_ns
