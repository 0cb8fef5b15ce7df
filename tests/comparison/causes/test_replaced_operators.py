"""Replaced operators are one finding: removed, added, and the net time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of

US = 20
STEPS = 8
Call = str | tuple[str, "Sequence[Call]"]
"""An operator, or one with those that it calls."""

BLOCK: tuple[Call, ...] = ("aten::layer_norm", "aten::linear")
GELU: tuple[Call, ...] = ("aten::gelu",)
WRITTEN_OUT: tuple[Call, ...] = ("aten::mul", "aten::tanh", "aten::mul", "aten::add")


def program(*calls: Call, vendor: str = "cpu", kernels: bool = False) -> TraceBuilder:
    """Steps of these calls of 20 µs; some steps are slightly longer."""
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
    return [one for one in compare(a, b).findings if one.rule == "operator_replaced"]


def net(finding: Finding) -> float:
    assert finding.delta_us is not None
    return finding.delta_us


@pytest.mark.parametrize("vendor", ["cpu", "cuda", "rocm", "mlu", "mtia"])
def test_an_activation_written_out_as_operators_is_replaced(vendor: str) -> None:
    kernels = vendor != "cpu"
    one = program(*BLOCK, *GELU, *BLOCK, *GELU, vendor=vendor, kernels=kernels)
    two = program(*BLOCK, *WRITTEN_OUT, *BLOCK, *WRITTEN_OUT, vendor=vendor, kernels=kernels)
    (there,), (back,) = replacements_in(one, two), replacements_in(two, one)
    assert there.sentence == (
        "Operator replaced: +132 µs per step, 6 more operator calls; 2 aten::gelu → 4 aten::mul, "
        "2 aten::add, 2 aten::tanh."
    )
    assert there.confidence.startswith("certain: ")
    assert net(back) == -net(there)
    assert replacements_in(one, one) == []


def test_a_replacement_suppresses_findings_of_new_and_removed_operators() -> None:
    findings = compare(program(*BLOCK, *GELU), program(*BLOCK, *WRITTEN_OUT)).findings
    assert findings[0].rule == "operator_replaced"
    assert not {"operators_changed", "more_calls", "host_time"} & {finding.rule for finding in findings}


def test_a_replacement_includes_its_backward_pass() -> None:
    def trained(forward: Sequence[Call], *backward: str) -> TraceBuilder:
        engine = "autograd::engine::evaluate_function: "
        passes = [(engine + name, [name]) for name in ("NllLossBackward0", *backward, "AddmmBackward0")]
        return program("aten::linear", *forward, "aten::nll_loss", *passes)

    one = trained(GELU, "GeluBackward0")
    two = trained(WRITTEN_OUT, "AddBackward0", "TanhBackward0", "MulBackward0")
    (found,) = replacements_in(one, two)
    assert "; 1 aten::gelu → 2 aten::mul, 1 aten::add, 1 aten::tanh." in found.sentence
    assert net(found) == pytest.approx(3 * US + 2 * US, abs=20)  # and the gaps around the calls


def test_a_replacement_below_one_operator_names_it() -> None:
    def attention(*inner: Call) -> TraceBuilder:
        return program("aten::linear", ("aten::scaled_dot_product_attention", inner), "aten::reshape")

    (found,) = replacements_in(
        attention("aten::_scaled_dot_product_flash_attention"), attention("aten::bmm", "aten::softmax", "aten::bmm")
    )
    assert found.sentence.startswith("Operator replaced in aten::scaled_dot_product_attention: +4")
    assert "1 aten::_scaled_dot_product_flash_attention → 2 aten::bmm, 1 aten::softmax" in found.sentence


def test_a_replaced_computation_comes_before_the_copies_of_its_result() -> None:
    """Both attentions take equally long; their results have different layouts."""

    def attention(kind: str, *inner: Call) -> TraceBuilder:
        within: Call = ("aten::scaled_dot_product_attention", [kind])
        return program("aten::linear", within, ("aten::reshape", inner), "aten::mm")

    one = attention("aten::_scaled_dot_product_flash_attention", "aten::view")
    two = attention("aten::_scaled_dot_product_attention_math", "aten::clone", "aten::_unsafe_view")
    for a, b in ((one, two), (two, one)):
        assert [found.sentence.split(":")[0] for found in replacements_in(a, b)] == [
            "Operator replaced in aten", "Operator replaced in aten",
        ]  # fmt: skip
        assert "scaled_dot_product_attention" in replacements_in(a, b)[0].sentence


def test_a_wrapped_operator_is_not_replaced() -> None:
    """Autocast calls an operator within itself, with casts."""
    plain: Call = ("aten::linear", ["aten::t", "aten::addmm"])
    cast: Call = ("aten::linear", ["aten::to", ("aten::linear", ["aten::t", "aten::addmm"])])
    assert replacements_in(program("aten::layer_norm", plain), program("aten::layer_norm", cast)) == []


def test_a_deeper_model_with_another_activation_has_one_replacement() -> None:
    one = program(*(*BLOCK, *GELU) * 4, "aten::mean")
    two = program(*(*BLOCK, "aten::silu", "aten::clone") * 6, "aten::mean")
    (found,) = replacements_in(one, two)
    assert found.sentence.endswith("4 aten::gelu → 6 aten::clone, 6 aten::silu.")


def test_a_backward_pass_in_other_places_belongs_to_the_replacement() -> None:
    """The function of a loss that is gone ran first; that of its parts runs last."""

    def trained(loss: Sequence[Call], *backward: str) -> TraceBuilder:
        engine = "autograd::engine::evaluate_function: "
        return program(*BLOCK, *loss, *((engine + name, [name]) for name in backward))

    one = trained(["aten::dot"], "DotBackward0", "AddmmBackward0")
    two = trained(["aten::tanh"], "AddmmBackward0", "TanhBackward0")
    (finding,) = compare(one, two).findings
    assert finding.sentence.endswith("; 1 aten::dot → 1 aten::tanh.")


def test_further_work_does_not_belong_to_a_small_replacement() -> None:
    """Another version of PyTorch flattens in another way, and the model has one layer more, with its backward pass."""

    def trained(view: str, layers: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(STEPS):
            start = at = 8_000 * step
            calls = [*[("aten::conv2d", 300)] * layers, ("aten::mean", 50), ("aten::flatten", 9), ("aten::sum", 50),
                     (f"{view}Backward0", 9), ("MeanBackward0", 50), *[("ConvolutionBackward0", 400)] * layers,
                     ("aten::add_", 50 + step % 3)]  # fmt: skip
            for name, us in calls:
                trace.op(name, at, at + us)
                if name == "aten::flatten":
                    trace.op(f"aten::{view}", at + 2, at + 7)
                at += us + 2
            trace.step(step, start, at)
        return trace

    found = compare(trained("ReshapeAlias", 4), trained("View", 5)).findings
    assert "aten::conv2d 4 → 5" in found[0].sentence
    assert all(abs(one.delta_us or 0) < 20 for one in found if one.rule == "operator_replaced")


def test_new_operators_elsewhere_are_no_replacement() -> None:
    one = program(*BLOCK, *GELU, "aten::mean", "aten::sum")
    two = program(*BLOCK, "aten::mean", "aten::histc", "aten::sum")
    assert replacements_in(one, two) == []


def test_copies_within_new_operators_are_part_of_the_replacement() -> None:
    """A single-tensor optimizer converts a number per parameter."""
    fused: list[Call] = ["aten::linear", "aten::_foreach_add_", "aten::mean"]
    single: Call = ("aten::add_", [("aten::to", [("aten::_to_copy", ["aten::copy_"])])])
    one, two = program(*fused), program("aten::linear", *[single] * 6, "aten::mean")
    for a, b in ((one, two), (two, one)):
        rules = rules_of(compare(a, b))
        assert rules[:1] == ["operator_replaced"]
        assert "layout_copies" not in rules


def test_one_call_around_many_is_no_wrapper_of_them() -> None:
    """As on a CPU, where aten::_foreach_add_ calls aten::add_ for each parameter."""
    fused, loop = ("aten::_foreach_add_", ["aten::add_"] * 8), ["aten::add_"] * 8
    (finding,) = replacements_in(program(*BLOCK, fused), program(*BLOCK, *loop))
    assert finding.sentence.endswith("; 1 aten::_foreach_add_ → 8 aten::add_.")
    assert replacements_in(program(*BLOCK, ("aten::to", ["aten::add_"])), program(*BLOCK, "aten::add_")) == []


def test_a_replaced_layer_is_reported_however_little_time_changes() -> None:
    def normalized(norm: str, updates: int) -> TraceBuilder:
        return program("aten::conv2d", norm, "aten::relu", ("aten::stack", ["aten::sqrt"] * updates))

    sides = normalized("aten::batch_norm", 8), normalized("aten::instance_norm", 6)
    comparison = compare(*sides)
    sentences = " ".join(finding.sentence for finding in comparison.findings)
    assert "1 aten::batch_norm → 1 aten::instance_norm" in sentences
    assert "aten::sqrt 8 → 6" in sentences


def trained(optimizer: str, *calls: Call, before: Sequence[Call] = ()) -> TraceBuilder:
    """Steps of a block and of the optimizer's methods, and of calls between these."""
    zero, step = (f"Optimizer.{method}#{optimizer}.{method}" for method in ("zero_grad", "step"))
    return program((zero, ("aten::zero_",)), *BLOCK, *before, (step, calls))


