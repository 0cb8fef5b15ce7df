"""Operator tables: calls, self and total time on host and device, by name and by name + input shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.flags import used_codes
from tb_perfcompare.analysis.grouping import Groups, added_up, finest, grouped, largest, least, texts_by_rank
from tb_perfcompare.analysis.nesting import nest, with_descendants
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.names import operator_key
from tb_perfcompare.model.summary import GroupTable
from tb_perfcompare.model.unique import unique_places

Ints = NDArray[np.int64]

_NO_CALL = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class OperatorTimes:
    """Per forest row h: (h,) int64 nanoseconds. A merged row (HostForest.merged) counts no call and no total of its own
    and belongs to the operator of row HostForest.top."""

    host_self: Ints
    host_total: Ints
    host_api: Ints
    device_self: Ints
    device_total: Ints


def operator_times(timeline: Timeline) -> OperatorTimes:
    """Self and total times of every host event in the forest.

    host_self = span - spans of children - outermost API calls of the operator, never below zero.
    host_api = those API calls, as recorded.
    device_self = device work launched by the operator's own API calls; device_total adds the descendants'.
    """
    forest, events = timeline.host, timeline.events
    h = len(forest.row)
    span = forest.end_ns - events.start_ns[forest.row]
    node_of = _nodes(timeline)
    api = _outermost_calls(timeline)
    owner = node_of[timeline.operator[api]]
    known = owner >= 0
    in_calls = _sum_by(owner[known], events.dur_ns[api[known]], h)
    device_self = _device_self(timeline, node_of)
    return OperatorTimes(
        host_self=np.maximum(span - forest.inside - in_calls, 0),
        host_total=span,
        host_api=in_calls,
        device_self=device_self,
        device_total=with_descendants(forest.parent, forest.depth, device_self),
    )


def device_self_times(timeline: Timeline) -> Ints:
    """(h,) device work launched by the API calls of each forest row itself."""
    return _device_self(timeline, _nodes(timeline))


def _nodes(timeline: Timeline) -> Ints:
    """(n + 1,) forest row of each event, -1 without one; the last place is for no event."""
    node_of = np.full(len(timeline.events) + 1, -1, dtype=np.int64)
    node_of[timeline.host.row] = np.arange(len(timeline.host.row))
    return node_of


def _device_self(timeline: Timeline, node_of: Ints) -> Ints:
    work = np.flatnonzero(timeline.is_device & (timeline.operator >= 0))
    owner = node_of[timeline.operator[work]]
    return _sum_by(owner, timeline.events.dur_ns[work], len(timeline.host.row))


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
    nesting = nest(timeline.lane, events.start_ns, timeline.end_ns, events.correlation, rows=rows)
    outermost: Ints = nesting.order[nesting.parent < 0]
    return outermost


def operator_tables(timeline: Timeline, step: NDArray[np.int64], steps: int) -> dict[str, GroupTable]:
    """{"operators": ..., "operators_by_shape": ..., "operators_by_type": ...}; `step` (n,) is an event's step or -1."""
    forest, events = timeline.host, timeline.events
    shown = np.flatnonzero(timeline.is_operator[forest.row] & (step[forest.row] >= 0))
    rows = forest.row[shown]
    of = forest.row[forest.top[shown]]
    names, labels = _names(events, rows)
    keys = [(names, len(labels))]
    arguments: list[tuple[str, str, list[str]]] = []
    for kind, column, argument in (("shape", "input_shape", "input_dims"), ("type", "input_type", "input_type")):
        if argument in events.args:
            numbers, texts = _argument_texts(events, argument, of)
            keys.append((numbers, len(texts)))
            arguments.append((kind, column, texts))
    columns, of_row = finest(keys)
    groups = grouped(of_row, len(columns[0]), step[rows], steps)
    del keys, names, of, of_row, rows  # what follows needs the room
    sums = _sums(timeline, shown, groups)
    operators = sums.table("operator", ("name",), columns[0], lambda name: (labels[name],))
    tables = {"operators": operators}
    for (kind, column, texts), numbers in zip(arguments, columns[1:], strict=True):
        width = len(texts)
        tables[f"operators_by_{kind}"] = sums.table(
            f"operator_by_{kind}", ("name", column), columns[0] * width + numbers, _pair(labels, texts)
        )
    return tables


