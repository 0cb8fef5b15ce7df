"""Assigns samples of a counters file (`*_counters_data.csv`) to captures of the same time: counters per step.

Samples carry the time of day. A capture gets those between the start and the end of its compared steps, and each
counter's last sample before, unless it is too old. docs/inputs/counters.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

import numpy as np

from tb_perfcompare.analysis.counters.counter_tables import coarse_note, means_of_runs, sampled_counters
from tb_perfcompare.errors import InputError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds, unique
from tb_perfcompare.model.counter_names import without_process
from tb_perfcompare.model.device import DEVICE_WORDS
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.cycles import CounterTable
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.number_text import listed, many, time
from tb_perfcompare.quick_dataclass import dataclass

TOO_OLD = 2.5
"""A sample taken before a capture starts is valid for up to this many sampling periods."""

_DEVICE_COUNTER = regex(rf"(?:process_|container_)?(?:{'|'.join(sorted(DEVICE_WORDS))})_", re.IGNORECASE)
"""Names of counters of devices."""
_MAX_NAMED = 4
_EARLIEST_US, _LATEST_US = 0.0, 4e15  # 1970 to 2096
_REMEDY = (
    "give the counters file of this very recording; its timestamps are microseconds since 1970 by the clock of the "
    "machine that was profiled"
)


def with_counter_file(summaries: Sequence[Summary], table: CounterTable) -> tuple[Summary, ...]:
    """Adds the file's counters to summaries of single captures.

    Raises InputError if no capture has a sample, because clocks do not overlap or captures have no time of day. If only
    some captures have none, a note says so.
    """
    series = _series(table)
    with_counters: list[Summary] = []
    missed: list[str] = []
    for summary in summaries:
        why = _why_no_overlap(summary, table)
        counted = summary if why else _with_series(summary, series)
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
    """One counter of the file: times of day in ns, ascending; `size` samples at a time were averaged."""

    name: str
    device: int
    time_ns: Nanoseconds
    value: Floats
    size: int


def _series(table: CounterTable) -> list[_Series]:
    """Returns the counters, named without process ids; if several processes have one, they are numbered by id."""
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
        device = ALL_DEVICES if _DEVICE_COUNTER.match(name) else HOST_DEVICE
        out.append(_Series(shown, device, *rounds(time_ns, value)))
    return sorted(out, key=lambda series: series.name)


def _nanoseconds(time_us: Floats) -> Ints:
    """Converts times to nanoseconds; impossible dates become the earliest or latest, so no capture contains them."""
    clipped = np.clip(time_us, _EARLIEST_US, _LATEST_US)
    integer_us = np.floor(clipped)
    return integer_us.astype(np.int64) * 1000 + np.rint((clipped - integer_us) * 1000).astype(np.int64)


def _why_no_overlap(summary: Summary, table: CounterTable) -> str:
    """Says why the file and the capture have no time in common, "" if they may have."""
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


def _with_series(summary: Summary, series: Sequence[_Series]) -> Summary | None:
    """Adds the file's counters to the summary; None if none of them has a value in any step."""
    capture = summary.captures[0]
    assert capture.clock_zero_ns is not None
    samples = _samples(series, capture.clock_zero_ns, *_span_ns(summary))
    if samples is None:
        return None
    steps = summary.steps
    sampled = sampled_counters(samples, steps.start_ns, steps.start_ns + steps.total_ns, summary.device.word)
    if sampled is None:
        return None
    coarse = coarse_note(sampled, steps.total_ns, _name(summary))
    return replace(
        summary,
        counters=sampled.series if summary.counters is None else _joined(summary.counters, sampled.series),
        absent={name: why for name, why in summary.absent.items() if name != "counters"},
        notes=(*summary.notes, coarse) if coarse is not None else summary.notes,
    )


