"""Figures that the published columns lack, per triplet: plain time per cycle over all cycles of a side.

A published share is a mean over the cycles in which the triplet has a row. Here every (function, device) is counted
once per cycle whatever counters it has, and a cycle without it counts as zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.strict.groups import NO_DEVICE, Rows, Triplet, align, cycles_per_group
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.work import NO_WORK, Work, work_per_cycle
from tb_perfcompare.model.arrays import Flags, Floats, Ints, each_side
from tb_perfcompare.model.recordings.cycles import NO_COUNTER, CycleTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LostFunction:
    """A function that never had a counter, so that it has no triplet in the report. Times in µs per cycle."""

    function: str
    device: str
    normal_us: float
    abnormal_us: float


@dataclass(frozen=True, slots=True, eq=False)
class Corrected:
    """Additional figures; arrays in the order of the report's triplets, pairs (normal, abnormal).

    time_us   float64, mean per cycle over all cycles of the side, 0 in cycles without the function
    status    the function on the device is on "both" sides, "added" or "removed"
    cycles    int64, cycles in which the function ran and the triplet's counter has a value
    sampled   float64, share of the triplet's rows in which its counter had a sample of its own; NaN without a row;
              None if the table does not say
    lost      functions without any triplet, largest change first
    """

    time_us: tuple[Floats, Floats]
    status: tuple[str, ...]
    cycles: tuple[Ints, Ints]
    sampled: tuple[Floats | None, Floats | None]
    lost: tuple[LostFunction, ...]


def corrected(normal: CycleTable, abnormal: CycleTable, report: StrictReport) -> Corrected:
    """Builds the report's additional columns from both tables."""
    work = _named(work_per_cycle(normal)), _named(work_per_cycle(abnormal))
    keys = [(function, device) for function, _, device in report.triplets]
    lost = [
        LostFunction(*key, *(side.get(key, NO_WORK).time_us for side in work))
        for key in sorted((work[0].keys() | work[1].keys()) - set(keys))
    ]
    lost.sort(key=lambda row: -abs(row.abnormal_us - row.normal_us))
    triplets, *sides = align(normal, abnormal)
    index_of = {triplet: index for index, triplet in enumerate(triplets)}
    order = np.array([index_of[triplet] for triplet in report.triplets], dtype=np.int64)
    rows = each_side(lambda table, own: _rows(table, own, triplets), (normal, abnormal), sides)
    return Corrected(
        time_us=each_side(lambda side: np.array([side.get(key, NO_WORK).time_us for key in keys], np.float64), work),
        status=tuple(columns.status(key in work[0], key in work[1]) for key in keys),
        cycles=each_side(lambda side: side[0][order], rows),
        sampled=each_side(lambda side: None if side[1] is None else side[1][order], rows),
        lost=tuple(lost),
    )


def _named(work: Mapping[tuple[str, str], Work]) -> dict[tuple[str, str], Work]:
    """The work with missing devices named as in a triplet."""
    return {(function, device or NO_DEVICE): own for (function, device), own in work.items()}


def _rows(table: CycleTable, rows: Rows, triplets: Sequence[Triplet]) -> tuple[Ints, Floats | None]:
    """(cycles in which each triplet's function ran, share of its rows with a sample) on one side."""
    usable = table.rows((table.function >= 0) & (table.metric >= 0))
    ran = cycles_per_group(rows.chosen(_busy(usable)), len(triplets))
    if usable.interpolated is None:
        return ran, None
    own = np.bincount(rows.group, weights=~usable.interpolated, minlength=len(triplets))
    count = np.bincount(rows.group, minlength=len(triplets))
    counted = np.array([metric != NO_COUNTER for _, metric, _ in triplets], dtype=np.bool_)
    return ran, np.divide(own, count, out=np.full(len(triplets), np.nan), where=(count > 0) & counted)


def _busy(table: CycleTable) -> Flags:
    """(rows,) whether the function ran in the cycle: tables from traces may have rows for steps without it."""
    if table.instances is None:
        return np.ones(len(table), dtype=np.bool_)
    ran: Flags = (table.beta_pct != 0) | (np.nan_to_num(table.instances, nan=1.0) != 0)
    return ran
