"""Changes that cancel out in a sum are reported in parts."""

from __future__ import annotations

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of

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


def test_slower_and_faster_replaced_kernels_are_two_findings() -> None:
    a, b = model("one", mm=1000, bmm=1000, softmax=500), model("two", mm=2300, bmm=400, softmax=100)
    found = compare(a, b)
    swapped = [round(finding.delta_us or 0) for finding in found.findings if finding.rule == "kernel_replaced"]
    assert swapped == [1300, -1000]


def test_a_category_names_its_offsetting_entry() -> None:
    a, b = TraceBuilder(), TraceBuilder()
    for trace, grown, shrunk in ((a, 100, 300), (b, 600, 100)):
        for number in range(8):
            at = 1000 * number
            trace.step(number + 1, at, at + 990)
            trace.op("aten::copy_", at + 1, at + 20)
            trace.memcpy(at + 10, at + 10 + grown + number % 3, launch=(at + 2, at + 5))
            trace.memcpy(at + 650, at + 650 + shrunk, kind="DtoH (Device -> Pinned)", launch=(at + 6, at + 9))
    finding = finding_of(compare(a, b), "memcpy_time")  # fmt: skip
    assert "offset by Memcpy DtoH (Device -> Pinned) −200 µs" in finding.sentence


def steps_of(*work: tuple[str, float, int]) -> Summary:
    """Ten steps of (operator, µs of its kernel, calls), one after another on the device."""
    trace, at = TraceBuilder(), 0.0
    for number in range(10):
        begin = at
        for name, us, calls in work:
            for call in range(calls):
                length = us * (1 + 0.005 * ((3 * number + 7 * call) % 5 - 2))
                trace.op(f"aten::{name}", at, at + 20, dims=[[64, 64]])
                trace.kernel(f"{name}_kernel", at + 15, at + 15 + length, launch=(at + 5, at + 10))
                at += length + 25
        trace.step(number + 1, begin, at)
        at += 1
    return summary(trace)


def test_more_calls_of_one_operator_and_fewer_of_another_are_two_findings() -> None:
    a = steps_of(("mm", 2000, 3), ("gelu", 1000, 2), ("relu", 100, 40))
    b = steps_of(("mm", 2000, 3), ("gelu", 1000, 8), ("relu", 100, 8))
    findings = compare(a, b).findings
    more, fewer = [finding for finding in findings if finding.rule == "operators_changed"]
    assert 5900 < (more.delta_us or 0) < 6300 and -3700 < (fewer.delta_us or 0) < -3100
    assert more.sentence.startswith("More calls: ") and "aten::gelu 2 → 8" in more.sentence
    assert "relu" not in more.sentence and "aten::relu 40 → 8" in fewer.sentence


def test_opposite_changes_of_rows_are_not_a_change_of_the_clock() -> None:
    """One kernel takes 3.2 times as long, another a third; then with smaller changes."""
    for before, after in (((2000, 6000), (6400, 2000)), ((3000, 6000), (4800, 3600))):
        a, b = (steps_of(("mm", one, 3), ("addmm", two, 4), ("relu", 100, 8)) for one, two in (before, after))
        there, back = (compare(*sides).headline for sides in ((a, b), (b, a)))
        assert (there.verdict, back.verdict) == (Verdict.FASTER, Verdict.SLOWER)
        assert there.unsplit
