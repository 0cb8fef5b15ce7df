"""Runs torch-tb-profiler itself, on events instead of a file.

Importing this module imports it, with pandas. The release is older than the latest source; the differences are patched
here, and so are failures of the release on our traces. Parts of it are replaced while it reads, so only one thread per
process may read at a time.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch_tb_profiler import consts
from torch_tb_profiler.profiler import data, node, op_tree, trace
from torch_tb_profiler.profiler.event_parser import EventParser, ProfileRole
from torch_tb_profiler.profiler.run_generator import RunGenerator
from torch_tb_profiler.profiler.tensor_core import TC_Allowlist, TC_OP_Allowlist
from torch_tb_profiler.profiler.trace import EventTypes

from tb_perfcompare.analysis.compat.events import ANNOTATIONS, STEP, KnownTrace

_MAX_FRAMES = 10_000
"""Recursion limit: it walks call trees recursively."""

_NCCL_CAPABILITY = {"computeMajor": 3, "computeMinor": 5}


def read_gpu(readable: KnownTrace) -> Any:
    """Returns its RunProfile of the trace. Raises whatever it raises."""
    with _running((data, "EventParser", _Parser)):
        return RunGenerator("", "", _read(readable, readable.devices)).generate_run_profile()


def read_mlu(readable: KnownTrace) -> Any:
    """Returns the RunProfile as Cambricon's fork builds it."""
    names = [name.replace("nccl", "cncl") for name in trace.NcclOpNameSet]
    usual, trace.NcclOpNameSet[:] = trace.NcclOpNameSet[:], names  # other modules share this list
    try:
        with _running(
            (data, "EventParser", _MluParser), (node.OperatorNode, "fill_stats", _filled_stats),
            (TC_Allowlist, "allowlist", []), (TC_OP_Allowlist, "allowlist", []),
        ):  # fmt: skip
            # the fork recommends its library for any device: pass the check of capability while reading
            read = _read(readable, [{**device, **_NCCL_CAPABILITY} for device in readable.devices])
            read.device_props = readable.devices
            return RunGenerator("", "", read).generate_run_profile()
    finally:
        trace.NcclOpNameSet[:] = usual


def memory_curve(run: Any, time: str, memory: str, *, thinned: bool) -> Any:
    """Returns its memory curve, without records of devices that it has no name for."""
    from torch_tb_profiler import run as answering  # here, as it and the package above import each other

    changes = () if thinned else ((answering, "lttb_sample", lambda curves: curves),)
    with _running(*changes), _only_named_devices(run):
        return run.get_memory_curve(time, memory)


def memory_events(run: Any, first: int | None, last: int | None, time: str, memory: str) -> Any:
    """Returns its memory events, without records of devices that it has no name for."""
    with _running(), _only_named_devices(run):
        return run.get_memory_events(first, last, time, memory)


@contextmanager
def _only_named_devices(run: Any) -> Iterator[None]:
    snapshot = run.memory_snapshot
    named = [record for record in snapshot.memory_records if record.device_name is not None]
    with _replaced((snapshot, "memory_records", named)):
        yield


def _read(readable: KnownTrace, devices: list[dict[str, Any]]) -> Any:
    read = data.RunProfileData("", "", {"traceEvents": []})
    read.is_pytorch_lightning = readable.lightning
    read.device_props = _Devices(devices)
    made = [event for event in (_event(raw, readable.lightning) for raw in readable.events) if event is not None]
    read.events = sorted(made, key=lambda event: event.ts)
    read.profiler_start_ts = min((event.ts for event in made), default=float("inf"))
    read.forward_backward_events = trace.create_association_events(readable.arrows)
    read.process()
    for costs in read.steps_costs:
        if not costs.costs[ProfileRole.Total]:
            costs.costs[ProfileRole.Total] = _NoTime(costs.costs[ProfileRole.Total])
    if read.kernel_stat is not None:
        # order of equal totals as in its saved answers; pandas does not define it
        by_name = read.kernel_stat.sort_index(ascending=False, kind="stable")
        read.kernel_stat = by_name.sort_values("sum", ascending=False, kind="stable")
    read.analyze()
    return read