def _pair(labels: list[str], texts: list[str]) -> Callable[[int], tuple[str, ...]]:
    return lambda code: (labels[code // len(texts)], texts[code % len(texts)])


def _names(events: EventTable, rows: Ints) -> tuple[Ints, list[str]]:
    """((r,) number of each row's operator, their keys): numbered by the first code that has the key."""
    number_of, labels = _numbered(events, events.name[rows], operator_key)
    return number_of[events.name[rows]], labels


def _argument_texts(events: EventTable, argument: str, rows: Ints) -> tuple[Ints, list[str]]:
    """((r,) number of each row's text, the texts as shown); 0 is "no such argument"."""
    codes = events.args[argument].dense(len(events), -1)[rows].astype(np.int64)
    number_of, texts = _numbered(events, codes[codes >= 0], shape_text)
    return np.append(number_of + 1, 0)[codes], ["", *texts]


def _numbered(
    events: EventTable, codes: NDArray[np.integer], shown: Callable[[str], str]
) -> tuple[Ints, list[str]]:
    """(number by code, what is shown of each number) of the codes that occur; equal ones share the first's number."""
    index: dict[str, int] = {}
    number_of = np.zeros(len(events.strings), dtype=np.int64)
    for code in used_codes(codes, len(events.strings)).tolist():
        number_of[code] = index.setdefault(shown(events.strings[code]), len(index))
    return number_of, list(index)


@lru_cache(maxsize=1 << 14)
def shape_text(raw: str) -> str:
    """JSON text of `Input Dims` as shown: Python's spelling of the list, `[[32, 3, 224, 224], []]`."""
    try:
        return str(json.loads(raw))
    except ValueError:
        return raw


def shape_ids(events: EventTable, argument: str = "input_dims") -> Ints:
    """String index of raw JSON -> string index of an equal shape; the last entry stands for "no shape recorded"."""
    used = used_codes(events.args[argument].values.astype(np.int64), len(events.strings))
    out = np.full(len(events.strings) + 1, -1, dtype=np.int64)
    first: dict[str, int] = {}
    for index in used.tolist():
        out[index] = first.setdefault(shape_text(events.strings[index]), index)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What tables show, by the finest groups: (g, s) matrices, (g,) extremes, (g,) place of the first raw name."""

    timeline: Timeline
    calls: Ints
    measures_ns: dict[str, Ints]
    low: Ints
    high: Ints
    first_name: Ints

    def table(
        self, kind: str, key_columns: tuple[str, ...], codes: Ints, key: Callable[[int], tuple[str, ...]]
    ) -> GroupTable:
        """The table whose row a group belongs to is told by its code."""
        used, into = unique_places(codes)
        count = len(used)
        low = least(self.low, into, count)
        return GroupTable(
            kind=kind,
            key_columns=key_columns,
            keys=tuple(key(code) for code in used.tolist()),
            names=tuple(texts_by_rank(self.timeline.events.strings, least(self.first_name, into, count))),
            calls=added_up(self.calls, into, count),
            measures_ns={name: added_up(matrix, into, count) for name, matrix in self.measures_ns.items()},
            min_ns=np.where(low == _NO_CALL, 0, low),
            max_ns=largest(self.high, into, count),
            facts={},
        )


def _sums(timeline: Timeline, shown: Ints, groups: Groups) -> _Sums:
    forest, times = timeline.host, operator_times(timeline)
    merged = forest.merged[shown]
    counted = ~merged if merged.any() else slice(None)
    host_total = times.host_total[shown]
    low, high = groups.span(host_total, counted)
    return _Sums(
        timeline,
        calls=groups.matrix(None, counted),
        measures_ns={
            "host_self": groups.matrix(times.host_self[shown]),
            "host_total": groups.matrix(host_total, counted),
            "host_api": groups.matrix(times.host_api[shown]),
            "device_self": groups.matrix(times.device_self[shown]),
            "device_total": groups.matrix(times.device_total[shown], counted),
        },
        low=low,
        high=high,
        first_name=groups.first_names(timeline.events.strings, timeline.events.name[forest.row[shown]]),
    )
