"""Exactly one owner for every nanosecond of a step.

At each instant the first active class in StepCategory order owns. Inside a device class the events running at once
share the time equally (the indivisible nanoseconds go to the latest started); inside a host class the innermost event,
which started last, owns. Other includes events that explain a gap, such as profiler overhead and Python functions, and
time that no event claims. So the owned times of a step sum to its window to the nanosecond. Ownership is kept event by
event, so any grouping of events sums exactly as well. (Method: docs/method/ledger.md.)

Two implementations give the same result: a compiled one (native/sweep.c), which goes from one change to the next, and
one in numpy (ownership_in_numpy.py), which handles all intervals between changes at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import Tie, compiled, packed, packed_tie, unpacked
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints, Ints32, Nanoseconds, StepIndex
from tb_perfcompare.model.summary.summary import DEVICE_CATEGORIES, StepCategory
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
        from tb_perfcompare.analysis.attribution.ownership_in_numpy import shares_in_numpy

        rows = np.flatnonzero(claims.role >= 0)
        ties = tuple(tie[rows] for tie in claims.ties)
        start = claims.start_ns[rows]
        spans = start, start + claims.dur_ns[rows]
        return Shares(*shares_in_numpy(*spans, claims.role[rows], ties, windows.start_ns, windows.end_ns))
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
