"""Traces as per-cycle tables: an admitted step is a cycle, an owner of time in the ledger is a function.

Definitions, and how such a table differs from a recorded one: docs/method/strict.md, "Traces".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tb_perfcompare.errors import NotComparable
from tb_perfcompare.model.arrays import Flags, Floats, Ints, Ints32, Nanoseconds, unique
from tb_perfcompare.model.formats import FORMATS
from tb_perfcompare.model.names.ranges import STEP_PREFIX
from tb_perfcompare.model.recordings.cycles import HOST, NO_COUNTER, NO_TEXT, CycleTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, DEVICE_CATEGORIES, StepCategory
from tb_perfcompare.model.summary.iterations import PROFILER
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.quick_dataclass import dataclass

TOTAL, EXCLUSIVE = "total", "exclusive"
BETAS = (TOTAL, EXCLUSIVE)
"""Basis of a function's share: summed durations, as in published tables, or owned time, which sums to the step."""

_WHOLE = "(whole recording)"


@dataclass(frozen=True, slots=True)
class CounterFacts:
    """One counter of the tables.

    `covered` is, per side, the mean share of a step that its samples cover: NaN if unknown, None on a side without the
    counter, which excludes it from both tables.
    """

    name: str
    device: str
    unit: str
    covered: tuple[float | None, float | None]

    @property
    def compared(self) -> bool:
        """Whether both sides have it."""
        return None not in self.covered


@dataclass(frozen=True, slots=True, eq=False)
class StepsAsCycles:
    """Both sides as per-cycle tables; `counters` by device and name."""

    tables: tuple[CycleTable, CycleTable]
    counters: tuple[CounterFacts, ...]


def trace_cycles(
    normal: Summary, abnormal: Summary, numbers: tuple[Mapping[str, int], Mapping[str, int]], beta: str = TOTAL
) -> StepsAsCycles:
    """Converts both sides to tables. `numbers`: per side, the pid that each worker's rows get.

    Raises NotComparable for sources without times per step, and if steps are delimited differently on the two sides.
    """
    sides = (normal, abnormal)
    for side in sides:
        _check_steps(side)
    markers = [step_marker(side) for side in sides]
    if markers[0] != markers[1]:
        raise NotComparable(
            f"cycles are {markers[0]} on the normal side and {markers[1]} on the abnormal side: not the same thing",
            hint="record both sides with profiler.step() in the loop",
        )
    counters_of = [step_counters(side) for side in sides]
    words = {False: HOST, True: normal.device.word}
    facts = tuple(
        CounterFacts(key[1], words[key[0]], key[2], (covered(counters_of[0], key), covered(counters_of[1], key)))
        for key in sorted({*counters_of[0], *counters_of[1]})
    )
    common = sorted(counters_of[0].keys() & counters_of[1].keys())
    times = [_times(side, beta) for side in sides]
    tables = [
        _table(side, own, time, {key: counters[key] for key in common}, markers[0])
        for side, own, time, counters in zip(sides, numbers, times, counters_of, strict=True)
    ]
    return StepsAsCycles((tables[0], tables[1]), facts)


def step_marker(summary: Summary) -> str:
    """Returns the name of what delimits the steps of a trace."""
    if not summary.marked:
        return _WHOLE
    iterations = summary.iterations
    if iterations is None or iterations.chosen.origin == PROFILER:
        return STEP_PREFIX.rstrip("#")
    return iterations.chosen.name