def test_another_optimizer_is_one_replacement_with_all_its_methods() -> None:
    """What runs between the methods, such as clipping of gradients, is none of its operators."""
    sgd = trained("SGD", "aten::_foreach_add_", "aten::_foreach_mul_")
    adam = trained("AdamW", *WRITTEN_OUT, before=("aten::_foreach_norm", "aten::clamp"))
    for a, b, sign, names in ((sgd, adam, "+", "SGD → AdamW"), (adam, sgd, "−", "AdamW → SGD")):
        (finding,) = replacements_in(a, b)
        assert finding.subject.startswith("Optimizer.step#")
        assert finding.sentence.startswith(f"Optimizer replaced: {sign}44.0 µs per step")
        assert finding.sentence.endswith(f"; {names}.")
        (clipping,) = [one.sentence for one in compare(a, b).findings if one.rule == "operators_changed"]
        assert "1 aten::_foreach_norm" in clipping and "1 aten::clamp" in clipping


def test_another_implementation_of_an_optimizer_is_no_other_optimizer() -> None:
    loop = trained("SGD", *["aten::add_"] * 4)
    (finding,) = replacements_in(trained("SGD", ("aten::_foreach_add_", ["aten::add_"] * 4)), loop)
    assert finding.sentence.startswith("Operator replaced in Optimizer.step#SGD.step: ")


