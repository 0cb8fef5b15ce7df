"""Counters of a side as the functions of a per-cycle table see them: those of the host, and those of the device."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.summary.summary import CounterSeries, Summary
from tb_perfcompare.quick_dataclass import dataclass

Key = tuple[bool, str, str]
"""(of the device, counter, unit)"""


@dataclass(frozen=True, slots=True, eq=False)
class StepCounter:
    """(s,) mean of each step, NaN without a value; whether it had no sample of its own; share that samples cover, NaN
    where that is not known."""

    mean: Floats
    interpolated: Flags
    coverage: Floats


def step_counters(summary: Summary) -> dict[Key, StepCounter]:
    """The counters of the host and of the device, numbered where several devices of a worker have it."""
    series = summary.counters
    if series is None:
        return {}
    found: dict[Key, StepCounter] = {}
    several = _on_several_devices(summary, series)
    for row, ((name, device), unit) in enumerate(zip(series.keys, series.units, strict=True)):
        if not np.isfinite(series.mean[row]).any():
            continue
        key = (device != HOST, f"{name} ({device})" if name in several and device != HOST else name, unit)
        uncovered = (series.samples[row] < 0) & (np.nan_to_num(series.coverage[row], nan=1.0) <= 0)
        none = (series.samples[row] == 0) | uncovered
        one = StepCounter(series.mean[row], none, series.coverage[row])
        found[key] = _merged(found[key], one) if key in found else one
    return found


def _on_several_devices(summary: Summary, series: CounterSeries) -> set[str]:
    """Names of counters that one step has of several devices: a worker with several devices."""
    seen: dict[str, Ints] = {}
    for row, (name, device) in enumerate(series.keys):
        if device != HOST:
            known = np.isfinite(series.mean[row]).astype(np.int64)
            seen[name] = seen.get(name, np.zeros(len(summary.steps), dtype=np.int64)) + known
    return {name for name, count in seen.items() if count.max(initial=0) > 1}


def _merged(one: StepCounter, other: StepCounter) -> StepCounter:
    """The same counter of two workers, each with a device of its own: no step has a value of both."""
    mine = np.isfinite(one.mean)
    return StepCounter(
        np.where(mine, one.mean, other.mean),
        np.where(mine, one.interpolated, other.interpolated),
        np.where(mine, one.coverage, other.coverage),
    )


def covered(counters: Mapping[Key, StepCounter], key: Key) -> float | None:
    """Mean share of a step that samples stand for, NaN where not known; None for a counter that is not there."""
    counter = counters.get(key)
    if counter is None:
        return None
    known = counter.coverage[np.isfinite(counter.coverage)]
    return float(known.mean()) if len(known) else math.nan


def counter_name(key: Key, others: Mapping[Key, StepCounter]) -> str:
    """The unit follows the name where two counters differ in nothing else."""
    _, name, unit = key
    return f"{name} ({unit})" if sum(other[1] == name for other in others) > 1 else name
