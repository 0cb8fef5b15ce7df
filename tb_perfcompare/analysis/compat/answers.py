"""The JSON answer of each HTTP route of torch-tb-profiler, from a CompatProfile."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from tb_perfcompare.analysis.compat import cambricon
from tb_perfcompare.analysis.compat.profile import FAILURES, CompatProfile, failed
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.quick_dataclass import dataclass

BY_NAME = "Operation"
BY_SHAPE = "OperationAndInputShape"
BY_KERNEL = "Kernel"

_MEMORY_UNITS = ("B", "K", "KB", "M", "MB", "G", "GB")
_TIME_UNITS = ("us", "ms", "s")


@dataclass(frozen=True, slots=True)
class Request:
    """Arguments of a route, with the defaults that the page sends."""

    worker_count: int = 1
    group_by: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_shape(self) -> bool:
        """Whether operators are grouped by name and input shape. Raises SelectionError for an unknown group_by."""
        if self.group_by not in (None, BY_NAME, BY_SHAPE):
            raise SelectionError(f"group_by is {self.group_by!r}", hint=f"operators group by {BY_NAME} or {BY_SHAPE}")
        return self.group_by == BY_SHAPE

    def unit(self, name: str, default: str, known: tuple[str, ...]) -> str:
        """Returns a unit argument. Raises SelectionError for an unknown unit."""
        unit = str(self.params.get(name) or default)
        if unit not in known:
            raise SelectionError(f"{name} is {unit!r}, an unknown unit", hint=f"there are: {', '.join(known)}")
        return unit

    def instant(self, name: str) -> int | None:
        """Returns an argument in whole microseconds, None if it is empty. Raises SelectionError for other values."""
        value = self.params.get(name)
        if value is None or value == "":
            return None
        try:
            return int(value)
        except ValueError:
            raise SelectionError(f"{name} is {value!r}", hint="it must be whole microseconds") from None


def _overview(profile: CompatProfile, request: Request) -> Any:
    run = profile.run
    device = "GPU" if run.has_runtime or run.has_kernel or run.has_memcpy_or_memset else "CPU"
    overview = {**run.overview, "environments": [
        {"title": "Number of Worker(s)", "value": str(request.worker_count)}, {"title": "Device Type", "value": device}
    ]}  # fmt: skip
    if run.gpu_summary and run.gpu_tooltip:
        overview["gpu_metrics"] = {"title": "GPU Summary", "data": run.gpu_summary, "tooltip": run.gpu_tooltip}
    return cambricon.overview_of_mlu(overview) if profile.is_mlu else overview


def _operation(profile: CompatProfile, request: Request) -> Any:
    run = profile.run
    return run.operation_pie_by_name_input if request.by_shape else run.operation_pie_by_name


def _operation_table(profile: CompatProfile, request: Request) -> Any:
    run = profile.run
    return run.operation_table_by_name_input if request.by_shape else run.operation_table_by_name


def _operation_stack(profile: CompatProfile, request: Request) -> Any:
    name, shape = request.params.get("op_name"), request.params.get("input_shape")
    if name is None:
        raise SelectionError("operation/stack needs op_name, the name of an operator")
    run = profile.run
    stacks = run.operation_stack_by_name_input if request.by_shape else run.operation_stack_by_name
    stack = stacks.get(f"{name}###{shape}" if request.by_shape else name)
    if stack is None:
        raise SelectionError(
            f"no call stack was recorded for operator {name!r}" + (f" and shape {shape}" if request.by_shape else ""),
            hint="operation/table says which operators have call stacks (has_call_stack)",
        )
    return stack


def _kernel_table(profile: CompatProfile, request: Request) -> Any:
    run = profile.run
    table = run.kernel_table if request.group_by in (None, BY_KERNEL) else run.kernel_op_table
    return cambricon.kernels_of_mlu(table) if table is not None and profile.is_mlu else table


def _memory(profile: CompatProfile, request: Request) -> Any:
    unit = request.unit("memory_metric", "KB", _MEMORY_UNITS)
    return profile.run.get_memory_stats(request.instant("start_ts"), request.instant("end_ts"), unit)


def _memory_curve(profile: CompatProfile, request: Request) -> Any:
    from tb_perfcompare.analysis.compat.original import memory_curve

    units = request.unit("time_metric", "ms", _TIME_UNITS), request.unit("memory_metric", "MB", _MEMORY_UNITS)
    return memory_curve(profile.run, *units, thinned=not profile.is_mlu)


def _memory_events(profile: CompatProfile, request: Request) -> Any:
    from tb_perfcompare.analysis.compat.original import memory_events

    units = request.unit("time_metric", "ms", _TIME_UNITS), request.unit("memory_metric", "KB", _MEMORY_UNITS)
    return memory_events(profile.run, request.instant("start_ts"), request.instant("end_ts"), *units)


def _needs_memory(
    answer: Callable[[CompatProfile, Request], Any],
) -> Callable[[CompatProfile, Request], Any]:
    """Wraps a memory route: SelectionError without memory events, Cambricon's words for its traces."""
    def answered(profile: CompatProfile, request: Request) -> Any:
        if profile.run.memory_snapshot is None:
            hint = _hint(profile)
            raise SelectionError("the trace holds no memory events (profile_memory was off)", hint=hint)
        result = answer(profile, request)
        return cambricon.memory_of_mlu(result) if profile.is_mlu else result

    return answered


