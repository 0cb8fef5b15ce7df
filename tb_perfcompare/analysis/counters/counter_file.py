"""Samples of a counters file (`*_counters_data.csv`) x captures of the same time -> counters per step.

The samples carry the time of day. A capture takes those between the beginning and the end of its compared steps, and of
each counter the last one before, unless that is too old. docs/inputs/counters.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

import numpy as np

from tb_perfcompare.analysis.counters.counter_tables import coarse_note, sampled_counters
from tb_perfcompare.errors import InputError
from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds
from tb_perfcompare.model.counter_names import without_process
from tb_perfcompare.model.device import DEVICE_WORDS
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.cycles import CounterTable
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.summary import CounterSeries, Summary
from tb_perfcompare.number_text import many, time
from tb_perfcompare.quick_dataclass import dataclass

TOO_OLD = 2.5
"""A sample is valid in a capture that begins at most this many sampling periods after it."""

_OF_DEVICES = re.compile(rf"(?:process_|container_)?(?:{'|'.join(sorted(DEVICE_WORDS))})_", re.IGNORECASE)
_MOST_NAMED = 4
_SOONEST_US, _LATEST_US = 0.0, 4e15  # what a calendar can show; the year 2096
_REMEDY = (
    "give the counters file of this very recording; its timestamps are microseconds since 1970 by the clock of the "
    "machine that was profiled"
)


def with_counter_file(summaries: Sequence[Summary], table: CounterTable) -> tuple[Summary, ...]:
    """The summaries of single captures with the file's counters added to their own.

    Raises InputError when no capture has a sample: clocks that do not meet, or captures without a time of day. If only
    some have none, a note on them says so.
    """
    series = _series(table)
    with_counters: list[Summary] = []
    missed: list[str] = []
    for summary in summaries:
        why = _why_apart(summary, table)
        counted = summary if why else _counted(summary, series, table.source)
        if counted is None:
            why = "no counter was sampled during its compared steps or shortly before"
        if why:
            missed.append(why)
            note = Note(NoteCode.COUNTERS_UNUSABLE, f"{table.source} has no samples of it: {why}", _name(summary))
            counted = replace(summary, notes=(*summary.notes, note))
        assert counted is not None
        with_counters.append(counted)
    if len(missed) == len(with_counters):
        others = f", nor of its other {many(len(missed) - 1, 'capture')}" if len(missed) > 1 else ""
        raise InputError(
            table.source, f"has no samples of {_name(summaries[0])}{others}: {missed[0]}", place="column timestamp",
            hint=_REMEDY,
        )  # fmt: skip
    averaged = _averaged_note(series, table.source)
    if averaged is not None:
        with_counters[0] = replace(with_counters[0], notes=(*with_counters[0].notes, averaged))
    return tuple(with_counters)


@dataclass(frozen=True, slots=True, eq=False)
class _Series:
    """One counter of the file: times of day in ns, ascending; `size` samples were averaged at a time."""

    name: str
    device: int
    time_ns: Nanoseconds
    value: Floats
    size: int


def _series(table: CounterTable) -> list[_Series]:
    """The counters under names that do not hold process ids; those of several processes are numbered by id."""
    rows: defaultdict[tuple[str, int | None], list[int]] = defaultdict(list)
    for code, name in enumerate(table.names):
        rows[without_process(name)].append(code)
    processes: defaultdict[str, list[int]] = defaultdict(list)
    for name, pid in rows:
        if pid is not None:
            processes[name].append(pid)
    out = []
    for (name, pid), codes in rows.items():
        chosen = np.isin(table.counter, codes)
        time_ns, value = _nanoseconds(table.time_us[chosen]), table.value[chosen]
        if not len(time_ns):
            continue
        several = pid is not None and (len(processes[name]) > 1 or (name, None) in rows)
        shown = f"{name} #{sorted(processes[name]).index(pid) + 1}" if several and pid is not None else name
        one = rounds(time_ns, value)
        device = ALL_DEVICES if _OF_DEVICES.match(name) else HOST_DEVICE
        out.append(_Series(shown, device, one.time_ns, one.value, one.size))
    return sorted(out, key=lambda series: series.name)


def _nanoseconds(time_us: Floats) -> Ints:
    """Times that no calendar shows are of no capture; they stay outside by being at its ends."""
    usual = np.clip(time_us, _SOONEST_US, _LATEST_US)
    whole = np.floor(usual)
    return whole.astype(np.int64) * 1000 + np.rint((usual - whole) * 1000).astype(np.int64)


def _why_apart(summary: Summary, table: CounterTable) -> str:
    """Why the file and the capture have no time in common, "" if they may have."""
    zero = summary.captures[0].clock_zero_ns
    if zero is None:
        return (
            "the recording does not say at what time of day it was made (no absolute time stamps and no "
            "baseTimeNanoseconds)"
        )
    first, last = _span_ns(summary)
    begin, end = (zero + first) / 1000, (zero + last) / 1000
    low, high = float(table.time_us.min(initial=np.inf)), float(table.time_us.max(initial=-np.inf))
    if low <= end and high >= begin:
        return ""
    if low > high:
        return "the file holds no usable samples"
    return f"its samples are from {_day(low)} to {_day(high)}, the recording from {_day(begin)} to {_day(end)}"


def _counted(summary: Summary, series: Sequence[_Series], source: str) -> Summary | None:
    """With the counters of the file; None when none of them has a value in any step."""
    capture = summary.captures[0]
    assert capture.clock_zero_ns is not None
    samples = _samples(series, capture.clock_zero_ns, *_span_ns(summary))
    if samples is None:
        return None
    steps = summary.steps
    found = sampled_counters(samples, steps.start_ns, steps.start_ns + steps.total_ns, summary.device.word)
    if found is None:
        return None
    coarse = coarse_note(found, steps.total_ns, _name(summary))
    return replace(
        summary,
        counters=found.series if summary.counters is None else _joined(summary.counters, found.series),
        absent={name: why for name, why in summary.absent.items() if name != "counters"},
        notes=(*summary.notes, coarse) if coarse is not None else summary.notes,
    )


def _samples(series: Sequence[_Series], zero_ns: int, first_ns: int, last_ns: int) -> CounterSamples | None:
    """Those of a capture from `first_ns` to `last_ns` of its clock, in that clock."""
    strings = StringTable(one.name for one in series)
    parts: list[tuple[int, int, Ints, Floats]] = []
    for code, one in enumerate(series):
        time_ns = one.time_ns - zero_ns
        start, stop = np.searchsorted(time_ns, [first_ns, last_ns], side="left").tolist()
        period = float(np.median(np.diff(time_ns))) if len(time_ns) > 1 else 0.0
        if start > 0 and first_ns - int(time_ns[start - 1]) <= TOO_OLD * period:
            start -= 1
        if stop > start:
            parts.append((code, one.device, time_ns[start:stop], one.value[start:stop]))
    if not parts:
        return None
    sizes = [len(times) for _, _, times, _ in parts]
    code_of, device_of = (np.repeat(np.array([part[k] for part in parts], np.int32), sizes) for k in (0, 1))
    times = np.concatenate([times for _, _, times, _ in parts])
    order = np.lexsort((code_of, times))
    values = np.concatenate([values for _, _, _, values in parts])
    return CounterSamples(
        strings, code_of[order], code_of[order], device_of[order], times[order], values[order]
    )  # fmt: skip


def _joined(own: CounterSeries, given: CounterSeries) -> CounterSeries:
    """Both; a counter that the trace has too is renamed."""
    taken = set(own.keys)
    keys = []
    for name, device in given.keys:
        shown = name
        while (shown, device) in taken:
            shown = f"{shown} (file)"
        keys.append((shown, device))
        taken.add((shown, device))
    return CounterSeries(
        keys=(*own.keys, *keys),
        units=(*own.units, *given.units),
        mean=np.concatenate([own.mean, given.mean]),
        sd=np.concatenate([own.sd, given.sd]),
        coverage=np.concatenate([own.coverage, given.coverage]),
        samples=np.concatenate([own.samples, given.samples]),
    )


def _averaged_note(series: Sequence[_Series], source: str) -> Note | None:
    merged = sorted((one for one in series if one.size > 1), key=lambda one: (-one.size, one.name))
    if not merged:
        return None
    shown = ", ".join(f"{one.name} ({one.size} at a time)" for one in merged[:_MOST_NAMED])
    more = f" and {len(merged) - _MOST_NAMED} more" if len(merged) > _MOST_NAMED else ""
    message = f"devices, cores and disks share a counter's name; what was sampled together is averaged: {shown}{more}"
    return Note(NoteCode.COUNTERS_AVERAGED, message, source)


def _span_ns(summary: Summary) -> tuple[int, int]:
    """From the beginning of the first compared step to the end of the last, in the capture's clock."""
    steps = summary.steps
    return int(steps.start_ns[0]), int((steps.start_ns + steps.total_ns).max())


