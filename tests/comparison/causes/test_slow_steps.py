"""Slow steps: more calls, or longer calls?"""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, sequence


def training(*, validations: int = 0, stall_us: int = 0, gap_us: int = 0) -> TraceBuilder:
    """Ten steps of two convolutions and four small operators; the eighth also validates, stalls or has gaps."""
    steps = []
    for step in range(10):
        slow = step == 7
        lengths = [500 + step % 3] * (2 + 2 * validations * slow)
        lengths[1] += stall_us * slow
        small = ("aten::add", "aten::sum", "aten::mul", "aten::div")
        rest = [call for name in small for call in ((name, 50), ("", 10 + gap_us * slow))]
        steps.append([("aten::conv2d", us) for us in lengths] + rest)
    return sequence(steps)


@pytest.mark.parametrize(
    ("slow", "says"),
    [
        (training(validations=4), "mostly aten::conv2d (10 calls, 2 in other steps)."),
        (training(stall_us=4000), "mostly aten::conv2d."),
        (training(gap_us=4000), "untraced host time +16.0 ms."),
    ],
)
def test_a_slow_step_with_more_calls_has_their_number(slow: TraceBuilder, says: str) -> None:
    assert finding_of(compare(training(), slow), "slow_steps").sentence.endswith(says)


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
        stalls = (stall_us if step and step % every == 0 else 0 for step in range(40))
        return sequence(
            [("aten::conv2d", 500 + step % 3 + stall), ("aten::add", 50), ("", 10)] for step, stall in enumerate(stalls)
        )

    assert says in finding_of(compare(steps(stall_us=0), steps(stall_us=4000)), "slow_steps").sentence
