"""Where Cambricon's fork answers otherwise than the original: one smallest trace per difference."""

from __future__ import annotations

from typing import Any

import pytest

from tb_perfcompare.analysis.compat import answer
from tests.build import TraceBuilder
from tests.compat import reading
from tests.compat.reading import launches, operators, read, steps


def mlu() -> TraceBuilder:
    """A step of 100 us on one MLU that has nothing to do yet."""
    trace = TraceBuilder(vendor="mlu", whole_us=True)
    trace.devices.add(0)
    trace.step(1, 0, 100)
    return trace


def costs(trace: TraceBuilder) -> dict[str, Any]:
    (row,) = reading.costs(read(trace))
    return row


def test_self_time_loses_only_the_outermost_of_nested_calls() -> None:
    trace = mlu()
    trace.op("aten::mm", 10, 60)
    trace.call("cnnlOpTensor", 20, 50)
    trace.call("cnInvokeKernel", 25, 45)
    trace.call("cnQueueSync", 52, 55)
    assert operators(read(trace))["aten::mm"]["host_self_duration"] == 50 - 30 - 3


def test_the_original_takes_off_nested_calls_twice() -> None:
    trace = TraceBuilder(whole_us=True)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.call("cudaLaunchKernel", 20, 50)
    trace.call("cudaStreamIsCapturing", 25, 45)
    assert operators(read(trace))["aten::mm"]["host_self_duration"] == 50 - 30 - 20


@pytest.mark.parametrize(
    ("name", "part"),
    [("cncl:all_reduce", "Communication"), ("gloo:broadcast", "Communication"), ("cncl:AlltoAll", "CPU Exec"),
     ("nccl:all_reduce", "CPU Exec")],
)  # fmt: skip
def test_collectives_are_those_of_cncl_and_gloo(name: str, part: str) -> None:
    trace = mlu()
    trace.annotation(name, 10, 40)
    assert costs(trace) == {part: 30, "Other": 70}


def test_copies_and_kernels_of_a_collective_are_communication() -> None:
    trace = mlu()
    ring = trace.annotation("cncl:all_reduce", 10, 20)
    trace.memcpy(30, 40, launch=(11, 12), external_id=ring)
    trace.kernel("cnclRing", 50, 70, launch=(13, 14), external_id=ring)
    assert costs(trace) == {"Communication": 40, "Other": 60}


def test_device_work_under_the_operator_of_a_collective_is_not() -> None:
    """CNCL's work carries the External id of c10d's operator, not of the annotation inside it."""
    trace = mlu()
    outer = trace.op("c10d::allreduce_", 5, 25)
    trace.annotation("cncl:all_reduce", 10, 20)
    trace.kernel("cncl::d2d_tnc", 50, 70, launch=(11, 14), external_id=outer)
    assert costs(trace) == {"Kernel": 20, "Communication": 10, "CPU Exec": 10, "Other": 60}


def test_annotations_count_for_the_window_of_a_trace_without_steps() -> None:
    trace = TraceBuilder(vendor="mlu", whole_us=True)
    trace.annotation("warm up", 0, 10)
    trace.op("aten::mm", 20, 60)
    trace.kernel("gemm", 30, 50, launch=(22, 24))
    assert steps(read(trace)) == [("0", 60)]


@pytest.mark.parametrize(("runtime", "copy"), [("privateuse1_runtime", "gpu_memcpy"), ("mlu_runtime", "mlu_memcpy")])
def test_categories_of_new_and_old_branches(runtime: str, copy: str) -> None:
    trace = mlu()
    trace.op("aten::copy_", 10, 60)
    trace.memcpy(70, 90, launch=(20, 30))
    document = trace.document()
    for event in document["traceEvents"]:
        event["cat"] = {"privateuse1_runtime": runtime, "gpu_memcpy": copy}.get(event.get("cat"), event.get("cat"))
    (row,) = reading.costs(read(document))
    assert (row["Memcpy"], row["Runtime"], row["CPU Exec"]) == (20, 10, 40)


