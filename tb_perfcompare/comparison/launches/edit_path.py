"""Shortest edit path between two sequences, by removing and adding elements.

Myers' O(ND) algorithm (1986) over furthest-reaching diagonals, with all diagonals of a round at once and runs of
equal elements found by look-up (Landau and Vishkin 1989), so that d differences cost d^2/2 look-ups however long the
runs. Work and memory are bounded: beyond EXACT elements the path is committed piece by piece where it is clearly
right; a search that sees no clear path within DEPTH differences gives up, and so does one that has used up its
budget.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints, Ints32
from tb_perfcompare.quick_dataclass import dataclass

_LAST_LEVEL = 12
"""Level of the longest windows, 2**12 elements; longer runs are followed in steps of that many."""


class Agreement:
    """Lengths of agreement of two sequences of numbers from 0 up from given places on, for many places at once.

    Windows of 1, 2, 4, ... elements get numbers such that equal windows have equal numbers (the ranks of Karp, Miller
    and Rosenberg 1972): exact, without hashes. A run of r equal elements then takes about 2 log2(r) look-ups instead of
    r. Levels of windows are built on first use.
    """

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
        position, off = x[active], y[active] + self._second - x[active]
        begin = position.copy()
        climbing, level = np.arange(len(active)), 0
        while len(climbing):
            ranks = self._level(level)
            here = position[climbing]
            climbing = climbing[ranks[here] == ranks[here + off[climbing]]]
            position[climbing] += 1 << level
            level = min(level + 1, _LAST_LEVEL)
        for step in range(level - 1, -1, -1):
            ranks = self._level(step)
            position[ranks[position] == ranks[position + off]] += 1 << step
        length[active] = position - begin
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
        count = len(ranks) - 2 * half + 1
        if count > 0:
            low = int(ranks.min())
            pairs = (ranks[:count] - low) * (int(ranks.max()) - low + 1) + (ranks[half : half + count] - low)
            out[:count] = np.unique(pairs, return_inverse=True)[1]
        return out


Run = tuple[int, int, int]
"""Place in a, place in b, number of equal elements."""

DEPTH = 4000
"""Differences that one search follows; it keeps DEPTH**2 / 2 places of 4 bytes (32 MB)."""

EXACT = DEPTH
"""Two sequences of at most this many elements together are always searched to the end: the path is a shortest one."""

BUDGET = 30_000_000
"""Places that all searches of one pair may examine in total."""

_CHECKED_EVERY = 256
"""Rounds between two checks of whether part of the path is clear, and the lowest score of a clear part."""

_COST = 2
"""A path is clear as long as its equal elements minus _COST times its differences grow."""

_ROUND = 100
"""Fixed cost of a round (of its array operations), in places."""

_DEAD = -(1 << 30)


@dataclass(slots=True)
class Budget:
    """Remaining budget of the searches."""

    left: int = BUDGET

    def spend(self, places: int) -> bool:
        """Spends a round's cost; False if the budget is exhausted."""
        self.left -= places + _ROUND
        return self.left >= 0


def follow(agreement: Agreement, budget: Budget) -> tuple[list[Run], tuple[int, int]]:
    """Follows the path from the beginning: runs of equal elements in order, and where it ended; both lengths if
    complete."""
    n, m = agreement.lengths
    runs: list[Run] = []
    position = (0, 0)
    while position[0] < n and position[1] < m:
        part, reached = _search(agreement, position, budget)
        if reached == position:
            return runs, position
        runs += part
        position = reached
    return runs, (n, m)


