"""Rows of two aligned sequences of launches: on both sides, replaced, added or removed (docs/method/alignment.md)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.launches.alignment import Alignment, align
from tb_perfcompare.model.arrays import Ints, Nanoseconds, each_side
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import LaunchSequence
from tb_perfcompare.quick_dataclass import dataclass

STATUSES = ("both", "added", "removed", "replaced")
BOTH, ADDED, REMOVED, REPLACED = range(4)

MAX_UNEQUAL = 16
"""Longest gap in which launches are paired if the sides have different numbers of them; in longer ones it is not
known which launch replaced which."""

Stretch = tuple[int, int, int, int]
"""First and one past the last launch in a, the same in b."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchRows:
    """r rows in order; every launch of either side is in exactly one.

    at_a, at_b  (r,) int64 number of the launch from 0, -1 if the side has none
    status      (r,) int8 index into STATUSES
    unaligned   gaps that were too different to be aligned: their launches are removed and added
    """

    at_a: Ints
    at_b: Ints
    status: NDArray[np.int8]
    unaligned: tuple[Stretch, ...]

    def __len__(self) -> int:
        return len(self.status)

    def deltas_ns(self, a: LaunchSequence, b: LaunchSequence) -> Ints:
        """(r,) candidate minus baseline; a missing launch takes no time."""
        return row_durations_ns(b.dur_ns, self.at_b) - row_durations_ns(a.dur_ns, self.at_a)

    def in_step(self) -> int:
        """Number of rows that show the two programs to be alike: matched launches, and launches replaced by equally
        many in the same place."""
        stretch = np.cumsum(self.status == BOTH)
        uneven = np.bincount(stretch, weights=(self.status == ADDED) | (self.status == REMOVED))[stretch] > 0
        return int(((self.status == BOTH) | ((self.status == REPLACED) & ~uneven)).sum())


def row_durations_ns(dur_ns: Nanoseconds, launch: Ints) -> Ints:
    """(r,) duration of each row's launch, 0 if there is none."""
    return np.where(launch >= 0, dur_ns[np.maximum(launch, 0)], 0)


def launch_rows(baseline: Summary, candidate: Summary) -> LaunchRows | None:
    """Builds the rows of two sides that are one sequence of launches each, None for others."""
    a, b = baseline.launches, candidate.launches
    if a is None or b is None:
        return None
    kernels = each_side(lambda side: side.groups["kernels"].keys, (baseline, candidate))
    number = {key: index for index, key in enumerate(sorted({*kernels[0], *kernels[1]}))}
    kernel_a, kernel_b = each_side(
        lambda keys, side: np.array([number[key] for key in keys], dtype=np.int64)[side.kernel], kernels, (a, b)
    )
    return _rows(align(kernel_a, kernel_b), kernel_a, kernel_b, a.dur_ns, b.dur_ns)


def _rows(alignment: Alignment, a: Ints, b: Ints, dur_a: Nanoseconds, dur_b: Nanoseconds) -> LaunchRows:
    """Matches in order, with the launches in the gaps before, between and after them."""
    begin_a, begin_b = np.append(0, alignment.at_a + 1), np.append(0, alignment.at_b + 1)
    end_a, end_b = np.append(alignment.at_a, len(a)), np.append(alignment.at_b, len(b))
    given_up = set(alignment.unaligned)
    unaligned: list[Stretch] = []
    at_a, at_b = [], []
    done = 0
    for gap in np.flatnonzero((end_a > begin_a) | (end_b > begin_b)).tolist():
        at_a.append(alignment.at_a[done:gap])
        at_b.append(alignment.at_b[done:gap])
        done = gap
        stretch = int(begin_a[gap]), int(end_a[gap]), int(begin_b[gap]), int(end_b[gap])
        if gap in given_up:
            unaligned.append(stretch)
        rows_a, rows_b = _apart(stretch) if gap in given_up else _in_place(stretch, dur_a, dur_b)
        at_a.append(rows_a)
        at_b.append(rows_b)
    rows_a, rows_b = np.concatenate([*at_a, alignment.at_a[done:]]), np.concatenate([*at_b, alignment.at_b[done:]])
    status = np.where(rows_a < 0, ADDED, np.where(rows_b < 0, REMOVED, BOTH)).astype(np.int8)
    pairs = np.flatnonzero(status == BOTH)
    status[pairs[a[rows_a[pairs]] != b[rows_b[pairs]]]] = REPLACED
    return LaunchRows(rows_a, rows_b, status, tuple(unaligned))


def _apart(stretch: Stretch) -> tuple[Ints, Ints]:
    """Rows of an unpaired gap: all launches of a, then all of b."""
    a0, a1, b0, b1 = stretch
    none_a, none_b = np.full(b1 - b0, -1, dtype=np.int64), np.full(a1 - a0, -1, dtype=np.int64)
    return np.concatenate([np.arange(a0, a1), none_a]), np.concatenate([none_b, np.arange(b0, b1)])


def _in_place(stretch: Stretch, dur_a: Nanoseconds, dur_b: Nanoseconds) -> tuple[Ints, Ints]:
    """Pairs launches in the same place in their order; if one side has more, its longest ones."""
    a0, a1, b0, b1 = stretch
    if a1 - a0 < b1 - b0:
        rows_b, rows_a = _in_place((b0, b1, a0, a1), dur_b, dur_a)
        return rows_a, rows_b
    pairs, longer = b1 - b0, a1 - a0
    if not pairs or (pairs < longer > MAX_UNEQUAL):
        return _apart(stretch)
    longest = np.sort(np.argsort(-dur_a[a0:a1], kind="stable")[:pairs])
    partners = np.full(longer, -1, dtype=np.int64)
    partners[longest] = np.arange(b0, b1)
    return np.arange(a0, a1), partners
