"""Triplets (function, counter, device) of both sides, and sums over their rows that repeat the published rounding.

The published reports average with compensated sums and compute variances by running means, row after row. Doing the
same keeps the deviation of a constant counter at exactly zero: an ordinary sum leaves 1e-14 there, and the tests
then call a counter that never moved significant (docs/method/strict.md).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, Ints, unique, unique_places
from tb_perfcompare.model.recordings.cycles import NO_TEXT, CycleTable
from tb_perfcompare.quick_dataclass import dataclass

Triplet: TypeAlias = tuple[str, str, str]

NO_DEVICE = "N/A"
"""Device of rows that name none."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The comparable rows of one side: those with a function and a counter.

    group   int64 (rows,) index into the triplets of both sides
    cycle   int64 (rows,)
    beta    float64 (rows,), mu float64 (rows,) with 0 if there was no value
    lost    number of rows without a function or a counter
    """

    group: Ints
    cycle: Ints
    beta: Floats
    mu: Floats
    lost: int

    def chosen(self, rows: Flags) -> Rows:
        return Rows(self.group[rows], self.cycle[rows], self.beta[rows], self.mu[rows], self.lost)


def align(
    normal: CycleTable, abnormal: CycleTable, *, published: bool = False
) -> tuple[tuple[Triplet, ...], Rows, Rows]:
    """(triplets of both sides in lexicographic order, rows of normal, rows of abnormal); `published`: reads counters
    with decimals as the published reports do."""
    sides = [_keyed(table) for table in (normal, abnormal)]
    triplets = tuple(sorted({*sides[0][0], *sides[1][0]}))
    index_of = {triplet: index for index, triplet in enumerate(triplets)}
    rows = []
    for table, (own, inverse, usable) in zip((normal, abnormal), sides, strict=True):
        to_all = np.array([index_of[triplet] for triplet in own], dtype=np.int64)
        read_so = table.published_mu_pct if published else None
        mu = (table.mu_pct if read_so is None else read_so)[usable]
        rows.append(
            Rows(
                group=to_all[inverse],
                cycle=table.cycle[usable],
                beta=table.beta_pct[usable],
                mu=np.where(np.isnan(mu), 0.0, mu),
                lost=int(len(table) - usable.sum()),
            )
        )
    return triplets, rows[0], rows[1]


def _keyed(table: CycleTable) -> tuple[list[Triplet], Ints, Flags]:
    """(distinct triplets of a side, index of each usable row into them, flags of usable rows)."""
    usable = (table.function != NO_TEXT) & (table.metric != NO_TEXT)
    size = len(table.strings) + 1
    chosen = table.rows(usable)
    function, metric, device = (codes.astype(np.int64) for codes in (chosen.function, chosen.metric, chosen.device))
    pair_codes, pair = unique_places(function * size + metric)
    codes, inverse = unique_places(pair * size + (device - NO_TEXT))
    texts = table.strings
    triplets = []
    for code in codes.tolist():
        both, device_code = divmod(code, size)
        function_code, metric_code = divmod(int(pair_codes[both]), size)
        name = texts[device_code + NO_TEXT] if device_code else NO_DEVICE
        triplets.append((texts[function_code], texts[metric_code], name))
    # a device written N/A and a missing one are the same
    return triplets, inverse, usable


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean and sample standard deviation per group, float64 (groups,); mean 0 for groups without rows, deviation 0
    for groups with at most one."""

    mean: Floats
    sd: Floats


class Layout:
    """Rows sorted so that the k-th rows of all groups are one slice, longest group first.

    order   (rows,) the rows, k-th rows of all groups together, groups in the order of `ranked`
    starts  (longest + 1,) where the k-th rows begin in `order`
    ranked  (groups,) the groups by length, longest first
    sizes   (groups,) rows per group
    """

    __slots__ = ("order", "ranked", "sizes", "starts")

    def __init__(self, group: Ints, groups: int) -> None:
        self.sizes: Ints = np.bincount(group, minlength=groups).astype(np.int64)
        self.ranked = np.argsort(-self.sizes, kind="stable")
        rank = np.empty(groups, dtype=np.int64)
        rank[self.ranked] = np.arange(groups)
        in_groups = np.argsort(group, kind="stable")
        first = np.cumsum(self.sizes) - self.sizes
        within = np.empty(len(group), dtype=np.int64)
        within[in_groups] = np.arange(len(group)) - np.repeat(first, self.sizes)
        self.order = np.lexsort((rank[group], within))
        longest = int(self.sizes.max()) if groups else 0
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(within, minlength=longest))]).astype(np.int64)

    def moments(self, values: Floats) -> Moments:
        """Compensated means (Kahan) and running variances (Welford) in row order; `values` has shape (rows,)."""
        groups = len(self.sizes)
        ordered = values[self.order]
        total, lost = np.zeros(groups), np.zeros(groups)
        running, squares = np.zeros(groups), np.zeros(groups)
        starts = self.starts.tolist()
        for k in range(len(starts) - 1):
            row = ordered[starts[k] : starts[k + 1]]
            n = len(row)
            step = row - lost[:n]
            new_total = total[:n] + step
            lost[:n] = new_total - total[:n] - step
            total[:n] = new_total
            before = running[:n].copy()
            running[:n] += (row - before) / (k + 1)
            squares[:n] += (row - running[:n]) * (row - before)
        sizes = self.sizes[self.ranked]
        mean, sd = np.zeros(groups), np.zeros(groups)
        mean[self.ranked] = total / np.maximum(sizes, 1)
        sd[self.ranked] = np.where(sizes > 1, np.sqrt(squares / np.maximum(sizes - 1, 1)), 0.0)
        return Moments(mean, sd)


def cycles_per_group(rows: Rows, groups: int) -> Ints:
    """(groups,) number of distinct cycles with each triplet."""
    if not len(rows.group):
        return np.zeros(groups, dtype=np.int64)
    cycles, index = unique_places(rows.cycle)
    cells = unique(rows.group * len(cycles) + index)
    return np.bincount(cells // len(cycles), minlength=groups).astype(np.int64)
