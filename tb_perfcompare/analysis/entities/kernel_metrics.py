"""Metrics of ranges that the profiler measured (`cuda_profiler_range`), by kernel and by operator.

Such a trace has no kernels, and its ranges have no real times: ranges are assigned to steps and operators by the order
of the launches.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import named
from tb_perfcompare.analysis.columns.numbering import gather, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.entities.operators import outermost_calls
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints, StepIndex, spread
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.model.recordings.recording import MeasuredRanges
from tb_perfcompare.model.summary.groups import KERNEL_METRICS, OPERATOR_METRICS, WORK_METRICS, unit_of
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.number_text import many

_MAX_VALUE = 2.0**56
"""Upper limit of plausible counter values."""


def metric_tables(
    timeline: InterpretedTrace, ranges: MeasuredRanges, step: StepIndex, steps: int
) -> tuple[dict[str, GroupTable], str]:
    """Returns ({KERNEL_METRICS, OPERATOR_METRICS}, why OPERATOR_METRICS is missing).

    If it is missing, the step of each range is unknown, and sums over the recording are spread over the steps.
    """
    launch = _launches(timeline)
    names = [kernel_key(name) for name in ranges.name]
    if len(launch) != len(ranges):
        counted = f"{many(len(ranges), 'measured range')}, but {many(len(launch), 'kernel launch', 'kernel launches')}"
        whole = _table(names, ranges, np.zeros(len(ranges), dtype=np.int64), 1)
        calls, total = (spread(sums[:, 0], steps) for sums in (whole.calls, whole.measures_ns["total"]))
        return {KERNEL_METRICS: replace(whole, calls=calls, measures_ns={"total": total}, sampled=False)}, counted
    of_step = step[launch].astype(np.int64)
    operators = _operators(timeline, launch)
    work = [place for place, metric in enumerate(ranges.metrics) if metric in WORK_METRICS]
    of_work = MeasuredRanges(ranges.name, tuple(ranges.metrics[place] for place in work), ranges.values[:, work])
    return {
        KERNEL_METRICS: _table(names, ranges, of_step, steps),
        OPERATOR_METRICS: _table(operators, of_work, of_step, steps),
    }, ""


def _launches(timeline: InterpretedTrace) -> Ints:
    """Returns the API calls that launched a kernel, in order of start."""
    events = timeline.events
    rows = outermost_calls(timeline)
    launch = re.compile("|".join(timeline.vendor.launches) or "(?!)")
    rows = rows[named(events, rows, lambda name: launch.fullmatch(name) is not None)]
    ordered: Ints = rows[np.argsort(gather(events.start_ns, rows), kind="stable")].astype(np.int64)
    return ordered


def _operators(timeline: InterpretedTrace, launch: Ints) -> list[str]:
    """Returns the operator key of each launch, "" without an operator."""
    keys = operator_keys_of(timeline.events.strings)
    row = timeline.operator[launch]
    places = keys.of(timeline.events.name[np.maximum(row, 0)])
    texts = keys.pool.texts
    return [texts[place] if at >= 0 else "" for at, place in zip(row.tolist(), places.tolist(), strict=True)]


def _table(names: list[str], ranges: MeasuredRanges, step: Ints, steps: int) -> GroupTable:
    """Sums metrics by range name and step; `step` (n,) is negative outside steps."""
    index = {name: place for place, name in enumerate(sorted(set(names)))}
    units = np.array([unit_of(metric) for metric in ranges.metrics], dtype=np.float64)
    values = ranges.values * units
    counts = (np.abs(values) < _MAX_VALUE) & (step >= 0)[:, None]
    at, metric = np.nonzero(counts)
    row = np.array([index[name] for name in names], dtype=np.int64)[at] * len(ranges.metrics) + metric
    keys = [(name, metric) for name in index for metric in ranges.metrics]
    whole = np.rint(values[at, metric]).astype(np.int64)
    calls, total = (scatter_add(row, len(keys), step[at], steps, value) for value in (None, whole))
    used = np.flatnonzero(calls.any(axis=1))
    return GroupTable(
        key_columns=("name", "metric"),
        keys=tuple(keys[place] for place in used.tolist()),
        names=tuple(keys[place][0] for place in used.tolist()),
        calls=calls[used],
        measures_ns={"total": total[used]},
    )
