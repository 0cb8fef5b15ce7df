"""Notes on cycles, rows and counters of a per-cycle table."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.cycles.cycle_counters import UNKNOWN
from tb_perfcompare.analysis.cycles.cycle_functions import Cycles, Functions, units_text
from tb_perfcompare.analysis.pooling.step_admission import Admission
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.cycles import CounterTable, CycleTable
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.number_text import count, listed, many

_MAX_NAMED = 8


def cycle_notes(cycles: Cycles, launches: Ints, admission: Admission, where: str) -> list[Note]:
    """Which cycles are left out, unusual or repeated."""
    notes = []
    missing = [cycles.label[cycle] for cycle in np.flatnonzero(admission.incomplete & (cycles.total_ns > 0)).tolist()]
    if missing:
        message = (
            f"{_count(len(missing))} left out as incomplete, {listing(missing)}: fewer than {count(admission.least)} "
            f"launches where {count(admission.usual)} are usual; the recorder began late or lost events"
        )
        notes.append(Note(NoteCode.STEPS_DROPPED, message, where))
    unusual = [cycles.label[cycle] for cycle in np.flatnonzero(admission.unusual).tolist()]
    if unusual:
        most = int(launches[admission.unusual].max())
        message = (
            f"{_count(len(unusual))} with unusually many launches, {listing(unusual)}: up to {most:,} where "
            f"{count(admission.usual)} are usual; they are kept"
        )
        notes.append(Note(NoteCode.UNUSUAL_STEPS, message, where))
    empty = [cycles.label[cycle] for cycle in np.flatnonzero(cycles.total_ns <= 0).tolist()]
    if empty:
        message = f"{_count(len(empty))} left out, {listing(empty)}: no length"
        notes.append(Note(NoteCode.STEPS_DROPPED, message, where))
    if cycles.repeated:
        numbers = listing([str(number) for number in cycles.repeated])
        message = f"cycle numbers with more than one length, {numbers}: each length counts as a cycle"
        notes.append(Note(NoteCode.DUPLICATE_KEYS, message, where))
    return notes


def row_notes(table: CycleTable, functions: Functions, where: str) -> list[Note]:
    """Which rows are left out, and what disagrees or is unknown in them."""
    notes = []
    if functions.unnamed:
        message = f"{many(functions.unnamed, 'row')} without a function name left out"
        notes.append(Note(NoteCode.DROPPED_EVENTS, message, where))
    if functions.negative:
        message = f"{many(functions.negative, 'time')} of functions below zero, taken as zero"
        notes.append(Note(NoteCode.NEGATIVE_DURATION, message, where))
    if functions.differing:
        have = "has" if functions.differing == 1 else "have"
        message = (
            f"{many(functions.differing, 'function')} {have} different times or calls on the rows of its counters in "
            "one cycle; the first row counts"
        )
        notes.append(Note(NoteCode.DUPLICATE_KEYS, message, where))
    if functions.units is not None:
        notes.append(Note(NoteCode.COLUMNS_DISAGREE, units_text(functions.units), where))
    if table.instances is None:
        message = (
            "no column instances_count: calls are unknown, incomplete cycles cannot be recognized, and nothing "
            "shows whether both sides do the same work"
        )
        notes.append(Note(NoteCode.NO_CALLS, message, where))
    return notes


def counter_notes(samples: CounterTable | None, cycles: Cycles, counters: CounterSeries | None) -> list[Note]:
    """Why samples of an existing counters file are not counted."""
    if samples is None or counters is None or not (counters.samples == UNKNOWN).any():
        return []
    message = "samples per device unknown: a counters file does not name the device of a sample"
    if not cycles.dated:
        message = "samples per cycle unknown: the table does not say when its cycles start (cycle_start_ts)"
    return [Note(NoteCode.COUNTERS_UNUSABLE, message, "counters")]


def _count(cycles: int) -> str:
    return many(cycles, "cycle")


def listing(texts: list[str]) -> str:
    """The first texts and the number of the others."""
    return listed(texts, _MAX_NAMED)