def test_an_optimizer_of_the_other_sides_class_is_replaced_with_all_of_its_time() -> None:
    """Of two optimizers, the larger one is now of the class of the smaller."""

    def two(first: str, *calls: Call) -> TraceBuilder:
        return program(*BLOCK, (f"Optimizer.step#{first}.step", calls), ("Optimizer.step#Adam.step", ("aten::sqrt",)))

    sparse, dense = two("SparseAdam", "aten::coalesce"), two("Adam", *["aten::sqrt"] * 11)
    for a, b, change_us in ((sparse, dense, 220), (dense, sparse, -220)):
        (finding,) = replacements_in(a, b)
        assert finding.sentence.startswith("Optimizer replaced: ")
        assert net(finding) == pytest.approx(change_us, abs=2)


def normalized(module: str, *operators: str) -> TraceBuilder:
    """Eight steps of a block with a product, a module of these operators, and an activation."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at, inner = 2_000 * step, 30 * len(operators)
        trace.step(step, at, at + 800 + inner)
        trace.python("nn.Module: Block_0", at + 1, at + 790 + inner, number=10 * step, module=0)
        trace.op("aten::addmm", at + 10, at + 310 + step % 3)
        trace.python(f"nn.Module: {module}", at + 320, at + 330 + inner, number=10 * step + 1, module=0)
        for place, name in enumerate(operators):
            trace.op(f"aten::{name}", at + 322 + 30 * place, at + 347 + 30 * place)
        trace.op("aten::relu", at + 340 + inner, at + 740 + inner)
    return trace


def test_a_module_of_another_class_is_replaced_with_its_operators() -> None:
    layer, rms = normalized("LayerNorm_0", "layer_norm"), normalized("RMSNorm_0", "pow", "mean", "mul", "mul")
    (finding,), (swapped,) = replacements_in(layer, rms), replacements_in(rms, layer)
    assert finding.sentence.startswith("Module replaced in Block: +90.0 µs per step")
    named = "1 aten::layer_norm", "2 aten::mul, 1 aten::mean, 1 aten::pow"
    assert f"; 1 LayerNorm → 1 RMSNorm, in them {named[0]} → {named[1]}." in finding.sentence
    assert f"; 1 RMSNorm → 1 LayerNorm, in them {named[1]} → {named[0]}." in swapped.sentence
    assert net(swapped) == -net(finding)


@pytest.mark.parametrize(("inside", "is_replaced"), [(2, True), (1, False)])
def test_a_module_that_calls_the_other_more_often_replaces_it(inside: int, *, is_replaced: bool) -> None:
    """As a depthwise convolution and a pointwise one; but not a wrapper, which calls it as often."""

    def convolved(number: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(8):
            at, length = 2_000 * step, 10 + 110 * max(number, 1)
            trace.step(step, at, at + 410 + length)
            trace.python("nn.Module: Net_0", at + 1, at + 400 + length, number=10 * step, module=0)
            if number:
                trace.python("nn.Module: Separable_0", at + 4, at + length, number=10 * step + 1, module=0)
            for place in range(max(number, 1)):
                begin, convolution = at + 10 + 110 * place, f"nn.Module: Conv2d_{place}"
                trace.python(convolution, begin, begin + 100, number=10 * step + 2 + place, module=place)
                trace.op("aten::conv2d", begin + 5, begin + 95 + step % 3)
            trace.op("aten::relu", at + length + 5, at + length + 395)
        return trace

    for a, b in ((0, inside), (inside, 0)):
        found = [one.sentence for one in replacements_in(convolved(a), convolved(b))]
        assert [text.startswith("Module replaced in Net: ") for text in found] == [True] * is_replaced


def test_a_renamed_module_with_the_same_operators_is_not_replaced() -> None:
    assert replacements_in(normalized("LayerNorm_0", "layer_norm"), normalized("MyLayerNorm_0", "layer_norm")) == []


def test_operators_of_a_library_are_named_as_recorded() -> None:
    """Names without the library would be those of the operators around them."""

    def convolved(name: str) -> TraceBuilder:
        return program(*BLOCK, ("aten::_convolution", (name,)), *BLOCK)

    (found,) = replacements_in(convolved("aten::mkldnn_convolution"), convolved("aten::thnn_conv2d"))
    assert found.sentence.endswith("; 1 aten::mkldnn_convolution → 1 aten::thnn_conv2d.")


def test_parts_that_offset_each_other_are_named_whatever_their_sum() -> None:
    """A loss is written out in the same time, beside another change."""
    before = program("aten::loss", *BLOCK, ("aten::block", ("aten::a",)))
    after = program("aten::other_loss", *BLOCK, ("aten::block", ("aten::a",) * 3))
    for found in (compare(before, after), compare(after, before)):
        assert rules_of(found)[0] in ("more_calls", "fewer_calls")
        (loss,) = [finding for finding in found.findings if finding.rule == "operator_replaced"]
        assert abs(loss.delta_us or 0.0) < 1


def test_half_of_the_calls_do_not_hide_the_other_half() -> None:
    block = ("aten::block", ("aten::mm", "aten::loss"))
    other = ("aten::block", ("aten::mm", "aten::neg", "aten::exp"))
    found = compare(program(block, *BLOCK * 4), program(other, *BLOCK * 4, ("aten::sum", ("aten::neg",)))).findings
    (changed,) = [finding for finding in found if finding.rule == "operators_changed"]
    assert "2 aten::neg, 1 aten::sum" in changed.sentence
    assert changed.delta_us == 24  # without the call of the replacement


def test_each_function_of_the_backward_pass_goes_with_its_operators() -> None:
    """Two operators are replaced in different places, and all of autograd's functions in one."""
    engine = "autograd::engine::evaluate_function: "

    def step(activation: str, *loss: str) -> TraceBuilder:
        forward = ("aten::linear", f"aten::{activation}", "aten::reshape", *(f"aten::{name}" for name in loss))
        names = [f"{name.title()}Backward0" for name in (activation, *loss)]
        return program(*forward, "aten::ones_like", *((engine + name, [name]) for name in names))

    longer, same = sorted(replacements_in(step("gelu", "dot"), step("relu", "mul", "tanh")), key=net, reverse=True)
    assert "; 1 aten::dot → 1 aten::mul, 1 aten::tanh." in longer.sentence
    assert "; 1 aten::gelu → 1 aten::relu." in same.sentence
    assert (net(longer), net(same)) == pytest.approx((2 * US, 0), abs=16)


