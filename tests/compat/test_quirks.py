"""What torch-tb-profiler does that nobody would expect, one small trace each; kept, because figures depend on it."""

from __future__ import annotations

from typing import Any

import pytest

from tb_perfcompare.analysis.compat import CompatProfile, answer, read_compat
from tests.build import MAIN, TraceBuilder
from tests.compat.naive_reader import recording_of

PARTS = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")


def read(trace: TraceBuilder) -> CompatProfile:
    return read_compat(recording_of(trace.document()))


def costs(profile: CompatProfile) -> list[dict[str, Any]]:
    """Per step the time of each part that has any."""
    return [{part: cost for part, cost in zip(PARTS, row, strict=True) if cost} for row in profile.costs.costs]


def operators(profile: CompatProfile) -> dict[str, dict[str, Any]]:
    table: Any = answer(profile, "operation/table")
    return {row["name"]: row for row in table["data"]}


def whole() -> TraceBuilder:
    return TraceBuilder(whole_us=True)


def test_a_step_whose_time_is_all_owned_is_shared_out_twice() -> None:
    trace = whole()
    trace.step(1, 0, 1000)
    trace.op("aten::mm", 0, 300)
    trace.kernel("gemm", 0, 1000, launch=(0, 20))
    assert costs(read(trace)) == [{"Kernel": 1000, "Runtime": 20, "CPU Exec": 280, "Other": 700}]


def test_the_copy_of_a_step_on_a_device_stream_is_a_step() -> None:
    trace = whole()
    trace.step(1, 0, 100, twin=(40, 120))
    trace.step(2, 100, 200, twin=(140, 220))
    trace.kernel("gemm", 50, 60, launch=(10, 12))
    trace.kernel("gemm", 150, 160, launch=(110, 112))
    assert read(trace).marked.labels == ("1", "1", "2", "2")


def test_a_step_ends_with_the_work_it_launched_and_the_next_begins_there() -> None:
    trace = whole()
    trace.step(1, 0, 100)
    trace.step(2, 100, 200)
    trace.kernel("gemm", 90, 130, launch=(50, 52))
    trace.kernel("gemm", 190, 230, launch=(150, 152))
    assert list(read(trace).steps) == [("1", 0, 130), ("2", 130, 230)]


def test_a_last_step_with_much_less_work_is_cut_off() -> None:
    trace = whole()
    for step in (1, 2):
        trace.step(step, step * 100, step * 100 + 100)
    for at in (110, 120, 130, 210):
        trace.kernel("gemm", at + 5, at + 9, launch=(at, at + 2))
    assert read(trace).steps.labels == ("1",)


def test_without_steps_the_operators_window_is_one() -> None:
    trace = whole()
    trace.op("aten::mm", 10, 50)
    trace.op("aten::add", 60, 90)
    trace.kernel("gemm", 70, 200)
    assert list(read(trace).steps) == [("0", 10, 90)]


def test_an_operator_across_the_end_of_another_is_left_out_with_its_kernels() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 100)
    late = trace.op("aten::add", 50, 150)
    trace.kernel("add", 60, 80, launch=(55, 58), external_id=late)
    profile = read(trace)
    assert list(operators(profile)) == ["aten::mm"]
    assert operators(profile)["aten::mm"]["device_total_duration"] == 0
    assert profile.skipped == {"host event across the end of another": 1}


def test_an_operator_repeated_inside_itself_counts_once() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 100)
    inner = trace.op("aten::mm", 10, 90)
    trace.kernel("gemm", 50, 80, launch=(20, 25), external_id=inner)
    row = operators(read(trace))["aten::mm"]
    assert (row["calls"], row["host_total_duration"], row["device_self_duration"]) == (1, 100, 30)


def test_kernels_launched_through_the_driver_belong_to_no_operator() -> None:
    trace = whole()
    trace.step(1, 0, 100)
    trace.op("triton_kernel", 10, 50)
    trace.kernel("triton_", 40, 60, launch=(20, 25))
    document = trace.document()
    for event in document["traceEvents"]:
        if event.get("cat") == "cuda_runtime":
            event["cat"] = "cuda_driver"
    profile = read_compat(recording_of(document))
    assert operators(profile)["triton_kernel"]["device_total_duration"] == 0
    table: Any = answer(profile, "kernel/table", group_by="KernelNameAndOpName")
    assert [row[:2] for row in table["data"]["rows"]] == [["triton_", "CallTreeRoot"]]


