"""The smallest, middle and largest wanted of all n x m differences of many integers, from the few around them.

The wanted ranks lie close together: an interval of the shift of 1750 against 1750 steps spans about 4 % of the
differences. A thinned-out sample of both sides says between which values they lie; how many differences are below is
counted, and only those between are written out. Every answer is exact, whatever the sample says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.model.arrays import Ints

_THINNED = 128
"""Values of each side in the sample; its ranks are off by about one part in as many."""


def differences_near(baseline: Ints, candidate: Ints, ranks: Sequence[int]) -> Ints:
    """The differences candidate - baseline at the ranks, 1 being the smallest of the n x m; values in 0..2**62-1."""
    b, c = np.sort(baseline), np.sort(candidate)
    pairs = len(b) * len(c)
    first, last = min(ranks), max(ranks)
    sample = np.sort(np.subtract.outer(_thinned(c), _thinned(b)).ravel())
    slack = 2 / _THINNED
    while True:
        low = _at_share(sample, (first - 1) / pairs - slack, c[0] - b[-1])
        high = _at_share(sample, last / pairs + slack, c[-1] - b[0])
        # candidate value i makes differences of low..high with baseline values start[i]..end[i]-1
        start, end = np.searchsorted(b, c - high, side="left"), np.searchsorted(b, c - low, side="right")
        below = pairs - int(end.sum())
        if below < first and pairs - int(start.sum()) >= last:
            break
        slack *= 4  # from 1 on all differences are between
    if low == high:
        return np.full(len(ranks), low)
    counts = end - start
    place = np.arange(int(counts.sum())) + np.repeat(start - (np.cumsum(counts) - counts), counts)
    between = np.repeat(c, counts) - b[place]
    wanted = np.array(ranks) - below - 1
    between.partition(np.unique(wanted))
    found: Ints = between[wanted]
    return found


def _thinned(ordered: Ints) -> Ints:
    """At most _THINNED values, evenly spaced."""
    if len(ordered) <= _THINNED:
        return ordered
    return ordered[((np.arange(_THINNED) + 0.5) * (len(ordered) / _THINNED)).astype(np.intp)]


def _at_share(sample: Ints, share: float, outside: np.int64) -> np.int64:
    """The value below which about this share of the sample lies, `outside` beyond its ends."""
    at = int(share * len(sample))
    value: np.int64 = sample[at] if 0 < at < len(sample) else outside
    return value
