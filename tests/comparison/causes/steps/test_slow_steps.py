"""Slow steps: more calls, or longer calls?"""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of, sequence


def training(
    *, validations: int = 0, stall_us: int = 0, gap_us: int = 0, pause_us: int = 0, sleep_us: int = 0
) -> TraceBuilder:
    """Ten steps of two convolutions and four small operators, with a sleep after "aten::add"; the eighth also
    validates, stalls, has gaps or pauses before "aten::mul"."""
    steps = []
    for step in range(10):
        slow = step == 7
        lengths = [500 + step % 3] * (2 + 2 * validations * slow)
        lengths[1] += stall_us * slow
        small = ("aten::add", "aten::sum", "aten::mul", "aten::div")
        gaps = [10 + gap_us * slow for _ in small]
        gaps[0] += sleep_us
        gaps[1] += pause_us * slow
        rest = [call for name, gap in zip(small, gaps, strict=True) for call in ((name, 50), ("", gap))]
        steps.append([("aten::conv2d", us) for us in lengths] + rest)
    return sequence(steps)


@pytest.mark.parametrize(
    ("slow", "says"),
    [
        ({"validations": 4}, "mostly aten::conv2d (10 calls, 2 in other steps)."),
        ({"stall_us": 4000}, "mostly aten::conv2d."),
        ({"gap_us": 4000}, "untraced host time +16.0 ms."),
        ({"pause_us": 4000}, "untraced host time +4.00 ms, mostly between aten::sum and aten::mul."),
        ({"pause_us": 600}, "untraced host time +600 µs, mostly between aten::sum and aten::mul."),
        ({"gap_us": 2000, "pause_us": 9000}, "+17.0 ms, mostly between aten::sum and aten::mul."),
    ],
)
def test_what_slow_steps_do_is_named(slow: dict[str, int], says: str) -> None:
    """Calls with their number, or the place of time between calls. Every step sleeps for 700 µs at another place."""
    sides = training(sleep_us=700), training(sleep_us=700, **slow)
    assert finding_of(compare(*sides), "slow_steps").sentence.endswith(says)


@pytest.mark.parametrize(
    ("every", "says"),
    [
        (30, "from 1 of 40 steps (step 30);"),
        (19, "from 2 of 40 steps (steps 19, 38);"),
        (5, "from 7 of 40 steps (every 5th step: steps 5, 10, 15, 20, 25 and 2 others);"),
    ],
)
def test_slow_steps_are_named_and_counted(every: int, says: str) -> None:
    def steps(*, stall_us: int) -> TraceBuilder:
        stalls = (stall_us if step and step % every == 0 else 0 for step in range(40))
        return sequence(
            [("aten::conv2d", 500 + step % 3 + stall), ("aten::add", 50), ("", 10)] for step, stall in enumerate(stalls)
        )

    assert says in finding_of(compare(steps(stall_us=0), steps(stall_us=4000)), "slow_steps").sentence


def attention(planned: int, *, on_device: bool = True) -> TraceBuilder:
    """18 steps of a product and of attention, which plans its work for 30 ms in `planned` of each three."""
    trace, at = TraceBuilder(), 0
    for step in range(18):
        begin, own = at, 30_050 if step % 3 < planned else 50
        trace.op("aten::mm", at, at + 4000 + step % 5)
        trace.op("aten::attention", at + 4020, at + 4020 + own)
        at += 4100 + own
        if on_device:
            trace.kernel("flash", at - 25, at - 5, launch=(at - 45, at - 40))
        trace.step(step, begin, at)
    return trace


def test_calls_that_are_slow_in_many_steps_are_told_from_the_others() -> None:
    found = finding_of(compare(attention(0), attention(2)), "slow_calls")
    assert found.sentence == (
        "Some calls are far slower in the candidate: +20.0 ms per step; in 12 of 18 steps aten::attention takes "
        "30.1 ms per call, in the others 50.0 µs."
    )


def test_slow_calls_of_both_sides_are_no_cause() -> None:
    assert "slow_calls" not in rules_of(compare(attention(1), attention(2)))


def test_without_a_device_slow_calls_may_be_other_load() -> None:
    assert "slow_calls" not in rules_of(compare(attention(0, on_device=False), attention(2, on_device=False)))


def test_slow_calls_of_many_operators_are_other_load() -> None:
    def loaded(slow_us: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step in range(18):
            begin = at
            for place in range(12):
                own = 50 + slow_us * (step % 3 < 2)
                trace.op(f"aten::op{place}", at, at + own)
                trace.kernel("small", at + own - 8, at + own - 4, launch=(at + 2, at + 5))
                at += own + 2
            trace.step(step, begin, at)
        return trace

    assert "slow_calls" not in rules_of(compare(loaded(0), loaded(3000)))


def server(*, stall_us: int) -> TraceBuilder:
    """40 iterations, every fifth with a prefill; the prefill of the 20th stalls."""
    trace, at = TraceBuilder(), 0
    for step in range(40):
        prefill = step % 5 == 0
        us = (2000 if prefill else 400) + step % 3 + stall_us * (step == 20)
        trace.op("aten::mm", at + 5, at + 5 + us)
        trace.op("aten::argmax", at + 6 + us, at + 26 + us)
        text = f"execute_context_{int(prefill)}({512 * prefill})_generation_8(8)"
        trace.annotation(text, at, at + 30 + us)
        at += 40 + us
    return trace


def test_of_longer_kinds_only_steps_that_are_slow_for_their_kind_are_slow() -> None:
    """All prefills are far longer than decodes, on both sides."""
    sides = server(stall_us=0), server(stall_us=30_000)
    assert "from 1 of 39 steps (step 20)" in finding_of(compare(*sides), "slow_steps").sentence
    assert "Slow steps in the baseline: −" in finding_of(compare(*sides[::-1]), "slow_steps").sentence
