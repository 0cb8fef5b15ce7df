"""Aligns two sequences of launches: which launch of one corresponds to which of the other.

Equal kernels in the same order are matched, along a shortest sequence of removed and added launches
(launches/edit_path.py). Exchanging the sides exchanges the result. Definitions and bounds: docs/method/alignment.md.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field

import numpy as np

from tb_perfcompare.comparison.launches.edit_path import Agreement, Budget, Run, follow
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.quick_dataclass import dataclass

_WINDOW_LEVEL = 4
"""If no path is found, windows of 2**4 launches that occur once on each side are taken as the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Matched launches: (k,) places in a and (k,) in b, both increasing. `unaligned` are the numbers of gaps (gap g
    is before match g, gap k after the last) whose launches were too different for a complete search."""

    at_a: Ints
    at_b: Ints
    unaligned: tuple[int, ...]


@dataclass(slots=True)
class _Search:
    """Runs found so far, in any order, and the places in a and b of gaps that were given up."""

    budget: Budget = field(default_factory=Budget)
    runs: list[Run] = field(default_factory=list)
    given_up: list[tuple[int, int]] = field(default_factory=list)


def align(a: Ints, b: Ints) -> Alignment:
    """Aligns (n,) and (m,) kernel numbers, equal for equal kernels on both sides and numbered independently of the
    order of the sides."""
    if not _in_order(a, b):
        turned = align(b, a)
        return Alignment(turned.at_b, turned.at_a, turned.unaligned)
    # kernels of one side only cannot be matched
    from_a, from_b = np.flatnonzero(np.isin(a, b)), np.flatnonzero(np.isin(b, a))
    search = _Search()
    _align_part(a[from_a], b[from_b], (0, 0), search, split=True)
    search.runs.sort()
    parts = np.array(search.runs, dtype=np.int64).reshape(-1, 3)
    within = np.arange(int(parts[:, 2].sum())) - np.repeat(np.cumsum(parts[:, 2]) - parts[:, 2], parts[:, 2])
    at_a = from_a[np.repeat(parts[:, 0], parts[:, 2]) + within]
    at_b = from_b[np.repeat(parts[:, 1], parts[:, 2]) + within]
    gaps = {int(np.searchsorted(at_a, from_a[x])) for x, _ in search.given_up}
    return Alignment(at_a, at_b, tuple(sorted(gaps)))


def _in_order(a: Ints, b: Ints) -> bool:
    """Which of two sequences is searched as the first: the shorter, then the one with the smaller number at the
    first difference. Since the choice does not depend on the sides, exchanging them mirrors the result."""
    if len(a) != len(b):
        return len(a) < len(b)
    differs = np.flatnonzero(a != b)
    return not len(differs) or bool(a[differs[0]] < b[differs[0]])


def _align_part(a: Ints, b: Ints, origin: tuple[int, int], matches: _Search, *, split: bool) -> None:
    """Aligns from the front as far as the path is clear, then from the back; what is left in between is split at
    windows that occur once on each side, or given up."""
    head = _agreeing(a, b)
    if head:
        matches.runs.append((*origin, head))
        a, b, origin = a[head:], b[head:], (origin[0] + head, origin[1] + head)
    tail = _agreeing(a[::-1], b[::-1])
    if tail:
        a, b = a[: len(a) - tail], b[: len(b) - tail]
        matches.runs.append((origin[0] + len(a), origin[1] + len(b), tail))
    if not len(a) or not len(b):
        return
    agreement = Agreement(a, b)
    runs, (x, y) = follow(agreement, matches.budget)
    matches.runs += [(origin[0] + i, origin[1] + j, length) for i, j, length in runs]
    if (x, y) == (len(a), len(b)):
        return
    a, b, origin = a[x:], b[y:], (origin[0] + x, origin[1] + y)
    runs, (x, y) = follow(Agreement(a[::-1], b[::-1]), matches.budget)
    ends = (origin[0] + len(a), origin[1] + len(b))
    matches.runs += [(ends[0] - i - length, ends[1] - j - length, length) for i, j, length in runs]
    if (x, y) == (len(a), len(b)):
        return
    a, b = a[: len(a) - x], b[: len(b) - y]
    anchors = _anchors(a, b) if split else []
    if not anchors:
        matches.given_up.append(origin)
        return
    pieces = zip([(0, 0), *anchors], [*anchors, (len(a), len(b))], strict=True)
    # the shortest first: if the budget runs out, only long, dissimilar pieces are left unaligned
    for (x, y), (x_end, y_end) in sorted(pieces, key=lambda piece: sum(piece[1]) - sum(piece[0])):
        _align_part(a[x:x_end], b[y:y_end], (origin[0] + x, origin[1] + y), matches, split=False)


def _agreeing(a: Ints, b: Ints) -> int:
    """Length of the common prefix."""
    both = min(len(a), len(b))
    differs = np.flatnonzero(a[:both] != b[:both])
    return int(differs[0]) if len(differs) else both


def _anchors(a: Ints, b: Ints) -> list[tuple[int, int]]:
    """Starts of windows that occur once on each side, as many as keep their order (patience sorting)."""
    sides = []
    for windows in Agreement(a, b).windows(_WINDOW_LEVEL):
        number, start, count = np.unique(windows, return_index=True, return_counts=True)
        sides.append((number[count == 1], start[count == 1]))
    (in_a, at_a), (in_b, at_b) = sides
    _, common_a, common_b = np.intersect1d(in_a, in_b, assume_unique=True, return_indices=True)
    order = np.argsort(at_a[common_a])
    return _longest_rising(at_a[common_a][order].tolist(), at_b[common_b][order].tolist())


def _longest_rising(xs: list[int], ys: list[int]) -> list[tuple[int, int]]:
    """Longest sequence of pairs in which both parts increase."""
    tops: list[int] = []  # smallest last y of a chain of each length
    ends: list[int] = []
    before: list[int] = []
    for index, y in enumerate(ys):
        position = bisect_left(tops, y)
        before.append(ends[position - 1] if position else -1)
        tops[position : position + 1] = [y]
        ends[position : position + 1] = [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append((xs[index], ys[index]))
        index = before[index]
    return chain[::-1]
