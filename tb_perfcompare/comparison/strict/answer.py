"""A strict comparison with everything that is reported about it, before it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.weak_figures import WEAK_FIGURES
from tb_perfcompare.comparison.strict.weak_processes import few_recordings, other_processes
from tb_perfcompare.comparison.strict.weak_recordings import WEAK_RECORDINGS
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Weakness:
    """A weakness of the method: `number` in docs/method/strict.md, and a sentence with this pair's figures."""

    number: int
    sentence: str


def weaknesses(
    normal: CycleTable,
    abnormal: CycleTable,
    report: StrictReport,
    *,
    files: tuple[CycleTable, CycleTable] | None = None,
    recordings: tuple[int, int] = (1, 1),
) -> tuple[Weakness, ...]:
    """Weaknesses in the order of their numbers. The first two tables are those that the report was computed from,
    `files` the tables with all processes that they were taken from; `recordings` is the number pooled on each side."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = {number: check(report) for number, check in WEAK_FIGURES.items()}
        found |= {number: check(normal, abnormal) for number, check in WEAK_RECORDINGS.items()}
        found[11] = few_recordings(recordings)
        if files is not None:
            found[15] = other_processes((normal, abnormal), files)
    return tuple(Weakness(number, sentence) for number, sentence in sorted(found.items()) if sentence is not None)


SCHEMA = "tb_perfcompare.strict/1"


@dataclass(frozen=True, slots=True, eq=False)
class StrictAnswer:
    """The answer of a strict comparison.

    case        what is compared, in titles
    processes   all pairs; `chosen` is the index of the one that was compared
    report      None if there is nothing to compare; `absent` is then the reason
    weaknesses  of the method, as far as they apply to this pair
    units       units of the counters, a text each
    tables      summary, cycles and triplets
    """

    case: str
    processes: tuple[ProcessPair, ...]
    chosen: int
    report: StrictReport | None
    weaknesses: tuple[Weakness, ...] = ()
    units: tuple[str, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    absent: str = ""
