"""The same model eager and compiled, on the CPU: what the trace says of torch.compile is what is told."""

from __future__ import annotations

from functools import cache

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

LAYER = ("aten::layer_norm", "aten::linear", "aten::gelu", "aten::add", "aten::sum")
STEPS = 10


@cache
def eager() -> Summary:
    """Four layers of five operators per step, Python between them."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, STEPS + 1):
        begin = at
        for _ in range(4):
            for name in LAYER:
                trace.op(name, at + 20, at + 120 + step % 3)
                at += 130
        trace.step(step, begin, at + 30)
        at += 40
    return summary(trace)


@cache
def compiled(regions: tuple[tuple[str, ...], ...] = (("0/0",),), us: float = 800.0) -> Summary:
    """`regions` of one step after another, over and over: each a range around its graph and the autograd function."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, STEPS + 1):
        begin, here = at, regions[(step - 1) % len(regions)]
        for region in here:
            length = us / len(here) + 60 + step % 3
            trace.annotation(f"Torch-Compiled Region: {region}", at + 5, at + length)
            trace.op("CompiledFunction", at + 15, at + length - 5)
            trace.annotation("## Call CompiledFxGraph fk3abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnop4 ##",
                             at + 20, at + length - 10)  # fmt: skip
            if region == here[0]:
                trace.op("aten::linear", at + 30, at + 130)
            at += length + 10
        trace.op("CompiledFunctionBackward", at + 5, at + 300)
        trace.step(step, begin, at + 320)
        at += 330
    return summary(trace)


def compile_findings(a: Summary, b: Summary) -> tuple[Comparison, list[Finding]]:
    comparison = compare_summaries(a, b, CompareOptions())
    return comparison, [one for one in comparison.findings if "compil" in one.rule or "graph_breaks" in one.rule]


def test_compiling_is_the_first_cause_and_says_which_operators_it_took_the_place_of() -> None:
    comparison, (told,) = compile_findings(eager(), compiled())
    assert comparison.findings[0] is told
    assert told.rule == "compilation_gained"
    assert told.sentence.startswith("More code is compiled: −")
    assert "the candidate runs 1 compiled region per step (0/0), the baseline none" in told.sentence
    assert "operator calls 20 → 3 per step, gone: aten::add, aten::gelu, aten::layer_norm and 1 other." in told.sentence
    assert told.confidence == "certain: compiled regions are counted"


def test_exchanging_the_sides_finds_the_opposite() -> None:
    _, (there,) = compile_findings(eager(), compiled())
    _, (back,) = compile_findings(compiled(), eager())
    assert (there.rule, back.rule) == ("compilation_gained", "compilation_lost")
    assert there.delta_us == -(back.delta_us or 0.0)
    assert "the baseline runs 1 compiled region per step (0/0), the candidate none" in back.sentence


def test_more_regions_per_step_are_graph_breaks() -> None:
    _, (told,) = compile_findings(compiled(), compiled((("0/0", "1/0", "2/0"),)))
    assert told.rule == "more_graph_breaks"
    assert "1 compiled region per step (0/0) → 3 compiled regions per step (0/0, 1/0, 2/0)" in told.sentence
    _, (back,) = compile_findings(compiled((("0/0", "1/0", "2/0"),)), compiled())
    assert (back.rule, back.delta_us) == ("fewer_graph_breaks", -(told.delta_us or 0.0))


def test_a_region_compiled_again_is_a_recompilation() -> None:
    _, (told,) = compile_findings(compiled(), compiled((("0/0",), ("0/1",), ("0/2",)), us=1200.0))
    assert told.sentence.startswith("More recompilations: ")
    assert "recompilations 0 → 2" in told.sentence


def test_equal_sides_have_none() -> None:
    assert compile_findings(compiled(), compiled())[1] == []
    assert compile_findings(eager(), eager())[1] == []


def test_operators_inside_compiled_regions_make_no_other_work() -> None:
    """A fifth of the names is left of an eager step, and the question whether it is faster has an answer."""
    comparison, _ = compile_findings(eager(), compiled())
    (check,) = [one for one in comparison.comparability if one.check == "same_work"]
    assert (check.status, comparison.headline.verdict) == ("warn", "faster")
    assert check.detail.startswith(
        "only the candidate runs compiled regions, whose operators are not recorded; in common: "
    )
    back, _ = compile_findings(compiled(), eager())
    assert back.headline.verdict == "slower"


def test_operators_gone_into_a_region_are_named_by_the_forward_pass() -> None:
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, STEPS + 1):
        begin = at
        for name, us in (
            ("autograd::engine::evaluate_function: GeluBackward0", 300),
            ("aten::gelu", 200),
            ("aten::linear", 100),
        ):
            trace.op(name, at + 20, at + 20 + us + step % 3)
            at += us + 30
        trace.step(step, begin, at + 30)
        at += 40
    _, (told,) = compile_findings(summary(trace), compiled())
    assert "gone: aten::gelu, evaluate_function: GeluBackward" in told.sentence


def test_what_a_slower_graph_takes_and_saves_is_one_cause() -> None:
    """Python between operators is gone, and aten::linear is called once instead of four times: both are the graph's."""
    comparison, _ = compile_findings(eager(), compiled(us=2000.0))
    ledger = comparison.ledger
    assert [finding.rule for finding in comparison.findings] == ["compilation_gained"]
    assert comparison.findings[0].delta_us == pytest.approx(ledger.delta / ledger.denominator / 1000)


def test_more_untraced_time_beside_a_compiled_region_is_a_cause_of_its_own() -> None:
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, STEPS + 1):
        trace.annotation("Torch-Compiled Region: 0/0", at + 3000, at + 3800 + step % 3)
        trace.op("CompiledFunction", at + 3010, at + 3700)
        trace.step(step, at, at + 3900)
        at += 3910
    comparison, _ = compile_findings(eager(), summary(trace))
    assert {finding.rule for finding in comparison.findings} == {"compilation_gained", "unrecorded_time"}


def test_recompilations_are_told_where_only_one_side_is_compiled() -> None:
    _, (told,) = compile_findings(eager(), compiled((("0/0",), ("0/1",), ("0/2",))))
    assert "1 compiled region per step (0/0, 0/1, 0/2), 2 recompilations, the baseline none" in told.sentence


def test_copies_that_compiling_did_away_with_are_no_cause_of_their_own() -> None:
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, STEPS + 1):
        begin = at
        for name in (*LAYER, "aten::copy_", "aten::clone") * 2:
            trace.op(name, at + 20, at + 120 + step % 3)
            at += 130
        trace.step(step, begin, at + 30)
        at += 40
    for pair in ((summary(trace), compiled()), (compiled(), summary(trace))):
        comparison, (finding,) = compile_findings(*pair)
        assert comparison.findings[0] == finding
        assert "layout_copies" not in {one.rule for one in comparison.findings}
