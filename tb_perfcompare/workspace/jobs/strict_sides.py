"""Two sides as per-cycle tables, whatever they were read from, with the pairs of processes to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tb_perfcompare.analysis.cycles.trace_cycles import TOTAL, CounterFacts, trace_cycles
from tb_perfcompare.comparison.pairing.pairing import WorkerName
from tb_perfcompare.comparison.strict.processes import ProcessPair, all_pairs, chosen_pair, numbered_workers
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
"""Notes that say that something is not in the tables."""


@dataclass(frozen=True, slots=True, eq=False)
class StrictSides:
    """
    case        names the comparison in titles, `phase` is "_decode" or the like in names of files
    tables      normal and abnormal, all processes
    processes   the pairs that are compared when none is asked for
    counters    samples of the abnormal table's counters file, which show their units
    workers     number -> name of traces' workers, per side; None for recorded tables
    of_traces   facts about the counters of traces; None for tables that were recorded as such
    recordings  captures on each side
    notes       what was lost in reading
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

    def of_pair(self, pair: ProcessPair) -> tuple[CycleTable, CycleTable]:
        """The tables of two processes."""
        return self.tables[0].of_pid(pair.normal), self.tables[1].of_pid(pair.abnormal)

    def pair(self, normal: int, abnormal: int) -> ProcessPair:
        """The pair of these two, one of `processes` or another. Raises SelectionError for unknown ones."""
        known = next((own for own in self.processes if (own.normal, own.abnormal) == (normal, abnormal)), None)
        if known is not None:
            return known
        pids = self.tables[0].pids(), self.tables[1].pids()
        if self.workers is None:
            return chosen_pair(*pids, normal, abnormal)
        found = chosen_pair(*pids, normal, abnormal, self.processes[0].word if self.processes else "worker")
        return replace(found, names=(self.workers[0][normal], self.workers[1][abnormal]))

    def mu_units(self, pair: ProcessPair) -> Mapping[str, str]:
        """Counter -> unit of its mu."""
        if self.of_traces is not None:
            return {facts.name: facts.unit or "raw" for facts in self.of_traces}
        table = self.of_pair(pair)[1]
        return {note.metric: note.unit.mu_text for note in unit_notes(table, self.counters)}

    def units(self, pair: ProcessPair) -> tuple[str, ...]:
        """What the counters count in, a text each."""
        if self.of_traces is not None:
            return tuple(map(_trace_unit, self.of_traces))
        return tuple(map(unit_text, unit_notes(self.of_pair(pair)[1], self.counters)))


def sides_of_tables(
    normal: CycleTable,
    abnormal: CycleTable,
    *,
    case: str,
    phase: str = "",
    counters: CounterTable | None = None,
    notes: tuple[str, ...] = (),
) -> StrictSides:
    """Recorded tables: a process is a pid."""
    pairs = all_pairs(normal.pids(), abnormal.pids())
    return StrictSides(case, phase, (normal, abnormal), pairs, counters, notes=notes)


def sides_of_traces(normal: Summary, abnormal: Summary, beta: str = TOTAL, *, case: str | None = None) -> StrictSides:
    """Traces: a process is a worker, a cycle a step. Raises NotComparable for what has no steps or other ones."""
    ours, theirs, pairs = numbered_workers(_workers(normal), _workers(abnormal))
    found = trace_cycles(normal, abnormal, (ours, theirs), beta)
    return StrictSides(
        case=f"{_name(normal)} against {_name(abnormal)}" if case is None else case,
        phase="",
        tables=found.tables,
        processes=pairs,
        of_traces=found.counters,
        workers=(_by_number(ours), _by_number(theirs)),
        notes=(*losses("normal", normal.notes), *losses("abnormal", abnormal.notes)),
        recordings=(_spans(normal), _spans(abnormal)),
    )


def losses(side: str, notes: Sequence[Note]) -> tuple[str, ...]:
    """What is missing from a side, as sentences."""
    return tuple(
        f"{side}: {note.where}: {note.message}" if note.where else f"{side}: {note.message}"
        for note in notes
        if note.code in _LOSSES
    )


def check_same_kind(normal_is_table: bool, abnormal_is_table: bool) -> None:
    """Cycles of a table and steps of a trace are different things. Raises NotComparable."""
    if normal_is_table != abnormal_is_table:
        table, trace = ("normal", "abnormal") if normal_is_table else ("abnormal", "normal")
        raise NotComparable(
            f"the {table} side is a per-cycle table and the {trace} side is not: cycles of a server and steps of a "
            "profiler are delimited by different marks",
            hint="give two per-cycle tables, or two traces",
        )


def _workers(summary: Summary) -> list[WorkerName]:
    """In order of appearance; spans of one worker are one process."""
    return [WorkerName(name, rank) for name, rank in {c.worker: c.rank for c in summary.captures}.items()]


def _by_number(numbers: Mapping[str, int]) -> dict[int, str]:
    return {number: name for name, number in numbers.items()}


def _spans(summary: Summary) -> int:
    """Recordings of the worker that has the most."""
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
    """(the pairs, the index of the chosen one): the first, or the two asked for, which are added if need be."""
    pairs = sides.processes
    if processes is not None:
        pair = sides.pair(*processes)
        return (pairs, pairs.index(pair)) if pair in pairs else ((*pairs, pair), len(pairs))
    if not pairs:
        raise SelectionError("no table has a process to compare", hint="see the pid columns")
    return pairs, 0
