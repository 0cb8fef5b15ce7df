"""Operator tables: calls, self and total time on host and device, by name and by name + input shape."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.nesting import nest, with_descendants
from tb_perfcompare.analysis.timeline import HostForest, Timeline
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.names import operator_key
from tb_perfcompare.model.summary import GroupTable

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class OperatorTimes:
    """Per forest row h: (h,) int64 nanoseconds.

    A call nested alone in a call of the same name (aten::mul in aten::mul) is one operator, as in torch-tb-profiler:
    `merged` rows count no call and no total of their own and belong to the operator of row `top`.
    """

    host_self: Ints
    host_total: Ints
    host_api: Ints
    device_self: Ints
    device_total: Ints
    merged: NDArray[np.bool_]
    top: Ints


def operator_times(timeline: Timeline) -> OperatorTimes:
    """Self and total times of every host event in the forest.

    host_self = span - spans of children - outermost API calls of the operator, never below zero.
    host_api = those API calls, as recorded.
    device_self = device work launched by the operator's own API calls; device_total adds the descendants'.
    """
    forest, events = timeline.host, timeline.events
    h = len(forest.row)
    span = forest.end_ns - events.start_ns[forest.row]
    node_of = np.full(len(events) + 1, -1, dtype=np.int64)
    node_of[forest.row] = np.arange(h)
    inner = forest.parent >= 0
    children = _sum_by(forest.parent[inner], span[inner], h)
    api = _outermost_calls(timeline)
    owner = node_of[timeline.operator[api]]
    known = owner >= 0
    in_calls = _sum_by(owner[known], events.dur_ns[api[known]], h)
    work = np.flatnonzero(timeline.is_device & (timeline.operator >= 0))
    owner = node_of[timeline.operator[work]]
    device_self = _sum_by(owner, events.dur_ns[work], h)
    merged, top = merged_calls(timeline, forest)
    return OperatorTimes(
        host_self=np.maximum(span - children - in_calls, 0),
        host_total=span,
        host_api=in_calls,
        device_self=device_self,
        device_total=with_descendants(forest.parent, forest.depth, device_self),
        merged=merged,
        top=top,
    )


def _sum_by(index: Ints, values: Ints, length: int) -> Ints:
    """(length,) exact sums; doubles carry nanoseconds exactly up to 104 days."""
    sums: Ints = np.bincount(index, weights=values, minlength=length)[:length].astype(np.int64)
    return sums


def _outermost_calls(timeline: Timeline) -> Ints:
    """API calls that no other API call of their thread encloses: runtimes call drivers, cnnl calls cnrt."""
    rows = np.flatnonzero(timeline.is_api)
    if not len(rows):
        return rows
    events = timeline.events
    nesting = nest(timeline.lane[rows], events.start_ns[rows], timeline.end_ns[rows], events.correlation[rows])
    outermost: Ints = rows[nesting.order[nesting.depth == 0]]
    return outermost


def merged_calls(timeline: Timeline, forest: HostForest) -> tuple[NDArray[np.bool_], Ints]:
    h = len(forest.row)
    top = np.arange(h)
    inner = forest.parent >= 0
    children = np.bincount(forest.parent[inner], minlength=h)
    name = timeline.events.name[forest.row]
    counts = timeline.is_operator[forest.row]
    above = np.maximum(forest.parent, 0)
    merged = inner & (children[above] == 1) & (name == name[above]) & counts & counts[above] if h else inner
    top[merged] = forest.parent[merged]
    while h and (top[top] != top).any():
        top = top[top]
    return merged, top


def operator_tables(timeline: Timeline, step: NDArray[np.int64], steps: int) -> dict[str, GroupTable]:
    """{"operators": ..., "operators_by_shape": ..., "operators_by_type": ...}; `step` (n,) is an event's step or -1."""
    forest, events = timeline.host, timeline.events
    times = operator_times(timeline)
    shown = np.flatnonzero(timeline.is_operator[forest.row] & (step[forest.row] >= 0))
    rows = forest.row[shown]
    distinct, at = np.unique(events.name[rows], return_inverse=True)
    names = distinct[_interned([operator_key(events.strings[code]) for code in distinct.tolist()])][at].astype(np.int64)
    tables = {"operators": _group("operator", events, times, shown, rows, names, None, step, steps)}
    if "input_dims" in events.args:
        shape = events.args["input_dims"].dense(len(events), -1).astype(np.int64)
        shapes = shape_ids(events)[shape[forest.row[times.top[shown]]]]
        tables["operators_by_shape"] = _group(
            "operator_by_shape", events, times, shown, rows, names, shapes, step, steps
        )
    if "input_type" in events.args:
        kinds = events.args["input_type"].dense(len(events), -1).astype(np.int64)
        types = shape_ids(events, "input_type")[kinds[forest.row[times.top[shown]]]]
        tables["operators_by_type"] = _group("operator_by_type", events, times, shown, rows, names, types, step, steps)
    return tables


