"""One strict comparison with everything that is said about it, before any face draws it."""

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
    """`number` in docs/method/strict.md, and a sentence with this pair's figures."""

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
    """In the order of their numbers. The first two tables are those the report was made of, `files` those they were
    taken from, with all processes; `recordings` are pooled on the sides."""
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
    """
    case        what is compared, in titles
    processes   the pairs there are; `chosen` is the index of the one that was compared
    report      None when there is nothing to compare; `absent` then says why
    weaknesses  of the method, as far as this pair shows them
    units       what the counters count in, a text each
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
