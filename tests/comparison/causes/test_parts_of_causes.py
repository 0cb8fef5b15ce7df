"""A change is reported once: what a larger cause accounts for is not another cause."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence
from tests.work_pictures import calls


def training(inner: str, us: int, *kernels: str) -> Summary:
    """Steps of eight calls whose inner operator takes that long on the host and launches these short kernels."""
    trace, at = TraceBuilder(), 0.0
    for number in range(8):
        begin = at
        for _ in range(8):
            trace.op("aten::embedding_backward", at, at + us + 10, dims=[[64, 64]])
            trace.op(f"aten::{inner}", at + 4, at + us + 6, dims=[[64, 64]])
            for place, kernel in enumerate(kernels):
                launch = at + 6 + 6 * place
                trace.kernel(kernel, launch + 5, launch + 7, launch=(launch, launch + 4))
            at += us + 12 + number % 3
        trace.step(number + 1, begin, at)
        at += 1
    return summary(trace)


def test_the_kernels_of_a_replaced_operator_are_no_second_cause() -> None:
    before, after = training("dense_backward", 300, *("sort", "scan") * 8), training("sparse_backward", 40, "gather")
    found = compare_summaries(before, after, CompareOptions(resamples=200))
    (only,) = found.findings
    change = found.ledger.delta / found.ledger.denominator / 1000
    assert only.rule == "operator_replaced" and only.delta_us == pytest.approx(change, rel=0.02)


def test_a_slower_operator_explains_its_own_change_though_all_others_are_faster() -> None:
    usual = [[("aten::mm", 400 + step), *[(f"aten::op{number}", 100) for number in range(60)]] for step in range(8)]
    faster = [[("aten::mm", us + 1000), *[(name, 95) for name, _ in rest]] for (_, us), *rest in usual]
    finding = finding_of(compare(sequence(usual), sequence(faster)), "operator_slower")
    assert finding.delta_us == pytest.approx(1000)
    assert "aten::mm +1.00 ms per step (404 µs → 1.40 ms per call) on top of ×0.950" in finding.sentence


def test_a_kernel_is_explained_by_half_of_its_change_in_its_direction() -> None:
    explained = Explained()
    parts = {("Kernel", "new"): 100.0, ("Kernel", "partly"): 40.0, ("Kernel", "faster"): 50.0, ("Kernel", ""): 900.0}
    explained.add(Cause(Finding("fusion_lost", "new", "Kernel", 190.0, None, "Fusion lost.", (), "", ""), parts))
    assert explained.entities("Kernel", {"new": 150.0, "partly": 100.0, "faster": -50.0, "other": 10.0}) == {"new"}


@pytest.mark.parametrize(
    ("kind", "advice"), [("DtoD (Device -> Device)", "clone()"), ("HtoD (Pinned -> Device)", "prepared on the CPU")]
)
def test_advice_on_copies_is_about_where_they_go(kind: str, advice: str) -> None:
    copies = ("; ".join([f"Memcpy {kind} 100"] * count) for count in (1, 8))
    before, after = (
        summary(calls(f"aten::mm[64,64] | gemm 500\naten::to[64,64] | {some}", steps=8)) for some in copies
    )
    first = compare_summaries(before, after, CompareOptions(resamples=200)).findings[0]
    assert first.rule == "more_copies" and advice in first.look_at
