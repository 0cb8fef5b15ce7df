"""Runs of different work are not judged; other inputs are named."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def run(*operators: str, shape: int = 32, length: int = 1000) -> TraceBuilder:
    """Eight steps, each with the operators one after another, a kernel below each."""
    trace = TraceBuilder()
    for number in range(8):
        at = number * 2000
        trace.step(number, at, at + length + number % 3)
        for place, name in enumerate(operators):
            start = at + 100 * place
            trace.op(name, start, start + 90, dims=[[shape, 8]])
            kernel = f"{name.removeprefix('aten::')}_kernel"
            trace.kernel(kernel, start + 50, start + 80, launch=(start + 10, start + 15))
    return trace


def compared(a: TraceBuilder, b: TraceBuilder) -> Comparison:
    return compare_summaries(summary(a), summary(b), CompareOptions(resamples=200))


def check(found: Comparison, name: str) -> Check:
    return next(check for check in found.comparability if check.check == name)


def test_other_work_withholds_the_verdict_and_is_the_reason() -> None:
    found = compared(run("aten::mm", "aten::relu"), run("aten::sort", "aten::topk", length=1500))
    assert found.headline.verdict is Verdict.WITHHELD
    assert found.headline.reason.startswith("neither step contains the other's work: 0 % of the baseline's time")
    assert found.headline.delta == 500.0  # the figures stay


OPERATORS = [f"aten::op{number:02}" for number in range(12)]


def test_a_step_that_holds_all_of_the_other_is_compared_however_many_calls_are_added() -> None:
    def trace(added: int) -> TraceBuilder:
        made = run(*OPERATORS, length=1900)
        for number in range(8):
            for place in range(added):
                start = number * 2000 + 1300 + 10 * place
                made.op("aten::isfinite", start, start + 5, dims=[[1]])
        return made

    forward, swapped = compared(trace(0), trace(50)), compared(trace(50), trace(0))
    assert check(forward, "same_work").detail == (
        "the candidate does all the baseline does, and 50 more operator calls per step (aten::isfinite 50)"
    )
    assert check(swapped, "same_work").detail.startswith("the baseline does all the candidate does, and 50 more")
    assert Verdict.WITHHELD not in (forward.headline.verdict, swapped.headline.verdict)


def test_half_in_common_is_compared() -> None:
    found = compared(run("aten::mm", "aten::relu"), run("aten::mm", "aten::topk", "aten::relu", length=1500))
    assert check(found, "same_work").status == "ok"
    assert found.headline.verdict is Verdict.SLOWER


def test_other_input_shapes_warn_and_are_compared() -> None:
    found = compared(run("aten::mm", "aten::relu"), run("aten::mm", "aten::relu", shape=64, length=1500))
    assert check(found, "input_shapes").status == "warn"
    assert found.headline.verdict is Verdict.SLOWER
    assert [finding.rule for finding in found.findings][:1] == ["workload_changed"]


def test_the_same_inputs_are_ok() -> None:
    found = compared(run("aten::mm"), run("aten::mm", length=1500))
    assert check(found, "input_shapes").status == "ok"


def test_steps_of_copies_only_are_not_other_work() -> None:
    trace = TraceBuilder()
    for number in range(8):
        trace.step(number, number * 2000, number * 2000 + 1000)
        trace.memcpy(number * 2000 + 100, number * 2000 + 300, launch=(number * 2000 + 10, number * 2000 + 20))
    assert check(compared(trace, trace), "same_work").status == "ok"


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
    """Three of five operators in common would do between two devices."""
    host, gpu = rank("empty", "copy_", "add", "sort", device=False), rank("empty", "copy_", "add", "mm", device=True)
    for a, b in ((host, gpu), (gpu, host)):
        got = compare_summaries(a, b, CompareOptions()).headline
        assert got.verdict is Verdict.WITHHELD
        assert "one side recorded the CPU alone, the other a device" in got.reason
        assert "60.0 % of the operator calls" in got.reason


def test_the_same_model_on_the_cpu_and_on_a_device_is_compared() -> None:
    host, gpu = rank("mm", "add", "relu", device=False), rank("mm", "add", "relu", device=True)
    found = compare_summaries(host, gpu, CompareOptions())
    assert found.headline.verdict is not Verdict.WITHHELD
    (check,) = [check for check in found.comparability if check.check == "device_kind"]
    assert check.detail == "the baseline recorded no device work, the other side ran on NVIDIA A100-SXM4-40GB"
