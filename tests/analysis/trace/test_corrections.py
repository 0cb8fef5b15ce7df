"""Each correction of torch-tb-profiler's reading (docs/method/corrected_reading.md) on a minimal trace."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.note import NoteCode
from tests.analysis.summaries import categories_us, operator_us, owners_us, summary, timeline
from tests.build import TraceBuilder


def test_driver_calls_launch_kernels() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    owner = trace.op("triton_fused", 5, 60)
    correlation = trace.call("cuLaunchKernel", 10, 20, cat="cuda_driver", external_id=owner)
    trace.kernel("triton_", 30, 50, correlation=correlation)
    drawn = summary(trace)
    assert operator_us(drawn, "triton_fused", "device_self") == 20
    assert owners_us(drawn)["cuLaunchKernel"] == 10


def test_external_ids_that_repeat_the_correlation_are_replaced_by_time() -> None:
    trace = TraceBuilder(ids="correlation")
    trace.step(1, 0, 200)
    trace.op("outer", 5, 100)
    trace.op("inner", 10, 40)
    trace.kernel("a", 120, 130, launch=(12, 14))
    trace.kernel("b", 130, 160, launch=(50, 52))
    drawn = summary(trace)
    assert timeline(trace).ids_unusable
    assert operator_us(drawn, "inner", "device_self") == 10
    assert operator_us(drawn, "outer", "device_self") == 30
    assert operator_us(drawn, "outer", "device_total") == 40
    assert NoteCode.LINKED_BY_TIME in {note.code for note in drawn.notes}


def test_without_a_correlation_the_only_call_with_the_external_id_is_the_launch() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 5, 60)
    trace.call("cudaLaunchKernel", 10, 12, external_id=900, linked=False)
    trace.call("cudaLaunchKernel", 20, 22, external_id=901, linked=False)
    trace.call("cudaLaunchKernel", 30, 32, external_id=901, linked=False)
    trace.kernel("alone", 40, 50, **{"External id": 900})
    trace.kernel("either", 50, 70, **{"External id": 901})
    drawn = timeline(trace)
    names = [drawn.events.strings[name] for name in drawn.events.name.tolist()]
    alone, either = names.index("alone"), names.index("either")
    assert drawn.events.start_ns[drawn.launcher[alone]] == 10_000
    assert drawn.launcher[either] == -1
    assert operator_us(summary(trace), "aten::mm", "device_self") == 10


@pytest.mark.parametrize("spelling", ["modern", "2021"])
def test_collective_kernels_are_communication(spelling: str) -> None:
    trace = TraceBuilder(spelling=spelling)
    trace.step(1, 0, 100)
    trace.collective("all_reduce", (10, 20), (30, 70))
    drawn = summary(trace)
    assert categories_us(drawn)["Communication"] >= 40
    assert "Kernel" not in categories_us(drawn)
    assert NoteCode.COLLECTIVES_MOVED in {note.code for note in drawn.notes}


def test_self_time_subtracts_nested_api_calls_once() -> None:
    """cnnl calls cnrt."""
    trace = TraceBuilder(vendor="mlu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.call("cnnlMatMul", 20, 50)
    trace.call("cnInvokeKernel", 25, 45)
    assert operator_us(summary(trace), "aten::mm", "host_self") == 20


def test_a_single_nested_call_of_the_same_name_is_one_operator() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mul", 10, 60)
    trace.op("aten::mul", 20, 50)
    drawn = summary(trace)
    group = drawn.groups["operators"]
    assert int(group.calls.sum()) == 1
    assert operator_us(drawn, "aten::mul", "host_total") == 50
    assert operator_us(drawn, "aten::mul", "host_self") == 50


def test_an_operator_is_split_by_shape() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 20, dims=[[2, 3], [3, 4]])
    trace.op("aten::mm", 20, 50, dims=[[8, 8], [8, 8]])
    group = summary(trace).groups["operators_by_shape"]
    times = dict(zip(group.keys, (group.measures_ns["host_self"].sum(axis=1) / 1000).tolist(), strict=True))
    assert times == {("aten::mm", "[[2, 3], [3, 4]]"): 10, ("aten::mm", "[[8, 8], [8, 8]]"): 30}


def test_a_thread_written_as_text_and_as_number_is_one() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.call("cudaMalloc", 20, 30, external_id=-1, linked=False)
    for event in trace.events:
        if event.name == "aten::mm":
            event.tid = str(event.tid)
    assert operator_us(summary(trace), "aten::mm", "host_self") == 40


def test_a_cpu_trace_has_no_kernels_with_a_reason() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    drawn = summary(trace)
    assert drawn.device.kind == "cpu"
    assert "kernels" not in drawn.groups and "device's ProfilerActivity" in drawn.absent["kernels"]
    assert drawn.device_metrics == ()


def test_processes_merged_into_one_file_are_noted() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 5, 60)
    alone = summary(trace)
    trace.op("aten::mm", 5, 60)
    trace.events[-1].pid = 8
    merged = summary(trace)
    noted = [NoteCode.SEVERAL_PROCESSES in {note.code for note in drawn.notes} for drawn in (alone, merged)]
    assert noted == [False, True]