def _event(event: dict[str, Any], lightning: bool) -> Any:
    """Converts an event to its type, including annotations that the release drops."""
    if event.get("cat") in ANNOTATIONS and not event["name"].startswith(STEP):
        return trace.OperatorEvent(EventTypes.USER_ANNOTATION, event)
    return trace.create_event(event, lightning)


class _Devices(list[dict[str, Any]]):
    """Device properties by number; empty for devices that the trace does not describe."""

    def __getitem__(self, device: Any) -> Any:
        try:
            return super().__getitem__(device)
        except (IndexError, TypeError):
            return {}


class _NoTime:
    """Length of a step that has none; dividing any part by it gives 0."""

    def __init__(self, written: float) -> None:
        self._written = written

    def __rtruediv__(self, part: float) -> float:
        return 0.0

    def __str__(self) -> str:
        return str(self._written)


class _Parser(EventParser):  # type: ignore[misc]
    """Treats a trace without host events as one step over all its events."""

    steps: list[tuple[float, float]]
    cpu_min_ts: float
    cpu_max_ts: float
    global_min_ts: float
    global_max_ts: float

    def parse(self, *arguments: Any) -> Any:
        parsed = super().parse(*arguments)
        for kernel in self.device_node_list:
            if kernel.device_id is None:
                kernel.device_id = consts.MAX_GPU_PER_NODE - 1  # a device whose tensor cores no metric shows
        return parsed

    def parse_steps(self, events: Any, comm_nodes: Any) -> None:
        super().parse_steps(events, comm_nodes)
        if self.steps == [(sys.maxsize, -sys.maxsize - 1)]:
            self.steps = [(self.global_min_ts, self.global_max_ts)]


class _MluParser(_Parser):
    """Counts copies of a collective as communication; annotations extend the window of a trace without steps."""

    def _parse_step(self, event: Any, comm_nodes: Any) -> None:
        if event.type == EventTypes.MEMCPY and event.external_id in comm_nodes:
            span = (event.ts, event.ts + event.duration)
            self.role_ranges[ProfileRole.Communication].append(span)
            self.global_min_ts = min(self.global_min_ts, span[0])
            self.global_max_ts = max(self.global_max_ts, span[1])
            return
        super()._parse_step(event, comm_nodes)
        if event.type == EventTypes.USER_ANNOTATION:
            self.cpu_min_ts = min(self.cpu_min_ts, event.ts)
            self.cpu_max_ts = max(self.cpu_max_ts, event.ts + event.duration)


_usual_stats = node.OperatorNode.fill_stats


def _filled_stats(operator: Any) -> None:
    """Computes self time without counting API calls nested in other API calls."""
    _usual_stats(operator)
    operator.self_host_duration = operator.end_time - operator.start_time
    for child in operator.children:
        operator.self_host_duration -= child.end_time - child.start_time
    around = None
    for call in operator.runtimes:  # sorted by start; orphans have calls without times
        inside = around is not None and call.start_time >= around.start_time and call.end_time <= around.end_time
        if call.end_time is not None and not inside:
            operator.self_host_duration -= call.end_time - call.start_time
            around = call


class _Backward(op_tree.BackwardNode):  # type: ignore[misc]
    """A backward node that takes its module's span if it has no backward work."""

    module: Any = None

    def __init__(self, **members: Any) -> None:
        module = _Backward.module
        place = {"start_time": module.start_time, "end_time": module.end_time, "tid": module.tid}
        super().__init__(**{**members, **place})


_usual_backward = op_tree.OpTreeBuilder._build_backward_module


def _backward_module(module: Any, *arguments: Any) -> None:
    _Backward.module = module
    _usual_backward(module, *arguments)


@contextmanager
def _running(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Runs its code quietly, with a raised recursion limit, these patches and the general ones."""
    frames, level = sys.getrecursionlimit(), logging.root.manager.disable
    sys.setrecursionlimit(max(frames, _MAX_FRAMES))
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), _replaced(
            (op_tree, "BackwardNode", _Backward),
            (op_tree.OpTreeBuilder, "_build_backward_module", staticmethod(_backward_module)),
            *changes,
        ):  # fmt: skip
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        sys.setrecursionlimit(frames)


@contextmanager
def _replaced(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Patches attributes while the body runs."""
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in changes]
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
