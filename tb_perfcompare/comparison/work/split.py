"""The change of a row's time as an effect of work and one of rate (docs/method/work.md)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.work.row_work import COMPUTE, RowWork
from tb_perfcompare.model.arrays import Flags, Floats, Ints

COMPUTE_FROM = 50.0
"""FLOP per byte; work of this intensity and more counts in FLOPs where no peak says which roof bounds it."""


def counts_in_flops(a: RowWork, b: RowWork) -> Flags:
    """(r,) whether a row's work is counted in FLOPs, else in bytes: where either device's roof says that it computes;
    without roofs by the intensity of both sides together. The same when the sides are swapped."""
    one, two = (np.array([bound == COMPUTE for bound in side.bound()], dtype=bool) for side in (a, b))
    known = np.array([bool(x or y) for x, y in zip(a.bound(), b.bound(), strict=True)], dtype=bool)
    flops, moved = (a.per_step(of) + b.per_step(of) for of in ("flops", "bytes"))
    large = np.where(known, one | two, flops >= COMPUTE_FROM * moved)
    found: Flags = (large & (flops > 0)) | (moved == 0)
    return found


def work_effects(a: RowWork, b: RowWork) -> tuple[Floats, Floats]:
    """(r,) effect of work and of rate on the modelled time per step, in nanoseconds.

    (W_B - W_A) x (t_A + t_B) / 2 with the work W per step and the time t of a unit of it; the rest is the effect of
    rate. They sum to the change and change sign when the sides are swapped. Where a side has no work the whole change
    is an effect of work.
    """
    in_flops = counts_in_flops(a, b)
    work_a, work_b = (np.where(in_flops, side.per_step("flops"), side.per_step("bytes")) for side in (a, b))
    time_a, time_b = a.per_step("time_ns"), b.per_step("time_ns")
    change = time_b - time_a
    both = (work_a > 0) & (work_b > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        work = np.where(both, (work_b - work_a) * (time_a / work_a + time_b / work_b) / 2, change)
    work = np.where(both & (work_a == work_b), 0.0, work)
    return work, change - work


def at_equal_work(a: RowWork, b: RowWork) -> tuple[Ints, Ints, Floats]:
    """((r, s) and (r, t) nanoseconds that each step would take for the mean work of both sides, (r,) difference of
    their means): what tests of the rate are of. Rows without work in some step have zeros and the difference NaN."""
    in_flops = counts_in_flops(a, b)
    works = [np.where(in_flops[:, None], side.flops, side.bytes).astype(np.float64) for side in (a, b)]
    mean = sum(work.mean(axis=1) if work.shape[1] else np.zeros(len(work)) for work in works) / 2
    whole = np.logical_and.reduce([work.all(axis=1) for work in works])
    found = []
    for side, work in zip((a, b), works, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            time = np.where(whole[:, None], side.time_ns / work * np.asarray(mean)[:, None], 0.0)
        found.append(np.rint(time).astype(np.int64))
    delta = np.where(whole, found[1].mean(axis=1) - found[0].mean(axis=1), np.nan)
    return found[0], found[1], delta
