"""Counters per step, from samples and step windows.

A sample holds until the next one of its series. Means and deviations are weighted by the time that each sample holds
within the step. Until its first sample a step has the value of the capture's last sample before it; without one, that
part is unknown and the mean covers the rest. docs/inputs/counters.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Floats, Ints, Nanoseconds, is_run_start, unique_places
from tb_perfcompare.model.counter_names import without_device
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.counter_units import sample_unit
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.model.vendors import CPU
from tb_perfcompare.number_text import listed, time
from tb_perfcompare.quick_dataclass import dataclass

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class SampledCounters:
    """Counters per step. `period_ns` (k,) is the median interval between samples, NaN for a counter sampled once."""

    series: CounterSeries
    period_ns: Floats


def sampled_counters(
    samples: CounterSamples, start_ns: Nanoseconds, end_ns: Nanoseconds, word: str
) -> SampledCounters | None:
    """Returns the counters that have a value in any step, by name and device; None if there are none.

    start_ns, end_ns  (s,) the steps, disjoint and in time order, in the samples' clock
    word              what users call the device
    """
    keys, units, of_row = _counter_keys(samples, word)
    with np.errstate(over="ignore", invalid="ignore"):
        stairs = _stairs(of_row, samples.time_ns, samples.value)
    mean, sd, coverage, count, known = _per_step(stairs, len(keys), start_ns, end_ns)
    order = [row for row in sorted(range(len(keys)), key=keys.__getitem__) if known[row].any()]
    series = CounterSeries(tuple(keys), tuple(units), mean, sd, coverage, count).of(order)
    return None if series is None else SampledCounters(series, _periods(stairs, len(keys))[order])


def coarse_note(counters: SampledCounters, step_lengths_ns: Nanoseconds, where: str) -> Note | None:
    """Names the counters that are sampled less than once per step; None if there are none."""
    if len(step_lengths_ns) < 2:
        return None
    step_ns = float(np.median(step_lengths_ns))
    rare = np.flatnonzero(counters.period_ns > step_ns)
    if not len(rare):
        return None
    shown = (
        f"{counter} of {device} every {time(counters.period_ns[row] / 1000)}"
        for row in rare.tolist()
        for counter, device in (counters.series.keys[row],)
    )
    message = (
        f"counters sampled more rarely than the steps last ({time(step_ns / 1000)}): {listed(shown, _MAX_NAMED)}; "
        "compare their means over the capture, not single steps"
    )
    return Note(NoteCode.COARSE_COUNTERS, message, where)


@dataclass(frozen=True, slots=True, eq=False)
class _Stairs:
    """Step functions of all series, r rows sorted by series and time, without duplicate times in a series.

    series   (r,)
    time_ns  (r,) start of the interval in which the value holds
    value    (r,) mean of the samples taken then
    samples  (r,) their number
    """

    series: Ints
    time_ns: Nanoseconds
    value: Floats
    samples: Ints


def _stairs(series: Ints, time_ns: Nanoseconds, value: Floats) -> _Stairs:
    """Builds the step functions from samples in time order."""
    order = np.argsort(series, kind="stable")
    series, time_ns, value = series[order], time_ns[order], value[order]
    first = np.flatnonzero(is_run_start(series) | is_run_start(time_ns))
    return _Stairs(series[first], time_ns[first], *means_of_runs(value, first))


def means_of_runs(value: Floats, first: Ints) -> tuple[Floats, Ints]:
    """(mean, number) of the values in each run; runs begin at `first`. The mean of equal values is exact."""
    count = np.diff(np.append(first, len(value)))
    reference = np.repeat(value[first], count)
    return value[first] + np.add.reduceat((value - reference) / np.repeat(count, count), first), count


def _per_step(
    stairs: _Stairs, k: int, start_ns: Nanoseconds, end_ns: Nanoseconds
) -> tuple[Floats, Floats, Floats, Ints, Flags]:
    """Averages the step functions over each window: (k, s) mean, deviation, coverage, samples, whether there is any
    value.

    Windows are disjoint, so a row starts in at most one; the row before a window may also hold within it.
    """
    s = len(start_ns)
    before, held_ns = _held(stairs, k, start_ns, end_ns)
    window = np.searchsorted(start_ns, stairs.time_ns, side="right") - 1
    inside = np.flatnonzero((window >= 0) & (stairs.time_ns < end_ns[np.maximum(window, 0)]))
    window = window[inside]
    cell = stairs.series[inside] * s + window
    held_in_step_ns = np.minimum(_next_ns(stairs)[inside], end_ns[window]) - stairs.time_ns[inside]

    def summed(weights: NDArray[np.generic]) -> Floats:
        # without entries bincount returns integers
        return np.bincount(cell, weights=weights, minlength=k * s).astype(np.float64)

    own_ns = summed(held_in_step_ns)
    total_ns = own_ns + held_ns
    # average differences from a cell's first value, so that the mean of a constant is exact
    reference = np.full(k * s, np.nan)
    reference[cell[::-1]] = stairs.value[inside][::-1]
    held = (before >= 0) & ((held_ns > 0) | np.isnan(reference))
    reference[held] = stairs.value[before[held]]
    weight = np.divide(held_in_step_ns, total_ns[cell], out=np.zeros(len(cell)), where=total_ns[cell] > 0)
    held_weight = np.divide(held_ns, total_ns, out=np.zeros(k * s), where=total_ns > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = stairs.value[inside] - reference[cell]
        mean: Floats = reference + summed(difference * weight)
        squares = summed((stairs.value[inside] - mean[cell]) ** 2 * weight)
        squares += np.where(held, (reference - mean) ** 2 * held_weight, 0.0)
        sd = np.sqrt(squares)
    length = np.tile(end_ns - start_ns, k)
    known = np.isfinite(reference)
    mean[~np.isfinite(mean)] = np.nan  # overflow
    sd[~known | ~np.isfinite(sd)] = np.nan
    coverage = np.divide(own_ns, length, out=np.zeros(k * s), where=length > 0)
    count = summed(stairs.samples[inside]).astype(np.int64)
    shape = k, s
    return (
        mean.reshape(shape), sd.reshape(shape), coverage.reshape(shape), count.reshape(shape), known.reshape(shape),
    )  # fmt: skip


def _held(stairs: _Stairs, k: int, start_ns: Nanoseconds, end_ns: Nanoseconds) -> tuple[Ints, Ints]:
    """Returns ((k*s,) row that holds when a window begins, -1 for none; (k*s,) how long it holds within the window)."""
    s = len(start_ns)
    # ranks instead of times, so that series and time fit into one number
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
    """(r,) Time of the series' next row, the largest int64 for the last row."""
    out = np.full(len(stairs.time_ns), np.iinfo(np.int64).max)
    same = stairs.series[1:] == stairs.series[:-1]
    out[:-1][same] = stairs.time_ns[1:][same]
    return out


