"""torch-tb-profiler itself, given events instead of a file.

Importing this imports it, with pandas. The release is older than the last state of its source: what that does otherwise
is set right here, and where the release fails on a trace of ours. While it reads, parts of it are replaced, so that one
thread of a process may read at a time.
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

_MOST_FRAMES = 10_000
"""It goes down call trees by recursion."""

_NCCL_CAPABILITY = {"computeMajor": 3, "computeMinor": 5}


def read_gpu(known: KnownTrace) -> Any:
    """Its RunProfile of the trace. Raises whatever it raises."""
    with _running((data, "EventParser", _Parser)):
        return RunGenerator("", "", _read(known, known.devices)).generate_run_profile()


def read_mlu(known: KnownTrace) -> Any:
    """The same as Cambricon's fork reads it."""
    names = [name.replace("nccl", "cncl") for name in trace.NcclOpNameSet]
    usual, trace.NcclOpNameSet[:] = trace.NcclOpNameSet[:], names  # other modules hold the same list
    try:
        with _running(
            (data, "EventParser", _MluParser), (node.OperatorNode, "fill_stats", _filled_stats),
            (TC_Allowlist, "allowlist", []), (TC_OP_Allowlist, "allowlist", []),
        ):  # fmt: skip
            # the library is advised for any device, not for those of some capability, which is not shown
            read = _read(known, [{**device, **_NCCL_CAPABILITY} for device in known.devices])
            read.device_props = known.devices
            return RunGenerator("", "", read).generate_run_profile()
    finally:
        trace.NcclOpNameSet[:] = usual


def memory_curve(run: Any, time: str, memory: str, *, thinned: bool) -> Any:
    """Its answer, without records of devices that it has no name for."""
    from torch_tb_profiler import run as answering  # it and the package that is imported above import each other

    changes = () if thinned else ((answering, "lttb_sample", lambda curves: curves),)
    with _running(*changes), _of_named_devices(run):
        return run.get_memory_curve(time, memory)


def memory_events(run: Any, first: int | None, last: int | None, time: str, memory: str) -> Any:
    """The same."""
    with _running(), _of_named_devices(run):
        return run.get_memory_events(first, last, time, memory)


@contextmanager
def _of_named_devices(run: Any) -> Iterator[None]:
    snapshot = run.memory_snapshot
    named = [record for record in snapshot.memory_records if record.device_name is not None]
    with _replaced((snapshot, "memory_records", named)):
        yield


def _read(known: KnownTrace, devices: list[dict[str, Any]]) -> Any:
    read = data.RunProfileData("", "", {"traceEvents": []})
    read.is_pytorch_lightning = known.lightning
    read.device_props = _Devices(devices)
    made = [event for event in (_event(one, known.lightning) for one in known.events) if event is not None]
    read.events = sorted(made, key=lambda event: event.ts)
    read.profiler_start_ts = min((event.ts for event in made), default=float("inf"))
    read.forward_backward_events = trace.create_association_events(known.arrows)
    read.process()
    for costs in read.steps_costs:
        if not costs.costs[ProfileRole.Total]:
            costs.costs[ProfileRole.Total] = _NoTime(costs.costs[ProfileRole.Total])
    if read.kernel_stat is not None:
        # equal totals as in its saved answers: pandas leaves their order open
        by_name = read.kernel_stat.sort_index(ascending=False, kind="stable")
        read.kernel_stat = by_name.sort_values("sum", ascending=False, kind="stable")
    read.analyze()
    return read


def _event(event: dict[str, Any], lightning: bool) -> Any:
    """Its event; the release drops annotations other than steps and collectives."""
    if event.get("cat") in ANNOTATIONS and not event["name"].startswith(STEP):
        return trace.OperatorEvent(EventTypes.USER_ANNOTATION, event)
    return trace.create_event(event, lightning)


class _Devices(list[dict[str, Any]]):
    """Properties of devices; of those that the trace does not describe there are none."""

    def __getitem__(self, device: Any) -> Any:
        try:
            return super().__getitem__(device)
        except (IndexError, TypeError):
            return {}


class _NoTime:
    """The length of a step without one: every part of it is none of it."""

    def __init__(self, written: float) -> None:
        self._written = written

    def __rtruediv__(self, part: float) -> float:
        return 0.0

    def __str__(self) -> str:
        return str(self._written)


class _Parser(EventParser):  # type: ignore[misc]
    """A trace without host events is one step over what there is."""

    steps: list[tuple[float, float]]
    cpu_min_ts: float
    cpu_max_ts: float
    global_min_ts: float
    global_max_ts: float

    def parse(self, *arguments: Any) -> Any:
        parsed = super().parse(*arguments)
        for kernel in self.device_node_list:
            if kernel.device_id is None:
                kernel.device_id = consts.MAX_GPU_PER_NODE - 1  # its tensor cores are in no figure
        return parsed

    def parse_steps(self, events: Any, comm_nodes: Any) -> None:
        super().parse_steps(events, comm_nodes)
        if self.steps == [(sys.maxsize, -sys.maxsize - 1)]:
            self.steps = [(self.global_min_ts, self.global_max_ts)]


class _MluParser(_Parser):
    """Copies of a collective are communication; annotations count for the window of a trace without steps."""

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
    """Self time without API calls inside other ones."""
    _usual_stats(operator)
    operator.self_host_duration = operator.end_time - operator.start_time
    for child in operator.children:
        operator.self_host_duration -= child.end_time - child.start_time
    around = None
    for call in operator.runtimes:  # by start; orphans have a call without times
        inside = around is not None and call.start_time >= around.start_time and call.end_time <= around.end_time
        if call.end_time is not None and not inside:
            operator.self_host_duration -= call.end_time - call.start_time
            around = call


class _Backward(op_tree.BackwardNode):  # type: ignore[misc]
    """One without backward work keeps the place of its module."""

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
    """Its code runs: quietly, down trees of any depth, with these and the usual changes."""
    frames, level = sys.getrecursionlimit(), logging.root.manager.disable
    sys.setrecursionlimit(max(frames, _MOST_FRAMES))
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
    """For as long as the body runs."""
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in changes]
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
