"""Steps are the same piece of a program although most of their operators are others."""

from __future__ import annotations

from itertools import cycle

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import sequence


def compared(a: TraceBuilder, b: TraceBuilder) -> Comparison:
    return compare_summaries(summary(a), summary(b), CompareOptions(resamples=200))


def checked(found: Comparison, name: str) -> tuple[str, str]:
    (check,) = [check for check in found.comparability if check.check == name]
    return check.status, check.detail


def training(layer: str, inside: int) -> TraceBuilder:
    """Eight steps around one layer, which calls `inside` operators of its own."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = number * 20_000
        trace.step(number, at, at + 1_000 + 100 * inside + number % 3)
        for place, name in enumerate(("randn", "randint", "linear", "cross_entropy_loss", "ones_like")):
            trace.op(f"aten::{name}", at + 20 * place, at + 20 * place + 15)
        trace.op(layer, at + 200, at + 300 + 100 * inside)
        for call in range(inside):
            name = f"{layer}_part{call % 7}"
            trace.op(name, at + 210 + 100 * call, at + 300 + 100 * call)
    return trace


def test_a_layer_that_became_another_one_is_compared() -> None:
    found = compared(training("aten::lstm", 3), training("aten::gru", 60))
    assert found.headline.verdict is Verdict.SLOWER
    assert checked(found, "same_work") == (
        "warn",
        "partly different work: 71.4 % of the 6 operators that the program itself calls per step are the same; "
        "in common: 7.14 % of the operator calls",
    )
    assert [finding.rule for finding in found.findings][:1] == ["operator_replaced"]


def test_work_added_around_unrecorded_threads_is_compared() -> None:
    def step(added: int) -> TraceBuilder:
        calls = [(f"aten::{name}", 20) for name in ("randn", "chunk", "cat", "argmax")]
        return sequence([[*calls, *[("aten::clone", 30)] * added]] * 8, vendor="cpu")

    found = compared(step(0), step(20))
    assert found.headline.verdict is Verdict.SLOWER
    assert checked(found, "same_work")[1].startswith(
        "partly different work: the candidate calls all 4 operators that the baseline's program itself calls per step"
    )


def steps_of(*names: str, us: float) -> TraceBuilder:
    """Eight small steps."""
    return sequence([[(f"aten::{name}", us) for name in names]] * 8, vendor="cpu")


def test_a_small_program_around_a_replaced_operator_is_compared() -> None:
    found = compared(steps_of("randn", "topk", "sum", us=20), steps_of("randn", *["sort", "slice"] * 3, "sum", us=40))
    assert found.headline.verdict is Verdict.SLOWER
    assert checked(found, "same_work") == (
        "warn",
        "partly different work: both sides call aten::randn and aten::sum, and few other operators; "
        "in common: 22.2 % of the operator calls",
    )


def test_small_programs_with_one_call_in_common_are_not_compared() -> None:
    found = compared(steps_of("randn", "topk", us=20), steps_of("randn", *["sort", "slice"] * 3, us=40))
    assert found.headline.verdict is Verdict.WITHHELD


def loop(*names: str, us: float, calls: int = 60) -> TraceBuilder:
    """A recording of a loop without step marks; its calls vary by a tenth, as on any machine."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for _, noise in zip(range(calls), cycle((0.0, 0.1, 0.05, 0.02, 0.08)), strict=False):
        for name in names:
            trace.op(f"aten::{name}", at, at + us * (1 + noise), dims=[[192, 192]])
            at += us * (1 + noise) + 1
    return trace


def test_a_loop_of_one_operator_has_its_calls_for_steps() -> None:
    found = summary(loop("mm", us=100))
    assert found.iterations is not None
    assert (found.iterations.chosen.name, len(found.steps)) == ("aten::mm", 59)


def test_a_loop_of_two_operators_may_be_the_layers_of_a_model() -> None:
    assert not summary(loop("linear", "relu", us=100)).marked


@pytest.mark.parametrize("other", [("silu",), ("sigmoid", "mul", "add")])
def test_an_operator_measured_against_others_has_a_direction(other: tuple[str, ...]) -> None:
    found = compared(loop("gelu", us=100), loop(*other, us=150))
    assert found.headline.verdict is Verdict.SLOWER
    assert checked(found, "step_marker")[0] == "ok"
    assert checked(found, "same_work") == (
        "warn",
        f"different operators: a loop of aten::gelu (1 per step) against one of "
        f"{', '.join(f'aten::{name} (1)' for name in sorted(other))}",
    )


def test_one_capture_of_one_operator_does_not_tell_the_program_from_the_machine() -> None:
    found = compared(loop("mm", us=100), loop("mm", us=120))
    assert found.headline.verdict is Verdict.INCONCLUSIVE
    assert "the same operators account for it: record several captures per side" in found.headline.sentence