def adapted(*modules: str, more: int = 0) -> TraceBuilder:
    """Eight steps of four operators, and `more` small ones, in nested modules."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = 2_000 * step
        trace.step(step, at, at + 1_500)
        for depth, name in enumerate(modules):
            number, end = 10 * step + depth, at + 1_400 - depth
            trace.python(f"nn.Module: {name}", at + 1 + depth, end, number=number, module=0)
        for place, name in enumerate(("addmm", "relu", "tanh", "add")):
            trace.op(f"aten::{name}", at + 10 + 250 * place, at + 210 + 250 * place + step % 3)
        for place in range(more):
            trace.op("aten::mul", at + 1_010 + 30 * place, at + 1_035 + 30 * place)
    return trace


def test_a_module_around_another_does_not_replace_it() -> None:
    plain, wrapped = adapted("GPT2_0"), adapted("PeftModel_0", "GPT2_0", more=8)
    for sides in ((plain, wrapped), (wrapped, plain)):
        rules = [finding.rule for finding in compare(*sides).findings]
        assert "operators_changed" in rules and "operator_replaced" not in rules
    assert "operator_replaced" in [finding.rule for finding in compare(plain, adapted("Mamba_0", more=8)).findings]


def test_operators_outside_of_modules_are_replaced() -> None:
    def trained(*update: str) -> TraceBuilder:
        trace = adapted("GPT2_0")
        for step in range(8):
            at = 2_000 * step + 1_405
            for place, name in enumerate(update):
                trace.op(f"aten::{name}", at + 15 * place, at + 15 * place + 12)
        return trace

    (finding,) = replacements_in(trained("sgd"), trained("mul", "sqrt", "addcdiv_"))
    assert "; 1 aten::sgd → 1 aten::addcdiv_, 1 aten::mul, 1 aten::sqrt." in finding.sentence


@pytest.mark.parametrize(("inside", "is_replaced"), [("aten::_foreach_add_", True), ("aten::sqrt", False), ("", False)])
def test_an_optimizers_method_is_replaced_by_operators_that_it_calls(inside: str, is_replaced: bool) -> None:
    update: Call = ("Optimizer.step#SGD.step", (inside,)) if inside else "Optimizer.step#SGD.step"
    assert bool(replacements_in(program(*BLOCK, update), program(*BLOCK, *["aten::add_"] * 4))) is is_replaced


@pytest.mark.parametrize(("parent", "is_told"), [("torch::autograd::AccumulateGrad", True), ("aten::block", False)])
def test_gradients_that_are_kept_and_added_to_tell_a_setting(parent: str, *, is_told: bool) -> None:
    def trained(operator: str) -> TraceBuilder:
        return program(*BLOCK, *[(parent, (operator,))] * 4)

    sides = trained("aten::detach"), trained("aten::add_")
    for a, b in (sides, sides[::-1]):
        (finding,) = replacements_in(a, b)
        assert finding.look_at.startswith("optimizer.zero_grad(set_to_none=...)") is is_told