def _interned(texts: list[str]) -> Ints:
    """Index of the first equal text."""
    index: dict[str, int] = {}
    return np.array([index.setdefault(text, i) for i, text in enumerate(texts)], dtype=np.int64)


def shape_text(raw: str) -> str:
    """JSON text of `Input Dims` as shown: Python's spelling of the list, `[[32, 3, 224, 224], []]`."""
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw


def shape_ids(events: EventTable, argument: str = "input_dims") -> Ints:
    """String index of raw JSON -> string index of an equal shape; the last entry stands for "no shape recorded"."""
    used = np.unique(events.args[argument].values).astype(np.int64)
    out = np.full(len(events.strings) + 1, -1, dtype=np.int64)
    first: dict[str, int] = {}
    for index in used.tolist():
        out[index] = first.setdefault(shape_text(events.strings[index]), index)
    return out


def _group(
    kind: str,
    events: EventTable,
    times: OperatorTimes,
    shown: Ints,
    rows: Ints,
    names: Ints,
    shapes: Ints | None,
    step: NDArray[np.int64],
    steps: int,
) -> GroupTable:
    texts = events.strings.texts
    width = len(texts) + 1
    code = names if shapes is None else names * width + shapes + 1
    unique, group = np.unique(code, return_inverse=True)
    if shapes is None:
        labels: list[tuple[str, ...]] = [(operator_key(texts[name]),) for name in unique.tolist()]
    else:
        pairs = [divmod(key, width) for key in unique.tolist()]
        labels = [(operator_key(texts[name]), shape_text(texts[at - 1]) if at else "") for name, at in pairs]
    counted = ~times.merged[shown]
    flat = group * steps + step[rows]

    def matrix(values: Ints, which: NDArray[np.bool_] | slice) -> Ints:
        sums = np.bincount(flat[which], weights=values[which], minlength=len(labels) * steps)
        table: Ints = sums.astype(np.int64).reshape(len(labels), steps)
        return table

    every = slice(None)
    host_total = times.host_total[shown]
    low = np.full(len(labels), np.iinfo(np.int64).max)
    high = np.zeros(len(labels), dtype=np.int64)
    np.minimum.at(low, group[counted], host_total[counted])
    np.maximum.at(high, group[counted], host_total[counted])
    return GroupTable(
        kind=kind,
        key_columns=("name",) if shapes is None else ("name", "input_type" if "type" in kind else "input_shape"),
        keys=tuple(labels),
        names=tuple(_first_names(events, rows, group, len(labels))),
        calls=matrix(np.ones(len(rows), dtype=np.int64), counted),
        measures_ns={
            "host_self": matrix(times.host_self[shown], every),
            "host_total": matrix(host_total, counted),
            "host_api": matrix(times.host_api[shown], every),
            "device_self": matrix(times.device_self[shown], every),
            "device_total": matrix(times.device_total[shown], counted),
        },
        min_ns=np.where(low == np.iinfo(np.int64).max, 0, low),
        max_ns=high,
        facts={},
    )


def _first_names(events: EventTable, rows: Ints, group: Ints, groups: int) -> list[str]:
    """The alphabetically first raw name of each group."""
    ranks = events.strings.ranks()
    order = np.lexsort((ranks[events.name[rows]], group))
    first = order[np.searchsorted(group[order], np.arange(groups))] if len(rows) else np.zeros(0, dtype=np.int64)
    return [events.strings[int(i)] for i in events.name[rows[first]]]