def _search(agreement: Agreement, start: tuple[int, int], budget: Budget) -> tuple[list[Run], tuple[int, int]]:
    """Runs one search: its committed runs and where they end (`start` if nothing is clear)."""
    n, m = (length - begin for length, begin in zip(agreement.lengths, start, strict=True))
    origin = np.array(start, dtype=np.int64)
    first = int(agreement.runs(origin[:1], origin[1:])[0])
    rounds = [np.array([first], dtype=np.int32)]
    if first == n == m:
        return [(*start, first)], agreement.lengths
    goal, exact = n - m, n + m <= EXACT
    for d in range(1, min(n + m, DEPTH) + 1):
        reach = _next_round(rounds[-1], d, n, m)
        live = np.flatnonzero(reach >= 0)
        if not budget.spend(len(live)):
            break
        x = reach[live]
        y = x - (2 * live - d)
        reach[live] = x + agreement.runs(x + start[0], y + start[1])
        rounds.append(reach.astype(np.int32))
        if abs(goal) <= d and (goal + d) % 2 == 0 and reach[(goal + d) // 2] == n:
            return _way(rounds, (goal + d) // 2, start, (n, m)), agreement.lengths
        if not exact and d % _CHECKED_EVERY == 0:
            clear = _clear_part(rounds, start, (n, m))
            if clear:
                return clear
    return _clear_part(rounds, start, (n, m)) or ([], start)


def _next_round(before: Ints32, d: int, n: int, m: int) -> Ints:
    """(d + 1,) furthest place in a on the diagonals -d, -d + 2, ..., d, before following equal elements: one element
    added (from the diagonal above) or removed (from the one below), whichever reaches further; added if both do."""
    last = before.astype(np.int64)
    diagonals = 2 * np.arange(d + 1, dtype=np.int64) - d
    added, removed = np.full(d + 1, _DEAD, dtype=np.int64), np.full(d + 1, _DEAD, dtype=np.int64)
    added[:-1] = np.where(last - diagonals[:-1] <= m, last, _DEAD)
    removed[1:] = np.where(last < n, last + 1, _DEAD)
    furthest: Ints = np.maximum(added, removed)
    furthest[furthest < 0] = _DEAD
    return furthest


def _clear_part(
    rounds: list[Ints32], start: tuple[int, int], lengths: tuple[int, int]
) -> tuple[list[Run], tuple[int, int]] | None:
    """The furthest path, cut where its score was best; None while that is not clear yet."""
    last = rounds[-1].astype(np.int64)
    distance = np.where(last >= 0, 2 * last - (2 * np.arange(len(last)) - (len(last) - 1)), -1)
    runs = _way(rounds, int(np.argmax(distance)), start, lengths)
    score = best = kept = 0
    position = start
    for index, (x, y, length) in enumerate(runs, 1):
        score += length - _COST * (x - position[0] + y - position[1])
        position = (x + length, y + length)
        if score > best:
            best, kept = score, index
    if best < _CHECKED_EVERY:
        return None
    x, y, length = runs[kept - 1]
    return runs[:kept], (x + length, y + length)


def _way(rounds: list[Ints32], index: int, start: tuple[int, int], lengths: tuple[int, int]) -> list[Run]:
    """Runs of equal elements that lead to diagonal `index` of the last round."""
    runs: list[Run] = []
    for d in range(len(rounds) - 1, -1, -1):
        end = int(rounds[d][index])
        diagonal = 2 * index - d
        begin, come_from = (0, 0) if d == 0 else _step_back(rounds[d - 1], index, diagonal, lengths)
        if end > begin:
            runs.append((start[0] + begin, start[1] + begin - diagonal, end - begin))
        index = come_from
    runs.reverse()
    return runs


def _step_back(before: Ints32, index: int, diagonal: int, lengths: tuple[int, int]) -> tuple[int, int]:
    """Where the run on this diagonal began, and the previous diagonal: repeats the choice of _next_round."""
    n, m = lengths
    added = int(before[index]) if index < len(before) else _DEAD
    if added - diagonal > m:
        added = _DEAD
    removed = int(before[index - 1]) + 1 if index > 0 else _DEAD
    if removed > n:
        removed = _DEAD
    return (added, index) if added >= removed else (removed, index - 1)
