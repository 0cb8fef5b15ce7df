"""A per-cycle table -> Summary: cycles are steps, functions and counters are per cycle (docs/inputs/perf_data.md).

Functions of a table are sums over threads, processes and streams. Their overlap was not recorded, so the ledger does
not split a cycle; functions are compared in a table of their own.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.cycles.cycle_functions import (
    Cycles,
    Functions,
    find_cycles,
    find_functions,
    function_table,
    launches_per_cycle,
    units_text,
)
from tb_perfcompare.analysis.pooling.step_admission import Admission, admit
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds, unique
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.counter_units import counter_unit
from tb_perfcompare.model.recordings.cycles import HOST, NO_TEXT, CounterTable, CycleRecording, CycleTable
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import OVERLAPPING, StepCategory
from tb_perfcompare.model.summary.summary import CYCLE_TIME, INCOMPLETE, Capture, DeviceFacts, DroppedStep, Summary
from tb_perfcompare.model.summary.tables import CounterSeries, OwnedTime, StepTable
from tb_perfcompare.number_text import count, listed, many

_NO_LENGTH = "no length"

_NO_TRACE = "a perf_data table has sums per cycle and function, no events"
_AMONG = "a perf_data table has its kernels, copies and collectives among the functions"
_ABSENT = {
    "categories": (
        "functions overlap across threads and streams by an amount that the table does not tell: a cycle cannot be "
        "split into parts that add up to it, the table of functions has their times side by side"
    ),
    "operators": _NO_TRACE,
    "operators_by_shape": _NO_TRACE,
    "kernels": _AMONG,
    "modules": _NO_TRACE,
    "communication": _AMONG,
    "memcpy": _AMONG,
    "memory": _NO_TRACE,
    "launches": "a perf_data table has sums per cycle, no single launches",
    "device": "a perf_data table has no device figures beyond its counters",
}
_MAX_NAMED = 8


def summarize_cycles(recording: CycleRecording, origin: Origin, window: str = "device") -> Summary:
    """Summarises one table. Cycles are as the tracer cut them, whatever the `window`.

    Raises CorruptInput if no cycle has a length, or for values beyond 64 bits.
    """
    table, path = recording.table, recording.file.path
    cycles = find_cycles(table)
    functions = find_functions(table, cycles)
    launches = launches_per_cycle(functions, cycles)
    admission = admit(np.where(cycles.total_ns > 0, launches, 0))
    timed = cycles.total_ns > 0
    kept = np.flatnonzero(timed & ~admission.incomplete)
    if not len(kept):
        hint = "the column anchor_dur_us must hold the lengths of the cycles in microseconds"
        raise CorruptInput(path, "no cycle has a length", hint=hint)
    steps = StepTable(
        capture=np.zeros(len(kept), dtype=np.int32),
        label=tuple(cycles.label[cycle] for cycle in kept.tolist()),
        start_ns=cycles.start_ns[kept],
        total_ns=cycles.total_ns[kept],
        launches=launches[kept],
        backlog_ns=np.zeros(len(kept), dtype=np.int64),
    )
    group = function_table(table, cycles, functions, kept)
    counters = _cycle_counters(table, cycles, functions, recording.counters, kept)
    device = _device(table, functions, cycles, kept)
    zero_ns = 0 if cycles.dated else None  # dated cycles already have the time of day
    absent = dict(_ABSENT)
    if not len(group):
        absent["functions"] = "no row names a function"
    if counters is None:
        absent["counters"] = "no counter has a value in the compared cycles"
    return Summary(
        source=origin.source,
        format=CYCLES,
        captures=(Capture(origin.run, origin.worker, origin.span, origin.rank, recording.file, device, zero_ns),),
        device=device,
        window=window,
        marked=True,
        steps=steps,
        dropped=tuple(
            DroppedStep(0, cycles.label[cycle], int(cycles.total_ns[cycle]), INCOMPLETE if timed[cycle] else _NO_LENGTH)
            for cycle in np.flatnonzero(~timed | admission.incomplete).tolist()
        ),
        other_window=steps.total_ns,
        owned=_unsplit(steps.total_ns),
        groups={"functions": group} if len(group) else {},
        device_metrics=(),
        environment=_environment(table, cycles, device),
        recommendations=(),
        absent=absent,
        notes=(
            *recording.notes,
            *_cycle_notes(cycles, launches, admission, path),
            *_row_notes(table, functions, path),
            *_counter_notes(recording.counters, cycles, counters),
        ),
        reading="as recorded",
        metric=CYCLE_TIME,
        counters=counters,
    )


def _unsplit(total_ns: Nanoseconds) -> OwnedTime:
    """Assigns every cycle to one entity, so that the ledger closes without an unmeasured split."""
    total = total_ns[None, :]
    return OwnedTime(
        category=np.array([StepCategory.OTHER], dtype=np.int8),
        key=(OVERLAPPING,),
        name=(OVERLAPPING,),
        time_ns=total,
        plain_ns=total,
        calls=np.zeros_like(total),
    )


def _device(table: CycleTable, functions: Functions, cycles: Cycles, kept: Ints) -> DeviceFacts:
    """Returns the devices that did work in the kept cycles; tables do not name their model."""
    rows = functions.first[functions.on_device[functions.first]]
    rows = rows[np.isin(cycles.of_row[rows], kept)]
    names = sorted({table.strings[code] for code in unique(table.device[rows]).tolist()})
    words = dict.fromkeys(name.split(" ")[0] for name in names)
    return DeviceFacts("unknown", "/".join(words) or HOST, "", len(names))


def _environment(table: CycleTable, cycles: Cycles, device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    pids = table.pids()
    devices = [table.strings[code] for code in unique(table.device).tolist() if code != NO_TEXT]
    hosts = [] if table.host is None else [table.strings[c] for c in unique(table.host).tolist() if c != NO_TEXT]
    rows = (
        ("cycle.anchor", ", ".join(table.anchors())),
        ("cycle.recorded", str(len(cycles))),
        ("process.count", str(len(pids))),
        ("process.ids", _listed([str(pid) for pid in pids])),
        ("host.count", str(len(hosts)) if hosts else ""),
        ("host.names", _listed(sorted(hosts))),
        ("device.count", str(device.count)),
        ("device.names", _listed(sorted(name for name in devices if name != HOST))),
    )
    return tuple((name, value) for name, value in rows if value)


def _cycle_notes(cycles: Cycles, launches: Ints, admission: Admission, where: str) -> list[Note]:
    notes = []
    missing = [cycles.label[cycle] for cycle in np.flatnonzero(admission.incomplete & (cycles.total_ns > 0)).tolist()]
    if missing:
        message = (
            f"{_count(len(missing))} left out as incomplete, {_listed(missing)}: fewer than {count(admission.least)} "
            f"launches where {count(admission.usual)} are usual; the recorder began late or lost events"
        )
        notes.append(Note(NoteCode.STEPS_DROPPED, message, where))
    unusual = [cycles.label[cycle] for cycle in np.flatnonzero(admission.unusual).tolist()]
    if unusual:
        most = int(launches[admission.unusual].max())
        message = (
            f"{_count(len(unusual))} with unusually many launches, {_listed(unusual)}: up to {most:,} where "
            f"{count(admission.usual)} are usual; they are kept"
        )
        notes.append(Note(NoteCode.UNUSUAL_STEPS, message, where))
    empty = [cycles.label[cycle] for cycle in np.flatnonzero(cycles.total_ns <= 0).tolist()]
    if empty:
        message = f"{_count(len(empty))} left out, {_listed(empty)}: no length"
        notes.append(Note(NoteCode.STEPS_DROPPED, message, where))
    if cycles.repeated:
        numbers = _listed([str(number) for number in cycles.repeated])
        message = f"cycle numbers with more than one length, {numbers}: each length counts as a cycle"
        notes.append(Note(NoteCode.DUPLICATE_KEYS, message, where))
    return notes


def _row_notes(table: CycleTable, functions: Functions, where: str) -> list[Note]:
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
            "no column instances_count: calls are unknown, incomplete cycles cannot be recognised, and nothing "
            "shows whether both sides do the same work"
        )
        notes.append(Note(NoteCode.NO_CALLS, message, where))
    return notes


def _counter_notes(samples: CounterTable | None, cycles: Cycles, counters: CounterSeries | None) -> list[Note]:
    """Why samples of an existing counters file are not counted."""
    if samples is None or counters is None or not (counters.samples == _UNKNOWN).any():
        return []
    message = "samples per device unknown: a counters file does not name the device of a sample"
    if not cycles.dated:
        message = "samples per cycle unknown: the table does not say when its cycles start (cycle_start_ts)"
    return [Note(NoteCode.COUNTERS_UNUSABLE, message, "counters")]


def _count(cycles: int) -> str:
    return many(cycles, "cycle")


def _listed(texts: list[str]) -> str:
    return listed(texts, _MAX_NAMED)


_UNKNOWN = -1
"""Number of samples if it is unknown."""


def _cycle_counters(
    table: CycleTable, cycles: Cycles, functions: Functions, samples: CounterTable | None, kept: Ints
) -> CounterSeries | None:
    """Returns counters of the `kept` cycles, by name and device; None if none has a value there.

    Each row has a counter's mean while one function ran; weighted by function time, these give the cycle's mean.
    Tracers sample about once a second: the mean of a function without samples is interpolated, and a cycle in which a
    counter was not sampled has no row and no value.
    """
    rows = np.flatnonzero((table.metric != NO_TEXT) & (table.device != NO_TEXT) & np.isfinite(table.mu_pct))
    if not len(rows):
        return None
    pair = table.metric[rows].astype(np.int64) * len(table.strings) + table.device[rows]
    pairs, counter = np.unique(pair, return_inverse=True)
    codes = [divmod(code, len(table.strings)) for code in pairs.tolist()]
    keys = [(table.strings[metric], table.strings[device]) for metric, device in codes]
    largest = np.full(len(table.strings), -np.inf)
    np.maximum.at(largest, table.metric[rows], table.mu_pct[rows])
    units = [counter_unit(key[0], float(largest[metric])) for key, (metric, _) in zip(keys, codes, strict=True)]
    factor = np.array([unit.factor for unit in units])[counter]
    value = table.mu_pct[rows] / factor
    sigma = np.zeros(len(rows)) if table.sigma_pct is None else np.nan_to_num(table.sigma_pct[rows]) / factor
    cells = _Cells(counter * len(cycles) + cycles.of_row[rows], (len(keys), len(cycles)), functions.time_ns[rows])
    mean = cells.mean(value)
    with np.errstate(over="ignore", invalid="ignore"):
        squared = sigma**2 + (value - mean.ravel()[cells.at]) ** 2
        sd = np.where(np.isfinite(mean), np.sqrt(np.maximum(cells.mean(squared), 0.0)), np.nan)
    sd[~np.isfinite(sd)] = np.nan
    if table.interpolated is None:
        coverage = np.full(mean.shape, np.nan)
    else:
        coverage = np.nan_to_num(cells.mean(np.where(table.interpolated[rows], 0.0, 1.0)))
    chosen = [row for row in sorted(range(len(keys)), key=keys.__getitem__) if np.isfinite(mean[row, kept]).any()]
    counts = np.full(mean.shape, _UNKNOWN, dtype=np.int64)
    counts[chosen] = _samples([keys[row] for row in chosen], cycles, samples)
    return CounterSeries(tuple(keys), tuple(unit.mu for unit in units), mean, sd, coverage, counts).of(chosen, kept)


class _Cells:
    """Weighted means of rows by cell of a matrix; if a cell's weights are all zero, rows count equally."""

    def __init__(self, at: Ints, shape: tuple[int, int], weight: Ints) -> None:
        self.at, self._shape = at, shape
        self._size = shape[0] * shape[1]
        rows = np.bincount(at, minlength=self._size)
        heavy = np.bincount(at, weights=weight, minlength=self._size)
        self._weight: Floats = np.where(heavy[at] > 0, weight, 1.0).astype(np.float64)
        self._sum = np.where(heavy > 0, heavy, rows)

    def mean(self, value: Floats) -> Floats:
        """Mean per cell, NaN for cells without rows; exact if all values are equal."""
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is clipped to the cell's largest value below
            product = np.bincount(self.at, weights=self._weight * value, minlength=self._size)
            mean = np.divide(product, self._sum, out=np.full(self._size, np.nan), where=self._sum > 0)
        low, high = np.full(self._size, np.inf), np.full(self._size, -np.inf)
        np.minimum.at(low, self.at, value)
        np.maximum.at(high, self.at, value)
        clipped: Floats = np.where(self._sum > 0, np.clip(mean, low, high), np.nan).reshape(self._shape)
        return clipped


def _samples(keys: list[tuple[str, str]], cycles: Cycles, samples: CounterTable | None) -> Ints:
    """(k, s) Number of samples taken during each cycle, _UNKNOWN if it cannot be determined.

    A counters file does not name the device of a sample. If only the host has a counter, all its samples are the
    host's; how many belong to a certain device is unknown.
    """
    out = np.full((len(keys), len(cycles)), _UNKNOWN, dtype=np.int64)
    if samples is None or not cycles.dated:
        return out
    elsewhere = {name for name, device in keys if device != HOST}
    for row, (name, device) in enumerate(keys):
        if device != HOST or name in elsewhere:
            continue
        times = np.sort(samples.times_us(name))
        begin, end = cycles.start_ns / 1000, (cycles.start_ns + cycles.total_ns) / 1000
        out[row] = np.searchsorted(times, end, side="right") - np.searchsorted(times, begin, side="left")
    return out
