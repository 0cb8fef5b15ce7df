"""Changed data types and input shapes: which of them lead, and their examples."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare, finding_of, rules_of, sequence


def products(kind: str, product: int, cast: int) -> TraceBuilder:
    """Eight steps of ten linear layers of the type `kind` and ten copies, with these durations in µs."""
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
    before, after = products("float", 100, 20), products("c10::BFloat16", 20, 60)
    for found in (compare(before, after), compare(after, before)):
        assert rules_of(found)[:1] == ["data_type_changed"]


def convolutions(kind: str, inner: str, us: int) -> TraceBuilder:
    """Eight steps of six convolutions of the type `kind`, done by `inner`, and activations."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step in range(8):
        begin = at
        for _ in range(6):
            end = at + us
            calls = ("aten::_convolution", at, end), (inner, at + 2, end - 2), ("aten::relu", end + 1, end + 9)
            for name, start, stop in calls:
                trace.op(name, start, stop, dims=[[8, 3, 32, 32]], **{"Input type": [kind]})
            at = end + 12 + step % 2
        trace.step(step, begin, at)
    return trace


def test_an_operator_replaced_for_another_type_is_part_of_the_change_of_types() -> None:
    before, after = convolutions("float", "aten::mkldnn_conv", 20), convolutions("double", "aten::thnn_conv", 60)
    (only,) = compare(before, after).findings
    assert only.sentence == (
        "Data types changed: +240 µs per step; 100 % of operator calls have different input types, e.g. "
        "aten::_convolution float → double; operator replaced: 6 aten::mkldnn_conv → 6 aten::thnn_conv."
    )
    assert only.share == pytest.approx(1)


def test_further_casts_are_part_of_the_change_of_types() -> None:
    def trained(kind: str, us: int, casts: int) -> TraceBuilder:
        products = [(name, us, [[64, 64]], [kind]) for name in ("aten::mm", "aten::relu", "aten::add")] * 8
        copies = [(name, 9, [[64, 64]], [kind]) for name in ("aten::_to_copy", "aten::copy_")] * casts
        return sequence(([*products, *copies, ("", step % 3)] for step in range(8)), gap=2, vendor="cpu")

    (only,) = compare(trained("float", 100, 1), trained("c10::BFloat16", 40, 11)).findings
    assert (only.rule, only.share) == ("data_type_changed", pytest.approx(1))
    assert "; casts and copies +220 µs: aten::_to_copy 1 → 11, aten::copy_ 1 → 11" in only.sentence


@pytest.mark.parametrize(
    ("linux", "other", "changed"),
    [
        ("long int", "long long", False), ("long int", "__int64", False), ("long int", "long", False),
        ("long unsigned int", "unsigned __int64", False), ("c10::Half", "struct c10::Half", False),
        ("long int", "int", True), ("long int", "long unsigned int", True),
    ],
)  # fmt: skip
def test_the_spelling_of_a_platform_is_no_other_type(linux: str, other: str, changed: bool) -> None:
    before, after = products(linux, 100, 20), products(other, 130, 20)
    for found in (compare(before, after), compare(after, before)):
        assert ("data_type_changed" in rules_of(found)) == changed
        assert len(found.tables["operators_by_type"].rows) == (5 if changed else 3)


def test_a_faster_operator_of_the_same_type_leads() -> None:
    found = compare(products("float", 100, 20), products("float", 20, 60))
    assert found.findings[0].subject == "aten::mm"


def layers(inputs: list[list[list[int]]], types: list[str], us: int) -> TraceBuilder:
    """Eight steps of layers on these inputs."""
    return sequence([[("aten::mm", us, dims, types) for dims in inputs]] * 8, gap=2, vendor="cpu")


def test_an_additional_output_operand_is_not_a_changed_input() -> None:
    eager = layers([[[8, 64], [64, 32]], [[8, 32], [32, 16]]], ["float", "float"], 40)
    compiled = layers([[[8, 64], [64, 32], [8, 32]], [[8, 32], [32, 16], [8, 16]]], ["float", "float", "float"], 90)
    for found in (compare(eager, compiled), compare(compiled, eager)):
        assert not {"data_type_changed", "workload_changed"} & set(rules_of(found))


