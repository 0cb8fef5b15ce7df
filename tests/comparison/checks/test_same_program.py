"""Another form of a program has a verdict that names what was replaced; another program has none. Without shapes."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.judged import Judged
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.names.work_kinds import work_kind
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, judge

Calls = dict[str, int]

LINEAR: Calls = {"aten::linear": 1, "aten::t": 1, "aten::transpose": 1, "aten::as_strided": 2, "aten::addmm": 1,
                 "aten::expand": 1, "aten::copy_": 1}  # fmt: skip
QUANTIZED: Calls = {"quantized::linear_dynamic": 1, "aten::empty": 2, "aten::empty_like": 1}
LSTM: Calls = {"aten::lstm": 1, "aten::zeros": 2, "aten::mkldnn_rnn_layer": 1}
CELL: Calls = {"aten::lstm_cell": 1, "aten::linear": 2, "aten::t": 2, "aten::transpose": 2, "aten::addmm": 2,
               "aten::unsafe_chunk": 1, "aten::sigmoid_": 3, "aten::tanh_": 1, "aten::tanh": 1,
               "aten::mul": 3}  # fmt: skip
FUSED: Calls = {"aten::scaled_dot_product_attention": 1, "aten::_scaled_dot_product_flash_attention": 1}
WRITTEN: Calls = {"aten::matmul": 2, "aten::bmm": 2, "aten::div": 1, "aten::softmax": 1, "aten::_softmax": 1,
                  "aten::expand": 4, "aten::clone": 3, "aten::reshape": 4}  # fmt: skip
NORM: Calls = {"aten::layer_norm": 1, "aten::native_layer_norm": 1}
CONVOLUTION: Calls = {"aten::conv2d": 1, "aten::convolution": 1, "aten::_convolution": 1, "aten::cudnn_convolution": 1,
                      "aten::batch_norm": 1, "aten::relu": 1}  # fmt: skip
ADAM: Calls = {"aten::addcdiv_": 1, "aten::addcmul_": 1, "aten::lerp_": 1, "aten::sqrt": 1, "aten::div": 1,
               "aten::add_": 1}  # fmt: skip


def times(count: int, calls: Calls) -> Calls:
    return {name: count * number for name, number in calls.items()}


def added(*parts: Calls) -> Calls:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: sum(part.get(name, 0) for part in parts) for name in names}


def run(calls: Calls, each: int = 4, device: bool = False) -> Summary:
    """Eight steps with these operators one after another, `each` µs long."""
    trace = TraceBuilder(vendor="cuda" if device else "cpu")
    length = each * sum(calls.values()) + 20
    for number in range(8):
        at = number * (length + 50)
        trace.step(number, at, at + length + number % 3)
        start = at + 5
        for name, count in calls.items():
            for _ in range(count):
                trace.op(name, start, start + each - 1)
                start += each
        if device:
            trace.kernel("gemm", at + 20, at + length - 10, launch=(at + 6, at + 7))
    return summary(trace)


def same_work(found: Judged) -> Check:
    return check_of(found, "same_work")


MLP = added(times(6, LINEAR), {"aten::relu": 5, "aten::clamp_min": 5})
TRANSFORMER = added(times(9, LINEAR), times(3, FUSED), times(7, NORM), {"aten::gelu": 3, "aten::embedding": 1})
CONV_NET = added(times(8, CONVOLUTION), LINEAR, {"aten::max_pool2d": 2})

FORMS = {
    "quantized": (MLP, added(times(6, QUANTIZED), {"aten::relu": 5, "aten::clamp_min": 5}),
                  "aten::addmm (6 per step) became quantized::linear_dynamic (6)"),
    "quantized, activations fused": (MLP, {"quantized::linear_relu": 5, "quantized::linear": 1, "aten::dequantize": 1},
                                     "became quantized::linear_relu (5), quantized::linear (1)"),
    "8 bits by hand": (MLP, added({"aten::_int_mm": 6, "aten::mul": 12, "aten::round": 6, "aten::relu": 5}),
                       "aten::addmm (6 per step) became aten::_int_mm (6)"),
    "LSTM": (added(LSTM, LINEAR), added(times(20, CELL), LINEAR), "aten::lstm (1 per step) became"),
    "an LSTM of a type that the library does not have": (added(LSTM, times(4, LINEAR)),
                                                         added({"aten::lstm": 1}, times(20, CELL), times(4, LINEAR)),
                                                         "different operators around them"),
    "fused attention": (times(3, FUSED), times(3, WRITTEN),
                        "aten::_scaled_dot_product_flash_attention (3 per step) became aten::bmm (6)"),
    "attention of a library": (times(3, WRITTEN), {"flash_attn::_flash_attn_forward": 3, "FlashAttnFunc": 3},
                               "became"),
    "an optimizer in a loop": (MLP, added(MLP, times(24, ADAM)), "the same 6 matrix products per step"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_another_form_of_a_program_has_a_verdict_and_names_the_replacement(name: str) -> None:
    one, two, replaced = FORMS[name]
    forward, swapped = judge(run(one), run(two)), judge(run(two), run(one))
    assert same_work(forward).status == same_work(swapped).status == "warn"
    assert replaced in same_work(forward).detail
    assert Verdict.WITHHELD not in (forward.headline.verdict, swapped.headline.verdict)


def test_the_same_kinds_of_work_done_far_more_often_have_a_verdict() -> None:
    """Attention by a kernel, and head by head: most calls are on one side alone."""
    rest = added(times(9, LINEAR), times(7, NORM), {"aten::gelu": 3})
    fused = added(rest, times(3, FUSED))
    heads = added(rest, times(24, WRITTEN), {"aten::select": 300, "aten::as_strided": 300})
    assert judge(run(heads), run(fused, device=True)).headline.verdict is Verdict.WITHHELD  # a rank without a device
    for sides in ((fused, heads), (heads, fused)):
        found = judge(*map(run, sides))
        assert same_work(found).status == "warn" and "by operator name" in same_work(found).detail
        assert found.headline.verdict is not Verdict.WITHHELD


def test_training_contains_inference() -> None:
    training = added(TRANSFORMER, times(18, {"aten::mm": 1, "AddmmBackward0": 1, "aten::sum": 1, "aten::detach": 2}),
                     times(60, ADAM), {"aten::nll_loss_forward": 1})  # fmt: skip
    found = judge(run(training), run(TRANSFORMER))
    assert found.headline.verdict is Verdict.FASTER
    assert "one side does more of the same work: " in same_work(found).detail
    assert "matrix product 33 vs 15" in same_work(found).detail


UPDATE = {"Optimizer.step#Adam.step": 1}


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_training_is_not_compared_with_validation(side: str) -> None:
    training = run(added(TRANSFORMER, {"AddmmBackward0": 9}, UPDATE))
    sides = (training, run(TRANSFORMER)) if side == "baseline" else (run(TRANSFORMER), training)
    found = judge(*sides)
    assert found.headline.verdict is Verdict.WITHHELD
    assert found.headline.reason.startswith(f"the {side} trains (backward pass, optimizer step), the ")


def test_a_lost_optimizer_step_is_a_change_of_the_program() -> None:
    backward = {"AddmmBackward0": 9}
    found = judge(run(added(TRANSFORMER, backward, UPDATE)), run(added(TRANSFORMER, backward)))
    assert found.headline.verdict is not Verdict.WITHHELD


OTHERS = {
    "conv net, transformer": (CONV_NET, TRANSFORMER),
    "perceptron, transformer": (MLP, TRANSFORMER),
    "quantized perceptron, transformer": (times(9, QUANTIZED), TRANSFORMER),
    "more and quantized products": (times(9, QUANTIZED), times(6, LINEAR)),
    "LSTM, perceptron": (added(LSTM, LINEAR), MLP),
    "LSTM, GRU": (added(LSTM, LINEAR), added({"aten::gru": 1, "aten::_cudnn_rnn": 1}, times(20, CELL), LINEAR)),
    "one optimizer, other models": (added(CONV_NET, times(60, ADAM)), added(TRANSFORMER, times(60, ADAM))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_are_not_compared_and_the_reason_lists_their_work(name: str) -> None:
    for one, two in (OTHERS[name], OTHERS[name][::-1]):
        found = judge(run(one), run(two))
        assert found.headline.verdict is Verdict.WITHHELD
        assert "computed per step, baseline vs candidate: " in found.headline.reason


def test_the_cpu_and_a_device_may_use_other_operators_for_the_same_work() -> None:
    convolutions = {name: calls for name, calls in CONV_NET.items() if name != "aten::cudnn_convolution"}
    host = added(convolutions, {"aten::mkldnn_convolution": 8, "aten::empty": 30}, times(12, ADAM))
    assert judge(run(host), run(CONV_NET, device=True)).headline.verdict is not Verdict.WITHHELD
    assert judge(run(host), run(TRANSFORMER, device=True)).headline.verdict is Verdict.WITHHELD


def test_shared_operators_decide_between_ok_warn_and_fail() -> None:
    """Operators of unknown work: at least half shared passes, below 35 % fails, between them warns."""

    def shared(count: int) -> Calls:
        return {f"aten::op{place}": 1 for place in range(20 - count, 40 - count)}

    base = run(shared(0), each=20)
    found = {count: judge(base, run(shared(20 - count), each=30)) for count in range(4, 21)}
    status = {round(count / (40 - count), 2): same_work(one).status for count, one in found.items()}
    assert {share: "ok" if share >= 0.5 else "warn" if share >= 0.35 else "fail" for share in status} == status
    assert {0.43, 0.48, 0.54} <= status.keys()
    verdicts = [one.headline.verdict for count, one in found.items() if count / (40 - count) >= 0.35]
    assert set(verdicts) == {Verdict.SLOWER}


@pytest.mark.parametrize(
    "kind, names",
    [
        ("matrix product", "aten::mm aten::addmm aten::bmm aten::_int_mm aten::_scaled_mm aten::_addmm_activation "
         "aten::_weight_int4pack_mm quantized::linear_dynamic quantized::linear_relu onednn::qlinear_pointwise "
         "mkldnn::_linear_pointwise bitsandbytes::int8_linear_matmul _C::gptq_marlin_gemm _C::cutlass_scaled_mm "
         "MatMul8bitLt"),
        ("convolution", "aten::convolution quantized::conv2d_relu onednn::qconv2d_pointwise"),
        ("attention", "aten::_scaled_dot_product_efficient_attention xformers::efficient_attention_forward_cutlass "
         "flash_attn::_flash_attn_varlen_forward vllm::unified_attention_with_output FlashAttnFunc"),
        ("rms norm", "aten::rms_norm _C::fused_add_rms_norm sgl_kernel::rmsnorm"),
        ("silu", "aten::silu aten::silu_ _C::silu_and_mul"),
        ("", "aten::linear aten::matmul aten::upsample aten::_convolution aten::view quantized::linear_prepack "
         "aten::_scaled_dot_product_attention_math autograd::engine::evaluate_function: AddmmBackward0 AddmmBackward0 "
         "aten::convolution_backward aten::mul FlashAttnFuncBackward aten::add_ Optimizer.step#Adam.step"),
    ],
)  # fmt: skip
def test_work_kind_of_operators(kind: str, names: str) -> None:
    assert {name: work_kind(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


@pytest.mark.parametrize("often", [2, 4, 16])
def test_any_number_of_micro_batches_per_step_is_compared(often: int) -> None:
    once, repeated = run(added(TRANSFORMER, ADAM)), run(added(times(often, TRANSFORMER), ADAM))
    for found in (judge(once, repeated), judge(repeated, once)):
        check = same_work(found)
        assert found.headline.verdict is not Verdict.WITHHELD
        if check.status == "warn":  # half of the calls in common by name need no more
            assert f"one side makes the same calls {often} times per step" in check.detail
    assert (check.status == "warn") == (often > 2)
