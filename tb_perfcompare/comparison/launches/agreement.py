"""Lengths of agreement of two sequences from given places on, for many places at once.

Windows of 1, 2, 4, ... elements get numbers such that equal windows have equal numbers (the ranks of Karp, Miller
and Rosenberg 1972): exact, without hashes. A run of r equal elements then takes about 2 log2(r) look-ups instead of
r.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints

LAST_LEVEL = 12
"""Level of the longest windows, 2**12 elements; longer runs are followed in steps of that many."""


class Agreement:
    """Two sequences of numbers from 0 up, with their windows. Levels of windows are built on first use."""

    def __init__(self, a: Ints, b: Ints) -> None:
        # an end mark after each sequence, unlike all elements and each other, so that no run passes an end
        self._levels = [np.concatenate([a, [-1], b, [-2]]).astype(np.int64)]
        self.lengths = (len(a), len(b))
        self._second = len(a) + 1

    def windows(self, level: int) -> tuple[Ints, Ints]:
        """Numbers of the windows of 2**level elements that lie inside a and inside b, by their first element."""
        n, m = self.lengths
        ranks = self._level(level)
        inside = (1 << level) - 1
        return ranks[: max(n - inside, 0)], ranks[self._second : self._second + max(m - inside, 0)]

    def runs(self, x: Ints, y: Ints) -> Ints:
        """(k,) places in a and b, 0 up to their lengths -> (k,) number of equal elements from there on."""
        length = np.zeros(len(x), dtype=np.int64)
        active = np.flatnonzero(self._levels[0][x] == self._levels[0][y + self._second])
        if not len(active):
            return length
        at, off = x[active], y[active] + self._second - x[active]
        begin = at.copy()
        climbing, level = np.arange(len(active)), 0
        while len(climbing):
            ranks = self._level(level)
            here = at[climbing]
            climbing = climbing[ranks[here] == ranks[here + off[climbing]]]
            at[climbing] += 1 << level
            level = min(level + 1, LAST_LEVEL)
        for step in range(level - 1, -1, -1):
            ranks = self._level(step)
            at[ranks[at] == ranks[at + off]] += 1 << step
        length[active] = at - begin
        return length

    def _level(self, level: int) -> Ints:
        while len(self._levels) <= level:
            self._levels.append(self._doubled(self._levels[-1], 1 << (len(self._levels) - 1)))
        return self._levels[level]

    def _doubled(self, ranks: Ints, half: int) -> Ints:
        """Ranks of windows twice as long. Windows that extend past the text differ between a and b; those that
        extend only past a contain its end mark, which b does not have."""
        out = np.full(len(ranks), -2, dtype=np.int64)
        out[: self._second] = -1
        whole = len(ranks) - 2 * half + 1
        if whole > 0:
            low = int(ranks.min())
            pairs = (ranks[:whole] - low) * (int(ranks.max()) - low + 1) + (ranks[half : half + whole] - low)
            out[:whole] = np.unique(pairs, return_inverse=True)[1]
        return out
