"""Which points of a long curve to keep."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.unique import unique


def thinned(curves: tuple[Ints, ...], most: int, cuts: Ints | None = None) -> Ints:
    """Ascending positions: of every stretch the first, the last, and where each curve is highest and lowest.

    `curves` have (n,) values each; up to `most` points stay as they are, longer ones come down to about that many for
    each curve. A stretch never reaches across `cuts`, positions in 0 to n, so that any part between two of them
    still has its extremes; more cuts than points may leave more than `most`.
    """
    n = len(curves[0])
    if n <= most:
        return np.arange(n, dtype=np.int64)
    inner = np.zeros(0, dtype=np.int64) if cuts is None else cuts
    edges = unique(np.concatenate((np.linspace(0, n, most // 2 + 1).astype(np.int64), inner)))
    low, high = edges[:-1], edges[1:]
    kept = [np.array([0, n - 1]), inner[inner < n], inner[inner > 0] - 1]
    for values in curves:
        for extreme in (np.maximum, np.minimum):
            best = extreme.reduceat(values, low)
            is_best = np.flatnonzero(values == np.repeat(best, high - low))
            kept.append(is_best[np.searchsorted(is_best, low)])
    return unique(np.concatenate(kept).astype(np.int64))