@pytest.mark.parametrize(("name", "part"), [("nccl:all_reduce", "Communication"), ("nccl:all_to_all", "CPU Exec")])
def test_only_five_collectives_are_communication(name: str, part: str) -> None:
    trace = whole()
    trace.step(1, 0, 100)
    trace.annotation(name, 10, 40)
    assert costs(read(trace)) == [{part: 30, "Other": 70}]


def test_equal_kernel_totals_stand_in_reverse_alphabetical_order() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 100)
    for at, name in enumerate(("b", "c", "a")):
        trace.kernel(name, at * 10, at * 10 + 5)
    assert [row.name for row in read(trace).kernels.rows] == ["c", "b", "a"]


def test_nesting_deeper_than_pythons_recursion_limit() -> None:
    trace = whole()
    depth = 3000
    for level in range(depth):
        trace.op(f"op{level % 2}", level, 2 * depth - level)
    table: Any = answer(read(trace), "operation/table")
    assert sum(row["calls"] for row in table["data"]) == depth


def test_a_host_event_on_a_thread_without_a_number_is_counted_and_left_out() -> None:
    document = whole().document()
    event = {"ph": "X", "cat": "cpu_op", "pid": MAIN, "ts": 0, "dur": 10, "args": {"External id": 1}}
    document["traceEvents"] += [{**event, "name": "a", "tid": "worker"}, {**event, "name": "b", "tid": "7"}]
    profile = read_compat(recording_of(document))
    assert list(operators(profile)) == ["b"]
    assert profile.skipped == {"host event on a thread without a number": 1}


def test_a_step_marker_without_a_number_is_counted_and_left_out() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 10)
    trace.op("ProfilerStep#first", 0, 20)
    profile = read(trace)
    assert profile.steps.labels == ("0",)
    assert profile.skipped == {"step marker without a number": 1}


def test_device_work_alone_is_one_step() -> None:
    trace = whole()
    trace.kernel("gemm", 10, 30)
    trace.kernel("gemm", 50, 60)
    assert costs(read(trace)) == [{"Kernel": 30, "Other": 20}]


def test_fractional_times_answer_floats_and_whole_ones_integers() -> None:
    for trace, total in ((whole(), "Total: 100us"), (TraceBuilder(whole_us=False), "Total: 100.0us")):
        trace.step(1, 0, 100)
        trace.op("aten::mm", 10, 20)
        overview: Any = answer(read(trace), "overview")
        assert total in overview["steps"]["rows"][0][2]


def test_one_number_with_a_fraction_makes_floats_of_the_sums_it_is_in_alone() -> None:
    """A step of 100 us and one of 50.5: only the second's total and rest are written with a point."""
    trace = whole()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 20)
    trace.step(2, 100, 150)
    trace.op("aten::mm", 110, 130)
    document = trace.document()
    (step,) = (event for event in document["traceEvents"] if event.get("name") == "ProfilerStep#2")
    step["dur"] = 50.5
    overview: Any = answer(read_compat(recording_of(document)), "overview")
    labels = [column["name"] for column in overview["steps"]["columns"] if "name" in column][1:]
    shown = [dict(zip(labels, row[1::2], strict=True)) for row in overview["steps"]["rows"]]
    assert [{label: repr(value) for label, value in row.items()} for row in shown] == [
        {"DataLoader": "0", "CPU Exec": "10", "Other": "90"},
        {"DataLoader": "0", "CPU Exec": "20", "Other": "30.5"},
    ]
    assert ["Total: 100us" in row[2] for row in overview["steps"]["rows"]] == [True, False]


def test_the_advice_on_tensor_cores_counts_what_eligible_operators_launch_themselves() -> None:
    """addmm launches 30 us, a copy below it 20, and relu 50: 30 of 100 are addmm's own."""
    trace = whole()
    trace.step(1, 0, 400)
    trace.op("aten::addmm", 10, 100)
    trace.kernel("gemm", 120, 150, launch=(12, 14))
    trace.op("aten::copy_", 20, 60)
    trace.kernel("copy", 150, 170, launch=(22, 24))
    trace.op("aten::relu", 200, 250)
    trace.kernel("relu", 300, 350, launch=(210, 212))
    profile = read(trace)
    assert profile.tensor_cores.eligible == 0.3
    (advice,) = [text for text in profile.recommendations if "Tensor Cores" in text]
    assert advice.startswith("Kernels with 30% time are launched by Tensor Cores eligible operators.")
