"""A strict comparison with everything that is reported about it, before it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

import numpy as np

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import times_text
from tb_perfcompare.comparison.strict.processes import ProcessPair, alone
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.weaknesses import WEAK_FIGURES, WEAK_RECORDINGS
from tb_perfcompare.comparison.strict.work import NO_WORK, Work, device_work, work_per_cycle
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Weakness:
    """A weakness of the method that applies to this report."""

    number: Annotated[int, "number in docs/method/strict.md, Weaknesses"]
    sentence: Annotated[str, "the weakness with the figures of this report"]


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
        sentences = {number: check(report) for number, check in WEAK_FIGURES.items()}
        sentences |= {number: check(normal, abnormal) for number, check in WEAK_RECORDINGS.items()}
        sentences[11] = _few_recordings(recordings)
        if files is not None:
            sentences[15] = _other_processes((normal, abnormal), files)
    return tuple(Weakness(number, sentence) for number, sentence in sorted(sentences.items()) if sentence is not None)


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


_MOVED = 0.5
"""A change only moved between processes if the sum over all changed by less than this part of it."""

_MIN_SHARE = 0.01
"""Least change that is considered, as a part of the normal side's mean cycle."""


def _few_recordings(recordings: tuple[int, int]) -> str:
    """Sentence on the number of recordings: cycles are the replicates, however many recordings there are."""
    if min(recordings) == 1:
        many = "one recording" if max(recordings) == 1 else f"{recordings[0]} against {recordings[1]} recordings"
        return f"{many} per side: the difference is between these, not between two configurations"
    return (
        f"{recordings[0]} and {recordings[1]} recordings per side count as one long one: how much recordings of one "
        "configuration differ is not in any deviation or p-value"
    )


def _other_processes(pair: tuple[CycleTable, CycleTable], files: tuple[CycleTable, CycleTable]) -> str | None:
    """Sentence on processes in the files that the report does not count; names a function whose time only moved
    among them. None if there are none."""
    processes = len(files[0].pids()), len(files[1].pids())
    if max(processes) == 1:
        return None
    sentence = (
        f"the sides hold {processes[0]} and {processes[1]} processes; time spent waiting for another one counts "
        "against the process that waits"
    )
    for side, pids in zip(("normal", "abnormal"), alone(files[0].pids(), files[1].pids()), strict=True):
        if pids:
            sentence += f"; on the {side} side only, and in no report: {', '.join(map(str, pids))}"
    here = [device_work(work_per_cycle(table)) for table in pair]
    everywhere = [_summed(table) for table in files]
    least = _MIN_SHARE * float(pair[0].cycle_lengths_us().mean())
    moved: tuple[float, str] = (0.0, "")
    for name in here[0].keys() | here[1].keys():
        own, every = ([side.get(name, NO_WORK).time_us for side in sides] for sides in (here, everywhere))
        change = abs(own[1] - own[0])
        if change >= least and abs(every[1] - every[0]) < _MOVED * change and change > moved[0]:
            moved = (change, f"{name} {times_text(*own)} per cycle here, {times_text(*every)} summed over all "
                     "processes")  # fmt: skip
    return f"{sentence}; {moved[1]}" if moved[1] else sentence


def _summed(table: CycleTable) -> dict[str, Work]:
    """Device work per cycle, summed over all processes."""
    summed: dict[str, Work] = {}
    for pid in table.pids():
        for name, own in device_work(work_per_cycle(table.of_pid(pid))).items():
            summed[name] = summed.get(name, NO_WORK).plus(own)
    return summed
