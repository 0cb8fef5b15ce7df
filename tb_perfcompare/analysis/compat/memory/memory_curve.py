"""The `memory_curve` answer: memory held over time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.memory.memory_records import MemoryRecords
from tb_perfcompare.analysis.compat.memory.memory_units import MemoryUnits, default_device
from tb_perfcompare.model.events import ABSENT


def curve_answer(
    records: MemoryRecords, units: MemoryUnits, first: int | float, most_points: int | None
) -> dict[str, Any]:
    """The `memory_curve` answer; times are relative to `first`, the start of the recording."""
    stated = (records.address != ABSENT) & ~np.isnan(records.allocated) & ~np.isnan(records.reserved)
    curves: dict[str, list[list[Any]]] = {}
    peaks: dict[str, float] = {}
    at = np.flatnonzero(stated)
    for device in dict.fromkeys(records.device[at].tolist()):
        label = records.labels[device]
        if label is None:
            continue
        mine = at[records.device[at] == device]
        time = (records.time[mine] - first) * units.time_factor
        allocated = records.allocated[mine] * units.memory_factor
        reserved = records.reserved[mine] * units.memory_factor
        peaks[label] = max(peaks.get(label, 0.0), float(allocated.max()))
        points = np.column_stack((time, allocated, reserved)).tolist()
        curves[label] = curves.get(label, []) + points
    rows = {label: _sampled(_stepped(points), most_points) for label, points in curves.items()}
    columns = [
        {"name": f"Time ({units.time})", "type": "number", "tooltip": "Time since profiler starts."},
        {"name": f"Allocated ({units.memory})", "type": "number", "tooltip": "Total memory in use."},
        {
            "name": f"Reserved ({units.memory})",
            "type": "number",
            "tooltip": "Total reserved memory by allocator, both used and unused.",
        },
    ]
    metadata = {
        "default_device": default_device(rows),
        "devices": sorted(rows),
        "peaks": {label: f"Peak Memory Usage: {peak:.1f}{units.memory}" for label, peak in peaks.items()},
        "totals": {},
        "first_ts": first,
        "time_metric": units.time,
        "memory_metric": units.memory,
        "time_factor": units.time_factor,
        "memory_factor": units.memory_factor,
    }
    return {"metadata": metadata, "columns": columns, "rows": rows}


def _stepped(points: list[list[Any]]) -> list[list[Any]]:
    """A copy of the previous values at each new time, so that lines between points draw steps."""
    stepped = points[:1]
    for before, point in pairwise(points):
        stepped.append([point[0], *before[1:]])
        stepped.append(point)
    return stepped


def _sampled(points: list[list[Any]], most: int | None) -> list[list[Any]]:
    """At most `most` points, chosen to keep the curve's shape.

    Largest triangle of three buckets (Steinarsson 2013) by time and allocated bytes. First and last point stay; the
    buckets between them differ by at most one point, larger ones first.
    """
    if most is None or len(points) <= most:
        return points
    x, y, _ = np.array(points, dtype=np.float64).T
    buckets = [*np.array_split(np.arange(1, len(points) - 1), most - 2), np.array([len(points) - 1])]
    chosen = [0]
    for bucket, following in pairwise(buckets):
        mean_x, mean_y = x[following].mean(), y[following].mean()
        a = chosen[-1]
        area = np.abs((x[a] - mean_x) * (y[bucket] - y[a]) - (x[a] - x[bucket]) * (mean_y - y[a]))
        chosen.append(int(bucket[int(np.argmax(area))]))
    chosen.append(len(points) - 1)
    return [points[i] for i in chosen]
