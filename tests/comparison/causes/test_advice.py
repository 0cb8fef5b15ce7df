"""What to look at: no advice is better than a wrong one."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence

DATA, OTHER_DATA = [16, 48, 16, 16], [32, 48, 16, 16]
WEIGHTS, POINTWISE = [48, 48, 3, 3], [48, 48, 1, 1]


def convolutions(data: list[int], weights: list[int], us: float) -> TraceBuilder:
    calls = [("aten::conv2d", us, [data, weights, []]), ("aten::relu", 20, [DATA])] * 4
    return sequence([[*calls, ("", step % 3)] for step in range(8)], gap=5, vendor="cpu")


def test_other_weights_are_no_other_batch() -> None:
    before = convolutions(DATA, WEIGHTS, 100)
    layers = finding_of(compare(before, convolutions(DATA, POINTWISE, 40)), "workload_changed")
    assert layers.look_at == "the layers of both models: kernel sizes, groups and widths"
    batch = finding_of(compare(before, convolutions(OTHER_DATA, WEIGHTS, 200)), "workload_changed")
    assert batch.look_at.startswith("batch size, ")


@pytest.mark.parametrize("layer", ["aten::convolution", "aten::mkldnn_rnn_layer"])
def test_gradients_of_more_layers_are_no_setting(layer: str) -> None:
    def trained(gradients: int, layers: int) -> TraceBuilder:
        calls = [("aten::relu", 50)] * 20
        calls += [(layer, 50), ("LayerBackward0", 80)] * layers
        calls += [("torch::autograd::AccumulateGrad", 20)] * gradients
        return sequence([[*calls, ("", step % 3)] for step in range(8)], gap=5, vendor="cpu")

    frozen, deeper = compare(trained(11, 3), trained(8, 3)), compare(trained(11, 3), trained(13, 5))
    assert frozen.findings[0].look_at.startswith("which parameters get a gradient")
    assert not any("get a gradient" in finding.look_at for finding in deeper.findings)
    assert f"{layer} 3 → 5" in deeper.findings[0].sentence


def test_more_optimizer_steps_are_named_before_the_operators_in_them() -> None:
    """Gradients of two batches, and of six."""

    def accumulated(batches: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(24):
            at = 2_000 * number
            trace.step(number, at, at + 1_500 + number % 3)
            for part, name in enumerate(("mm", "relu", "tanh", "mul", "sum", "neg", "exp", "log")):
                trace.op(f"aten::{name}", at + 100 * part, at + 100 * part + 90)
            if number % batches == batches - 1:
                trace.annotation("Optimizer.step#SGD.step", at + 850, at + 1_450)
                for part in range(10):
                    trace.op("aten::add_", at + 860 + 50 * part, at + 890 + 50 * part)
        return trace

    found = compare(accumulated(6), accumulated(2)).findings[0]
    assert "; Optimizer.step#SGD.step 0.17 → 0.5, aten::add_ 1.67 → 5" in found.sentence
    assert found.look_at.startswith("how many batches make an optimizer step")


def convolved(*names: str) -> TraceBuilder:
    calls = [(name, 60) for name in names] + [("aten::relu", 30), ("aten::add_", 30)] * 3
    return sequence([[*calls, ("", step % 3)] for step in range(8)], gap=5, vendor="cpu")


def test_plain_convolutions_tell_a_library_only_if_others_became_them() -> None:
    library, plain = "aten::mkldnn_convolution", "aten::_slow_conv2d_forward"
    before = convolved(library, library)
    for moved in (convolved(plain, plain), convolved(library, plain)):
        for found in (compare(before, moved).findings[0], compare(moved, before).findings[0]):
            assert found.look_at.startswith("torch.backends.mkldnn.enabled"), found.sentence
    one_by_one = convolved(*[plain] * 16)
    for further in (convolved(library, library, plain), convolved(*[library] * 4, plain), one_by_one):
        for found in (*compare(before, further).findings, *compare(further, before).findings):
            assert "mkldnn" not in found.look_at, found.sentence


@pytest.mark.parametrize("operator", [
    "aten::_amp_foreach_non_finite_check_and_unscale_", "aten::_is_any_true", "_DDPSinkBackward",
])  # fmt: skip
def test_a_setting_that_is_on_on_both_sides_is_not_what_differs(operator: str) -> None:
    off, on, more = (convolved("aten::conv2d", *[operator] * calls) for calls in (0, 1, 3))
    usual = compare(convolved("aten::conv2d"), convolved("aten::conv2d", "aten::exp")).findings[0].look_at
    assert compare(off, on).findings[0].look_at != usual
    assert compare(on, more).findings[0].look_at == usual


def test_copies_by_joining_are_no_layout() -> None:
    def copied(name: str, calls: int) -> TraceBuilder:
        others = [(f"aten::op{number}", 50) for number in range(8)]
        copies = [(name, 20, [[64, 8]])] * calls
        return sequence([[*others, *copies, ("", step % 3)] for step in range(8)], gap=2, vendor="cpu")

    for name, advice in (("aten::cat", "what is joined by torch.cat"), ("aten::clone", ".contiguous(), .to()")):
        fewer, more = copied(name, 4), copied(name, 40)
        for found in (compare(fewer, more).findings[0], compare(more, fewer).findings[0]):
            assert found.rule == "layout_copies" and found.look_at.startswith(advice)


@pytest.mark.parametrize("shapes", [(), ([[64, 64]],)], ids=["without shapes", "with shapes"])
def test_sizes_that_are_not_recorded_are_the_first_to_look_at(shapes: tuple[object, ...]) -> None:
    def program(product_us: int) -> TraceBuilder:
        calls = [("aten::mm", product_us, *shapes), ("aten::relu", 100, *shapes), ("aten::add", 100, *shapes)]
        return sequence([[*calls * 3, ("", 10 + step % 3)] for step in range(8)])

    found = finding_of(compare(program(100), program(300)), "operator_slower")
    assert found.look_at.startswith("the sizes of inputs (record") is (not shapes)
    assert "the memory layout of its inputs" in found.look_at
