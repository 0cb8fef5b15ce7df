"""One capture per side of one program, on a CPU that other processes take away for milliseconds."""

from __future__ import annotations

from random import Random

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
LENGTH = sum(OPERATORS.values())


def capture(
    seed: int, *, pace: float = 1.0, hits: float = 0.0, slice_us: float = 0.0, gap: float = 50.0, again: int = 1
) -> Summary:
    """Ten steps of the operators, `pace` times as long, one of them `again` and again; `hits` of the calls lose up to
    twice `slice_us` besides."""
    random, trace, at = Random(seed), TraceBuilder(), 0.0
    for number in range(10):
        start = at
        for place, (name, us) in enumerate([*OPERATORS.items(), *[*OPERATORS.items()][:1] * (again - 1)]):
            length = us * pace * random.uniform(0.99, 1.01)
            length += random.uniform(0, 2 * slice_us) if random.random() < hits else 0.0
            trace.op(name, at, at + length, dims=[[place % len(OPERATORS), 8]])
            at += length
        at += gap * random.uniform(0.99, 1.01)
        trace.step(number, start, at)
    return summary(trace)


def compared(a: Summary, b: Summary) -> Comparison:
    return compare_summaries(a, b, CompareOptions(resamples=200))


def headline(a: Summary, b: Summary) -> Headline:
    return compared(a, b).headline


def test_a_slower_machine_is_not_told_of_work_that_took_less_time_together() -> None:
    interrupted, slower = capture(1, hits=0.3, slice_us=4600), capture(2, pace=1.3)
    found = headline(interrupted, slower)
    assert found.shift is not None and found.machine is not None
    assert found.shift.estimate < 0 and found.machine.estimate > 0
    assert found.machine.low < 0 and "slower" not in found.sentence


def test_untraced_time_may_follow_the_typical_operator_or_all_together() -> None:
    interrupted, slower = capture(1, hits=0.2, slice_us=6000, gap=12_000), capture(2, pace=1.8, gap=28_800)
    assert headline(interrupted, slower).verdict is Verdict.INCONCLUSIVE


def test_operators_that_differ_as_much_as_the_steps_give_no_direction() -> None:
    quiet, overloaded = capture(1), capture(2, hits=0.6, slice_us=4000)
    found = headline(quiet, overloaded)
    assert found.recorded is not None and found.recorded.verdict is Verdict.SLOWER
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the CPU is overloaded: the same work takes" in found.sentence


def test_a_pause_beyond_that_is_the_programs() -> None:
    overloaded, paused = capture(1, hits=0.6, slice_us=4000), capture(2, hits=0.6, slice_us=4000, gap=60 * LENGTH)
    assert headline(overloaded, paused).verdict is Verdict.SLOWER


def test_counted_calls_that_decide_are_a_finding_beside_contention() -> None:
    found = compared(capture(1, hits=0.1, slice_us=200), capture(2, hits=0.6, slice_us=4000, again=4))
    assert found.headline.counted is not None and found.headline.counted.calls == 3
    rules = [finding.rule for finding in found.findings]
    assert "host_interrupted" in rules and "more_calls" in rules
