"""What belongs to an operator: its own time around replaced calls, copies inside it, the work it only passes on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of, sequence

STEPS = 10
Call = tuple[str, int, "Sequence[Call]"]
"""An operator, its own µs and the operators that it calls."""

OPTIMIZER = "Optimizer.step#Adam.step"
MODEL: tuple[Call, ...] = tuple(
    (f"aten::{name}", us, ()) for name, us in (("linear", 400), ("gelu", 150), ("sum", 80), ("tanh", 40), ("exp", 30))
)


def calls(*program: Call, dims: Sequence[Sequence[int]] = ((8, 64),)) -> TraceBuilder:
    """Steps of these calls on a CPU, one after another; some steps are slightly longer."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(STEPS):
        end = at + 5
        for call in program:
            end = _draw(trace, call, end, dims) + 2
        trace.step(number, at, end + number % 3)
        at = end + 10
    return trace


def _draw(trace: TraceBuilder, call: Call, at: int, dims: Sequence[Sequence[int]]) -> int:
    name, own, inner = call
    end = at + own
    for one in inner:
        end = _draw(trace, one, end, dims)
    if name.startswith("Optimizer"):
        trace.annotation(name, at, end)
    else:
        trace.op(name, at, end, dims=dims)
    return end


def test_the_code_between_replaced_calls_belongs_to_them() -> None:
    fused = calls(*MODEL, (OPTIMIZER, 100, [("aten::_foreach_add_", 300, ()), ("aten::_foreach_sqrt", 300, ())]))
    loop = [("aten::add_", 30, ()), ("aten::sqrt", 31, ())] * 10
    looped = calls(*MODEL, (OPTIMIZER, 900, loop))
    for found, sign in ((compare(fused, looped), 1), (compare(looped, fused), -1)):
        (only,) = found.findings
        assert only.rule == "operator_replaced"
        assert only.delta_us == pytest.approx(810 * sign)


def test_an_operator_that_works_itself_instead_of_calling_others_is_replaced() -> None:
    sparse = calls(*MODEL, ("aten::mm", 20, [("aten::addmm", 500, ()), ("aten::zeros", 20, ())]))
    dense = calls(*MODEL, ("aten::mm", 1500, [("aten::resolve_conj", 1, ())] * 2))
    (only,) = compare(sparse, dense).findings
    assert only.rule == "operator_replaced"
    assert only.delta_us == pytest.approx(1480 - 520 + 2)


@pytest.mark.parametrize("way", [1, -1])
def test_the_same_product_inside_another_operator_is_no_part_of_a_replacement(way: int) -> None:
    def product(name: str, us: int) -> Call:
        return (name, 10, [("aten::bmm", us, ()), ("aten::view", 4 if name == "aten::einsum" else 2, ())])

    one = calls(*MODEL, product("aten::matmul", 1000))
    two = calls(*MODEL, product("aten::einsum", 500))
    found = compare(*(one, two)[::way])
    replaced = [finding for finding in found.findings if finding.rule == "operator_replaced"]
    assert all(abs(finding.delta_us or 0) < 50 for finding in replaced)
    assert found.findings[0].subject == "aten::bmm"


def test_a_larger_product_inside_another_operator_is_part_of_it() -> None:
    one = calls(*MODEL, ("aten::matmul", 10, [("aten::bmm", 500, ())]), dims=[[8, 64], [64, 64]])
    two = calls(*MODEL, ("aten::einsum", 10, [("aten::bmm", 1500, ())]), dims=[[32, 64], [64, 64]])
    assert max(abs(finding.delta_us or 0) for finding in compare(one, two).findings[:1]) >= 900


@pytest.mark.parametrize("around", ["aten::mul_", "aten::addmm"])
def test_copies_inside_additional_operators_are_no_cause(around: str) -> None:
    part: Call = (around, 20, [("aten::to", 3, [("aten::_to_copy", 10, [("aten::copy_", 30, ())])])])
    one = calls(*MODEL, *[part] * 2)
    two = calls(*MODEL, *[part] * 12)
    found = compare(one, two)
    assert "layout_copies" not in rules_of(found)
    assert found.findings[0].rule == "more_calls"


@pytest.mark.parametrize("around", ["aten::contiguous", "aten::reshape"])
def test_copies_that_the_program_makes_are_a_cause(around: str) -> None:
    part: Call = (around, 2, [("aten::clone", 10, [("aten::copy_", 80, ())])])
    assert "layout_copies" in rules_of(compare(calls(*MODEL, part), calls(*MODEL, *[part] * 5)))


