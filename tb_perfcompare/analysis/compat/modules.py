"""nn.Module (or Lightning module) hierarchy with the time spent in each module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events.figures import NodeFigures
from tb_perfcompare.analysis.compat.events.forest import Forest
from tb_perfcompare.analysis.compat.events.kinds import Kind, NodeKind
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.events import ABSENT

_PREFIX = "nn.Module: "
_COLUMNS = (
    ("Module Name", "string", "name"),
    ("Occurences", "number", "occurences"),
    ("Operators", "number", "operators"),
    ("Host Total Time", "number", "host_duration"),
    ("Host Self Time", "number", "self_host_duration"),
    ("Device Total Time", "number", "device_duration"),
    ("Device Self Time", "number", "self_device_duration"),
)


@dataclass(slots=True, eq=False)
class HierarchyModule:
    """A module as the recorded Python stack nests it; `number` distinguishes instances of one class."""

    name: str
    number: int
    children: list[HierarchyModule] = field(default_factory=list)


@dataclass(slots=True)
class ModuleTimes:
    """All calls of one module, microseconds. `operators` counts operators called directly."""

    calls: int = 0
    operators: int = 0
    host: Any = 0
    self_host: Any = 0
    device: Any = 0
    self_device: Any = 0


def has_modules(stream: EventStream) -> bool:
    """Modules were recorded."""
    return bool(len(stream.of(Kind.MODULE, Kind.LIGHTNING_MODULE)))


def module_answer(stream: EventStream, forest: Forest, figures: NodeFigures) -> dict[str, Any]:
    """The `module` answer."""
    roots = _lightning_hierarchy(stream) if stream.lightning else _distinct(_hierarchy(stream))
    times = _times(stream, forest, figures)
    columns = [{"name": title, "type": kind, "key": key} for title, kind, key in _COLUMNS]
    return {"columns": columns, "data": _rows(roots, times)}


# ---- hierarchy -------------------------------------------------------------------------------------------------------


def _hierarchy(stream: EventStream) -> list[HierarchyModule]:
    """Outermost modules, each with the modules called below it, from the Python stack the profiler recorded.

    Every innermost function is followed outwards, module by module, up to the first module already placed.
    """
    at = stream.of(Kind.PYTHON_FUNCTION, Kind.MODULE)
    ids = stream.argument("python_id", at, ABSENT).tolist()
    parents = stream.argument("python_parent_id", at, ABSENT).tolist()
    numbers = stream.argument("python_module_id", at, ABSENT).tolist()
    parent_of = {own: parent for own, parent in zip(ids, parents, strict=True) if own != ABSENT}
    modules = {
        own: HierarchyModule(stream.texts[name], number)
        for own, name, number in zip(ids, stream.name[at].tolist(), numbers, strict=True)
        if number != ABSENT and own != ABSENT
    }
    inner = set(parents)
    enclosing: dict[int, int] = {}
    placed: set[int] = set()
    roots: list[HierarchyModule] = []
    for own in parent_of:
        module = ABSENT if own in inner else _enclosing(own, parent_of, modules, enclosing)
        while module != ABSENT and module not in placed:
            placed.add(module)
            outer = _enclosing(parent_of[module], parent_of, modules, enclosing)
            (roots if outer == ABSENT else modules[outer].children).append(modules[module])
            module = outer
    return roots


def _enclosing(
    frame: int, parent_of: dict[int, int], modules: dict[int, HierarchyModule], known: dict[int, int]
) -> int:
    """Innermost module that is `frame` or calls it, ABSENT if there is none; remembered for every frame passed."""
    passed = []
    while frame in parent_of and frame not in modules and frame not in known:
        passed.append(frame)
        known[frame] = ABSENT  # ends the walk if damaged ids form a circle
        frame = parent_of[frame]
    found = frame if frame in modules else known.get(frame, ABSENT)
    for inner in passed:
        known[inner] = found
    return found


def _lightning_hierarchy(stream: EventStream) -> list[HierarchyModule]:
    """Modules by their dotted names: `a.b` is under `a` if `a` ran, else outermost."""
    at = stream.of(Kind.LIGHTNING_MODULE)
    names = [stream.texts[index] for index in dict.fromkeys(stream.name[at].tolist())]
    modules = {name: HierarchyModule(name, 0) for name in names}
    roots: list[HierarchyModule] = []
    for name, module in modules.items():
        parent = modules.get(name.rpartition(".")[0])
        (roots if parent is None else parent.children).append(module)
    return roots


def _distinct(roots: list[HierarchyModule]) -> list[HierarchyModule]:
    """Roots without repetitions of an equal tree (names, numbers, children)."""
    shapes: dict[tuple[Any, ...], int] = {}
    return list({_shape_number(root, shapes): root for root in reversed(roots)}.values())


def _shape_number(root: HierarchyModule, shapes: dict[tuple[Any, ...], int]) -> int:
    """Number of the tree's shape; equal trees have equal numbers."""
    number: dict[int, int] = {}
    for module in _outer_to_inner([root])[::-1]:
        shape = (module.name, module.number, *(number[id(child)] for child in module.children))
        number[id(module)] = shapes.setdefault(shape, len(shapes))
    return number[id(root)]


def _outer_to_inner(roots: Iterable[HierarchyModule]) -> list[HierarchyModule]:
    found, pending = [], list(roots)
    while pending:
        module = pending.pop()
        found.append(module)
        pending.extend(module.children)
    return found


# ---- figures ---------------------------------------------------------------------------------------------------------


def _times(stream: EventStream, forest: Forest, figures: NodeFigures) -> dict[tuple[str, int], ModuleTimes]:
    """Figures per (name, number) over the modules reached without passing through a backward node."""
    number_of = stream.argument("python_module_id", np.arange(len(stream)), ABSENT)
    times: dict[tuple[str, int], ModuleTimes] = {}
    for tree in forest.trees:
        pending = [tree.root]
        while pending:
            node = pending.pop()
            if forest.kind[node] == NodeKind.BACKWARD:
                continue
            pending.extend(reversed(forest.children[node]))
            if forest.kind[node] not in (NodeKind.MODULE, NodeKind.LIGHTNING_MODULE):
                continue
            number = int(number_of[forest.event[node]]) if forest.kind[node] == NodeKind.MODULE else 0
            line = times.setdefault((forest.name[node], number), ModuleTimes())
            line.calls += 1
            line.operators += sum(forest.operator[child] for child in forest.children[node])
            line.host += figures.host[node]
            line.self_host += figures.self_host[node]
            line.device += figures.device[node]
            line.self_device += figures.self_device[node]
    return times


def _rows(roots: list[HierarchyModule], times: dict[tuple[str, int], ModuleTimes]) -> list[dict[str, Any]]:
    """Rows of the answer, nested; outermost modules by name."""
    data: list[dict[str, Any]] = []
    ordered = sorted(roots, key=lambda module: module.name)
    pending = [(module, data) for module in reversed(ordered)]
    while pending:
        module, siblings = pending.pop()
        line = times.get((module.name, module.number), ModuleTimes())
        children: list[dict[str, Any]] = []
        busy = line.device if line.device > 0 else line.host
        siblings.append(
            {
                "name": module.name.replace(_PREFIX, ""),
                "id": module.number,
                "occurences": line.calls,
                "operators": line.operators,
                "host_duration": line.host,
                "self_host_duration": line.self_host,
                "device_duration": line.device,
                "self_device_duration": line.self_device,
                "avg_duration": busy / line.calls if line.calls else 0.0,
                "children": children,
            }
        )
        pending.extend((child, children) for child in reversed(module.children))
    return data
