"""One series per counter, from samples that name the counter but not the device, core or disk.

A recorder that visits all devices in turn leaves a burst of samples under one name, then nothing until the next round.
The samples of a burst are averaged, because they belong to different devices: taken one after another, the last device
of each round would represent nearly all of the time. Formulas: docs/inputs/counters.md.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds
from tb_perfcompare.quick_dataclass import dataclass

_MIN_GAP_RATIO = 4.0
"""A gap between rounds is at least this many times the longest gap within a round."""


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """One counter, a sample per round. `size` is the typical number of samples per round; 1 if nothing was averaged."""

    time_ns: Nanoseconds
    value: Floats
    size: int


def rounds(time_ns: Nanoseconds, value: Floats) -> Rounds:
    """Averages each round of samples (in any order), at the time of its first sample."""
    order = np.lexsort((value, time_ns))
    time_ns, value = time_ns[order], value[order]
    first = _first_of_rounds(time_ns)
    size = np.diff(np.append(first, len(time_ns)))
    reference = np.repeat(value[first], size)
    mean = value[first] + np.add.reduceat((value - reference) / np.repeat(size, size), first)
    return Rounds(time_ns[first], mean, int(np.median(size)))


def _first_of_rounds(time_ns: Nanoseconds) -> Ints:
    """Returns the rows that start a round: those after a gap that is long compared with other gaps and with the rounds.

    The longest such gap length is used. A pause of the recorder does not qualify: the rounds next to it would be longer
    than the gap, or would be two of different size.
    """
    gaps = np.diff(time_ns).astype(np.float64)
    sizes = np.unique(gaps)
    for short, long in zip(sizes[-2::-1].tolist(), sizes[:0:-1].tolist(), strict=True):
        if long < _MIN_GAP_RATIO * short:
            continue
        first = np.append(0, np.flatnonzero(gaps >= long) + 1)
        last = np.append(first[1:] - 1, len(time_ns) - 1)
        is_short = (time_ns[last] - time_ns[first]).max() * 2 < long
        if is_short and (len(first) > 2 or last[0] + 1 == len(time_ns) - first[-1]):
            return first
    return np.arange(len(time_ns))
