"""Counters of one side in the form that per-cycle tables use: counters of the host, and of the device."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.summary.summary import CounterSeries, Summary
from tb_perfcompare.quick_dataclass import dataclass

Key = tuple[bool, str, str]
"""(whether of the device, counter, unit)"""


@dataclass(frozen=True, slots=True, eq=False)
class StepCounter:
    """One counter per step (s,).

    mean          NaN without a value
    interpolated  bool, the step has no sample of its own
    coverage      share of the step that samples cover, NaN if unknown
    """

    mean: Floats
    interpolated: Flags
    coverage: Floats


def step_counters(summary: Summary) -> dict[Key, StepCounter]:
    """Returns the counters of host and device; the name includes the device if a worker has several."""
    series = summary.counters
    if series is None:
        return {}
    counters: dict[Key, StepCounter] = {}
    several = _on_several_devices(summary, series)
    for row, ((name, device), unit) in enumerate(zip(series.keys, series.units, strict=True)):
        if not np.isfinite(series.mean[row]).any():
            continue
        key = (device != HOST, f"{name} ({device})" if name in several and device != HOST else name, unit)
        uncovered = (series.samples[row] < 0) & (np.nan_to_num(series.coverage[row], nan=1.0) <= 0)
        has_no_sample = (series.samples[row] == 0) | uncovered
        counter = StepCounter(series.mean[row], has_no_sample, series.coverage[row])
        counters[key] = _merged(counters[key], counter) if key in counters else counter
    return counters


def _on_several_devices(summary: Summary, series: CounterSeries) -> set[str]:
    """Returns counters that have values of several devices in one step, as with a worker that has several devices."""
    seen: dict[str, Ints] = {}
    for row, (name, device) in enumerate(series.keys):
        if device != HOST:
            has_value = np.isfinite(series.mean[row]).astype(np.int64)
            seen[name] = seen.get(name, np.zeros(len(summary.steps), dtype=np.int64)) + has_value
    return {name for name, count in seen.items() if count.max(initial=0) > 1}


def _merged(first: StepCounter, second: StepCounter) -> StepCounter:
    """Merges one counter of two workers with a device each; no step has a value of both."""
    is_first = np.isfinite(first.mean)
    return StepCounter(
        np.where(is_first, first.mean, second.mean),
        np.where(is_first, first.interpolated, second.interpolated),
        np.where(is_first, first.coverage, second.coverage),
    )


def covered(counters: Mapping[Key, StepCounter], key: Key) -> float | None:
    """Mean share of a step that samples cover, NaN if unknown; None if there is no such counter."""
    counter = counters.get(key)
    if counter is None:
        return None
    shares = counter.coverage[np.isfinite(counter.coverage)]
    return float(shares.mean()) if len(shares) else math.nan


def counter_name(key: Key, others: Mapping[Key, StepCounter]) -> str:
    """Returns the counter's name, with the unit if another counter has the same name."""
    _, name, unit = key
    return f"{name} ({unit})" if sum(other[1] == name for other in others) > 1 else name
