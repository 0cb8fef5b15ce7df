"""Which side a warm-up is told of does not depend on which side comes first."""

from __future__ import annotations

from collections.abc import Sequence

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def steps(lengths: Sequence[int], *, loader: bool) -> TraceBuilder:
    """Steps of these lengths, each one operator; the first also loads data if `loader`."""
    trace = TraceBuilder()
    start = 0
    for number, length in enumerate(lengths):
        trace.op("aten::mm", start + 5, start + 20)
        if loader and not number:
            trace.loader(start + 22, start + length - 5)
        trace.step(number, start, start + length)
        start += length
    return trace


def test_a_warm_up_explains_nothing_of_means_that_are_equal() -> None:
    warm, even = summarised(steps((80, 30, 30, 30), loader=True)), summarised(steps((42, 43, 42, 43), loader=False))
    for there in (compare(warm, even), compare(even, warm)):
        assert there.headline.delta == 0
        assert "warm_up_inside" not in {finding.rule for finding in there.findings}


def test_a_warm_up_is_told_of_the_side_that_has_it() -> None:
    warm, even = summarised(steps((80, 30, 30, 30), loader=True)), summarised(steps((30, 30, 30, 30), loader=False))
    (there,) = [finding for finding in compare(even, warm).findings if finding.rule == "warm_up_inside"]
    (back,) = [finding for finding in compare(warm, even).findings if finding.rule == "warm_up_inside"]
    assert (there.delta_us, back.delta_us) == (12.5, -12.5)


def decoded(prompt: int) -> TraceBuilder:
    """Four steps of one operator, the first with a prompt of so many µs before it."""
    trace, at = TraceBuilder(), 0
    for number in range(4):
        start, at = at, at + (0 if number else prompt)
        if not number:
            trace.op("aten::tril", start + 1, at)
        trace.op("aten::mm", at + 5, at + 20)
        at += 30
        trace.step(number, start, at)
    return trace


def test_a_prompt_on_both_sides_is_no_warm_up() -> None:
    quick, slow = summarised(decoded(40)), summarised(decoded(140))
    assert "warm_up_inside" not in {finding.rule for finding in compare(quick, slow).findings}
    none = summarised(steps((30, 30, 30, 30), loader=False))
    assert "warm_up_inside" in {finding.rule for finding in compare(none, slow).findings}
