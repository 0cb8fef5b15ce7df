"""Verdicts where only one side recorded some profiler options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.checks.profiler_options import MAX_SHARE, NS_PER_CALL, one_sided_options
from tb_perfcompare.comparison.pace.recorded_more import with_recorded_more
from tb_perfcompare.comparison.result.headline import Headline, RecordedMore, Shift, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import judge
from tests.render.examples import headline

STACKS = RecordedMore("candidate", ("with_stack",), 100.0, 0.10)


def slower(low: float, estimate: float, high: float, verdict: Verdict = Verdict.SLOWER) -> Headline:
    measured = headline(verdict, Shift(estimate, low, high, 0.0, 0.0, 0.0, 0.95), sentence="Slower: by that much.")
    return replace(measured, program=None)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.03, 0.05, 0.08), Verdict.INCONCLUSIVE),
        ((0.08, 0.12, 0.15), Verdict.PROBABLY_SLOWER),
        ((0.11, 0.20, 0.30), Verdict.SLOWER),
    ],
)
def test_a_slower_side_has_to_be_slower_than_its_options_can_make_it(
    interval: tuple[float, float, float], verdict: Verdict
) -> None:
    found = with_recorded_more(slower(*interval), STACKS)
    assert found.verdict is verdict
    assert "only the candidate recorded with_stack" in found.sentence
    assert ("up to 10 % longer" in found.reason) is (verdict is not Verdict.SLOWER)


def test_exchanged_sides_have_the_exchanged_verdict() -> None:
    for low, estimate, high in ((0.03, 0.05, 0.08), (0.08, 0.12, 0.15), (0.11, 0.20, 0.30)):
        one = with_recorded_more(slower(low, estimate, high), STACKS).verdict
        inverse = tuple(1 / (1 + end) - 1 for end in (high, estimate, low))
        other = with_recorded_more(slower(*inverse, Verdict.FASTER), replace(STACKS, side="baseline")).verdict
        assert one.way == -other.way


def test_options_of_the_faster_side_change_no_verdict() -> None:
    found = slower(0.03, 0.05, 0.08)
    assert with_recorded_more(found, replace(STACKS, side="baseline")) == replace(
        found, recorded_more=replace(STACKS, side="baseline")
    )
    assert with_recorded_more(found, None) is found


def recorded(step_us: float, operators: int, **options: int) -> Summary:
    """Nine steps with operators of 10 µs each."""
    trace = TraceBuilder(vendor="cpu")
    trace.properties |= options
    for number in range(9):
        at = 100_000 * number
        trace.step(number, at, at + step_us + number % 3)
        for operator in range(operators):
            trace.op("aten::mm", at + 12 * operator, at + 12 * operator + 10)
    return summary(trace)


def twice(step_us: int, record_shapes: int = 0) -> Summary:
    """Two captures of 300 operators per step, with this option."""
    return pool([recorded(step_us + at, 300, record_shapes=record_shapes) for at in (0, 7)])


def test_the_cost_is_that_of_the_recorded_calls() -> None:
    plain, stacked = recorded(10_000, 50), recorded(10_300, 50, with_stack=1)
    more = one_sided_options(plain, stacked)
    assert more is not None and (more.side, more.options) == ("candidate", ("with_stack",))
    assert more.cost_us == 50 * NS_PER_CALL / 1000
    assert one_sided_options(stacked, plain) == replace(more, side="baseline")
    assert one_sided_options(plain, plain) is one_sided_options(recorded(10_000, 50, record_shapes=1), stacked) is None
    every = one_sided_options(plain, recorded(20, 50, with_stack=1, record_shapes=1, profile_memory=1))
    assert every is not None and every.cost_us <= MAX_SHARE * 21


def test_a_comparison_of_them_is_inconclusive_within_the_cost_only() -> None:
    found, longer, plain = (
        judge(twice(10_000), twice(*other)).headline for other in ((10_200, 1), (11_000, 1), (10_200, 0))
    )
    assert (found.verdict, longer.verdict.way, plain.verdict.way) == (Verdict.INCONCLUSIVE, 1, 1)
    assert found.sentence.startswith("Inconclusive: only the candidate recorded record_shapes, which can")
