"""What torch-tb-profiler does that no user would expect, one small trace each: the documents name it, and the release
does it only as long as it is given what the last state of its source knows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tb_perfcompare.analysis.compat import answer
from tb_perfcompare.errors import InputError
from tests.build import MAIN, TraceBuilder
from tests.compat.reading import costs, launches, operators, read, steps


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
    assert [label for label, _ in steps(read(trace))] == ["1", "1", "2", "2"]


def test_a_step_ends_with_the_work_it_launched_and_the_next_begins_there() -> None:
    trace = whole()
    trace.step(1, 0, 100)
    trace.step(2, 100, 200)
    trace.kernel("gemm", 90, 130, launch=(50, 52))
    trace.kernel("gemm", 190, 230, launch=(150, 152))
    assert steps(read(trace)) == [("1", 130), ("2", 100)]


def test_a_last_step_with_much_less_work_is_cut_off() -> None:
    trace = whole()
    for step in (1, 2):
        trace.step(step, step * 100, step * 100 + 100)
    for at in (110, 120, 130, 210):
        trace.kernel("gemm", at + 5, at + 9, launch=(at, at + 2))
    assert steps(read(trace)) == [("1", 100)]


def test_without_steps_the_operators_window_is_one() -> None:
    trace = whole()
    trace.op("aten::mm", 10, 50)
    trace.op("aten::add", 60, 90)
    trace.kernel("gemm", 70, 200)
    assert steps(read(trace)) == [("0", 80)]


def test_an_operator_across_the_end_of_another_is_left_out_with_its_kernels() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 100)
    late = trace.op("aten::add", 50, 150)
    trace.kernel("add", 60, 80, launch=(55, 58), external_id=late)
    profile = read(trace)
    assert list(operators(profile)) == ["aten::mm"]
    assert operators(profile)["aten::mm"]["device_total_duration"] == 0


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
    profile = read(document)
    assert operators(profile)["triton_kernel"]["device_total_duration"] == 0
    assert [row[:2] for row in launches(profile)] == [["triton_", "CallTreeRoot"]]


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
    assert [row[0] for row in answer(read(trace), "kernel")["total"]["rows"]] == ["c", "b", "a"]


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
    profile = read(document)
    assert list(operators(profile)) == ["b"]
    assert "host event on a thread without a number (1)" in profile.notes[0].message


def test_a_step_marker_without_a_number_is_counted_and_left_out() -> None:
    trace = whole()
    trace.op("aten::mm", 0, 10)
    trace.op("ProfilerStep#first", 0, 20)
    profile = read(trace)
    assert [label for label, _ in steps(profile)] == ["0"]
    assert "step marker without a number (1)" in profile.notes[0].message


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
    overview: Any = answer(read(document), "overview")
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
    advice = answer(read(trace), "overview")["recommendations"]
    assert "Kernels with 30% time are launched by Tensor Cores eligible operators." in advice


def test_a_step_without_a_length_has_no_part_of_anything() -> None:
    trace = whole()
    trace.step(1, 0, 0)
    trace.step(2, 0, 100)
    trace.op("aten::mm", 10, 40)
    first, second = answer(read(trace), "overview")["steps"]["rows"]
    assert "Total: 0us<br><b>CPU Exec: 0us</b><br>Percentage: 0.0%" in first[4]
    assert "Total: 100us<br><b>CPU Exec: 30us</b><br>Percentage: 30.0%" in second[4]


def test_a_trace_whose_steps_last_no_time_is_refused() -> None:
    trace = whole()
    trace.step(1, 0, 0)
    with pytest.raises(InputError) as raised:
        read(trace)
    assert re.fullmatch(
        r"worker0\.1\.pt\.trace\.json: torch-tb-profiler [\d.]+ fails on this trace: its steps have no length; "
        "leave out --compat for the corrected reading",
        str(raised.value),
    )


def modules_and_arrows(*backward: float) -> TraceBuilder:
    """A module with an operator, one without, and backward work with an arrow to each of these instants."""
    trace = whole()
    trace.step(1, 0, 100)
    trace.python("nn.Module: Linear_0", 5, 40, number=1, module=0)
    trace.op("aten::linear", 10, 30)
    trace.python("nn.Module: Dropout_0", 42, 48, number=2, module=1)
    trace.op("autograd::engine::evaluate_function: AddmmBackward0", 50, 90, thread=MAIN + 1)
    for inner in (55, 60):
        trace.op("AddmmBackward0", inner, inner + 5, thread=MAIN + 1)
    for number, at in enumerate(backward):
        trace.forward_backward(number, 10 + number, at)
    return trace


def test_a_module_without_backward_work_keeps_its_place() -> None:
    profile = read(modules_and_arrows(55))
    nodes = [answer(profile, "tree")]
    for node in nodes:
        nodes += node["children"]
    spans = {node["name"]: (node["start_time"], node["end_time"]) for node in nodes}
    assert spans["nn.Module: Linear_0.backward"] == (50, 90)
    assert spans["nn.Module: Dropout_0.backward"] == (42, 48)
    assert profile.notes == ()


def test_arrows_that_lead_to_the_same_work_are_left_out() -> None:
    profile = read(modules_and_arrows(55, 60))
    (note,) = profile.notes
    assert "arrows from forward to backward (4)" in note.message
    assert "autograd::engine::evaluate_function: AddmmBackward0" in operators(profile)


def test_memory_of_devices_without_a_name_is_in_no_curve() -> None:
    trace = TraceBuilder(vendor="rocm", whole_us=True)
    trace.op("aten::empty", 0, 100)
    trace.memory(10, 64, device=0, allocated=64, reserved=128)
    trace.memory(20, 32, device=-1, allocated=32)
    profile = read(trace)
    assert list(answer(profile, "memory_curve")["rows"]) == ["CPU"]
    assert list(answer(profile, "memory_events")["rows"]) == ["CPU"]