def _module(profile: CompatProfile, request: Request) -> Any:
    module_view = profile.run.get_module_view()
    if module_view is None:
        hint = _hint(profile)
        raise SelectionError("the trace holds no module events (with_stack was off)", hint=hint)
    return module_view


def _tree(profile: CompatProfile, request: Request) -> Any:
    if not _trees(profile.run):
        raise SelectionError("the trace holds no host events to make a tree of", hint=_hint(profile))
    return profile.run.get_operator_tree()


def _trees(run: Any) -> Any:
    return run.pl_tid2tree if run.is_pytorch_lightning else run.tid2tree


_ROUTES: dict[str, Callable[[CompatProfile, Request], Any]] = {
    "overview": _overview,
    "operation": _operation,
    "operation/table": _operation_table,
    "operation/stack": _operation_stack,
    "kernel": lambda profile, request: profile.run.kernel_pie,
    "kernel/table": _kernel_table,
    "kernel/tc_pie": lambda profile, request: profile.run.tc_pie,
    "memory": _needs_memory(_memory),
    "memory_curve": _needs_memory(_memory_curve),
    "memory_events": _needs_memory(_memory_events),
    "module": _module,
    "tree": _tree,
    "views": lambda profile, request: [view.display_name for view in profile.run.views],
}

ROUTES: tuple[str, ...] = tuple(_ROUTES)
"""All routes."""


def check_route(route: str) -> None:
    """Raises SelectionError for an unknown route."""
    if route.strip("/") not in _ROUTES:
        raise SelectionError(f"no view {route!r}", hint=choices(route, _ROUTES))


def available_routes(profile: CompatProfile) -> list[str]:
    """Returns the routes that this trace has data for."""
    run, missing = profile.run, set[str]()
    if not run.has_kernel:
        missing |= {"kernel", "kernel/table", "kernel/tc_pie"}
    if run.memory_snapshot is None:
        missing |= {"memory", "memory_curve", "memory_events"}
    if run.get_module_view() is None:
        missing.add("module")
    if not run.operation_stack_by_name:
        missing.add("operation/stack")
    if not _trees(run):
        missing.add("tree")
    return [route for route in ROUTES if route not in missing]


def _hint(profile: CompatProfile) -> str:
    return f"views of this trace: {', '.join(available_routes(profile))}"


def answer(
    profile: CompatProfile, route: str, *, worker_count: int = 1, group_by: str | None = None, **params: Any
) -> Any:
    """Returns a route's answer as JSON-compatible values without NaN.

    `group_by` is `Operation` or `OperationAndInputShape` for operator routes, `Kernel` or anything else for the kernel
    table; None is the first of each. Other arguments are those of the HTTP route (op_name, input_shape, start_ts,
    end_ts, memory_metric, time_metric). Kernel routes of a trace without kernels return None, as over HTTP. Raises
    SelectionError for an unknown route or argument and for a route this trace has no data for, InputError if
    torch-tb-profiler fails.
    """
    check_route(route)
    try:
        result = _ROUTES[route.strip("/")](profile, Request(worker_count, group_by, params))
        text = json.dumps(result, default=lambda scalar: scalar.item())
        return json.loads(text, parse_constant=lambda not_a_number: None)
    except FAILURES as error:
        raise failed(profile.path, error) from error