def test_launches_differ_by_dimensions_kernel_type_and_task_topology() -> None:
    trace = mlu()
    trace.op("aten::mm", 10, 60)
    for at, properties in enumerate(({}, {}, {"dim": "[8,1,1]"}, {"kernel type": "BLOCK"}, {"tasktopo": 3})):
        trace.kernel("gemm", 60 + 5 * at, 60 + 5 * at + at + 1, launch=(12 + 2 * at, 13 + 2 * at), **properties)
    assert [row[:4] + row[5:7] for row in launches(read(trace))] == [
        ["gemm", "aten::mm", "[4,1,1]", "UNION1", 1, 5],
        ["gemm", "aten::mm", "[4,1,1]", "BLOCK", 1, 4],
        ["gemm", "aten::mm", "[4,1,1]", "UNION1", 2, 3],
        ["gemm", "aten::mm", "[8,1,1]", "UNION1", 1, 3],
    ]


def test_the_node_of_a_task_topology_is_read_without_the_blank_it_is_written_with() -> None:
    """The producer writes `tasktopo node`, the plugin reads `tasktopo_node`: nodes do not split launches."""
    trace = mlu()
    trace.op("aten::mm", 10, 60)
    for at in range(2):
        trace.kernel("gemm", 60 + 5 * at, 62 + 5 * at, launch=(12 + 2 * at, 13 + 2 * at), **{"tasktopo node": at})
    assert [row[5] for row in launches(read(trace))] == [2]


def test_an_atomic_operation_on_a_queue_counts_as_a_kernel() -> None:
    trace = mlu()
    trace.op("aten::record", 10, 60)
    name = "Atomic Operation[ADD]"
    trace.kernel(name, 70, 75, launch=(20, 22), api="cnQueueAtomicOperation")
    for event in trace.events:
        if event.name == name and event.args is not None:
            for key in ("kernel type", "dim", "tasktopo", "tasktopo node"):
                del event.args[key]
            event.args |= {"atomic operator type": "REQUEST", "value": 1}
    assert costs(trace)["Kernel"] == 5
    assert launches(read(trace))[0][:4] == [name, "aten::record", "None", None]
    assert operators(read(trace))["aten::record"]["device_self_duration"] == 5


def test_no_kernel_uses_tensor_cores_and_no_operator_could() -> None:
    trace = mlu()
    trace.op("aten::conv2d", 10, 60)
    trace.kernel("volta_h884gemm", 70, 90, launch=(20, 22))
    row = operators(read(trace))["aten::conv2d"]
    assert (row["tc_eligible"], row["tc_self_ratio"], row["tc_total_ratio"]) == ("No", 0.0, 0.0)
    assert launches(read(trace))[0][4] == "No"
    overview: Any = answer(read(trace), "overview")
    assert overview["mlu_metrics"]["data"][-1] == {"title": "Kernel Time using Tensor Cores", "value": "0.0 %"}
    assert "Automatic Mixed Precision" not in overview["recommendations"]


def test_memory_of_device_type_20_is_the_mlus() -> None:
    trace = mlu()
    trace.op("aten::empty", 10, 60)
    trace.memory(15, 4096, device=1, allocated=4096, reserved=8192)
    trace.memory(20, 1024, device=-1, allocated=1024)
    profile = read(trace)
    curve: Any = answer(profile, "memory_curve", memory_metric="KB", time_metric="us")
    assert curve["rows"] == {"CPU": [[20.0, 1.0, 0.0]], "MLU1": [[15.0, 4.0, 8.0]]}
    stats: Any = answer(profile, "memory", memory_metric="KB")
    assert stats["metadata"]["default_device"] == "MLU1"


def test_device_memory_is_stated_in_mib() -> None:
    trace = mlu()
    trace.op("aten::mm", 10, 60)
    trace.kernel("gemm", 70, 90, launch=(20, 22))
    overview: Any = answer(read(trace), "overview")
    shown = {row["title"]: row["value"] for row in overview["mlu_metrics"]["data"]}
    assert shown == {
        "MLU 0:": "",
        "Name": "MLU370-M8",
        "Memory": "22.83 GB",
        "MLU Utilization": "20.0 %",
        "Kernel Time using Tensor Cores": "0.0 %",
    }
    assert "MLU 0 has low utilization" in overview["recommendations"]


def test_kernels_with_occupancy_do_not_lose_the_file() -> None:
    trace = mlu()
    trace.op("aten::mm", 10, 60)
    trace.kernel("gemm", 70, 90, launch=(20, 22), **{"est. achieved occupancy %": 40, "blocks per SM": 2.0})
    overview: Any = answer(read(trace), "overview")
    assert "Est. SM Efficiency" not in {row["title"] for row in overview["mlu_metrics"]["data"]}
