"""More calls of the same operators are fewer calls of them the other way round."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def program(products: int, sums: int) -> TraceBuilder:
    """Two steps, each with so many calls of two operators, 30 us apart."""
    trace = TraceBuilder()
    at = 0
    for step in range(2):
        start = at
        for name in ["aten::mm"] * products + ["aten::add_"] * sums:
            trace.op(name, at + 5, at + 25)
            at += 30
        trace.step(step, start, at)
    return trace


def test_more_calls_are_fewer_calls_after_swapping() -> None:
    # 1 over 3 is not the middle of 1/2 and 1/4
    baseline, candidate = summarised(program(1, 1)), summarised(program(2, 4))
    (more,) = [finding for finding in compare(baseline, candidate).findings if finding.rule == "more_calls"]
    (fewer,) = [finding for finding in compare(candidate, baseline).findings if finding.rule == "fewer_calls"]
    assert (more.subject, more.delta_us) == (fewer.subject, -(fewer.delta_us or 0.0))


def test_equally_many_calls_of_other_operators_are_not_more_calls() -> None:
    baseline, candidate = summarised(program(1, 4)), summarised(program(4, 1))
    for there in (compare(baseline, candidate), compare(candidate, baseline)):
        assert not {"more_calls", "fewer_calls"}.intersection(finding.rule for finding in there.findings)


def test_copies_that_come_with_more_work_are_part_of_it() -> None:
    """Large copies are made as much more often as all else, the many small ones are not: their mean would say that
    each copy is slower."""

    def accumulated(batches: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        at = 0
        for step in range(6):
            start = at
            for name in ("aten::linear", "aten::gelu", "aten::mm") * batches:
                trace.op(name, at, at + 110)
                at += 110
            for _ in range(batches):
                trace.op("aten::copy_", at, at + 410, dims=[[512, 512], [512, 512]])
                at += 410
            for _ in range(20):
                trace.op("aten::copy_", at, at + 2, dims=[[8], [8]])
                at += 3
            trace.step(step, start, at + step % 2)
            at += 10
        return trace

    baseline, candidate = summarised(accumulated(2)), summarised(accumulated(4))
    findings = compare(baseline, candidate).findings
    assert findings[0].rule == "more_calls"
    assert not {"layout_copies", "operator_slower"} & {finding.rule for finding in findings}
    assert "operators run more often, typically ×2.00, e.g. " in findings[0].sentence
    assert compare(candidate, baseline).findings[0].rule == "fewer_calls"


def test_operators_that_run_more_often_by_other_ratios_each_are_not_more_of_the_same_work() -> None:
    """As where one of them is written out by the others."""

    def called(*times: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step in range(4):
            start = at
            for name, count in zip("abcde", times, strict=True):
                for _ in range(count):
                    trace.op(f"aten::{name}", at, at + 20)
                    at += 25
            trace.step(step, start, at)
        return trace

    before, alike, apart = (summarised(called(*times)) for times in ((4,) * 5, (4, *[8] * 4), (4, 5, 6, 13, 40)))
    assert "4 of 5 operators run more often, typically ×2.00" in compare(before, alike).findings[0].sentence
    assert all("typically" not in finding.sentence for finding in compare(before, apart).findings)
