"""Represents both sides as per-cycle tables, whether recorded as such or made from traces, with the pairs of processes
to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tb_perfcompare.analysis.cycles.trace_cycles import TOTAL, CounterFacts, trace_cycles
from tb_perfcompare.comparison.strict.processes import ProcessPair, WorkerName, all_pairs, chosen_pair, numbered_workers
from tb_perfcompare.errors import NotComparable, SelectionError
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.counter_units import unit_notes
from tb_perfcompare.model.recordings.cycles import CounterTable, CycleTable
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import percent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.strict.report import unit_text

_LOSSES = frozenset({
    NoteCode.FILE_FAILED, NoteCode.TRUNCATED, NoteCode.DROPPED_EVENTS, NoteCode.STEPS_DROPPED,
    NoteCode.COUNTERS_UNUSABLE,
})  # fmt: skip
"""Notes about data that is missing from the tables."""


@dataclass(frozen=True, slots=True, eq=False)
class StrictSides:
    """The two per-cycle tables of a strict report.

    case        names the comparison in titles
    phase       part of file names, such as "_decode"
    tables      normal and abnormal, with all processes
    processes   the pairs of processes to choose from; the first is the default
    counters    samples of the abnormal table's counters file, which show the counters' units
    of_traces   facts about the counters of traces; None for recorded tables
    workers     per side, number -> name of each worker of traces; None for recorded tables
    notes       data that was lost in reading
    recordings  number of captures on each side
    """

    case: str
    phase: str
    tables: tuple[CycleTable, CycleTable]
    processes: tuple[ProcessPair, ...]
    counters: CounterTable | None = None
    of_traces: tuple[CounterFacts, ...] | None = None
    workers: tuple[Mapping[int, str], Mapping[int, str]] | None = None
    notes: tuple[str, ...] = ()
    recordings: tuple[int, int] = (1, 1)

    def tables_of(self, pair: ProcessPair) -> tuple[CycleTable, CycleTable]:
        """Returns the normal and the abnormal table, each narrowed to its process of the pair."""
        return self.tables[0].of_pid(pair.normal), self.tables[1].of_pid(pair.abnormal)

    def pair(self, normal: int, abnormal: int) -> ProcessPair:
        """Returns the pair of these two processes, which need not be in `processes`. Raises SelectionError for unknown
        ones."""
        listed = next((pair for pair in self.processes if (pair.normal, pair.abnormal) == (normal, abnormal)), None)
        if listed is not None:
            return listed
        pids = self.tables[0].pids(), self.tables[1].pids()
        if self.workers is None:
            return chosen_pair(*pids, normal, abnormal)
        chosen = chosen_pair(*pids, normal, abnormal, self.processes[0].word if self.processes else "worker")
        return replace(chosen, names=(self.workers[0][normal], self.workers[1][abnormal]))

    def mu_units(self, pair: ProcessPair) -> Mapping[str, str]:
        """Counter name -> unit of its mu, the counter's value in the tables."""
        if self.of_traces is not None:
            return {facts.name: facts.unit or "raw" for facts in self.of_traces}
        table = self.tables_of(pair)[1]
        return {note.metric: note.unit.mu_text for note in unit_notes(table, self.counters)}

    def units(self, pair: ProcessPair) -> tuple[str, ...]:
        """Describes the unit of each counter."""
        if self.of_traces is not None:
            return tuple(map(_trace_unit, self.of_traces))
        return tuple(map(unit_text, unit_notes(self.tables_of(pair)[1], self.counters)))


def sides_of_tables(
    normal: CycleTable,
    abnormal: CycleTable,
    *,
    case: str,
    phase: str = "",
    counters: CounterTable | None = None,
    notes: tuple[str, ...] = (),
) -> StrictSides:
    """Builds the sides from recorded per-cycle tables; a process is a pid."""
    pairs = all_pairs(normal.pids(), abnormal.pids())
    return StrictSides(case, phase, (normal, abnormal), pairs, counters, notes=notes)


def sides_of_traces(normal: Summary, abnormal: Summary, beta: str = TOTAL, *, case: str | None = None) -> StrictSides:
    """Builds the sides from traces; a process is a worker, a cycle is a step. Raises NotComparable for traces without
    steps or with different kinds of steps."""
    normal_numbers, abnormal_numbers, pairs = numbered_workers(_workers(normal), _workers(abnormal))
    cycles = trace_cycles(normal, abnormal, (normal_numbers, abnormal_numbers), beta)
    return StrictSides(
        case=f"{_name(normal)} against {_name(abnormal)}" if case is None else case,
        phase="",
        tables=cycles.tables,
        processes=pairs,
        of_traces=cycles.counters,
        workers=(_by_number(normal_numbers), _by_number(abnormal_numbers)),
        notes=(*missing_data_notes("normal", normal.notes), *missing_data_notes("abnormal", abnormal.notes)),
        recordings=(_spans(normal), _spans(abnormal)),
    )


def missing_data_notes(side: str, notes: Sequence[Note]) -> tuple[str, ...]:
    """Returns a sentence for each note about missing data of a side."""
    return tuple(
        f"{side}: {note.where}: {note.message}" if note.where else f"{side}: {note.message}"
        for note in notes
        if note.code in _LOSSES
    )


def check_same_kind(normal_is_table: bool, abnormal_is_table: bool) -> None:
    """Raises NotComparable if only one side is a per-cycle table: its cycles are not a profiler's steps."""
    if normal_is_table != abnormal_is_table:
        table, trace = ("normal", "abnormal") if normal_is_table else ("abnormal", "normal")
        raise NotComparable(
            f"the {table} side is a per-cycle table and the {trace} side is not: cycles of a server and steps of a "
            "profiler are delimited by different marks",
            hint="give two per-cycle tables, or two traces",
        )


def _workers(summary: Summary) -> list[WorkerName]:
    """Returns the workers in order of appearance; all spans of a worker are one process."""
    return [WorkerName(name, rank) for name, rank in {c.worker: c.rank for c in summary.captures}.items()]


def _by_number(numbers: Mapping[str, int]) -> dict[int, str]:
    return {number: name for name, number in numbers.items()}


def _spans(summary: Summary) -> int:
    """Number of captures of the worker with the most."""
    workers = [capture.worker for capture in summary.captures]
    return max(workers.count(worker) for worker in workers)


def _name(summary: Summary) -> str:
    return summary.captures[0].run.rpartition("/")[2]


def _trace_unit(facts: CounterFacts) -> str:
    where = f"{facts.name} of {facts.device}"
    if not facts.compared:
        side = "normal" if facts.covered[0] is not None else "abnormal"
        return f"{where}: only on the {side} side, left out"
    shares = [percent(share) for share in facts.covered if share is not None and math.isfinite(share)]
    covered = f"; samples cover {' and '.join(shares)} of the steps" if len(shares) == len(facts.covered) else ""
    return f"{where} {facts.unit or 'raw'}, mean over the step weighted by time{covered}"


def named_process(sides: StrictSides, processes: tuple[int, int] | None) -> tuple[tuple[ProcessPair, ...], int]:
    """Returns (the pairs, the index of the chosen one): the pair of the requested `processes`, which is appended if it
    is not listed, or the first pair for None. Raises SelectionError for unknown processes or if there is no pair."""
    pairs = sides.processes
    if processes is not None:
        pair = sides.pair(*processes)
        return (pairs, pairs.index(pair)) if pair in pairs else ((*pairs, pair), len(pairs))
    if not pairs:
        raise SelectionError("no table has a process to compare", hint="see the pid columns")
    return pairs, 0
