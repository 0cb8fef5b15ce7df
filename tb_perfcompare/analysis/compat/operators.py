"""Operator pies, tables and call-stack tables."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events.figures import NodeFigures
from tb_perfcompare.analysis.compat.events.forest import Forest
from tb_perfcompare.analysis.compat.events.rounding import ratio_percent, whole
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Flags, Ints

_FIELDS = ("host", "self_host", "device", "self_device", "tc_total", "tc_self")


@dataclass(frozen=True, slots=True, eq=False)
class OperatorCalls:
    """Operator calls in the order of the answers: thread by thread, callees before callers.

    node         (c,) node of the forest
    name, shape, stack   (c,) number of the text in `names`, `shapes`, `stacks`
    figures      field of NodeFigures -> (c,) microseconds
    eligible     (c,) can use tensor cores
    """

    node: list[int]
    name: Ints
    shape: Ints
    stack: Ints
    names: tuple[str, ...]
    shapes: tuple[str, ...]
    stacks: tuple[str, ...]
    figures: dict[str, NDArray[Any]]
    eligible: Flags

    @property
    def has_stacks(self) -> bool:
        """Any call has a call stack."""
        return any(self.stacks)


@dataclass(frozen=True, slots=True, eq=False)
class OperatorGroups:
    """Calls added up by some key, in order of the key's first call.

    name, shape, stack   texts of the first call ("" for a call without stack)
    calls        (g,) number of calls
    figures      field -> (g,) sums, left to right
    eligible     (g,) of the first call
    """

    name: list[str]
    shape: list[str]
    stack: list[str]
    calls: list[int]
    figures: dict[str, list[Any]]
    eligible: list[bool]


def list_calls(stream: EventStream, forest: Forest, figures: NodeFigures) -> OperatorCalls:
    """All operator calls reached through the trees."""
    is_operator = forest.operator
    node = [n for n in forest.order if is_operator[n]]
    at = np.array([forest.event[n] for n in node], dtype=np.int64)
    name, names = _numbered([forest.name[n] for n in node])
    shape, shapes = _numbered(_decoded(stream, at, "input_dims", "[]", str))
    stack, stacks = _numbered(
        _decoded(stream, at, "call_stack", "", lambda value: value if isinstance(value, str) else "")
    )
    return OperatorCalls(
        node=node,
        name=name,
        shape=shape,
        stack=stack,
        names=names,
        shapes=shapes,
        stacks=stacks,
        figures={field: _picked(getattr(figures, field), node) for field in _FIELDS},
        eligible=np.array([figures.eligible[n] for n in node], dtype=np.bool_),
    )


def group_calls(calls: OperatorCalls, *, by_shape: bool, by_stack: bool) -> OperatorGroups:
    """Sums per operator name, and per shape and call stack where wanted."""
    key = calls.name
    if by_shape:
        key = key * (len(calls.shapes) + 1) + calls.shape
    if by_stack:
        key = key * (len(calls.stacks) + 1) + calls.stack
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    group, first = place[group], first[order]
    sums = {}
    for field, values in calls.figures.items():
        total = np.zeros(len(first), dtype=values.dtype)
        np.add.at(total, group, values)
        sums[field] = total.tolist()
    return OperatorGroups(
        name=[calls.names[i] for i in calls.name[first].tolist()],
        shape=[calls.shapes[i] for i in calls.shape[first].tolist()],
        stack=[calls.stacks[i] for i in calls.stack[first].tolist()],
        calls=np.bincount(group, minlength=len(first)).tolist(),
        figures=sums,
        eligible=calls.eligible[first].tolist(),
    )


def pies(groups: OperatorGroups) -> dict[str, Any]:
    """The `operation` answer."""
    return {
        "device_total_time": _pie("Device Total Time (us)", groups, "device"),
        "device_self_time": _pie("Device Self Time (us)", groups, "self_device"),
        "host_total_time": _pie("Host Total Time (us)", groups, "host"),
        "host_self_time": _pie("Host Self Time (us)", groups, "self_host"),
    }


def _pie(title: str, groups: OperatorGroups, field: str) -> dict[str, Any] | None:
    pairs = [pair for pair in zip(groups.name, groups.figures[field], strict=True) if pair[1] > 0]
    pairs.sort(key=lambda pair: -pair[1])
    if not pairs:
        return None
    columns = [{"type": "string", "name": "name"}, {"type": "number", "name": "value"}]
    return {"title": title, "columns": columns, "rows": [list(pair) for pair in pairs]}


_TOOLTIPS = {
    "tc_eligible": "Whether this operator is eligible to use Tensor Cores.",
    "tc_self_ratio": "Time of self-kernels with Tensor Cores / Time of self-kernels.",
    "tc_total_ratio": "Time of kernels with Tensor Cores / Time of kernels.",
}


def operator_table(calls: OperatorCalls, *, by_shape: bool, show_device: bool) -> dict[str, Any]:
    """The `operation/table` answer."""
    groups = group_calls(calls, by_shape=by_shape, by_stack=False)
    with_stack = {_key(calls, i, by_shape) for i in np.flatnonzero(_has_stack(calls)).tolist()}
    keys = zip(groups.name, groups.shape if by_shape else groups.name, strict=True)
    stacked = [key in with_stack for key in keys]
    rows = [
        {**row, "has_call_stack": stacked[i]}
        for i, row in _rows(groups, range(len(groups.name)), by_shape, show_device)
    ]
    return _table(rows, show_device)


def stack_table(
    calls: OperatorCalls, name: str, shape: str | None, *, by_shape: bool, show_device: bool
) -> dict[str, Any] | None:
    """The `operation/stack` answer for one operator (and shape); None if no call of it has a call stack."""
    groups = group_calls(calls, by_shape=by_shape, by_stack=True)
    wanted = [
        i
        for i, (group_name, group_shape, stack) in enumerate(zip(groups.name, groups.shape, groups.stack, strict=True))
        if stack and group_name == name and (not by_shape or group_shape == shape)
    ]
    if not wanted:
        return None
    rows = [{**row, "call_stack": groups.stack[i]} for i, row in _rows(groups, wanted, by_shape, show_device)]
    return _table(rows, show_device)


def _table(rows: list[dict[str, Any]], show_device: bool) -> dict[str, Any]:
    sort = "device_self_duration" if show_device else "host_self_duration"
    return {"metadata": {"sort": sort, "tooltips": dict(_TOOLTIPS)}, "data": rows}


def _rows(groups: OperatorGroups, wanted: Any, by_shape: bool, show_device: bool) -> list[tuple[int, dict[str, Any]]]:
    """(group, fields) by self time, largest first, ties in order of the first call."""
    f = groups.figures
    rank = f["self_device" if show_device else "self_host"]
    rows = []
    for i in sorted(wanted, key=lambda i: -rank[i]):
        row: dict[str, Any] = {"name": groups.name[i]}
        if by_shape:
            row["input_shape"] = groups.shape[i]
        row["calls"] = groups.calls[i]
        if show_device:
            row["device_self_duration"] = whole(f["self_device"][i])
            row["device_total_duration"] = whole(f["device"][i])
        row["host_self_duration"] = whole(f["self_host"][i])
        row["host_total_duration"] = whole(f["host"][i])
        row["tc_eligible"] = "Yes" if groups.eligible[i] else "No"
        row["tc_self_ratio"] = ratio_percent(f["tc_self"][i], f["self_device"][i])
        row["tc_total_ratio"] = ratio_percent(f["tc_total"][i], f["device"][i])
        rows.append((i, row))
    return rows


def _key(calls: OperatorCalls, call: int, by_shape: bool) -> tuple[str, str]:
    name = calls.names[calls.name[call]]
    return (name, calls.shapes[calls.shape[call]] if by_shape else name)


def _has_stack(calls: OperatorCalls) -> Flags:
    """(c,) the call has a call stack that is not empty."""
    filled = np.array([bool(text) for text in calls.stacks], dtype=np.bool_)
    return filled[calls.stack] if len(calls.stack) else np.zeros(0, dtype=np.bool_)


def _decoded(stream: EventStream, at: Ints, column: str, missing: str, show: Any) -> list[str]:
    """Per event the shown form of a JSON argument; each distinct text is decoded once."""
    texts: dict[int, str] = {-1: missing}
    indices = stream.argument(column, at, -1).tolist()
    for index in set(indices):
        if index >= 0:
            texts[index] = show(json.loads(stream.texts[index]))
    return [texts[index] for index in indices]


def _numbered(texts: list[Hashable] | list[str]) -> tuple[Ints, tuple[Any, ...]]:
    """Each text as its number in order of first appearance, and the distinct texts."""
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return np.array(codes, dtype=np.int64), tuple(numbers)


def _picked(values: list[Any], node: list[int]) -> NDArray[Any]:
    picked = [values[n] for n in node]
    kinds = {type(value) for value in picked}
    return np.array(picked, dtype=object if len(kinds) > 1 else np.float64 if float in kinds else np.int64)
