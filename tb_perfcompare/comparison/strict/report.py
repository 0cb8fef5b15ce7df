"""The strict report: cycle durations; shares, counters, scores and p-values per triplet (docs/method/strict.md)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.rank_test import exact_p_table
from tb_perfcompare.comparison.strict.groups import Layout, Moments, Triplet, align, cycles_per_group
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.quick_dataclass import dataclass

MIN_DEVIATION = 1e-9
"""A baseline deviation up to this counts as zero, and so does its Z-score."""


@dataclass(frozen=True, slots=True, eq=False)
class Durations:
    """Cycle lengths of one side in µs, (cycles,), longest first, and their plain mean (0 without cycles)."""

    longest_first_us: Floats
    mean_us: float


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """Beta, mu or ln(1 + mu) of all triplets, arrays of shape (triplets,).

    normal, abnormal  mean and sample deviation over the rows of each side; 0 if the triplet is absent
    delta             abnormal minus normal
    z                 delta over the normal side's deviation; 0 if that is at most 1e-9
    """

    normal: Moments
    abnormal: Moments
    delta: Floats
    z: Floats


@dataclass(frozen=True, slots=True, eq=False)
class StrictReport:
    """Comparison of two processes; triplets in the order of the report, arrays of shape (triplets,).

    labels            names of the sides
    triplets          (function, counter, device)
    cycles            int64, distinct cycles per triplet: normal, abnormal
    beta, mu, log_mu  shares in percent, counters, ln(1 + mu)
    score             |delta of beta| x (|Z of beta| + |Z of log_mu|)
    welch_beta, welch_mu  p-values; NaN if both sides are the same constant
    rank_beta, rank_mu    Mann-Whitney p-values
    lost              rows without a counter, left out: normal, abnormal
    """

    labels: tuple[str, str]
    durations: tuple[Durations, Durations]
    triplets: tuple[Triplet, ...]
    cycles: tuple[Ints, Ints]
    beta: Quantity
    mu: Quantity
    log_mu: Quantity
    score: Floats
    welch_beta: Floats
    welch_mu: Floats
    rank_beta: Floats
    rank_mu: Floats
    lost: tuple[int, int]


@np.errstate(over="ignore", invalid="ignore")  # absurd figures give infinities, not warnings
def strict_report(normal: CycleTable, abnormal: CycleTable, labels: tuple[str, str]) -> StrictReport:
    """Compares two tables, each already reduced to one process.

    Order of the triplets: score and then |delta of beta|, largest first, then function, counter, device.
    """
    triplets, rows_a, rows_b = align(normal, abnormal, published=True)
    count = len(triplets)
    layouts = Layout(rows_a.group, count), Layout(rows_b.group, count)
    cycles = cycles_per_group(rows_a, count), cycles_per_group(rows_b, count)
    beta = _quantity(layouts, rows_a.beta, rows_b.beta)
    mu = _quantity(layouts, rows_a.mu, rows_b.mu)
    log_mu = _quantity(layouts, _log(rows_a.mu), _log(rows_b.mu))
    score = np.abs(beta.delta) * (np.abs(beta.z) + np.abs(log_mu.z))
    # the triplets are in lexicographic order already, and lexsort is stable
    order = np.lexsort((-np.abs(beta.delta), -score))
    return StrictReport(
        labels=labels,
        durations=(_durations(normal), _durations(abnormal)),
        triplets=tuple(triplets[index] for index in order.tolist()),
        cycles=(cycles[0][order], cycles[1][order]),
        beta=_reordered(beta, order),
        mu=_reordered(mu, order),
        log_mu=_reordered(log_mu, order),
        score=score[order],
        welch_beta=welch_p(beta.normal, beta.abnormal, *cycles)[order],
        welch_mu=welch_p(mu.normal, mu.abnormal, *cycles)[order],
        rank_beta=rank_test_p(rows_a.group, rows_a.beta, rows_b.group, rows_b.beta, count)[order],
        rank_mu=rank_test_p(rows_a.group, rows_a.mu, rows_b.group, rows_b.mu, count)[order],
        lost=(rows_a.lost, rows_b.lost),
    )


def _quantity(layouts: tuple[Layout, Layout], values_a: Floats, values_b: Floats) -> Quantity:
    normal, abnormal = layouts[0].moments(values_a), layouts[1].moments(values_b)
    delta = abnormal.mean - normal.mean
    z = np.divide(delta, normal.sd, out=np.zeros_like(delta), where=normal.sd > MIN_DEVIATION)
    return Quantity(normal, abnormal, delta, z)


def _reordered(quantity: Quantity, order: Ints) -> Quantity:
    sides = [Moments(side.mean[order], side.sd[order]) for side in (quantity.normal, quantity.abnormal)]
    return Quantity(sides[0], sides[1], quantity.delta[order], quantity.z[order])


def _log(mu: Floats) -> Floats:
    """ln(1 + mu). A counter at or below -1 has no logarithm and is raised to the smallest number above -1."""
    return np.log1p(np.maximum(mu, np.nextafter(-1.0, 0.0)))


def _durations(table: CycleTable) -> Durations:
    lengths = table.cycle_lengths_us()
    return Durations(np.sort(lengths)[::-1], float(lengths.mean()) if len(lengths) else 0.0)


_MAX_EXACT = 8
"""Rows of the smaller side up to which the exact distribution is used."""


def welch_p(normal: Moments, abnormal: Moments, n: Ints, m: Ints) -> Floats:
    """(groups,) two-sided p of Welch's t from means, deviations and sizes. As in the published reports two equal
    constants give NaN, two different ones p = 0, one value on a side p = 1."""
    from scipy.special import stdtr

    testable = (n > 1) & (m > 1)
    size_a, size_b = np.where(testable, n, 2), np.where(testable, m, 2)
    part_a, part_b = normal.sd**2 / size_a, abnormal.sd**2 / size_b
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        degrees_of_freedom = (part_a + part_b) ** 2 / (part_a**2 / (size_a - 1) + part_b**2 / (size_b - 1))
        degrees_of_freedom = np.where(np.isnan(degrees_of_freedom), 1.0, degrees_of_freedom)
        t = (normal.mean - abnormal.mean) / np.sqrt(part_a + part_b)
        p = 2.0 * stdtr(degrees_of_freedom, -np.abs(t))
    return np.where(testable, p, 1.0)


def rank_test_p(group_a: Ints, values_a: Floats, group_b: Ints, values_b: Floats, groups: int) -> Floats:
    """(groups,) two-sided Mann-Whitney p; `group_a` and `values_a` are rows of one side, (rows,) each. The exact
    distribution is used for a triplet without ties whose smaller side has at most 8 rows, the normal one with ties and
    continuity correction for every other; one value on a side gives p = 1."""
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
    exact = testable & (tie_sum == 0) & (np.minimum(n, m) <= _MAX_EXACT)
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