def _samples(series: Sequence[_Series], zero_ns: int, first_ns: int, last_ns: int) -> CounterSamples | None:
    """Selects a capture's samples, from `first_ns` to `last_ns` of its clock, and converts them to that clock."""
    strings = StringTable(counter.name for counter in series)
    parts: list[tuple[int, int, Ints, Floats]] = []
    for code, counter in enumerate(series):
        time_ns = counter.time_ns - zero_ns
        start, stop = np.searchsorted(time_ns, [first_ns, last_ns], side="left").tolist()
        period = float(np.median(np.diff(time_ns))) if len(time_ns) > 1 else 0.0
        if start > 0 and first_ns - int(time_ns[start - 1]) <= TOO_OLD * period:
            start -= 1
        if stop > start:
            parts.append((code, counter.device, time_ns[start:stop], counter.value[start:stop]))
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


def _joined(own: CounterSeries, from_file: CounterSeries) -> CounterSeries:
    """Concatenates both; a counter of the file that the trace also has is renamed."""
    taken = set(own.keys)
    keys = []
    for name, device in from_file.keys:
        shown = name
        while (shown, device) in taken:
            shown = f"{shown} (file)"
        keys.append((shown, device))
        taken.add((shown, device))
    return CounterSeries(
        keys=(*own.keys, *keys),
        units=(*own.units, *from_file.units),
        mean=np.concatenate([own.mean, from_file.mean]),
        sd=np.concatenate([own.sd, from_file.sd]),
        coverage=np.concatenate([own.coverage, from_file.coverage]),
        samples=np.concatenate([own.samples, from_file.samples]),
    )


def _averaged_note(series: Sequence[_Series], source: str) -> Note | None:
    merged = sorted((each for each in series if each.size > 1), key=lambda each: (-each.size, each.name))
    if not merged:
        return None
    shown = listed((f"{counter.name} ({counter.size} at a time)" for counter in merged), _MAX_NAMED)
    message = f"devices, cores and disks share a counter's name; what was sampled together is averaged: {shown}"
    return Note(NoteCode.COUNTERS_AVERAGED, message, source)


def _span_ns(summary: Summary) -> tuple[int, int]:
    """Returns the start of the first compared step and the end of the last, in the capture's clock."""
    steps = summary.steps
    return int(steps.start_ns[0]), int((steps.start_ns + steps.total_ns).max())


def _name(summary: Summary) -> str:
    return summary.captures[0].file.path


def _day(time_us: float) -> str:
    """Formats a time of day in UTC, or the number itself if it is no plausible time."""
    if not _EARLIEST_US <= time_us <= _LATEST_US:
        return time(time_us)
    return f"{datetime.fromtimestamp(time_us / 1e6, timezone.utc):%Y-%m-%d %H:%M:%S.%f}"[:-3] + " UTC"


_MIN_GAP_RATIO = 4.0
"""A gap between rounds is at least this many times the longest gap within a round."""


def rounds(time_ns: Nanoseconds, value: Floats) -> tuple[Ints, Floats, int]:
    """Averages each round of samples (in any order): (time of its first sample, mean, typical number of samples).

    A recorder that visits all devices in turn leaves a burst of samples under one name, then nothing until the next
    round. They belong to different devices: taken one after another, the last device of each round would represent
    nearly all of the time.
    """
    order = np.lexsort((value, time_ns))
    time_ns, value = time_ns[order], value[order]
    first = _first_of_rounds(time_ns)
    mean, size = means_of_runs(value, first)
    return time_ns[first], mean, int(np.median(size))


def _first_of_rounds(time_ns: Nanoseconds) -> Ints:
    """Returns the rows that start a round: those after a gap that is long compared with other gaps and with the rounds.

    The longest such gap length is used. A pause of the recorder does not qualify: the rounds next to it would be longer
    than the gap, or would be two of different size.
    """
    gaps = np.diff(time_ns).astype(np.float64)
    sizes = unique(gaps)
    for short, long in zip(sizes[-2::-1].tolist(), sizes[:0:-1].tolist(), strict=True):
        if long < _MIN_GAP_RATIO * short:
            continue
        first = np.append(0, np.flatnonzero(gaps >= long) + 1)
        last = np.append(first[1:] - 1, len(time_ns) - 1)
        is_short = (time_ns[last] - time_ns[first]).max() * 2 < long
        if is_short and (len(first) > 2 or last[0] + 1 == len(time_ns) - first[-1]):
            return first
    return np.arange(len(time_ns))
