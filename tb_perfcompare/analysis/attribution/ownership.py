"""Every nanosecond of a step has exactly one owner.

At each instant the first active class in StepCategory order owns (of Other: what explains a gap, such as the profiler's
own work and Python functions). Inside a device class the events running at once
share the time equally (the nanosecond that does not divide goes to the latest started); inside a host class the
innermost, that is the latest started, event owns. What nothing claims is Other, too. So the owned times of a step sum
to its window to the nanosecond. Who that is is kept event by event, so that any way to group the events closes as well.
(Method: docs/method/ledger.md.)

There are two forms that give the same: a compiled one (native/sweep.c), which goes from one change to the next, and one
in numpy (ownership_in_numpy.py), which works on all stretches between changes at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import Tie, compiled, packed, packed_tie, unpacked
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints, Ints32, Nanoseconds, StepIndex
from tb_perfcompare.model.summary.summary import DEVICE_CATEGORIES
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """Events, some of which may own time; n rows, in any order, m of them claims.

    start_ns, dur_ns  (n,) int64
    role              (n,) int8 StepCategory, below 0 for events that claim nothing
    ties              (n,) each; who of equal spans started later, the first before the second, so that it does not
                      depend on file order
    """

    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    role: NDArray[np.int8]
    ties: tuple[Tie, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What each claim owns of each step: c pairs, each once, in any order; and g gaps, parts of a step without owner.

    claim, step         (c,) int32 which of the m claims, rows of the windows
    time_ns             (c,) int64 above zero
    gap_start, gap_end  (g,) int64, in time order, disjoint
    gap_step            (g,) int64

    time_ns by step and the lengths of the step's gaps sum to its window.
    """

    claim: Ints32
    step: StepIndex
    time_ns: Nanoseconds
    gap_start: Nanoseconds
    gap_end: Nanoseconds
    gap_step: Ints


def owned_shares(claims: Claims, windows: Windows) -> Shares:
    """Who owns which part of every step, claim by claim."""
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
