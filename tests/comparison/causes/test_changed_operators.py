"""Operators that one side alone calls, or calls more often, are reported, whatever the times."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare, sequence
from tests.work_pictures import calls

US = 30


def program(*operators: str, extra: str = "", steps: int = 4) -> TraceBuilder:
    """Steps of ten products and the operators; the last step alone calls `extra`."""
    calls = [(name, 20) for name in ("aten::mm",) * 10 + operators]
    return sequence([calls] * (steps - 1) + [calls + [(extra, 20)] * bool(extra)], gap=10)


def changed(a: TraceBuilder, b: TraceBuilder) -> list[Finding]:
    found = compare(a, b).findings
    rules = ("operator_replaced", "operators_changed", "more_calls", "fewer_calls")
    return [finding for finding in found if finding.rule in rules]


def test_a_new_operator_is_reported_with_its_calls_and_time() -> None:
    (found,) = changed(program("aten::relu"), program("aten::relu", "aten::histc", "aten::histc"))
    assert found.sentence == (
        "New operator: +60.0 µs per step, +20.0 µs of it untraced host time around the calls; 2 "
        "aten::histc."
    )
    assert found.confidence.startswith("certain: calls are counted")


def test_an_operator_in_place_of_another_is_replaced_in_either_direction() -> None:
    one, two = program("aten::gelu"), program("aten::mul", "aten::tanh")
    (forward,), (swapped,) = changed(one, two), changed(two, one)
    assert forward.sentence == (
        "Operator replaced: +30.0 µs per step, +10.0 µs of it untraced host time around the calls, 1 more operator "
        "call; 1 aten::gelu → 1 aten::mul, 1 aten::tanh."
    )
    assert forward.delta_us == -(swapped.delta_us or 0.0)


def test_an_operator_that_runs_more_often_is_more_calls() -> None:
    more = ("aten::conv2d",) * 6
    (found,) = changed(program("aten::conv2d", "aten::a", "aten::b"), program(*more, "aten::a", "aten::b"))
    assert found.sentence == (
        "More calls: +150 µs per step, +50.0 µs of it untraced host time around the calls; "
        "aten::conv2d 1 → 6."
    )
    assert found.rule == "more_calls"


def test_removed_and_more_frequent_operators_are_one_finding() -> None:
    others = ("aten::a", "aten::b", "aten::c", "aten::d")
    before, after = ("aten::eq", *others, "aten::relu"), (*others, *["aten::relu"] * 20)
    (found,) = changed(program(*before), program(*after))
    assert found.sentence == (
        "More calls: +540 µs per step, +180 µs of it untraced host time around the calls; aten::relu "
        "1 → 20; gone per step: 1 aten::eq."
    )


def test_an_optimizer_is_replaced_apart_from_new_operators_beside_it() -> None:
    def trained(optimizer: str, *operators: str) -> TraceBuilder:
        trace = program("aten::relu", *operators)
        for step in range(4):
            start = step * (11 + len(operators)) * US
            trace.annotation(f"Optimizer.step#{optimizer}.step", start + 22, start + 25)
        return trace

    operator, optimizer = changed(trained("SGD"), trained("Adam", "aten::sqrt"))
    assert optimizer.sentence.endswith("; SGD → Adam.")
    assert operator.sentence.startswith("New operator") and "; 1 aten::sqrt." in operator.sentence


def test_a_negligible_change_next_to_a_pause_is_not_reported() -> None:
    def paused(*operators: str, pause: int) -> TraceBuilder:
        trace = TraceBuilder()
        for step in range(8):
            start = step * 100_000
            for place, name in enumerate(("aten::mm",) * 10 + operators):
                trace.op(name, start + 10 * place, start + 10 * place + 2)
            trace.step(step, start, start + 20_000 + pause)
        return trace

    alone = compare(paused(pause=0), paused("aten::flatten", pause=0)).findings
    with_pause = compare(paused(pause=0), paused("aten::flatten", pause=10_000)).findings
    assert [one.rule for one in alone] == ["operators_changed"]
    assert [one.rule for one in with_pause] == ["unrecorded_time"]


def test_a_call_in_a_single_step_is_not_a_change_of_the_program() -> None:
    assert changed(program("aten::relu"), program("aten::relu", extra="aten::copy_")) == []


def test_a_new_collective_is_reported_once() -> None:
    def ranked(calls: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for step in range(6):
            start = step * 20_000
            trace.step(step, start, start + 10_000)
            for place in range(10):
                trace.op("aten::mm", start + 200 * place, start + 200 * place + 150)
            for place in range(calls):
                at = start + 3_000 + 1_500 * place
                trace.op("c10d::allreduce_", at, at + 1_200)
                trace.annotation("gloo:all_reduce", at + 50, at + 1_100)
        return trace

    found = compare(ranked(0), ranked(2)).findings
    (collectives,) = [one for one in found if one.rule == "collective_slower"]
    assert collectives.sentence.startswith("More collectives: +2.40 ms exposed per step; collectives take 0 → 2 calls")
    assert "c10d::allreduce_" not in " ".join(one.sentence for one in found)


def validated(every: int, *operators: str) -> TraceBuilder:
    """Twelve steps of ten products, thirty in every n-th step, and of these operators."""
    return sequence(
        ([(name, 20) for name in ("aten::mm",) * (30 if every and step % every == every - 1 else 10) + operators]
         for step in range(12)), gap=10, vendor="cpu",
    )  # fmt: skip


def test_calls_in_some_steps_only_are_reported_with_the_steps() -> None:
    (found,) = changed(validated(0), validated(3))
    assert found.sentence.endswith("e.g. aten::mm 10 → 16.7 times per step, all in 4 of 12 steps of the candidate.")
    (found,) = changed(validated(3), validated(0))
    assert found.sentence.endswith("e.g. aten::mm 16.7 → 10 times per step, all in 4 of 12 steps of the baseline.")
    (found,) = changed(validated(0), validated(1))
    assert "all in" not in found.sentence
    (found,) = changed(validated(0, "aten::a", "aten::b"), validated(3, "aten::a", "aten::b"))
    assert found.sentence.endswith("aten::mm 10 → 16.7; all in 4 of 12 steps of the candidate.")


def test_new_work_is_named_once_by_its_forward_operator() -> None:
    """Its backward pass calls other new operators, which take longer."""
    inner = ["aten::isfinite", "aten::ne", "aten::eq"]
    one = program("aten::relu", steps=8)
    two = program("aten::relu", "aten::nan_to_num", *inner * 3, "NanToNumBackward0", steps=8)
    found = compare(one, two).findings
    assert "1 aten::nan_to_num, 3 aten::eq, 3 aten::isfinite and 2 others" in found[0].sentence
    assert "are new" not in " ".join(finding.sentence for finding in found[1:])


def test_kernels_of_another_type_are_not_more_calls() -> None:
    """Ten copies, or eleven with a renamed kernel: one more call, 100 µs rather than 1.1 ms."""

    def copies(count: int, kind: str) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step in range(4):
            start = at
            for name in ("aten::mm", "aten::relu", "aten::sum", *["aten::copy_"] * count):
                dtype = kind if name == "aten::copy_" else "float"
                trace.op(name, at, at + 20, dims=[[64, 64]], **{"Input type": [dtype]})
                trace.kernel(f"{name} of {dtype}", at + 20, at + 120, launch=(at + 5, at + 10))
                at += 130
            trace.step(step, start, at)
        return trace

    (found,) = compare(copies(10, "c10::BFloat16"), copies(11, "c10::Half")).findings
    assert found.sentence.endswith("; casts and copies +130 µs: aten::copy_ 10 → 11.")


def test_more_calls_on_larger_inputs_take_their_own_time() -> None:
    """One more product takes 400 us beside two of 5 us, not the mean of all."""
    usual = "2x aten::mm[8,8] | gemm 5\naten::sum[64,64] | reduce 800"
    more = f"{usual}\naten::mm[512,512] | large_gemm 400"
    (found,) = changed(calls(usual, steps=8), calls(more, steps=8))
    assert found.rule == "more_calls" and found.delta_us == pytest.approx(400, abs=10)


@pytest.mark.parametrize("name", ["torch.distributed.ddp.reducer::search_unused_parameters", "_DDPSinkBackward"])
def test_an_operator_of_a_setting_has_that_setting_to_look_at(name: str) -> None:
    (found,) = changed(program("aten::relu"), program("aten::relu", name))
    assert found.look_at.startswith("find_unused_parameters")
    (other,) = changed(program("aten::relu"), program("aten::relu", "aten::histc"))
    assert "find_unused_parameters" not in other.look_at


def test_more_gradients_are_named_first_with_which_parameters_require_them() -> None:
    """The embedding and two layers are no longer frozen."""
    gradient = "torch::autograd::AccumulateGrad"
    before, after = program("aten::a", "aten::b", gradient), program("aten::a", "aten::b", "aten::c", *[gradient] * 5)
    (found,) = changed(before, after)
    assert f"{gradient} 1 → 5" in found.sentence
    assert found.look_at.startswith("which parameters get a gradient")


def test_gradients_of_a_further_layer_are_no_setting() -> None:
    gradient = "torch::autograd::AccumulateGrad"
    before = program("aten::a", "aten::b", "aten::gelu", gradient)
    after = program("aten::a", "aten::b", "aten::c", *["aten::gelu"] * 5, *[gradient] * 5)
    (found,) = changed(before, after)
    assert "which parameters" not in found.look_at
    few = program("aten::a", "aten::b", *[gradient] * 16), program("aten::a", "aten::b", "aten::c", *[gradient] * 17)
    assert all("which parameters" not in found.look_at for found in changed(*few))


def test_gradients_that_another_way_computes_are_no_setting() -> None:
    """torch.func.grad instead of backward()."""
    gradient = "torch::autograd::AccumulateGrad"
    before, after = program("aten::a", *[gradient] * 4), program("aten::a", "aten::c")
    for found in (*changed(before, after), *changed(after, before)):
        assert "which parameters" not in found.look_at


def test_gradients_of_parameters_that_a_replaced_layer_has_are_no_setting() -> None:
    """Another finding names the layer."""
    gradient = "torch::autograd::AccumulateGrad"
    before = program("aten::a", "aten::b", "aten::upsample_nearest2d", *[gradient] * 4)
    after = program("aten::a", "aten::b", "aten::upsample_bicubic2d", *[gradient] * 9)
    for found in (*changed(before, after), *changed(after, before)):
        assert "which parameters" not in found.look_at


@pytest.mark.parametrize(("new", "others", "setting"), [
    ("aten::bernoulli_", ["aten::dropout"], "model.train() and model.eval()"),
    ("aten::native_dropout", ["aten::dropout"], "model.train() and model.eval()"),
    ("aten::bernoulli_", [], ""),
])  # fmt: skip
def test_dropout_with_a_mask_on_one_side_alone_is_in_training_mode(new: str, others: list[str], setting: str) -> None:
    """Not if dropout is new, or if other code draws numbers."""
    before, after = program("aten::relu", *others), program("aten::relu", *others, new)
    for found in (*changed(before, after), *changed(after, before)):
        assert found.look_at == setting
    (further,) = changed(program("aten::relu"), program("aten::relu", "aten::dropout", new))
    assert not further.look_at


@pytest.mark.parametrize(("others", "is_text"), [(["aten::isfinite"], True), ([], False)])
def test_finite_elements_are_selected_for_the_text_of_a_tensor(others: list[str], *, is_text: bool) -> None:
    before, after = program("aten::relu"), program("aten::relu", "aten::masked_select", *others)
    for found in (*changed(before, after), *changed(after, before)):
        assert found.look_at.startswith("the text of tensors") is is_text


def test_the_search_for_nan_tells_anomaly_detection() -> None:
    before, after = program("aten::a"), program("aten::a", "aten::isnan", "aten::isnan", "aten::_is_any_true")
    for found in (*changed(before, after), *changed(after, before)):
        assert "; 1 aten::_is_any_true" in found.sentence
        assert found.look_at.startswith("torch.autograd.set_detect_anomaly()")


def fills(calls: int, us: int, *, first: int = 10) -> TraceBuilder:
    """Eight steps that fill one small tensor in `first` µs, and others in `us`, with gaps of 5 µs."""
    others = [(f"aten::op{number}", 100) for number in range(6)]
    each = [*others, ("aten::fill_", first), *[("aten::fill_", us)] * (calls - 1)]
    return sequence([[*each, ("", step % 3)] for step in range(8)], gap=5, vendor="cpu")


@pytest.mark.parametrize(
    ("few", "many", "us"),
    [
        (fills(2, 10), fills(8, 300), 2120),  # the additional ones are longer: all of the change
        (fills(2, 300, first=300), fills(8, 300, first=300), 1830),  # as long as the others
        (fills(2, 10), fills(8, 300, first=100), 885),  # every call is longer: those that both make are slower
    ],
    ids=["longer", "as long", "slower"],
)
def test_additional_calls_on_larger_inputs_explain_all_of_the_change(
    few: TraceBuilder, many: TraceBuilder, us: float
) -> None:  # fmt: skip
    (there,), (back,) = changed(few, many), changed(many, few)
    assert there.delta_us == pytest.approx(us, abs=20) and back.delta_us == -there.delta_us


def computed(view_us: int, *, more: bool) -> TraceBuilder:
    """Steps of products and a view of `view_us`; or another such view, and two new operators around a new view."""
    new = [("aten::select", view_us), ("aten::cos", 50), ("aten::sin", 40), ("aten::view", view_us)]
    same = [(f"aten::{name}", 20) for name in ("mm", "relu", "add", "mul")] * 3
    return sequence([[*same, ("aten::view", view_us), *(new if more else [])]] * 6)


@pytest.mark.parametrize(("view_us", "says"), [
    (10, "1 aten::cos, 1 aten::sin, 1 aten::select."),
    (90, "1 aten::select, 1 aten::cos, 1 aten::sin; calls per step: aten::view 1 → 2."),
])  # fmt: skip
def test_views_that_take_little_are_named_last_or_not_at_all(view_us: int, says: str) -> None:
    (found,) = changed(computed(view_us, more=False), computed(view_us, more=True))
    assert found.sentence.endswith(f"; {says}")


def test_kernels_of_calls_that_are_mostly_new_are_theirs_however_long() -> None:
    def filling(times: int) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(8):
            at = 20_000 * number
            trace.step(number, at, at + 15_000)
            for place, name in enumerate(("aten::mm", "aten::relu", "aten::sum")):
                trace.op(name, at + 14_000 + 50 * place, at + 14_030 + 50 * place)
            for place in range(times):
                begin, length = at + 500 * place, 10 if place < 2 else 400 + number
                trace.op("aten::fill_", begin, begin + 20)
                trace.kernel("fill", begin + 30, begin + 30 + length, launch=(begin + 5, begin + 10))
        return trace

    for sides, way in (((2, 12), 1), ((12, 2), -1)):
        (found,) = [one for one in compare(*map(filling, sides)).findings if one.category in ("all", "Kernel")]
        assert "fill_" in found.sentence and found.change_us * way > 4000


@pytest.mark.parametrize(("steps", "is_new"), [((3, 7, 11, 15), True), ((3, 7, 11), False), ((3, 4, 11, 15), False)])
def test_an_operator_in_every_fourth_step_is_new_however_much_steps_vary(steps: tuple[int, ...], is_new: bool) -> None:
    def logged(steps: tuple[int, ...]) -> TraceBuilder:
        products = [("aten::mm", 500 + 300 * (5 * step % 7)) for step in range(16)]
        return sequence(
            [[product, *[("aten::histc", 40)] * (step in steps)] for step, product in enumerate(products)], vendor="cpu"
        )

    found = changed(logged(()), logged(steps))
    assert bool(found) is is_new
    if is_new:
        assert found[0].sentence == (
            "New operator: +10.0 µs per step; 0.25 aten::histc; all in 4 of 16 steps of the "
            "candidate."
        )


@pytest.mark.parametrize(("us", "is_told"), [(500, True), (150, False)])
def test_time_per_call_of_recounted_operators_is_told_if_it_is_most_of_their_change(us: int, *, is_told: bool) -> None:
    """Four further products that are larger than the thirteen others, as of a second network's backward pass."""
    others = [(f"aten::op{place}", 100) for place in range(12)]
    sides = [sequence([[("aten::mm", 100)] * 13 + [("aten::mm", us)] * more + others] * 8) for more in (0, 4)]
    for a, b, recounted in ((*sides, "13 → 17"), (*sides[::-1], "17 → 13")):
        found = compare(a, b).findings
        assert found[0].rule in ("more_calls", "fewer_calls")
        told = [one.sentence for one in found if one.rule == "host_time"]
        assert [f"({recounted} calls per step, mostly from time per call)" in text for text in told] == [True] * is_told
