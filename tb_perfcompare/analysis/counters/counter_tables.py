"""Samples of counters x step windows -> counters per step.

A sample holds until the next one of its series. Means and deviations are weighted by the time each sample holds within
the step. Before its first sample a step has the value of the last sample before it in the capture; without one that
part is unknown and the mean is over the rest. docs/inputs/counters.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Floats, Ints, Nanoseconds, unique_places
from tb_perfcompare.model.counter_names import without_device
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.counter_units import sample_unit
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.summary.summary import CounterSeries
from tb_perfcompare.model.vendors import CPU
from tb_perfcompare.number_text import time
from tb_perfcompare.quick_dataclass import dataclass

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class SampledCounters:
    """Counters per step. `period_ns` (k,) is the median distance between samples, NaN for a counter sampled once."""

    series: CounterSeries
    period_ns: Floats


def sampled_counters(
    samples: CounterSamples, start_ns: Nanoseconds, end_ns: Nanoseconds, word: str
) -> SampledCounters | None:
    """The counters that are known in some step, by name and device; None when there are none.

    start_ns, end_ns  (s,) the steps, disjoint and in time order, in the clock of the samples
    word              what users call the device
    """
    keys, of_row = _counter_keys(samples, word)
    with np.errstate(over="ignore", invalid="ignore"):
        stairs = _stairs(of_row, samples.time_ns, samples.value)
    found = _per_step(stairs, len(keys), start_ns, end_ns)
    order = [row for row in sorted(range(len(keys)), key=lambda row: keys[row].key) if found.known[row].any()]
    if not order:
        return None
    series = CounterSeries(
        keys=tuple(keys[row].key for row in order),
        units=tuple(keys[row].unit for row in order),
        mean=found.mean[order],
        sd=found.sd[order],
        coverage=found.coverage[order],
        samples=found.samples[order],
    )
    return SampledCounters(series, _periods(stairs, len(keys))[order])


def coarse_note(counters: SampledCounters, step_lengths_ns: Nanoseconds, where: str) -> Note | None:
    """Says which counters are sampled more rarely than steps follow each other; None when none is."""
    if len(step_lengths_ns) < 2:
        return None
    step_ns = float(np.median(step_lengths_ns))
    rare = np.flatnonzero(counters.period_ns > step_ns)
    if not len(rare):
        return None
    shown = [
        f"{counter} of {device} every {time(counters.period_ns[row] / 1000)}"
        for row in rare[:_MOST_NAMED].tolist()
        for counter, device in (counters.series.keys[row],)
    ]
    more = f" and {len(rare) - _MOST_NAMED} more" if len(rare) > _MOST_NAMED else ""
    message = (
        f"counters sampled more rarely than the steps last ({time(step_ns / 1000)}): {', '.join(shown)}{more}; "
        "compare their means over the capture, not single steps"
    )
    return Note(NoteCode.COARSE_COUNTERS, message, where)


@dataclass(frozen=True, slots=True, eq=False)
class _Stairs:
    """The steps of all staircases, by series and time, no time twice in a series; r rows.

    series   (r,) which series
    time_ns  (r,) from when on the value holds
    value    (r,) mean of the samples taken then
    samples  (r,) how many there are
    """

    series: Ints
    time_ns: Nanoseconds
    value: Floats
    samples: Ints


def _stairs(series: Ints, time_ns: Nanoseconds, value: Floats) -> _Stairs:
    """From samples in time order."""
    order = np.argsort(series, kind="stable")
    series, time_ns, value = series[order], time_ns[order], value[order]
    is_first = np.ones(len(series), dtype=bool)
    is_first[1:] = (series[1:] != series[:-1]) | (time_ns[1:] != time_ns[:-1])
    first = np.flatnonzero(is_first)
    count = np.diff(np.append(first, len(series)))
    # differences from the first one, so that equal values give exactly that value
    reference = np.repeat(value[first], count)
    mean = value[first] + np.add.reduceat((value - reference) / np.repeat(count, count), first)
    return _Stairs(series[first], time_ns[first], mean, count.astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _PerStep:
    """(k, s) matrices; `known` says where anything is known at all."""

    mean: Floats
    sd: Floats
    coverage: Floats
    samples: Ints
    known: Flags


def _per_step(stairs: _Stairs, k: int, start_ns: Nanoseconds, end_ns: Nanoseconds) -> _PerStep:
    """Every row is in at most one window, as they are disjoint; one earlier row may also reach into each."""
    s = len(start_ns)
    before, held_ns = _held(stairs, k, start_ns, end_ns)
    window = np.searchsorted(start_ns, stairs.time_ns, side="right") - 1
    inside = np.flatnonzero((window >= 0) & (stairs.time_ns < end_ns[np.maximum(window, 0)]))
    window = window[inside]
    cell = stairs.series[inside] * s + window
    stands_ns = np.minimum(_next_ns(stairs)[inside], end_ns[window]) - stairs.time_ns[inside]

    def summed(weights: NDArray[np.generic]) -> Floats:
        return np.bincount(cell, weights=weights, minlength=k * s).astype(np.float64)  # an empty one gives integers

    own_ns = summed(stands_ns)
    total_ns = own_ns + held_ns
    # the first value of a cell, from which the others are counted: a constant then has exactly itself as mean
    reference = np.full(k * s, np.nan)
    reference[cell[::-1]] = stairs.value[inside][::-1]
    held = (before >= 0) & ((held_ns > 0) | np.isnan(reference))
    reference[held] = stairs.value[before[held]]
    weight = np.divide(stands_ns, total_ns[cell], out=np.zeros(len(cell)), where=total_ns[cell] > 0)
    held_weight = np.divide(held_ns, total_ns, out=np.zeros(k * s), where=total_ns > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = stairs.value[inside] - reference[cell]
        mean: Floats = reference + summed(apart * weight)
        squares = summed((stairs.value[inside] - mean[cell]) ** 2 * weight)
        squares += np.where(held, (reference - mean) ** 2 * held_weight, 0.0)
        sd = np.sqrt(squares)
    length = np.tile(end_ns - start_ns, k)
    known = np.isfinite(reference)
    mean[~np.isfinite(mean)] = np.nan  # beyond a double
    sd[~known | ~np.isfinite(sd)] = np.nan
    return _PerStep(
        mean=mean.reshape(k, s),
        sd=sd.reshape(k, s),
        coverage=np.divide(own_ns, length, out=np.zeros(k * s), where=length > 0).reshape(k, s),
        samples=summed(stairs.samples[inside]).astype(np.int64).reshape(k, s),
        known=known.reshape(k, s),
    )


def _held(stairs: _Stairs, k: int, start_ns: Nanoseconds, end_ns: Nanoseconds) -> tuple[Ints, Ints]:
    """((k*s,) row that holds when a window begins, -1 for none; (k*s,) how long it holds within the window)."""
    s = len(start_ns)
    # times as ranks, so that (series, time) is one number that cannot overflow
    times, ranks = unique_places(np.concatenate([stairs.time_ns, start_ns]))
    row_key = stairs.series * len(times) + ranks[: len(stairs.series)]
    edge_key = (np.arange(k)[:, None] * len(times) + ranks[len(stairs.series) :]).ravel()
    following = np.searchsorted(row_key, edge_key, side="left")
    first_of = np.searchsorted(stairs.series, np.arange(k), side="left")
    before = np.where(following > np.repeat(first_of, s), following - 1, -1)
    end = np.tile(end_ns, k)
    last = len(stairs.series) - 1
    has_next = following <= last
    same = has_next & (stairs.series[np.minimum(following, last)] == np.repeat(np.arange(k), s))
    until = np.where(same, np.minimum(stairs.time_ns[np.minimum(following, last)], end), end)
    return before, np.where(before >= 0, until - np.tile(start_ns, k), 0)


def _next_ns(stairs: _Stairs) -> Ints:
    """(r,) time of the next row of the series, the end of time for the last one."""
    out = np.full(len(stairs.time_ns), np.iinfo(np.int64).max)
    same = stairs.series[1:] == stairs.series[:-1]
    out[:-1][same] = stairs.time_ns[1:][same]
    return out


def _periods(stairs: _Stairs, k: int) -> Floats:
    """(k,) median distance of neighbouring rows, NaN for a series with one."""
    same = stairs.series[1:] == stairs.series[:-1]
    gaps, series = np.diff(stairs.time_ns)[same], stairs.series[1:][same]
    order = np.lexsort((gaps, series))
    gaps = gaps[order].astype(np.float64)
    count = np.bincount(series, minlength=k)
    first = np.cumsum(count) - count
    out = np.full(k, np.nan)
    some = count > 0
    low, high = first + (count - 1) // 2, first + count // 2
    out[some] = (gaps[low[some]] + gaps[high[some]]) / 2
    return out


_GENERIC = "value"
"""A series of this name is the counter itself."""


@dataclass(frozen=True, slots=True)
class _CounterKey:
    """A series: (what it is called, device it belongs to) and its unit, "" where that is not known."""

    key: tuple[str, str]
    unit: str


def _counter_keys(samples: CounterSamples, word: str) -> tuple[list[_CounterKey], Ints]:
    """(the series of the samples, their keys unique; (m,) which of them each sample is of). `word` is what users call
    the device.

    A series is shown as its event's name without the number of its device; the key of the number in the event's
    arguments follows it where it adds something: "memory / used", but "GPU Utilization" alone.
    """
    texts = len(samples.strings)
    pair = samples.name.astype(np.int64) * texts + samples.series
    devices, device = np.unique(samples.device, return_inverse=True)
    codes, of_row = np.unique(pair * len(devices) + device, return_inverse=True)
    largest = np.full(len(codes), -np.inf)
    np.maximum.at(largest, of_row, samples.value)
    parts = []
    for code in codes.tolist():
        names, place = divmod(code, len(devices))
        name, series = (samples.strings[text] for text in divmod(names, texts))
        parts.append((name, series, _device_label(int(devices[place]), word)))
    keys = [
        _CounterKey(key, sample_unit((without_device(series), without_device(name)), high))
        for key, (name, series, _), high in zip(_named(parts), parts, largest.tolist(), strict=True)
    ]
    return keys, of_row.astype(np.int64)


def _named(parts: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Unique keys of (name, series, device)."""
    bare = [(without_device(name), without_device(series)) for name, series, _ in parts]
    series_of: defaultdict[str, set[str]] = defaultdict(set)
    for counter, series in bare:
        series_of[counter].add(series)
    shown = []
    for counter, series in bare:
        alone = len(series_of[counter]) == 1 and (series == _GENERIC or f" {counter}".endswith(f" {series}"))
        shown.append(counter if alone else f"{counter} / {series}")
    taken = Counter((text, device) for text, (_, _, device) in zip(shown, parts, strict=True))
    keys: dict[tuple[str, str], None] = {}
    for text, (name, own, device) in zip(shown, parts, strict=True):
        # "GPU 0 load" and "GPU load" may both be of device 0
        key = (text if taken[text, device] == 1 else f"{name} / {own}", device)
        number = 2
        while key in keys:
            key, number = (f"{name} / {own} ({number})", device), number + 1
        keys[key] = None
    return list(keys)


def _device_label(device: int, word: str) -> str:
    if device == HOST_DEVICE:
        return HOST
    known = "Device" if word == CPU.word else word
    return f"{known} (all)" if device == ALL_DEVICES else f"{known} {device}"
