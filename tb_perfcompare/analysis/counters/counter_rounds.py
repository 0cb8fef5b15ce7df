"""Samples of a table that names counters but not devices, cores or disks -> one series per counter.

A recorder that goes round all devices leaves a burst of samples under one name, then nothing until the next round. The
samples of a burst are of different devices: one after the other they would make the last device of each round stand for
nearly all of the time, so that they are averaged. Formulas: docs/inputs/counters.md.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds
from tb_perfcompare.quick_dataclass import dataclass

_APART = 4.0
"""Gaps between rounds are at least this many times those within one."""


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """One counter. `size` is how many samples a round typically has; 1: nothing was averaged."""

    time_ns: Nanoseconds
    value: Floats
    size: int


def rounds(time_ns: Nanoseconds, value: Floats) -> Rounds:
    """The rounds of samples in any order: each at its first sample, with the mean of its samples."""
    order = np.lexsort((value, time_ns))
    time_ns, value = time_ns[order], value[order]
    first = _first_of_rounds(time_ns)
    size = np.diff(np.append(first, len(time_ns)))
    reference = np.repeat(value[first], size)
    mean = value[first] + np.add.reduceat((value - reference) / np.repeat(size, size), first)
    return Rounds(time_ns[first], mean, int(np.median(size)))


def _first_of_rounds(time_ns: Nanoseconds) -> Ints:
    """Rows that begin a round: those after a gap that is long compared with the other gaps and with the rounds.

    The longest such gap counts. A pause of the recorder does not: the rounds next to it would be longer than the gap,
    or two of different size.
    """
    gaps = np.diff(time_ns).astype(np.float64)
    sizes = np.unique(gaps)
    for short, long in zip(sizes[-2::-1].tolist(), sizes[:0:-1].tolist(), strict=True):
        if long < _APART * short:
            continue
        first = np.append(0, np.flatnonzero(gaps >= long) + 1)
        last = np.append(first[1:] - 1, len(time_ns) - 1)
        is_short = (time_ns[last] - time_ns[first]).max() * 2 < long
        if is_short and (len(first) > 2 or last[0] + 1 == len(time_ns) - first[-1]):
            return first
    return np.arange(len(time_ns))