def _check_steps(summary: Summary) -> None:
    if summary.metric != STEP_TIME:
        format_title = FORMATS[summary.format].title
        raise NotComparable(
            f"{summary.source} has launches that are not cut into steps ({format_title}): no cycles to compare",
            hint="tb-perfcompare diff compares such sources",
        )
    if not summary.is_split:
        raise NotComparable(
            f"{summary.source} holds saved answers: totals and means, no times of functions per step",
            hint="give the traces themselves, or use tb-perfcompare diff",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Functions:
    """f functions: (f,) name, StepCategory code, and whether it ran on a device; (f, s) times and calls."""

    name: tuple[str, ...]
    kind: tuple[int, ...]
    on_device: Flags
    time_ns: Nanoseconds
    calls: Ints


def _times(summary: Summary, beta: str) -> _Functions:
    """Converts entities to functions. Entities with one name on one device are one function, whatever their categories.

    Time without recorded events is included only if shares must sum to the step (EXCLUSIVE).
    """
    owned = summary.owned
    index: dict[tuple[str, bool], int] = {}
    kinds: list[int] = []
    chosen, place = [], []
    for entity, (category, key) in enumerate(zip(owned.category.tolist(), owned.key, strict=True)):
        if category == StepCategory.OTHER and beta != EXCLUSIVE:
            continue
        function = (key, category in DEVICE_CATEGORIES)
        if function not in index:
            index[function] = len(index)
            kinds.append(category)
        chosen.append(entity)
        place.append(index[function])
    time_ns, calls = (np.zeros((len(index), len(summary.steps)), dtype=np.int64) for _ in range(2))
    np.add.at(time_ns, place, (owned.time_ns if beta == EXCLUSIVE else owned.plain_ns)[chosen])
    np.add.at(calls, place, owned.calls[chosen])
    on_device = np.array([device for _, device in index], dtype=np.bool_)
    return _Functions(tuple(name for name, _ in index), tuple(kinds), on_device, time_ns, calls)


def _table(
    summary: Summary, numbers: Mapping[str, int], functions: _Functions, counters: Mapping[Key, StepCounter],
    marker: str,
) -> CycleTable:  # fmt: skip
    """Builds one row per (step, function, counter of its device).

    A function that ran in any of a worker's steps has a row in all of them.
    """
    strings = StringTable()
    steps = summary.steps
    pid = np.array([numbers[capture.worker] for capture in summary.captures], np.int64)[steps.capture]
    no_rows = np.zeros(0, np.int64)
    blocks = [_block(no_rows, no_rows, NO_TEXT, np.zeros(0), no_rows != 0)]
    for number in unique(pid).tolist():
        own = np.flatnonzero(pid == number)
        ran = functions.time_ns[:, own].any(axis=1) | functions.calls[:, own].any(axis=1)
        for on_device in (False, True):
            rows = np.flatnonzero(ran & (functions.on_device == on_device))
            of_device = {key: counter for key, counter in counters.items() if key[0] == on_device}
            for key, counter in of_device.items():
                code = strings.intern(counter_name(key, of_device))
                blocks.append(_block(rows, own, code, counter.mean[own], counter.interpolated[own]))
            if not of_device:  # a device without counters: mu is 0
                none = np.zeros(len(own))
                blocks.append(_block(rows, own, strings.intern(NO_COUNTER), none, none != 0))
    all_rows = _Block(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    order = np.lexsort((all_rows.metric, all_rows.function, all_rows.step))
    function, step = all_rows.function[order], all_rows.step[order]
    spent, total = functions.time_ns[function, step], steps.total_ns[step]
    names = np.array([strings.intern(name) for name in functions.name], np.int32)
    kinds = np.array([strings.intern(CATEGORY_LABELS[kind]) for kind in functions.kind], np.int32)
    devices = np.where(functions.on_device, strings.intern(summary.device.word), strings.intern(HOST)).astype(np.int32)
    return CycleTable(
        source=summary.source,
        strings=strings,
        cycle=step + 1,
        pid=pid[step],
        function=names[function],
        metric=all_rows.metric[order],
        device=devices[function],
        beta_pct=np.divide(spent * 100.0, total, out=np.zeros(len(step)), where=total > 0),
        mu_pct=all_rows.mu[order],
        cycle_us=total / 1000,
        anchor=np.full(len(step), strings.intern(marker), np.int32),
        duration_us=spent / 1000,
        instances=functions.calls[function, step].astype(np.float64),
        interpolated=all_rows.interpolated[order] if counters else None,
        kind=kinds[function],
    )


class _Block(NamedTuple):
    """Rows of a table under construction, (rows,) each; `metric` is NO_TEXT if the counter has no value in the step."""

    function: Ints
    step: Ints
    metric: Ints32
    mu: Floats
    interpolated: Flags


def _block(functions: Ints, steps: Ints, code: int, mean: Floats, interpolated: Flags) -> _Block:
    """Makes a row for each function and step; `mean` and `interpolated` of the counter `code` are (steps,)."""
    count = len(functions)
    mu = np.tile(mean, count)
    metric = np.where(np.isfinite(mu), code, NO_TEXT).astype(np.int32)
    return _Block(np.repeat(functions, len(steps)), np.tile(steps, count), metric, mu, np.tile(interpolated, count))


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