def test_the_example_is_of_one_layer() -> None:
    head, down = ([[1, 64], [64, 1000]], [[1, 256], [256, 64]])
    longer = [[[32, *dims[0][1:]], dims[1]] for dims in (head, down)]
    found = compare(layers([head, down], ["float", "float"], 40), layers(longer, ["float", "float"], 900))
    sentence = finding_of(found, "workload_changed").sentence
    assert "[[1, 64], [64, 1000]] → [[32, 64], [64, 1000]] (elements ×32.0)" in sentence


def test_the_example_is_no_operator_with_new_inputs_in_every_step() -> None:
    """Experts work on the rows that they are sent, whose number varies; the routed rows double."""

    def routed(rows: int, us: int) -> TraceBuilder:
        step: list[list[tuple[str, int, list[list[int]]]]] = []
        for number in range(8):
            experts = [rows // 8 + (37 * number + 11 * expert) % 331 for expert in range(24)]
            of_experts = [("aten::mm", 4 * us, [[count, 64], [64, 64]]) for count in experts]
            step.append([("aten::bmm", us, [[rows, 64], [64, 64]])] * 30 + of_experts)
        return sequence(step, gap=2, vendor="cpu")

    sentence = finding_of(compare(routed(512, 50), routed(1024, 100)), "workload_changed").sentence
    assert "aten::bmm [[512, 64], [64, 64]] → [[1024, 64], [64, 64]] (elements ×2.00)" in sentence


def test_a_mask_is_a_new_operand() -> None:
    causal = layers([[[4, 8, 64], [4, 8, 64], []]], ["float", "float", ""], 40)
    masked = layers([[[4, 8, 64], [4, 8, 64], [8, 8]]], ["float", "float", "float"], 90)
    for found, sentence in (
        (compare(causal, masked), (
            "Workload changed: +50.0 µs per step; 100 % of operator calls have a new operand [8, 8], e.g. aten::mm."
        )),
        (compare(masked, causal), (
            "Workload changed: −50.0 µs per step; 100 % of operator calls have lost the operand [8, 8], e.g. aten::mm."
        )),
    ):  # fmt: skip
        assert [finding.sentence for finding in found.findings] == [sentence]
        assert found.findings[0].look_at == "masks, biases and other optional operands on both sides"


def varying(lengths: list[int]) -> TraceBuilder:
    """A step per length, with an optimizer whose parameters keep their size."""
    steps = ([("aten::mm", 20 * n, [[n, 64], [64, 64]])] * 4 + [("aten::add_", 9, [[64]])] * 40 for n in lengths)
    return sequence(steps, gap=2, vendor="cpu")


def test_varying_lengths_are_reported_although_parameters_are_fixed() -> None:
    found = compare(varying([2, 4, 8] * 4), varying([8, 4, 16] * 4))
    assert "input shapes vary between steps, mean elements ×" in finding_of(found, "workload_changed").sentence


def test_lengths_that_vary_on_one_side_alone_are_not_drawn_by_chance() -> None:
    """As if one side padded to the longest of a batch, the other to a fixed length."""
    longest, fixed = varying([2, 4, 8] * 4), varying([16] * 12)
    for sides, alone in (((longest, fixed), "baseline"), ((fixed, longest), "candidate")):
        finding = finding_of(compare(*sides), "workload_changed")
        assert f"input shapes vary between steps of the {alone} alone, mean elements ×" in finding.sentence
        assert (finding.confidence, finding.look_at[:7]) == ("certain: the shapes are recorded", "padding")


def recurrent(workspace: int, us: int = 400, batch: int = 8) -> TraceBuilder:
    """Eight steps of twelve small operators and a long one with a workspace."""
    calls = [("aten::mul", 20, [[batch, 16 + number]]) for number in range(12)]
    calls.append(("aten::_cudnn_rnn_backward", us, [[batch, 64], [workspace]]))
    return sequence([calls] * 8, gap=2, vendor="cpu")


def test_a_slightly_larger_workspace_is_not_a_changed_input() -> None:
    """Dropout between the layers of an LSTM keeps 1 % more."""
    found = compare(recurrent(10_000), recurrent(10_100, us=600))
    assert rules_of(found) == ["operator_slower"]


def test_larger_inputs_in_a_shorter_step_count_device_time_alone() -> None:
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

    found = compare(trace(32, 100, 600), trace(64, 190, 400))
    workload = finding_of(found, "workload_changed")
    assert workload.delta_us == 540.0
    assert "Workload changed: +540 µs device time per step" in workload.sentence
    assert workload.sentence.endswith("another change outweighs it.")


def test_the_example_is_a_computing_operator_not_a_copy() -> None:
    def batch(rows: int) -> TraceBuilder:
        calls = [("aten::copy_", 8 * rows, [[rows, 64]]), ("aten::linear", 4 * rows, [[rows, 64]])]
        return sequence([calls] * 8, gap=2)

    found = compare(batch(8), batch(32))
    assert "e.g. aten::linear [[8, 64]] → [[32, 64]]" in finding_of(found, "workload_changed").sentence


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
        sides.append(trace)
    first = compare(*sides).findings[0]
    assert first.rule == "data_type_changed" and 1190 < (first.delta_us or 0) < 1210


def batches(span: int, pace: float, lengths: tuple[int, ...]) -> Summary:
    """A capture at this pace: ten operators on equal inputs and one on lengths that vary from step to step."""
    steps = []
    for number in range(12):
        length = lengths[(7 * number + span) % len(lengths)] + number % 5
        calls = [(f"aten::op{place}", 60 * pace, [[place + 1, 8]]) for place in range(10)]
        steps.append([*calls, ("aten::lstm", 40 * length * pace, [[length, 64]]), ("", 30 * pace)])
    return capture(sequence(steps, vendor="cpu"), str(span))


def test_a_faster_machine_may_outweigh_longer_inputs() -> None:
    short = pool([batches(2 * at, pace, (20, 30, 40, 60)) for at, pace in enumerate((1.9, 1.3, 1.5))])
    long = pool([batches(2 * at + 1, pace, (60, 61, 62, 63)) for at, pace in enumerate((0.8, 0.7, 1.0))])
    sentence = finding_of(compare(short, long), "workload_changed").sentence
    assert "so the pace of the machine or another change outweighs it." in sentence


def test_a_few_rows_more_for_an_expert_do_not_explain_noise() -> None:
    """Routing gives experts nearly as many rows on both sides; the steps vary by far more."""

    def routed(rows: int, noise: int) -> TraceBuilder:
        def expert(place: int, step: int) -> tuple[object, ...]:
            return "aten::linear", 300 + noise * ((step + place) % 4), [[rows + place, 64], [64, 64]]

        return sequence(
            [("aten::mm", 400 + noise * (step % 3), [[512, 64], [64, 64]]), *(expert(at, step) for at in range(4))]
            for step in range(8)
        )

    found = compare(routed(500, 200), routed(501, 230))
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert "workload_changed" not in rules_of(found)


def trained(batch: int, width: int, us: float) -> TraceBuilder:
    """Eight steps of six layers and their optimizer, which works on parameters for longer than any layer."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(8):
        begin = at
        for name, took, dims in (
            *[("aten::linear", us, [[batch, 64], [width, 64], [width]]), ("aten::relu", us / 4, [[batch, width]])] * 6,
            ("aten::mul_", 300.0, [[width, 64]]),
        ):
            trace.op(name, at, at + took, dims=dims)
            at += took + 1
        at += step % 2
        trace.step(step, begin, at)
    return trace


def test_another_batch_size_has_a_time_per_sample() -> None:
    found = finding_of(compare(trained(16, 64, 100), trained(32, 64, 260)), "workload_changed")
    assert "aten::linear [[16, 64], [64, 64], [64]] → [[32, 64], [64, 64], [64]] (elements ×2.00)" in found.sentence
    assert "; the typical step takes 6.4 % longer per sample" in found.sentence


def test_wider_layers_have_no_time_per_sample_and_come_before_their_parameters() -> None:
    found = finding_of(compare(trained(16, 64, 100), trained(16, 96, 160)), "workload_changed")
    assert "e.g. aten::linear [[16, 64], [64, 64], [64]] → [[16, 64], [96, 64], [96]]" in found.sentence
    assert "per sample" not in found.sentence
    assert found.look_at.startswith("the layers of both models")
