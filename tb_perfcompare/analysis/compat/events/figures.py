"""Host, device and tensor-core time of every node of the call trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.forest import ORPHANS, Forest
from tb_perfcompare.analysis.compat.events.kinds import Kind, NodeKind
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.analysis.compat.events.tensor_cores import uses_tensor_cores
from tb_perfcompare.model.arrays import Flags


@dataclass(slots=True, eq=False)
class NodeFigures:
    """Per node of a forest, microseconds.

    host, self_host       its span; its span without children and API calls
    device, self_device   device work of the node and below; of the node's own calls
    tc_total, tc_self     what of these ran on tensor cores
    eligible              could use tensor cores, by its name or (operators) by what it called
    listable              by its name alone
    """

    host: list[Any]
    self_host: list[Any]
    device: list[Any]
    self_device: list[Any]
    tc_total: list[Any]
    tc_self: list[Any]
    eligible: list[bool]
    listable: list[bool]


@dataclass(frozen=True, slots=True, eq=False)
class LaunchFigures:
    """`device`, `tensor_core` per API call: time of the work it launched, and of the kernels on tensor cores in it.

    `on_tensor_core` (D,) per device event of Links.device. A call that launched nothing has the integer 0.
    """

    device: list[Any]
    tensor_core: list[Any]
    on_tensor_core: Flags


def measure_launches(stream: EventStream, links: Links) -> LaunchFigures:
    """Device time per API call."""
    marks = stream.variant.tensor_core_marks
    kernel = stream.kind[links.device] == Kind.KERNEL
    flagged = stream.named(lambda name: uses_tensor_cores(name, marks)) if marks else np.zeros(len(stream), np.bool_)
    on_tensor_core = kernel & flagged[links.device]
    span = stream.end[links.device] - stream.start[links.device]
    device, launched = links.launched_sums(span), np.diff(links.offset)
    return LaunchFigures(
        device=[time if count else 0 for time, count in zip(device.tolist(), launched.tolist(), strict=True)],
        tensor_core=links.launched_sums(np.where(on_tensor_core, span, span.dtype.type(0))).tolist(),
        on_tensor_core=on_tensor_core,
    )


def measure_nodes(stream: EventStream, links: Links, forest: Forest, launches: LaunchFigures) -> NodeFigures:
    """Figures of all nodes, children before parents; additions in the order of children and calls."""
    count = len(forest.name)
    eligible_names = stream.variant.eligible_operators
    listable = [name in eligible_names for name in forest.name]
    figures = NodeFigures(
        host=[end - start for start, end in zip(forest.start, forest.end, strict=True)],
        self_host=[0] * count,
        device=[0] * count,
        self_device=[0] * count,
        tc_total=[0] * count,
        tc_self=[0] * count,
        eligible=list(listable),
        listable=listable,
    )
    start, end = stream.start[links.runtime].tolist(), stream.end[links.runtime].tolist()
    outermost = stream.variant.outermost_runtimes
    for node in forest.order:
        calls = [call for call in forest.calls[node] if call != ORPHANS]
        _add_calls(figures, node, calls, launches)
        _add_children(figures, node, forest)
        if forest.type[node] == Kind.OPERATOR and not listable[node]:
            inherited = any(figures.eligible[child] for child in forest.children[node])
            figures.eligible[node] = inherited or figures.tc_self[node] > 0
        self_host = figures.host[node]
        for child in forest.children[node]:
            self_host -= figures.host[child]
        for call in _outermost(calls, start, end) if outermost else calls:
            self_host -= end[call] - start[call]
        figures.self_host[node] = self_host
    return figures


def _add_calls(figures: NodeFigures, node: int, calls: list[int], launches: LaunchFigures) -> None:
    device, tensor_core = 0, 0
    for call in calls:
        device += launches.device[call]
        tensor_core += launches.tensor_core[call]
    figures.self_device[node] = device
    figures.tc_self[node] = tensor_core


def _add_children(figures: NodeFigures, node: int, forest: Forest) -> None:
    """Totals of a node whose own calls are known; a module also counts its direct operators' time as its own."""
    device, tensor_core, of_operators = 0, 0, 0
    for child in forest.children[node]:
        device += figures.device[child]
        tensor_core += figures.tc_total[child]
        if forest.operator[child]:
            of_operators += figures.device[child]
    figures.device[node] = device + figures.self_device[node]
    figures.tc_total[node] = tensor_core + figures.tc_self[node]
    if forest.kind[node] in (NodeKind.MODULE, NodeKind.LIGHTNING_MODULE):
        figures.self_device[node] += of_operators


def _outermost(calls: list[int], start: list[Any], end: list[Any]) -> list[int]:
    """Calls not nested in the last one kept; `calls` by (start, -end)."""
    kept: list[int] = []
    for call in calls:
        if kept and start[call] >= start[kept[-1]] and end[call] <= end[kept[-1]]:
            continue
        kept.append(call)
    return kept
