"""p-values of many triplets at once: Welch from summary figures, Mann-Whitney from the rows.

Conventions of the published reports (docs/method/strict.md): two equal constants give NaN, two different ones p = 0;
one value on a side gives p = 1; the exact Mann-Whitney distribution is used for a triplet without ties whose smaller
side has at most 8 rows, the normal one with ties and continuity correction for every other, chosen per triplet.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.rank_test import exact_p_table
from tb_perfcompare.comparison.strict.groups import Moments
from tb_perfcompare.model.arrays import Flags, Floats, Ints

EXACT_AT_MOST = 8
"""Rows of the smaller side up to which the exact distribution is used."""


def welch_p(normal: Moments, abnormal: Moments, n: Ints, m: Ints) -> Floats:
    """(groups,) two-sided p of Welch's t from means, deviations and sizes; NaN for two equal constants."""
    from scipy.special import stdtr

    testable = (n > 1) & (m > 1)
    size_a, size_b = np.where(testable, n, 2), np.where(testable, m, 2)
    part_a, part_b = normal.sd**2 / size_a, abnormal.sd**2 / size_b
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        freedom = (part_a + part_b) ** 2 / (part_a**2 / (size_a - 1) + part_b**2 / (size_b - 1))
        freedom = np.where(np.isnan(freedom), 1.0, freedom)
        t = (normal.mean - abnormal.mean) / np.sqrt(part_a + part_b)
        p = 2.0 * stdtr(freedom, -np.abs(t))
    return np.where(testable, p, 1.0)


def rank_test_p(group_a: Ints, values_a: Floats, group_b: Ints, values_b: Floats, groups: int) -> Floats:
    """(groups,) two-sided Mann-Whitney p; `group_a` and `values_a` are rows of one side, (rows,) each."""
    n, m = (np.bincount(group, minlength=groups).astype(np.int64) for group in (group_a, group_b))
    testable = (n > 1) & (m > 1)
    group = np.concatenate([group_a, group_b])
    kept = testable[group]
    values = np.concatenate([values_a, values_b])[kept]
    of_a = (np.arange(len(group)) < len(group_a))[kept]
    twice_ranks, tie_sum = _doubled_rank_sums(group[kept], values, of_a, groups)
    twice_u = twice_ranks - n * (n + 1)
    twice_u = np.maximum(twice_u, 2 * n * m - twice_u)
    p = np.ones(groups)
    exact = testable & (tie_sum == 0) & (np.minimum(n, m) <= EXACT_AT_MOST)
    normal = testable & ~exact
    p[normal] = _normal_p(twice_u[normal], n[normal], m[normal], tie_sum[normal])
    p[exact] = _exact_p(twice_u[exact], n[exact], m[exact])
    return p


def _doubled_rank_sums(group: Ints, values: Floats, of_a: Flags, groups: int) -> tuple[Ints, Floats]:
    """Per group: twice the sum of side a's ranks in the pooled sample (ties share their mean), and sum of t^3 - t."""
    if not len(group):
        return np.zeros(groups, dtype=np.int64), np.zeros(groups)
    order = np.lexsort((values, group))
    group, values, of_a = group[order], values[order], of_a[order]
    new_group = np.concatenate([[True], group[1:] != group[:-1]])
    new_run = new_group | np.concatenate([[True], values[1:] != values[:-1]])
    run = np.cumsum(new_run) - 1
    first = np.flatnonzero(new_run)
    size = np.diff(np.append(first, len(group)))
    group_start = np.maximum.accumulate(np.where(new_group, np.arange(len(group)), 0))[first]
    # ranks first+1 .. first+size within the group: their mean, doubled
    doubled = 2 * (first - group_start) + size + 1
    sums = np.zeros(groups, dtype=np.int64)
    np.add.at(sums, group[of_a], doubled[run[of_a]])
    cubes = size.astype(np.float64) ** 3 - size
    return sums, np.bincount(group[first], weights=cubes, minlength=groups).astype(np.float64)


def _normal_p(twice_u: Ints, n: Ints, m: Ints, tie_sum: Floats) -> Floats:
    from scipy.special import ndtr

    total = n + m
    deviation = np.sqrt(n * m / 12 * ((total + 1) - tie_sum / (total * (total - 1))))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (twice_u / 2 - n * m / 2 - 0.5) / deviation
    # all values equal: no deviation, and U - 1/2 lies below its mean
    z = np.where(deviation == 0, -np.inf, z)
    return np.clip(2.0 * ndtr(-z), 0.0, 1.0)


def _exact_p(twice_u: Ints, n: Ints, m: Ints) -> Floats:
    """Exact p; `twice_u` is the larger of the two sides' U, doubled, and even because there are no ties."""
    p = np.empty(len(n))
    shapes = np.stack([np.minimum(n, m), np.maximum(n, m)], axis=1)
    for small, large in np.unique(shapes, axis=0).tolist():
        here = (shapes[:, 0] == small) & (shapes[:, 1] == large)
        p[here] = exact_p_table(small, large)[small * large - twice_u[here] // 2]
    return p