def _name(summary: Summary) -> str:
    return summary.captures[0].file.path


def _day(time_us: float) -> str:
    """Time of day in UTC, or the number itself where it is no such time."""
    if not _SOONEST_US <= time_us <= _LATEST_US:
        return time(time_us)
    return f"{datetime.fromtimestamp(time_us / 1e6, timezone.utc):%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"


_APART = 4.0
"""Gaps between rounds are at least this many times those within one."""


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """One counter. `size` is how many samples a round typically has; 1: nothing was averaged."""

    time_ns: Nanoseconds
    value: Floats
    size: int


def rounds(time_ns: Nanoseconds, value: Floats) -> Rounds:
    """The rounds of samples in any order: each at its first sample, with the mean of its samples.

    A table that names counters but not devices, cores or disks has bursts of samples under one name, as its recorder
    goes round all devices. One after the other they would make the last device of a round stand for nearly all of the
    time.
    """
    order = np.lexsort((value, time_ns))
    time_ns, value = time_ns[order], value[order]
    first = _first_of_rounds(time_ns)
    size = np.diff(np.append(first, len(time_ns)))
    reference = np.repeat(value[first], size)
    mean = value[first] + np.add.reduceat((value - reference) / np.repeat(size, size), first)
    return Rounds(time_ns[first], mean, int(np.median(size)))


def _first_of_rounds(time_ns: Nanoseconds) -> Ints:
    """Rows that begin a round: those after a gap that is long compared with the other gaps and with the rounds.

    The longest such gap counts. A pause of the recorder does not: the rounds next to it would be longer than the gap,
    or two of different size.
    """
    gaps = np.diff(time_ns).astype(np.float64)
    sizes = np.unique(gaps)
    for short, long in zip(sizes[-2::-1].tolist(), sizes[:0:-1].tolist(), strict=True):
        if long < _APART * short:
            continue
        first = np.append(0, np.flatnonzero(gaps >= long) + 1)
        last = np.append(first[1:] - 1, len(time_ns) - 1)
        is_short = (time_ns[last] - time_ns[first]).max() * 2 < long
        if is_short and (len(first) > 2 or last[0] + 1 == len(time_ns) - first[-1]):
            return first
    return np.arange(len(time_ns))
