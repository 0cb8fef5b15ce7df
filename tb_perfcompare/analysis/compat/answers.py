"""The JSON each HTTP route of torch-tb-profiler answers, from a CompatProfile."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tb_perfcompare.analysis.compat.device_metrics import summary
from tb_perfcompare.analysis.compat.events.forest import Forest, Tree
from tb_perfcompare.analysis.compat.events.kinds import TYPE_NAMES, NodeKind
from tb_perfcompare.analysis.compat.events.roles import Role
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.analysis.compat.kernel_launches import launches_answer
from tb_perfcompare.analysis.compat.kernels import kernel_answer, kernel_pie, tensor_core_pie
from tb_perfcompare.analysis.compat.memory.memory_by_operator import memory_answer
from tb_perfcompare.analysis.compat.memory.memory_curve import curve_answer
from tb_perfcompare.analysis.compat.memory.memory_events import events_answer
from tb_perfcompare.analysis.compat.memory.memory_records import MemoryRecords
from tb_perfcompare.analysis.compat.memory.memory_units import TimeWindow, memory_units
from tb_perfcompare.analysis.compat.modules import has_modules, module_answer
from tb_perfcompare.analysis.compat.nesting import build_lightning_forest
from tb_perfcompare.analysis.compat.operators import group_calls, operator_table, pies, stack_table
from tb_perfcompare.analysis.compat.overview import overview_answer, shown_roles
from tb_perfcompare.analysis.compat.profile import CompatProfile
from tb_perfcompare.errors import SelectionError, choices

BY_NAME = "Operation"
BY_SHAPE = "OperationAndInputShape"
BY_KERNEL = "Kernel"


@dataclass(frozen=True, slots=True)
class Request:
    """Arguments of a route, defaults as the page sends them."""

    worker_count: int = 1
    group_by: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_shape(self) -> bool:
        """Operators are grouped by name and input shape."""
        if self.group_by not in (None, BY_NAME, BY_SHAPE):
            raise SelectionError(f"group_by is {self.group_by!r}", hint=f"operators group by {BY_NAME} or {BY_SHAPE}")
        return self.group_by == BY_SHAPE


def _overview(profile: CompatProfile, request: Request) -> Any:
    device = profile.variant.word if profile.roles.has_device_or_runtime else "CPU"
    found = summary(profile.metrics, profile.variant, profile.device_properties)
    device_summary = None
    if found is not None:
        device_summary = {"title": f"{profile.variant.word} Summary", "data": found[0], "tooltip": found[1]}
    return overview_answer(
        profile.steps,
        profile.costs,
        shown_roles(profile.roles),
        profile.recommendations,
        [("Number of Worker(s)", str(request.worker_count)), ("Device Type", device)],
        profile.variant.metrics_key,
        device_summary,
    )


def _operation(profile: CompatProfile, request: Request) -> Any:
    return pies(group_calls(profile.calls, by_shape=request.by_shape, by_stack=False))


def _operation_table(profile: CompatProfile, request: Request) -> Any:
    return operator_table(profile.calls, by_shape=request.by_shape, show_device=profile.roles.has_device)


def _operation_stack(profile: CompatProfile, request: Request) -> Any:
    name, shape = request.params.get("op_name"), request.params.get("input_shape")
    if name is None:
        raise SelectionError("operation/stack needs op_name, the name of an operator")
    answer = stack_table(profile.calls, name, shape, by_shape=request.by_shape, show_device=profile.roles.has_device)
    if answer is None:
        raise SelectionError(
            f"no call stack was recorded for operator {name!r}" + (f" and shape {shape}" if request.by_shape else ""),
            hint="operation/table says which operators have call stacks (has_call_stack)",
        )
    return answer


def _kernel(profile: CompatProfile, request: Request) -> Any:
    return kernel_pie(profile.kernels) if profile.roles.has(Role.KERNEL) else None


def _kernel_table(profile: CompatProfile, request: Request) -> Any:
    if not profile.roles.has(Role.KERNEL):
        return None
    if request.group_by in (None, BY_KERNEL):
        return kernel_answer(profile.kernels, profile.variant.word)
    return launches_answer(profile.stream, profile.forest, profile.figures, profile.launches, profile.kernels)


def _kernel_tc_pie(profile: CompatProfile, request: Request) -> Any:
    return tensor_core_pie(profile.kernels) if profile.roles.has(Role.KERNEL) else None


def _memory(profile: CompatProfile, request: Request) -> Any:
    units = memory_units(_text(request, "memory_metric", "KB"))
    return memory_answer(_records(profile), profile.forest, units, _window(request))


def _memory_curve(profile: CompatProfile, request: Request) -> Any:
    units = memory_units(_text(request, "memory_metric", "MB"), _text(request, "time_metric", "ms"))
    return curve_answer(_records(profile), units, profile.stream.first_start, profile.variant.curve_points)


def _memory_events(profile: CompatProfile, request: Request) -> Any:
    units = memory_units(_text(request, "memory_metric", "KB"), _text(request, "time_metric", "ms"))
    first = profile.stream.first_start
    return events_answer(_records(profile), profile.forest, units, first, _window(request))


def _records(profile: CompatProfile) -> MemoryRecords:
    if not len(profile.memory):
        raise SelectionError(
            "the trace holds no memory events (profile_memory was off)",
            hint=_hint(profile),
        )
    return profile.memory


def _text(request: Request, name: str, default: str) -> str:
    return str(request.params.get(name) or default)


def _window(request: Request) -> TimeWindow:
    return TimeWindow(_time(request, "start_ts", -math.inf), _time(request, "end_ts", math.inf))


def _time(request: Request, name: str, default: float) -> float:
    """Whole microseconds of a request argument."""
    value = request.params.get(name)
    if value is None or value == "":
        return default
    try:
        return int(value)
    except ValueError:
        raise SelectionError(f"{name} is {value!r}", hint="it must be whole microseconds") from None


def _module(profile: CompatProfile, request: Request) -> Any:
    if not has_modules(profile.stream):
        raise SelectionError(
            "the trace holds no module events (with_modules and with_stack were off)", hint=_hint(profile)
        )
    return module_answer(profile.stream, profile.forest, profile.figures)


def _tree(profile: CompatProfile, request: Request) -> Any:
    forest = _tree_forest(profile)
    if not forest.trees:
        raise SelectionError("the trace holds no host events to make a tree of", hint=_hint(profile))
    return tree_answer(profile.stream, forest, forest.trees[0])


def _tree_forest(profile: CompatProfile) -> Forest:
    """The trees the `tree` route shows the first of: Lightning's own regions where it wrote the trace."""
    return build_lightning_forest(profile.stream) if profile.stream.lightning else profile.forest


