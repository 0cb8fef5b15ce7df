"""Exactly one owner for every nanosecond of a step.

At each instant the first active class in StepCategory order owns. Inside a device class the events running at once
share the time equally (the indivisible nanoseconds go to the latest started); inside a host class the innermost event,
which started last, owns. Other includes events that explain a gap, such as profiler overhead and Python functions, and
time that no event claims. So the owned times of a step sum to its window to the nanosecond. Ownership is kept event by
event, so any grouping of events sums exactly as well. (Method: docs/method/ledger.md.)

Two implementations give the same result: a compiled one (native/sweep.c), which goes from one change to the next, and
one in numpy, which handles all intervals of a step at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import Tie, compiled, packed, packed_tie, unpacked
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints, Ints32, Nanoseconds, StepIndex, unique
from tb_perfcompare.model.summary.categories import DEVICE_CATEGORIES, StepCategory
from tb_perfcompare.quick_dataclass import dataclass

LAST = len(StepCategory)
"""Role after all categories."""


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """n events in any order, m of which may own time (claims).

    start_ns, dur_ns  (n,) int64
    role              (n,) int8 StepCategory, LAST for events that own what all these leave; negative for events that
                      claim nothing
    ties              (n,) each; decide which of equal spans started later, the first column before the second, so that
                      the result does not depend on file order
    """

    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    role: NDArray[np.int8]
    ties: tuple[Tie, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What each claim owns of each step, and gaps, the parts of steps without owner.

    claim, step         (c,) int32 claim and row of the windows; each pair once, in any order
    time_ns             (c,) int64, positive
    gap_start, gap_end  (g,) int64, in time order, disjoint
    gap_step            (g,) int64

    The time_ns of a step and the lengths of its gaps sum to its window.
    """

    claim: Ints32
    step: StepIndex
    time_ns: Nanoseconds
    gap_start: Nanoseconds
    gap_end: Nanoseconds
    gap_step: Ints


def owned_shares(claims: Claims, windows: Windows) -> Shares:
    """Divides every step among the claims."""
    module = compiled()
    if module is None:
        return _in_numpy(claims, windows)
    claim, step, time_ns, *gaps = module.sweep(
        packed(claims.start_ns, np.int64),
        packed(claims.dur_ns, np.int64),
        packed(claims.role, np.int8),
        sum(1 << role for role in DEVICE_CATEGORIES),
        tuple(packed_tie(tie) for tie in claims.ties),
        packed(windows.start_ns, np.int64),
        packed(windows.end_ns, np.int64),
    )
    return Shares(
        unpacked(claim, np.int32),
        unpacked(step, np.int32),
        unpacked(time_ns, np.int64),
        *(unpacked(column, np.int64) for column in gaps),
    )


def _in_numpy(claims: Claims, windows: Windows) -> Shares:
    row = np.flatnonzero(claims.role >= 0)
    claim = np.flatnonzero(claims.dur_ns[row] > 0)
    row = row[claim]
    start, end, role = claims.start_ns[row], claims.start_ns[row] + claims.dur_ns[row], claims.role[row]
    order = np.lexsort((*(tie[row] for tie in reversed(claims.ties)), -end, start, -role))
    claim, start, end, role = claim[order], start[order], end[order], role[order]
    none = np.zeros(0, dtype=np.int64)
    parts = [(none,) * 6]
    for step, rows in enumerate(_rows_of_steps(start, end, windows)):
        low, high = int(windows.start_ns[step]), int(windows.end_ns[step])
        first_ns, last_ns = np.clip(start[rows], low, high), np.clip(end[rows], low, high)
        owned, gap_start, gap_end = _owned(first_ns, last_ns, role[rows], low, high)
        own = np.flatnonzero(owned)
        steps = np.full(len(own), step), np.full(len(gap_start), step)
        parts.append((claim[rows[own]], steps[0], owned[own], gap_start, gap_end, steps[1]))
    of_claim, of_step, *columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Shares(of_claim.astype(np.int32), of_step.astype(np.int32), *columns)


def _rows_of_steps(start: Ints, end: Ints, windows: Windows) -> Iterator[Ints]:
    """Yields the rows of the claims that overlap each step."""
    low = np.searchsorted(windows.end_ns, start, side="right")
    overlapped = np.maximum(np.searchsorted(windows.start_ns, end) - low, 0)
    row = np.repeat(np.arange(len(start)), overlapped)
    step = np.arange(len(row)) - np.repeat(np.cumsum(overlapped) - overlapped - low, overlapped)
    by_step = np.argsort(step, kind="stable")
    bounds = np.searchsorted(step[by_step], np.arange(len(windows.label) + 1))
    return (row[by_step[begin:finish]] for begin, finish in pairwise(bounds.tolist()))


def _owned(start: Ints, end: Ints, role: NDArray[np.int8], low: int, high: int) -> tuple[Ints, Ints, Ints]:
    """(time that each claim owns of the step [low, high); starts of its gaps; their ends).

    Claims lie inside the step. Those whose class owns first come last, and of one class those that started later.
    """
    edges = unique(np.concatenate([start, end, [low, high]]))
    first, last = np.searchsorted(edges, start), np.searchsorted(edges, end)
    top = np.full(len(edges) - 1, -1)
    for row, (begin, finish) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        top[begin:finish] = row
    owned, left = np.zeros(len(start), dtype=np.int64), np.diff(edges)
    for category in DEVICE_CATEGORIES:
        rows = np.flatnonzero(role == category)
        changes = np.bincount(first[rows], minlength=len(edges)) - np.bincount(last[rows], minlength=len(edges))
        active = np.cumsum(changes[:-1])
        wins = np.flatnonzero(active)
        wins = wins[role[top[wins]] == category]
        each = np.zeros(len(top), dtype=np.int64)
        each[wins] = left[wins] // active[wins]
        before = np.append(0, np.cumsum(each))
        owned[rows] += before[last[rows]] - before[first[rows]]
        left -= each * active
    has_owner = top >= 0
    np.add.at(owned, top[has_owner], left[has_owner])
    gap_edges = edges[np.diff(has_owner, prepend=True, append=True)]
    return owned, gap_edges[::2], gap_edges[1::2]