def test_an_operator_that_was_interrupted_is_not_slower() -> None:
    def steps(*often: int) -> TraceBuilder:
        plain = [("aten::mm", 700, [[64, 64]]), ("aten::relu", 120, [[64, 64]])]
        return sequence(
            [[*plain, *(("aten::transpose", us, [[64, 64]]) for us in (18 + number % 2, *often))]
             for number in range(12)], gap=2, vendor="cpu",
        )  # fmt: skip

    calm, interrupted, slower = steps(*[20] * 5), steps(*[90] * 5), steps(*[60] * 5)
    assert "operator_slower" not in rules_of(compare(calm, interrupted))
    assert "operator_slower" not in rules_of(compare(calm, slower))
    really = sequence(
        [[("aten::mm", 700, [[64, 64]]), ("aten::relu", 120, [[64, 64]])]
         + [("aten::transpose", 80 + number % 2, [[64, 64]])] * 6 for number in range(12)], gap=2, vendor="cpu",
    )  # fmt: skip
    assert finding_of(compare(calm, really), "operator_slower").subject == "aten::transpose"


def test_a_slower_operator_on_inputs_of_nearly_the_same_size_is_named() -> None:
    def steps(length: int, us: int) -> TraceBuilder:
        others = [("aten::mul", 100, [[64, length]]), ("aten::abs", 100, [[64, length]])]
        return sequence([[*others, ("aten::_fft_r2c", us, [[64, length]])]] * 10, gap=2, vendor="cpu")

    found = compare(steps(2048, 300), steps(2039, 900))
    assert (found.findings[0].rule, found.findings[0].subject) == ("operator_slower", "aten::_fft_r2c")
    assert finding_of(found, "workload_changed").delta_us is None


def test_what_torchscript_leaves_on_its_stack_is_no_other_input() -> None:
    def steps(dims: list[list[int]], types: list[str], us: int) -> TraceBuilder:
        return sequence([[("aten::mul", us, dims, types)] * 8] * 8, gap=2, vendor="cpu")

    eager = steps([[8, 32], [8, 32]], ["float", "float"], 90)
    script = steps([[], [], [8, 32], [8, 32]], ["Scalar", "Scalar", "float", "float"], 40)
    for found in (compare(eager, script), compare(script, eager)):
        assert not {"data_type_changed", "workload_changed"} & set(rules_of(found))


def test_other_types_do_not_deny_a_change_that_other_causes_explain() -> None:
    def steps(kind: str, more: int) -> TraceBuilder:
        casts = [("aten::exp", 200, [[64]], ["float"])] * more
        same = [("aten::sum", 40, [[64]], ["float"])] * 6
        return sequence([[("aten::mul", 50, [[64]], [kind])] * 4 + same + casts] * 8, vendor="cpu")

    found = finding_of(compare(steps("float", 0), steps("double", 4)), "data_type_changed")
    assert found.delta_us is None
    assert found.sentence.endswith("; other causes explain the step's change.")
    assert found.look_at.startswith("model.double(), ")


def test_a_copy_that_moved_between_replaced_operators_is_no_additional_copy() -> None:
    one = calls(*MODEL, ("aten::index_add", 100, [("aten::clone", 90, ())]))
    two = calls(*MODEL, ("aten::scatter_add", 300, [("aten::clone", 90, ())]))
    for found in (compare(one, two), compare(two, one)):
        assert rules_of(found) == ["operator_replaced"]


def test_copies_of_many_shapes_name_no_shape() -> None:
    """A list that grows by one tensor per step is concatenated each time."""

    def kept(grows: bool) -> TraceBuilder:
        work = [("aten::addmm", 300, [[64, 64]]), ("aten::tanh", 50, [[64, 64]]), ("aten::sum", 40, [[64]])]
        return sequence(
            ([*work, *([("aten::cat", 60, [[[1]] * (step + 1), []])] if grows else [])] for step in range(STEPS)),
            vendor="cpu",
        )  # fmt: skip

    found = compare(kept(False), kept(True)).findings
    copies = [finding.sentence for finding in found if finding.rule == "layout_copies"]
    assert all(sentence.endswith("aten::cat runs 0 → 1 times per step.") for sentence in copies)
