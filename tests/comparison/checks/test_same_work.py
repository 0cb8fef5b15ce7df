"""Runs of different work have no verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, judge


def run(*operators: str, length: int = 1000) -> TraceBuilder:
    """Eight steps of these operators, each with one kernel."""
    trace = TraceBuilder()
    for number in range(8):
        at = number * 2000
        trace.step(number, at, at + length + number % 3)
        for place, name in enumerate(operators):
            start = at + 100 * place
            trace.op(name, start, start + 90, dims=[[32, 8]])
            kernel = f"{name.removeprefix('aten::')}_kernel"
            trace.kernel(kernel, start + 50, start + 80, launch=(start + 10, start + 15))
    return trace


def test_other_work_withholds_the_verdict() -> None:
    found = judge(run("aten::mm", "aten::relu"), run("aten::sort", "aten::topk", length=1500))
    assert found.headline.verdict is Verdict.WITHHELD
    assert found.headline.reason.startswith("neither step contains the other's work: 0 % of the baseline's time")
    assert found.headline.delta == 500.0  # the figures stay


OPERATORS = [f"aten::op{number:02}" for number in range(12)]


def test_a_step_that_holds_all_of_the_other_is_compared_despite_many_added_calls() -> None:
    def trace(added: int) -> TraceBuilder:
        made = run(*OPERATORS, length=1900)
        for number in range(8):
            for place in range(added):
                start = number * 2000 + 1300 + 10 * place
                made.op("aten::isfinite", start, start + 5, dims=[[1]])
        return made

    forward, swapped = judge(trace(0), trace(50)), judge(trace(50), trace(0))
    assert check_of(forward, "same_work").detail == (
        "the candidate does all the baseline does, and 50 more operator calls per step (aten::isfinite 50)"
    )
    assert check_of(swapped, "same_work").detail.startswith("the baseline does all the candidate does, and 50 more")
    assert Verdict.WITHHELD not in (forward.headline.verdict, swapped.headline.verdict)


@pytest.mark.parametrize(("length", "lead"), [
    (1901, "Nothing changed beyond the spread of steps and captures"), (2900, "No cause found"),
])  # fmt: skip
def test_without_findings_the_answer_says_that_the_calls_are_the_same(length: int, lead: str) -> None:
    """A longer step whose time nothing explains: host code that records nothing."""
    compared = compare(run(*OPERATORS, length=1900), run(*OPERATORS, length=length))
    found = replace(compared, findings=())
    assert found.no_finding == f"{lead}; both sides make the same operator calls on the same inputs."


def test_with_findings_nothing_is_said_in_their_place() -> None:
    found = compare(run(*OPERATORS, length=1900), run(*OPERATORS, length=2900))
    assert found.findings
    assert found.no_finding is None


def test_steps_of_copies_alone_are_the_same_work() -> None:
    trace = TraceBuilder()
    for number in range(8):
        trace.step(number, number * 2000, number * 2000 + 1000)
        trace.memcpy(number * 2000 + 100, number * 2000 + 300, launch=(number * 2000 + 10, number * 2000 + 20))
    assert check_of(judge(trace, trace), "same_work").status == "ok"


def rank(*operators: str, device: bool) -> Summary:
    trace = TraceBuilder(vendor="cuda" if device else "cpu")
    for number in range(8):
        at = 1000 * number
        trace.step(number + 1, at, at + 900 + 10 * (number % 3))
        for place, name in enumerate(operators):
            trace.op(f"aten::{name}", at + 100 * place, at + 100 * place + 50)
        if device:
            trace.kernel("gemm", at + 120, at + 700, launch=(at + 5, at + 10))
    return summary(trace)


def test_a_rank_without_a_device_that_does_other_work_is_not_compared_with_one_on_a_device() -> None:
    """Between two devices three of five shared operators would be enough."""
    host, gpu = rank("empty", "copy_", "add", "sort", device=False), rank("empty", "copy_", "add", "mm", device=True)
    for a, b in ((host, gpu), (gpu, host)):
        got = judge(a, b).headline
        assert got.verdict is Verdict.WITHHELD
        assert "one side recorded the CPU alone, the other a device" in got.reason
        assert "60.0 % of the operator calls" in got.reason


def test_the_same_model_on_the_cpu_and_on_a_device_is_compared() -> None:
    host, gpu = rank("mm", "add", "relu", device=False), rank("mm", "add", "relu", device=True)
    found = judge(host, gpu)
    assert found.headline.verdict is not Verdict.WITHHELD
    check = check_of(found, "device_kind")
    assert check.detail == "the baseline recorded no device work, the other side ran on NVIDIA A100-SXM4-40GB"


def trained(shapes: tuple[str, ...], *operators: str) -> TraceBuilder:
    """Steps of these operators that accumulate one gradient of each shape."""
    trace = run(*operators, length=1900)
    for number in range(8):
        for place, shape in enumerate(shapes):
            start = number * 2000 + 1300 + 20 * place
            trace.op("torch::autograd::AccumulateGrad", start, start + 5, dims=[json.loads(shape)])
    return trace


PARAMETERS = ("[64, 32]", "[64]", "[8, 64]", "[8]")


def test_a_step_that_trains_the_same_parameters_by_other_operators_is_compared() -> None:
    """A sparse product that became gather and scatter."""
    gathered = "aten::gather", "aten::mul", "aten::scatter_add_", "aten::view", "aten::expand"
    sparse = "aten::_sparse_mm", "aten::crow_indices", "aten::sort", "aten::cumsum", "aten::col_indices"
    found = judge(trained(PARAMETERS, *sparse), trained(PARAMETERS, *gathered))
    assert found.headline.verdict is not Verdict.WITHHELD
    assert check_of(found, "same_work").detail.startswith(
        "other operators, but both train 4 parameters of the same shapes"
    )
    other = judge(trained(PARAMETERS, *sparse), trained(("[64, 16]", *PARAMETERS[1:]), *gathered))
    assert other.headline.verdict is Verdict.WITHHELD
    twice = judge(trained(PARAMETERS, *sparse), trained(PARAMETERS * 2, *gathered))
    assert twice.headline.verdict is Verdict.WITHHELD


def attention(heads_at_once: int, heads: int = 16, length: int = 1000) -> TraceBuilder:
    """Eight steps of two layers on the CPU, whose products take some of the heads at once."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        start = number * 2000
        trace.step(number, start, start + length + number % 3)
        for _ in range(2 * heads // heads_at_once):
            for name, dims in (
                ("aten::bmm", [[heads_at_once, 64, 8], [heads_at_once, 8, 64]]),
                ("aten::_softmax", [[heads_at_once, 64, 64], [], []]),
                ("aten::bmm", [[heads_at_once, 64, 64], [heads_at_once, 64, 8]]),
                *([("aten::slice", [[16, 64, 8]])] * 6 if heads_at_once < heads else []),
            ):
                trace.op(name, start + 1, start + 4, dims=dims, types=["float"] * len(dims))
                start += 3
    return trace


def test_as_much_arithmetic_in_other_pieces_is_the_same_work() -> None:
    sliced = judge(attention(16), attention(1, length=1900))
    assert sliced.headline.verdict is Verdict.SLOWER
    assert check_of(sliced, "same_work").detail.startswith(
        "other pieces, but both compute as much (matrix product 4.19 MFLOP per step); in common by name: "
    )
    more_heads = judge(attention(16), attention(1, heads=17, length=1900))
    assert "other pieces" not in check_of(more_heads, "same_work").detail


def test_a_size_that_is_no_size_is_not_compared() -> None:
    def trace(size: int) -> TraceBuilder:
        drawn = TraceBuilder(vendor="cpu")
        for number in range(8):
            at = 2000 * number
            drawn.step(number, at, at + 1000 + number % 3)
            drawn.op("aten::mm", at, at + 900, dims=[[size, 5]])
        return drawn

    assert judge(trace(-1), trace(3)).headline.verdict is not Verdict.WITHHELD
