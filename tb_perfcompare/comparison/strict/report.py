"""The strict report: cycle durations; shares, counters, scores and p-values per triplet (docs/method/strict.md)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.strict.groups import Layout, Moments, Rows, Triplet, align, cycles_per_group
from tb_perfcompare.comparison.strict.p_values import rank_test_p, welch_p
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.quick_dataclass import dataclass

LEAST_DEVIATION = 1e-9
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


def strict_report(normal: CycleTable, abnormal: CycleTable, labels: tuple[str, str]) -> StrictReport:
    """Compares two tables, each already reduced to one process.

    Order of the triplets: score and then |delta of beta|, largest first, then function, counter, device.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # absurd figures give infinities, not warnings
        return _compared(normal, abnormal, labels)


def _compared(normal: CycleTable, abnormal: CycleTable, labels: tuple[str, str]) -> StrictReport:
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
        rank_beta=_rank_p(rows_a, rows_b, rows_a.beta, rows_b.beta, count)[order],
        rank_mu=_rank_p(rows_a, rows_b, rows_a.mu, rows_b.mu, count)[order],
        lost=(rows_a.lost, rows_b.lost),
    )


def _rank_p(rows_a: Rows, rows_b: Rows, values_a: Floats, values_b: Floats, count: int) -> Floats:
    return rank_test_p(rows_a.group, values_a, rows_b.group, values_b, count)


def _quantity(layouts: tuple[Layout, Layout], values_a: Floats, values_b: Floats) -> Quantity:
    normal, abnormal = layouts[0].moments(values_a), layouts[1].moments(values_b)
    delta = abnormal.mean - normal.mean
    z = np.divide(delta, normal.sd, out=np.zeros_like(delta), where=normal.sd > LEAST_DEVIATION)
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
