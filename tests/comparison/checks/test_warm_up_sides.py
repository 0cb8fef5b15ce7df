"""A warm-up is reported for the side that has it, in either order of the sides."""

from __future__ import annotations

from collections.abc import Sequence

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of, sequence


def steps(lengths: Sequence[int], *, loader: bool, at: int = 0) -> TraceBuilder:
    """Steps of one operator with these lengths; with `loader` step `at` also loads data."""
    trace = TraceBuilder()
    start = 0
    for number, length in enumerate(lengths):
        trace.op("aten::mm", start + 5, start + 20)
        if loader and number == at:
            trace.loader(start + 22, start + length - 5)
        trace.step(number, start, start + length)
        start += length
    return trace


def test_a_warm_up_is_no_finding_when_the_means_are_equal() -> None:
    warm, even = steps((80, 30, 30, 30), loader=True), steps((42, 43, 42, 43), loader=False)
    for found in (compare(warm, even), compare(even, warm)):
        assert found.headline.delta == 0
        assert "warm_up_inside" not in rules_of(found)


def test_a_warm_up_on_one_side_is_a_finding_in_either_order() -> None:
    warm, even = steps((80, 30, 30, 30), loader=True), steps((30, 30, 30, 30), loader=False)
    forward = finding_of(compare(even, warm), "warm_up_inside")
    swapped = finding_of(compare(warm, even), "warm_up_inside")
    assert (forward.delta_us, swapped.delta_us) == (12.5, -12.5)


def test_what_runs_in_the_second_step_only_is_no_warm_up() -> None:
    late = steps((30, 80, *[30] * 8), loader=True, at=1)
    assert "warm_up_inside" not in rules_of(compare(steps([30] * 10, loader=False), late))


def decoded(prompt: int) -> TraceBuilder:
    """Four steps of one operator, the first after a prompt of `prompt` µs."""
    step = [("", 5), ("aten::mm", 15), ("", 10)]
    return sequence([[("", 1), ("aten::tril", prompt - 1), *step], step, step, step])


def test_a_prompt_on_both_sides_is_no_warm_up() -> None:
    quick, slow = decoded(40), decoded(140)
    assert "warm_up_inside" not in rules_of(compare(quick, slow))
    none = steps((30, 30, 30, 30), loader=False)
    assert "warm_up_inside" in rules_of(compare(none, slow))