def _periods(stairs: _Stairs, k: int) -> Floats:
    """(k,) Median interval between rows, NaN for a series with one row."""
    same = stairs.series[1:] == stairs.series[:-1]
    gaps, series = np.diff(stairs.time_ns)[same], stairs.series[1:][same]
    order = np.lexsort((gaps, series))
    gaps = gaps[order].astype(np.float64)
    count = np.bincount(series, minlength=k)
    first = np.cumsum(count) - count
    out = np.full(k, np.nan)
    has_gaps = count > 0
    low, high = first + (count - 1) // 2, first + count // 2
    out[has_gaps] = (gaps[low[has_gaps]] + gaps[high[has_gaps]]) / 2
    return out


_GENERIC = "value"
"""Argument key that adds no information: the value is the counter itself."""


def _counter_keys(samples: CounterSamples, word: str) -> tuple[list[tuple[str, str]], list[str], Ints]:
    """Returns ((name, device) and unit of each series, "" if unknown; (m,) series of each sample).

    `word` is what users call the device. A series is named by its event without the device number, plus the key of the
    value in the event's arguments if it adds information: "memory / used", but only "GPU Utilization".
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
    units = [
        sample_unit((without_device(series), without_device(name)), high)
        for (name, series, _), high in zip(parts, largest.tolist(), strict=True)
    ]
    return _named(parts), units, of_row.astype(np.int64)


def _named(parts: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Returns a unique key for each (name, series, device)."""
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
        # "GPU 0 load" and "GPU load" may both belong to device 0
        key = (text if taken[text, device] == 1 else f"{name} / {own}", device)
        number = 2
        while key in keys:
            key, number = (f"{name} / {own} ({number})", device), number + 1
        keys[key] = None
    return list(keys)


def _device_label(device: int, word: str) -> str:
    if device == HOST_DEVICE:
        return HOST
    shown_word = "Device" if word == CPU.word else word
    return f"{shown_word} (all)" if device == ALL_DEVICES else f"{shown_word} {device}"