def _views(profile: CompatProfile, request: Request) -> Any:
    lightning = profile.stream.lightning
    shown = {
        "Overview": True,
        "Operator": True,
        "Kernel": profile.roles.has(Role.KERNEL),
        "Trace": True,
        "Memory": bool(len(profile.memory)),
        "Module": has_modules(profile.stream) and not lightning,
        "Lightning": has_modules(profile.stream) and lightning,
    }
    return [name for name, present in shown.items() if present]


def _hint(profile: CompatProfile) -> str:
    return f"views of this trace: {', '.join(available_routes(profile))}"


_ROUTES: dict[str, Callable[[CompatProfile, Request], Any]] = {
    "overview": _overview,
    "operation": _operation,
    "operation/table": _operation_table,
    "operation/stack": _operation_stack,
    "kernel": _kernel,
    "kernel/table": _kernel_table,
    "kernel/tc_pie": _kernel_tc_pie,
    "memory": _memory,
    "memory_curve": _memory_curve,
    "memory_events": _memory_events,
    "module": _module,
    "tree": _tree,
    "views": _views,
}

ROUTES: tuple[str, ...] = tuple(_ROUTES)
"""Every route there is."""


def available_routes(profile: CompatProfile) -> list[str]:
    """Routes this trace has data for."""
    missing = set()
    if not profile.roles.has(Role.KERNEL):
        missing |= {"kernel", "kernel/table", "kernel/tc_pie"}
    if not len(profile.memory):
        missing |= {"memory", "memory_curve", "memory_events"}
    if not has_modules(profile.stream):
        missing.add("module")
    if not profile.calls.has_stacks:
        missing.add("operation/stack")
    if not _tree_forest(profile).trees:
        missing.add("tree")
    return [route for route in ROUTES if route not in missing]


def answer(
    profile: CompatProfile, route: str, *, worker_count: int = 1, group_by: str | None = None, **params: Any
) -> object:
    """What the route answers, ready for json.dumps.

    `group_by` is `Operation` or `OperationAndInputShape` for operator routes, `Kernel` or anything else for the kernel
    table; None is the first of each. Other arguments are those of the HTTP route (op_name, input_shape, start_ts,
    end_ts, memory_metric, time_metric). Kernel routes of a trace without kernels answer None, as over HTTP. Raises
    SelectionError for an unknown route or argument, and for a route this trace has no data for.
    """
    handler = _ROUTES.get(route.strip("/"))
    if handler is None:
        raise SelectionError(f"no view {route!r}", hint=choices(route, _ROUTES))
    return handler(profile, Request(worker_count, group_by, params))


def tree_answer(stream: EventStream, forest: Forest, tree: Tree) -> dict[str, Any]:
    """One tree; a root names its thread by number, other nodes as the trace wrote it."""
    tids = stream.table.lanes.tid
    answer: list[dict[str, Any]] = []
    pending = [(tree.root, answer)]
    while pending:
        node, siblings = pending.pop()
        event = _event_of(forest, node)
        children: list[dict[str, Any]] = []
        siblings.append(
            {
                "name": forest.name[node],
                "start_time": forest.start[node],
                "end_time": forest.end[node],
                "type": "backward" if forest.kind[node] == NodeKind.BACKWARD else TYPE_NAMES[forest.type[node]],
                "tid": tree.thread if event < 0 else tids[stream.lane[event]],
                "children": children,
            }
        )
        pending.extend((child, children) for child in reversed(forest.children[node]))
    return answer[0]


def _event_of(forest: Forest, node: int) -> int:
    """Stream position of a node's event; a backward node has that of the first backward work below it, a root none."""
    while forest.kind[node] == NodeKind.BACKWARD and forest.children[node]:
        node = forest.children[node][0]
    return forest.event[node]
