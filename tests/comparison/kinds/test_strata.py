"""Steps are compared within their kind."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.kinds.split import MAX_KINDS, split_mix
from tb_perfcompare.comparison.kinds.strata import Strata, strata_of, within_kinds
from tb_perfcompare.comparison.statistics.samples import Samples

CAPTURES = (np.zeros(8, dtype=np.int32), np.zeros(8, dtype=np.int32))


def ns(*ms: float) -> np.ndarray:
    return np.array([round(1e6 * each) for each in ms], dtype=np.int64)


def seen(count: int) -> Samples:
    return Samples(np.arange(count), np.zeros(count, dtype=np.int32), tuple(map(str, range(count))), False, False)


def test_kinds_are_weighted_by_their_time() -> None:
    a, b = ns(1, 1.01, 1.02, 1.03, 10, 10.1, 10.2, 10.3), ns(1, 1.01, 1.02, 1.03, 11, 11.11, 11.22, 11.33)
    code = np.repeat([0, 1], 4)
    within = within_kinds((a, b), CAPTURES, Strata((code, code)), 0.05)
    assert within is not None
    share = (10.15 / 11.165 + 11.165 / 12.18) / 2
    assert abs(within.time[1] - share) < 1e-3
    forward = within.shift(0.05)
    assert abs(forward.theta - within.time[1] * np.log(1.1)) < 1e-9
    swapped = within_kinds((b, a), CAPTURES, Strata((code, code)), 0.05)
    assert swapped is not None and swapped.shift(0.05).theta == -forward.theta
    assert (swapped.shift(0.05).theta_low, swapped.shift(0.05).theta_high) == (-forward.theta_high, -forward.theta_low)


def test_kinds_of_one_side_alone_give_no_comparison() -> None:
    within = within_kinds((ns(*[1] * 8), ns(*[2] * 8)), CAPTURES, Strata((np.zeros(8, int), np.ones(8, int))), 0.05)
    assert within is None


def test_rare_kinds_are_not_compared_with_each_other() -> None:
    names = [str(number) for number in range(MAX_KINDS)] * 2 + ["x", "y", "z"]
    split = split_mix((names, names), (np.arange(len(names)) + 1, np.arange(len(names)) + 1))
    assert split is not None
    baseline, candidate = strata_of(split, (seen(len(names)), seen(len(names)))).code
    assert not set(baseline[-3:]) & set(candidate)
