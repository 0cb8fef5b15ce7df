"""What cancels out in a sum is told in parts."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

_OPERATORS = ("mm", "bmm", "softmax")


def model(library: str, **lengths: float) -> Summary:
    """Three operators per step, each with one kernel of the library."""
    trace, at = TraceBuilder(), 0.0
    for number in range(8):
        begin = at
        for name in _OPERATORS:
            trace.op(f"aten::{name}", at, at + 10)
            trace.kernel(f"{library}_{name}", at + 12, at + 12 + lengths[name] + number % 3, launch=(at + 2, at + 5))
            at += 14 + lengths[name] + number % 3
        trace.step(number + 1, begin, at)
        at += 1
    return summary(trace)


def test_operators_with_slower_and_with_faster_kernels_are_two_findings() -> None:
    a, b = model("one", mm=1000, bmm=1000, softmax=500), model("two", mm=2300, bmm=400, softmax=100)
    found = compare_summaries(a, b, CompareOptions())
    swapped = [round(finding.delta_us or 0) for finding in found.findings if finding.rule == "kernel_replaced"]
    assert swapped == [1300, -1000]


def test_a_category_names_what_moved_against_it() -> None:
    a, b = TraceBuilder(), TraceBuilder()
    for trace, grown, shrunk in ((a, 100, 300), (b, 600, 100)):
        for number in range(8):
            at = 1000 * number
            trace.step(number + 1, at, at + 990)
            trace.op("aten::copy_", at + 1, at + 20)
            trace.memcpy(at + 10, at + 10 + grown + number % 3, launch=(at + 2, at + 5))
            trace.memcpy(at + 650, at + 650 + shrunk, kind="DtoH (Device -> Pinned)", launch=(at + 6, at + 9))
    (finding,) = [one for one in compare_summaries(summary(a), summary(b), CompareOptions()).findings
                  if one.rule == "memcpy_time"]  # fmt: skip
    assert "against it Memcpy DtoH (Device -> Pinned) −200 µs" in finding.sentence
