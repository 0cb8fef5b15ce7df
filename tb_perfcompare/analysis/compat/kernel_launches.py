"""Kernels by name, launching operator and launch properties."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.device_metrics import slices
from tb_perfcompare.analysis.compat.events import texts
from tb_perfcompare.analysis.compat.events.figures import NodeFigures
from tb_perfcompare.analysis.compat.events.forest import ORPHANS, Forest
from tb_perfcompare.analysis.compat.events.kinds import Kind
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.rounding import whole
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.analysis.compat.events.tensor_cores import uses_tensor_cores
from tb_perfcompare.analysis.compat.events.variant import KernelProperty
from tb_perfcompare.analysis.compat.kernels import (
    BLOCKS,
    OCCUPANCY,
    KernelTable,
    detail_cells,
    detail_columns,
    duration_columns,
    stated,
)
from tb_perfcompare.model.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """Kernels reached through the trees, in the order of the answer.

    event     (k,) stream positions; an event filed under two nodes appears twice
    owner     (k,) node that launched it: the last one in tree order it is filed under
    """

    event: Ints
    owner: Ints


def list_launches(stream: EventStream, links: Links, forest: Forest) -> Launches:
    """Kernels below every root, children before the node's own calls; orphans under roots of threads with steps."""
    calls: list[int] = []
    owner_of_call = np.zeros(len(links.runtime) + 1, dtype=np.int64)  # last place: the orphans
    for node in forest.order:
        for call in forest.calls[node]:
            calls.append(call)
            owner_of_call[call] = node
    # orphans become one more call behind the recorded ones, so that -1 indexes it
    events = np.concatenate((links.device, links.orphans))
    offset = np.append(links.offset, len(events))
    called = np.array(calls, dtype=np.int64)
    called[called == ORPHANS] = len(links.runtime)
    event = events[slices(offset, called)]
    owner = np.repeat(owner_of_call[called], offset[called + 1] - offset[called])
    kernel = stream.kind[event] == Kind.KERNEL
    return Launches(event[kernel], owner[kernel])


def launches_answer(
    stream: EventStream, forest: Forest, figures: NodeFigures, launches: Launches, kernels: KernelTable
) -> dict[str, Any]:
    """The `kernel/table` answer grouped by launch properties; the table by name decides which columns there are."""
    variant = stream.variant
    at = launches.event
    properties = variant.kernel_properties
    names = [stream.texts[index] for index in stream.name[at].tolist()]
    owners = launches.owner.tolist()
    shown = [_property_texts(stream, at, item) for item in properties]
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(zip(names, [forest.name[node] for node in owners], *shown, strict=True)):
        groups.setdefault(key, []).append(i)
    blocks, occupancy = stated(stream, at, BLOCKS), stated(stream, at, OCCUPANCY)
    has_blocks, has_occupancy = kernels.has_blocks, kernels.has_occupancy
    span = (stream.end[at] - stream.start[at]).tolist()
    visible = [i for i, item in enumerate(properties) if item.label]
    rows = []
    for key, members in groups.items():
        first = members[0]
        name, owner = key[0], owners[first]
        total = 0
        for i in members:
            total += span[i]
        cells: list[Any] = [name, forest.name[owner], *(key[2 + i] for i in visible)]
        cells.append(_yes(uses_tensor_cores(name, variant.tensor_core_marks)))
        if variant.operator_column:
            cells.append(_yes(figures.listable[owner]))
        times = [span[i] for i in members]
        cells += [len(members), total, whole(total / len(members)), max([0, *times]), min(times)]
        means = (_weighted(blocks, members, span, total), _weighted(occupancy, members, span, total))
        cells += detail_cells(means, has_blocks, has_occupancy)
        rows.append((total, cells))
    rows.sort(key=lambda row: -row[0])
    columns = _columns(stream, has_blocks, has_occupancy)
    data = {"columns": columns, "rows": [cells for _, cells in rows]}
    return {"metadata": {"sort": "Total Duration (us)"}, "data": data}


def _columns(stream: EventStream, has_blocks: bool, has_occupancy: bool) -> list[dict[str, str]]:
    variant = stream.variant
    columns = [{"type": "string", "name": "Name"}, {"type": "string", "name": "Operator"}]
    columns += [{"type": item.json_type, "name": item.label} for item in variant.kernel_properties if item.label]
    tooltip = texts.kernel_uses_tensor_cores(variant.word)
    columns.append({"type": "string", "name": "Kernel Uses Tensor Cores", "tooltip": tooltip})
    if variant.operator_column:
        title = "Op is Tensor Cores eligible"
        columns.append({"type": "string", "name": title, "tooltip": texts.OPERATOR_ELIGIBLE})
    return columns + duration_columns() + detail_columns(has_blocks, has_occupancy)


def _property_texts(stream: EventStream, at: Ints, item: KernelProperty) -> list[str | None]:
    """Per launch the text of one property; each distinct JSON text is decoded once."""
    indices = stream.argument(item.column, at, -1).tolist()
    shown: dict[int, str | None] = {}
    for index in set(indices):
        value = json.loads(stream.texts[index]) if index >= 0 else None
        if value is None and item.nullable:
            shown[index] = None
        elif item.fallback is not None and not value:
            shown[index] = item.fallback
        else:
            shown[index] = str(value)
    return [shown[index] for index in indices]


def _weighted(values: Floats, members: list[int], span: list[Any], total: Any) -> float:
    """Mean weighted by duration, missing = 0, added left to right; an integer 0 of nothing."""
    weighted = 0.0
    for i, value in zip(members, values[members].tolist(), strict=True):
        weighted += 0.0 if math.isnan(value) else value * span[i]
    return weighted / total if total else 0


def _yes(truth: bool) -> str:
    return "Yes" if truth else "No"
