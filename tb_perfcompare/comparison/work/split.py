"""Splits the change of a row's time into an effect of work and one of rate (docs/method/work.md)."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np

from tb_perfcompare.comparison.result.exact_integers import ExactInts, exact, half_to_even
from tb_perfcompare.comparison.work.row_work import RowWork
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.quick_dataclass import dataclass

COMPUTE_FROM = 50.0
"""FLOP per byte from which work counts in FLOPs if no peak decides which roof bounds it."""


def counts_in_flops(a: RowWork, b: RowWork) -> Flags:
    """(r,) whether a row's work is counted in FLOPs, else in bytes: if either device's roof shows it to be
    compute-bound; without roofs by the intensity of both sides together. The same if the sides are exchanged."""
    computes = (a.compute_ns > a.memory_ns) | (b.compute_ns > b.memory_ns)
    modeled = (a.compute_ns + a.memory_ns > 0) | (b.compute_ns + b.memory_ns > 0)
    flops, moved = (a.per_step(of) + b.per_step(of) for of in ("flops", "bytes"))
    large = np.where(modeled, computes, flops >= COMPUTE_FROM * moved)
    in_flops: Flags = (large & (flops > 0)) | (moved == 0)
    return in_flops


@dataclass(frozen=True, slots=True, eq=False)
class WorkSplit:
    """Split of r rows, integers in nanoseconds per step times `denominator` as in the ledger: change = work + rate,
    exactly.

    work, rate   (r,) effect of more or less work, and of doing it at a different rate
    denominator  least common multiple of the two numbers of steps
    """

    work: ExactInts
    rate: ExactInts
    denominator: int


def work_effects(a: RowWork, b: RowWork) -> WorkSplit:
    """Splits the change of the modeled time into (W_B - W_A) x (t_A + t_B) / 2, with the work W per step and the
    time t of a unit of it, and the rest. Both change sign if the sides are exchanged. If a side has no work, the
    whole change is an effect of work."""
    return split_of((a, b), [side.time_ns.sum(axis=1) for side in (a, b)])


def split_of(sides: tuple[RowWork, RowWork], times: Sequence[Ints]) -> WorkSplit:
    """Splits `times` (r,) of each side, nanoseconds of all its steps, that are spent on this work."""
    in_flops = counts_in_flops(*sides)
    denominator = lcm(*(max(side.steps, 1) for side in sides))
    factors = [denominator // max(side.steps, 1) for side in sides]
    time_a, time_b = ([time * by for time in own.tolist()] for own, by in zip(times, factors, strict=True))
    works = [
        np.where(in_flops, side.flops.sum(axis=1), side.bytes.sum(axis=1)).tolist() for side in sides
    ]  # per step times the number of steps; in integers, as a Fraction is reduced at every step
    work = []
    for x, y, done_a, done_b in zip(time_a, time_b, *works, strict=True):
        per_a, per_b = done_a * factors[0], done_b * factors[1]
        if per_a == per_b and per_a:
            work.append(0)
        elif not (per_a and per_b):
            work.append(y - x)
        else:
            work.append(half_to_even((per_b - per_a) * (x * per_b + y * per_a), 2 * per_a * per_b))
    rate = [y - x - by for x, y, by in zip(time_a, time_b, work, strict=True)]
    return WorkSplit(exact(work), exact(rate), denominator)


def at_equal_work(a: RowWork, b: RowWork) -> tuple[Ints, Ints, Floats]:
    """Samples for tests of the rate: ((r, s) and (r, t) nanoseconds that each step would take for the mean work of
    both sides, (r,) difference of their means). Rows without work in some step have zeros and the difference NaN."""
    in_flops = counts_in_flops(a, b)
    works = [np.where(in_flops[:, None], side.flops, side.bytes).astype(np.float64) for side in (a, b)]
    mean = sum(work.mean(axis=1) if work.shape[1] else np.zeros(len(work)) for work in works) / 2
    has_work = np.logical_and.reduce([work.all(axis=1) for work in works])
    times = []
    for side, work in zip((a, b), works, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            time = np.where(has_work[:, None], side.time_ns / work * np.asarray(mean)[:, None], 0.0)
        times.append(np.rint(time).astype(np.int64))
    delta = np.where(has_work, times[1].mean(axis=1) - times[0].mean(axis=1), np.nan)
    return times[0], times[1], delta
