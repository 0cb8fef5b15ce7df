"""Other inputs: another data type is told first, though one operator gains more than the step, as others pay for its
casts. Another number of operands is no other input, and examples are of one layer."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def products(kind: str, product: int, cast: int) -> TraceBuilder:
    """Steps of ten linear layers of that type and ten copies, each that many microseconds long."""
    trace = TraceBuilder()
    at = 0
    for step in range(8):
        start = at
        for name, us in (("aten::mm", product), ("aten::copy_", cast)) * 10:
            types = {"Input type": [kind if name == "aten::mm" else "float"]}
            if name == "aten::mm":
                trace.op("aten::linear", at, at + us + 2, dims=[[64, 64]], **types)
            trace.op(name, at, at + us, dims=[[64, 64]], **types)
            at += us + 2
        trace.step(step, start, at)
    return trace


def test_an_operator_of_another_type_is_part_of_the_change_of_types() -> None:
    before, after = summarised(products("float", 100, 20)), summarised(products("c10::BFloat16", 20, 60))
    for there in (compare(before, after), compare(after, before)):
        assert [finding.rule for finding in there.findings][:1] == ["data_type_changed"]


def test_an_operator_of_the_same_type_still_leads() -> None:
    found = compare(summarised(products("float", 100, 20)), summarised(products("float", 20, 60)))
    assert found.findings[0].subject == "aten::mm"


def layers(inputs: list[list[list[int]]], types: list[str], us: int) -> TraceBuilder:
    """Steps of layers, one after the other, on these inputs."""
    trace = TraceBuilder(vendor="cpu")
    at = 0
    for step in range(8):
        start = at
        for dims in inputs:
            trace.op("aten::mm", at, at + us, dims=dims, **{"Input type": types})
            at += us + 2
        trace.step(step, start, at)
    return trace


def test_an_output_that_is_handed_over_is_no_other_input() -> None:
    eager = summarised(layers([[[8, 64], [64, 32]], [[8, 32], [32, 16]]], ["float", "float"], 40))
    compiled = summarised(
        layers([[[8, 64], [64, 32], [8, 32]], [[8, 32], [32, 16], [8, 16]]], ["float", "float", "float"], 90)
    )
    for found in (compare(eager, compiled), compare(compiled, eager)):
        assert not {"data_type_changed", "workload_changed"} & {finding.rule for finding in found.findings}


def test_the_example_is_one_layer_given_other_inputs() -> None:
    head, down = ([[1, 64], [64, 1000]], [[1, 256], [256, 64]])
    longer = [[[32, *dims[0][1:]], dims[1]] for dims in (head, down)]
    found = compare(
        summarised(layers([head, down], ["float", "float"], 40)), summarised(layers(longer, ["float", "float"], 900))
    )
    (sentence,) = [finding.sentence for finding in found.findings if finding.rule == "workload_changed"]
    assert "[[1, 64], [64, 1000]] → [[32, 64], [64, 1000]] (elements ×32.0)" in sentence


def varying(lengths: list[int]) -> TraceBuilder:
    """A step per length, and an optimizer whose parameters stay as they are."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step, length in enumerate(lengths):
        start = at
        products = [("aten::mm", [[length, 64], [64, 64]], 20 * length)] * 4
        for name, dims, us in products + [("aten::add_", [[64]], 9)] * 40:
            trace.op(name, at, at + us, dims=dims)
            at += us + 2
        trace.step(step, start, at)
    return trace


def test_varying_lengths_are_reported_although_parameters_are_fixed() -> None:
    found = compare(summarised(varying([2, 4, 8] * 4)), summarised(varying([8, 4, 16] * 4)))
    (sentence,) = [finding.sentence for finding in found.findings if finding.rule == "workload_changed"]
    assert "input shapes vary between steps, mean elements ×" in sentence


def recurrent(workspace: int, us: int = 400, batch: int = 8) -> TraceBuilder:
    """Steps of twelve small operators and one that takes half of the step and is handed a workspace."""
    trace = TraceBuilder(vendor="cpu")
    at = 0
    for step in range(8):
        start = at
        for number in range(12):
            trace.op("aten::mul", at, at + 20, dims=[[batch, 16 + number]])
            at += 22
        trace.op("aten::_cudnn_rnn_backward", at, at + us, dims=[[batch, 64], [workspace]])
        at += us + 2
        trace.step(step, start, at)
    return trace


def test_a_workspace_that_is_a_little_larger_is_no_other_input() -> None:
    """Dropout between the layers of an LSTM keeps 1 % more."""
    found = compare(summarised(recurrent(10_000)), summarised(recurrent(10_100, us=600)))
    assert [finding.rule for finding in found.findings] == ["operator_slower"]


def test_inputs_that_grow_while_the_step_shrinks_take_the_devices_time_alone() -> None:
    def trace(batch: int, kernel_us: int, host_us: int) -> TraceBuilder:
        builder, at = TraceBuilder(), 0
        for step in range(8):
            start = at
            for number in range(6):
                builder.op("aten::mm", at, at + host_us, dims=[[batch, 64 + number], [64 + number, 64]])
                builder.kernel(f"gemm_{number}", at + 5, at + 5 + kernel_us, launch=(at + 1, at + 4))
                at += host_us + 5
            builder.step(step, start, at)
        return builder

    found = compare(summarised(trace(32, 100, 600)), summarised(trace(64, 190, 400)))
    (workload,) = (finding for finding in found.findings if finding.rule == "workload_changed")
    assert workload.delta_us == 540.0
    assert "Workload changed: +540 µs device time per step" in workload.sentence
    assert workload.sentence.endswith("another change outweighs it.")


def test_the_example_is_an_operator_that_computes_not_a_copy() -> None:
    def batch(rows: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step in range(8):
            start = at
            for name, us in (("aten::copy_", 8 * rows), ("aten::linear", 4 * rows)):
                trace.op(name, at, at + us, dims=[[rows, 64]])
                at += us + 2
            trace.step(step, start, at)
        return trace

    found = compare(summarised(batch(8)), summarised(batch(32)))
    (sentence,) = [one.sentence for one in found.findings if one.rule == "workload_changed"]
    assert "e.g. aten::linear [[8, 64]] → [[32, 64]]" in sentence


def test_other_types_do_not_account_for_time_between_operators() -> None:
    """Of a step 2 ms longer, 1.2 ms are kernels of double precision, and 0.8 ms a host that does something else."""
    sides = []
    for kind, us, pause in (("float", 300, 20), ("double", 600, 220)):
        trace, at = TraceBuilder(), 0
        for step in range(8):
            start = at
            for _ in range(4):
                trace.op("aten::mm", at, at + 20, dims=[[64, 64]], **{"Input type": [kind]})
                trace.kernel(f"gemm_{kind}", at + 20, at + 20 + us + step % 3, launch=(at + 10, at + 15))
                at += 20 + us + 3 + pause
            trace.step(step, start, at)
        sides.append(summarised(trace))
    first = compare(*sides).findings[0]
    assert first.rule == "data_type_changed" and 1190 < (first.delta_us or 0) < 1210
