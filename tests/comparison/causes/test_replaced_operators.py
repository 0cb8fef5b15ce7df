"""An operator in whose place others are called is one finding: what went, what came, and the net time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised

US = 20
STEPS = 8
Call = str | tuple[str, "Sequence[Call]"]
"""An operator, or one with those that it calls."""

BLOCK: tuple[Call, ...] = ("aten::layer_norm", "aten::linear")
GELU: tuple[Call, ...] = ("aten::gelu",)
WRITTEN_OUT: tuple[Call, ...] = ("aten::mul", "aten::tanh", "aten::mul", "aten::add")


def program(*calls: Call, vendor: str = "cpu", kernels: bool = False) -> TraceBuilder:
    """Steps of these calls, 20 us each; some steps are a little longer."""
    trace = TraceBuilder(vendor=vendor)
    start = 0
    for step in range(STEPS):
        end = _draw(trace, calls, start + 10, kernels) + step % 3
        trace.step(step, start, end)
        start = end + 5
    return trace


def _draw(trace: TraceBuilder, calls: Sequence[Call], at: int, kernels: bool) -> int:
    for call in calls:
        name, inner = (call, ()) if isinstance(call, str) else call
        if inner:
            end = _draw(trace, inner, at + 2, kernels)
            trace.op(name, at, end)
        else:
            end = at + US
            trace.op(name, at, end)
            if kernels:
                trace.kernel(f"{name}_kernel", at + 8, at + 16, launch=(at + 2, at + 5))
        at = end + 2
    return at


def replacements_in(a: TraceBuilder, b: TraceBuilder) -> list[Finding]:
    return [one for one in compare(summarised(a), summarised(b)).findings if one.rule == "operator_replaced"]


def net(finding: Finding) -> float:
    assert finding.delta_us is not None
    return finding.delta_us


@pytest.mark.parametrize("vendor", ["cpu", "cuda", "rocm", "mlu", "mtia"])
def test_an_activation_that_is_written_out(vendor: str) -> None:
    kernels = vendor != "cpu"
    one = program(*BLOCK, *GELU, *BLOCK, *GELU, vendor=vendor, kernels=kernels)
    two = program(*BLOCK, *WRITTEN_OUT, *BLOCK, *WRITTEN_OUT, vendor=vendor, kernels=kernels)
    (there,), (back,) = replacements_in(one, two), replacements_in(two, one)
    assert there.sentence == (
        "Operator replaced: +120 µs per step, 6 more operator calls; aten::gelu (2 calls) → aten::mul (4 calls), "
        "aten::add (2 calls), aten::tanh (2 calls)."
    )
    assert there.confidence.startswith("certain: ")
    assert net(back) == -net(there)
    assert replacements_in(one, one) == []


def test_it_replaces_the_findings_of_new_and_gone_operators() -> None:
    findings = compare(summarised(program(*BLOCK, *GELU)), summarised(program(*BLOCK, *WRITTEN_OUT))).findings
    assert findings[0].rule == "operator_replaced"
    assert not {"operators_changed", "more_calls", "host_time"} & {one.rule for one in findings}


def test_the_backward_pass_belongs_to_it() -> None:
    def trained(forward: Sequence[Call], *backward: str) -> TraceBuilder:
        engine = "autograd::engine::evaluate_function: "
        passes = [(engine + name, [name]) for name in ("NllLossBackward0", *backward, "AddmmBackward0")]
        return program("aten::linear", *forward, "aten::nll_loss", *passes)

    one = trained(GELU, "GeluBackward0")
    two = trained(WRITTEN_OUT, "AddBackward0", "TanhBackward0", "MulBackward0")
    (told,) = replacements_in(one, two)
    assert "; aten::gelu (1 call) → aten::mul (2 calls), aten::add (1 call), aten::tanh (1 call)." in told.sentence
    assert net(told) == pytest.approx(3 * US + 2 * US, abs=15)


def test_calls_below_one_operator_are_replaced_in_it() -> None:
    def attention(*inner: Call) -> TraceBuilder:
        return program("aten::linear", ("aten::scaled_dot_product_attention", inner), "aten::reshape")

    (told,) = replacements_in(
        attention("aten::_scaled_dot_product_flash_attention"), attention("aten::bmm", "aten::softmax", "aten::bmm")
    )
    assert told.sentence.startswith("Operator replaced in aten::scaled_dot_product_attention: +4")
    assert "aten::_scaled_dot_product_flash_attention (1 call) → aten::bmm (2 calls), aten::softmax" in told.sentence


def test_a_computing_operator_explains_the_copies_of_its_result() -> None:
    """Both attentions take as long; the result of one is laid out otherwise."""

    def attention(kind: str, *inner: Call) -> TraceBuilder:
        within: Call = ("aten::scaled_dot_product_attention", [kind])
        return program("aten::linear", within, ("aten::reshape", inner), "aten::mm")

    one = attention("aten::_scaled_dot_product_flash_attention", "aten::view")
    two = attention("aten::_scaled_dot_product_attention_math", "aten::clone", "aten::_unsafe_view")
    for a, b in ((one, two), (two, one)):
        assert [told.sentence.split(":")[0] for told in replacements_in(a, b)] == [
            "Operator replaced in aten", "Operator replaced in aten",
        ]  # fmt: skip
        assert "scaled_dot_product_attention" in replacements_in(a, b)[0].sentence


def test_a_wrapped_operator_is_not_replaced() -> None:
    """Autocast calls an operator again within its own, with casts beside it."""
    plain: Call = ("aten::linear", ["aten::t", "aten::addmm"])
    cast: Call = ("aten::linear", ["aten::to", ("aten::linear", ["aten::t", "aten::addmm"])])
    assert replacements_in(program("aten::layer_norm", plain), program("aten::layer_norm", cast)) == []


def test_deeper_and_with_another_activation() -> None:
    """What the depth explains is not told as a replacement."""
    one = program(*(*BLOCK, *GELU) * 4, "aten::mean")
    two = program(*(*BLOCK, "aten::silu", "aten::clone") * 6, "aten::mean")
    (told,) = replacements_in(one, two)
    assert told.sentence.endswith("aten::gelu (4 calls) → aten::clone (6 calls), aten::silu (6 calls).")


def test_new_operators_elsewhere_replace_nothing() -> None:
    one = program(*BLOCK, *GELU, "aten::mean", "aten::sum")
    two = program(*BLOCK, "aten::mean", "aten::histc", "aten::sum")
    assert replacements_in(one, two) == []


def test_copies_within_the_operators_that_came_are_no_cause_of_their_own() -> None:
    """An optimizer that updates one parameter at a time converts a number for each."""
    fused: list[Call] = ["aten::linear", "aten::_foreach_add_", "aten::mean"]
    single: Call = ("aten::add_", [("aten::to", [("aten::_to_copy", ["aten::copy_"])])])
    one, two = program(*fused), program("aten::linear", *[single] * 6, "aten::mean")
    for a, b in ((one, two), (two, one)):
        rules = [told.rule for told in compare(summarised(a), summarised(b)).findings]
        assert rules[:1] == ["operator_replaced"]
        assert "layout_copies" not in rules


def test_a_replaced_layer_is_reported_however_little_time_changes() -> None:
    def normalised(norm: str, updates: int) -> TraceBuilder:
        return program("aten::conv2d", norm, "aten::relu", ("aten::stack", ["aten::sqrt"] * updates))

    sides = normalised("aten::batch_norm", 8), normalised("aten::instance_norm", 6)
    comparison = compare(*map(summarised, sides))
    sentences = " ".join(finding.sentence for finding in comparison.findings)
    assert "aten::batch_norm (1 call) → aten::instance_norm (1 call)" in sentences
    assert "aten::sqrt 8 → 6" in sentences
