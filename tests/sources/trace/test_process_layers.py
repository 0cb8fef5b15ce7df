"""Traces of torch_npu: layers are processes, tasks have no category, arrows replace External ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.model.events import ABSENT, Category
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.discover import find_runs, parse_source
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.analysis.summaries import categories_us, operator_us, owners_us

pytestmark = pytest.mark.usefixtures("each_reader")

PYTHON, CANN, HARDWARE, COLLECTIVES, OVERLAP = 100, 4001, 4002, 4003, 4004
PROCESSES = {
    PYTHON: ("Python", "CPU"), CANN: ("CANN", "CPU"), HARDWARE: ("Ascend Hardware", "NPU"),
    COLLECTIVES: ("Communication", "NPU"), OVERLAP: ("Overlap Analysis", "NPU"),
}  # fmt: skip
STREAM, GROUP, PLANE = 2, 20, 21


class NpuTrace:
    """Collects events as torch_npu writes them: in a list, with times as texts."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        for pid, (name, label) in PROCESSES.items():
            self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})
            self.events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}})
        self._arrows = 0

    def event(self, name: str, pid: int, tid: int, start: float, end: float, cat: str = "", **args: Any) -> None:
        known = {"cat": cat} if cat else {}
        at = {"ts": f"{1_700_000_000_000_000 + start:.3f}", "dur": end - start}
        self.events.append({"ph": "X", "name": name, "pid": pid, "tid": tid, **at, **known, "args": args})

    def op(self, name: str, start: float, end: float) -> None:
        self.event(name, PYTHON, PYTHON, start, end, "cpu_op", **{"Sequence number": 1, "Fwd thread id": 0})

    def call(self, name: str, start: float, end: float, connection: int, thread: int = 101) -> None:
        """A call of CANN on the thread of the task queue."""
        self.event(name, CANN, thread, start, end, level="node", connection_id=connection)

    def task(self, name: str, start: float, end: float, connection: int, kind: str = "AI_CORE") -> None:
        """A task on a stream of the device."""
        args = {"Model Id": 4294967295, "Task Type": kind, "Physic Stream Id": STREAM, "Task Id": connection}
        self.event(name, HARDWARE, STREAM, start, end, **args, connection_id=connection)

    def arrow(self, operator_start: float, task_start: float) -> None:
        """From an operator to its task."""
        self._arrows += 1
        for phase, pid, tid, at in (("s", PYTHON, PYTHON, operator_start), ("f", HARDWARE, STREAM, task_start)):
            ts = f"{1_700_000_000_000_000 + at:.3f}"
            self.events.append({"ph": phase, "bp": "e", "name": "torch_to_npu", "id": self._arrows, "pid": pid,
                                "tid": tid, "ts": ts, "cat": "async_npu"})  # fmt: skip

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "trace_view.json"
        path.write_text(json.dumps(self.events))
        return path


def read(trace: NpuTrace, folder: Path) -> TraceRecording:
    return read_trace(trace.write(folder))


def summary(trace: NpuTrace, folder: Path) -> Summary:
    return summarize(read(trace, folder), Origin("drawn", "drawn", "worker", "1"))


def one_product() -> NpuTrace:
    """A step with an operator, its calls on another thread, and its task."""
    trace = NpuTrace()
    trace.event("ProfilerStep#3", PYTHON, PYTHON, 0, 100, "cpu_op")
    trace.op("aten::linear", 5, 40)
    trace.op("aten::mm", 10, 30)
    trace.call("AscendCL@aclnnMatmul", 20, 34, 7)
    trace.call("Node@launch", 24, 30, 8)
    trace.task("aclnnMatmul_MatMulV2_MatMulV2", 50, 90, 8)
    trace.arrow(10, 50)
    return trace


def test_the_category_of_an_event_comes_from_its_process(tmp_path: Path) -> None:
    found = read(one_product(), tmp_path)
    kinds = {found.events.strings[int(n)]: int(c)
             for n, c in zip(found.events.name, found.events.category, strict=True)}  # fmt: skip
    assert kinds["AscendCL@aclnnMatmul"] == kinds["Node@launch"] == Category.RUNTIME
    assert kinds["aclnnMatmul_MatMulV2_MatMulV2"] == Category.KERNEL
    assert found.notes == ()


def test_the_device_is_an_npu(tmp_path: Path) -> None:
    found = summary(one_product(), tmp_path)
    assert (found.device.kind, found.device.word, found.device.count) == ("npu", "NPU", 1)
    assert {metric.device for metric in found.device_metrics} == {"NPU"}
    share = next(metric for metric in found.device_metrics if metric.name == "tensor_core_share")
    assert (share.value, share.reason) == (None, "this device's kernel names do not show it")


def test_the_arrow_gives_an_operator_its_device_time(tmp_path: Path) -> None:
    found = summary(one_product(), tmp_path)
    assert operator_us(found, "aten::mm", "device_self") == 40
    assert operator_us(found, "aten::linear", "device_self") == 0
    assert operator_us(found, "aten::linear", "device_total") == 40


def test_a_step_lasts_until_the_tasks_of_its_calls_end(tmp_path: Path) -> None:
    trace = one_product()
    trace.event("ProfilerStep#4", PYTHON, PYTHON, 100, 200, "cpu_op")
    trace.call("Node@launch", 110, 120, 9)
    trace.task("Add", 190, 230, 9)
    trace.call("Node@launch", 120, 130, 11)
    trace.task("Sub", 150, 160, 11)
    trace.call("Node@launch", 80, 90, 10)
    trace.task("Mul", 95, 120, 10)
    assert [int(ns) / 1000 for ns in summary(trace, tmp_path).steps.total_ns] == [120, 110]


