"""A step far longer than the others: does it do more, or take longer for the same?"""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def training(*, validations: int = 0, stall_us: int = 0, gap_us: int = 0) -> TraceBuilder:
    """Ten steps of two convolutions and four small operators; the eighth also validates, is interrupted,
    or waits where nothing is recorded."""
    trace, at = TraceBuilder(), 0
    for step in range(10):
        begin, extra = at, 2 * validations if step == 7 else 0
        for call in range(2 + extra):
            length = 500 + step % 3 + (stall_us if step == 7 and call == 1 else 0)
            trace.op("aten::conv2d", at, at + length)
            at += length
        for name in ("aten::add", "aten::sum", "aten::mul", "aten::div"):
            trace.op(name, at, at + 50)
            at += 60 + (gap_us if step == 7 else 0)
        trace.step(step, begin, at)
    return trace


@pytest.mark.parametrize(
    ("slow", "says"),
    [
        (training(validations=4), "mostly aten::conv2d (10 calls, 2 in other steps)."),
        (training(stall_us=4000), "mostly aten::conv2d."),
        (training(gap_us=4000), "untraced host time +16.0 ms."),
    ],
)
def test_a_slow_step_says_whether_it_calls_more(slow: TraceBuilder, says: str) -> None:
    found = compare(summarised(training()), summarised(slow))
    sentence = next(finding.sentence for finding in found.findings if finding.rule == "slow_steps")
    assert sentence.endswith(says)


@pytest.mark.parametrize(
    ("every", "says"),
    [
        (30, "from 1 of 40 steps (step 30);"),
        (19, "from 2 of 40 steps (steps 19, 38);"),
        (5, "from 7 of 40 steps (steps 5, 10, 15, 20, 25 and 2 others);"),
    ],
)
def test_slow_steps_are_named_and_counted(every: int, says: str) -> None:
    def steps(*, stall_us: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step in range(40):
            length = 500 + step % 3 + (stall_us if step and step % every == 0 else 0)
            trace.op("aten::conv2d", at, at + length)
            trace.op("aten::add", at + length, at + length + 50)
            trace.step(step, at, at + length + 60)
            at += length + 60
        return trace

    found = compare(summarised(steps(stall_us=0)), summarised(steps(stall_us=4000)))
    sentence = next(finding.sentence for finding in found.findings if finding.rule == "slow_steps")
    assert says in sentence