def test_the_inner_of_nested_calls_owns_its_time(tmp_path: Path) -> None:
    found = owners_us(summary(one_product(), tmp_path))
    assert (found["AscendCL@aclnnMatmul"], found["Node@launch"]) == (8, 6)


def test_waiting_tasks_are_not_work(tmp_path: Path) -> None:
    trace = one_product()
    trace.task("EVENT_WAIT", 41, 49, 11, "EVENT_WAIT_SQE")
    trace.task("MEMCPY_ASYNC", 92, 96, 12, "PCIE_DMA_SQE")
    found = categories_us(summary(trace, tmp_path))
    assert (found["Kernel"], found["Memcpy"]) == (40, 4)


@pytest.mark.parametrize("on_the_stream_too", [False, True])
def test_a_collective_counts_once(on_the_stream_too: bool, tmp_path: Path) -> None:
    trace = one_product()
    name = "hcom_allReduce__364_0_1"
    trace.event(name, COLLECTIVES, GROUP, 60, 98, connection_id=13)
    trace.event("Notify_Wait", COLLECTIVES, PLANE, 60, 70)
    trace.event("Communication(Not Overlapped)", OVERLAP, 1, 90, 98)
    if on_the_stream_too:
        trace.task(name, 60, 98, 13, "COMMUNICATION")
    found = summary(trace, tmp_path)
    assert categories_us(found)["Communication"] == 8
    collectives = found.groups["communication"]
    assert (collectives.names, collectives.calls.tolist()) == ((name,), [[1]])


def test_the_host_range_of_a_collective_is_communication(tmp_path: Path) -> None:
    trace = one_product()
    trace.op("HcclAllreduce", 32, 38)
    assert owners_us(summary(trace, tmp_path))["HcclAllreduce"] == 6


def test_events_of_an_unknown_process_have_no_category(tmp_path: Path) -> None:
    trace = one_product()
    trace.event("(something)", 77, 1, 0, 10)
    (note,) = read(trace, tmp_path).notes
    assert note.code is NoteCode.REPAIRED and "missing cat (1)" in note.message


def test_an_arrow_without_a_matching_task_is_ignored(tmp_path: Path) -> None:
    trace = one_product()
    trace.arrow(10, 51)
    trace.arrow(11, 50)
    found = summary(trace, tmp_path)
    assert operator_us(found, "aten::mm", "device_self") == 40


@pytest.mark.parametrize("largest", [7, 2**63 - 1])
def test_an_arrow_gets_an_unused_external_id(largest: int, tmp_path: Path) -> None:
    trace = one_product()
    trace.event("other", PYTHON, 9, 0, 1, "cpu_op", **{"External id": largest})
    ids = read(trace, tmp_path).events.external_id
    joined = [number for number in set(ids.tolist()) if number != ABSENT and (ids == number).sum() == 2]
    assert len(joined) == 1
    assert joined[0] != largest


def test_the_output_folder_of_torch_npu_is_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "host_1_20260101_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    one_product().write(folder)
    (folder / "communication.json").write_text("{}")
    (run,) = find_runs(str(tmp_path)).runs
    assert run.name == "host_1_20260101_ascend_pt/ASCEND_PROFILER_OUTPUT"
    assert parse_source(str(folder)).workers[0].name == "trace_view"


def event_list(device: str, *, kernels: bool) -> list[dict[str, Any]]:
    """Three steps of one operator as EventList.export_chrome_trace writes them: with kernels, or, as torch 2 does, with
    the beginnings of their arrows alone."""
    events: list[dict[str, Any]] = []
    for step in range(3):
        at, host = 100.0 * step, {"tid": 1, "pid": "CPU functions", "args": {}}
        on_device = {"tid": 0, "pid": f"{device.upper()} functions", "args": {}}
        events.append({"name": f"ProfilerStep#{step}", "ph": "X", "ts": at, "dur": 100, **host})
        events.append({"name": "aten::mm", "ph": "X", "ts": at + 10, "dur": 30, **host})
        arrow = {"name": "aten::mm", "id": step, "cat": f"cpu_to_{device}"}
        events.append({**arrow, "ph": "s", "ts": at + 10, **host})
        if kernels:
            events.append({**arrow, "ph": "f", "ts": at + 20, **on_device})
            events.append({"name": "gemm", "ph": "X", "ts": at + 20, "dur": 50, **on_device})
    return events


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_processes_of_an_exported_event_list_are_its_layers(device: str, tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(json.dumps(event_list(device, kernels=True)))
    recorded = read_trace(path)
    of = summarize(recorded, Origin("drawn", "drawn", "worker", "1"))
    assert categories_us(of) == {"Kernel": 50, "CPU Exec": 10, "Other": 40}
    assert operator_us(of, "aten::mm", "device_self") == 150
    assert not recorded.notes
    assert NoteCode.UNLINKED_DEVICE_EVENTS not in {note.code for note in of.notes}


def test_an_exported_event_list_of_torch_2_has_operators_alone(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(json.dumps(event_list("cuda", kernels=False)))
    of = summarize(read_trace(path), Origin("drawn", "drawn", "worker", "1"))
    assert categories_us(of) == {"CPU Exec": 30, "Other": 70}
