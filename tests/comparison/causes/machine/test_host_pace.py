"""All operators take longer by one ratio: a slower machine, fewer threads, or larger inputs."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of


def program(us: int, *, shapes: bool, trace_id: str = "", more: int = 0) -> TraceBuilder:
    """Ten steps of twelve operators of `us`, and `more` others. Only later versions of PyTorch write a `trace_id`."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(10):
        begin = at
        for name in range(12):
            trace.op(f"aten::op{name}", at, at + us + (number + name) % 3, dims=[[64, name + 1]] if shapes else None)
            at += us + 4
        for _ in range(more):
            trace.op("aten::item", at, at + 40, dims=[[1]])
            at += 41
        trace.step(number, begin, at)
        at += 5
    if trace_id:
        trace.properties["trace_id"] = trace_id
    return trace


@pytest.mark.parametrize(
    ("shapes", "later", "readings"),
    [
        (True, "", "(the machine or its number of threads)."),
        (False, "", "(the machine, its number of threads, or the size of inputs: shapes are not recorded)."),
        (True, "A", "(the machine, its number of threads, or the version of PyTorch)."),
    ],
)
def test_the_sentence_says_what_it_can_be(shapes: bool, later: str, readings: str) -> None:
    found = compare(program(300, shapes=shapes), program(600, shapes=shapes, trace_id=later))
    assert finding_of(found, "host_pace").sentence.endswith(readings)


@pytest.mark.parametrize(("more", "is_named"), [(60, True), (10, False)])
def test_a_program_that_does_far_more_else_may_change_the_pace_of_the_rest(more: int, is_named: bool) -> None:
    before, after = program(300, shapes=True), program(450, shapes=True, more=more)
    for pair in ((before, after), (after, before)):
        text = finding_of(compare(*pair), "host_pace").sentence
        assert ("or its caches, which other work of the program fills)" in text) == is_named


def test_an_operator_with_other_arguments_is_not_slower_with_all_others() -> None:
    def pooled(kernel: int, pool_us: int, slower: float) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0.0
        for number in range(10):
            begin = at
            for name in range(12):
                length = 100 * (1 + slower * (1 + name % 4)) + (number + name) % 3
                trace.op(f"aten::op{name}", at, at + length, dims=[[64, name + 1]])
                at += length + 4
            arguments = {"Concrete Inputs": ["", f"[{kernel}, {kernel}]"], "Input Strides": [[64, 1], []]}
            trace.op("aten::avg_pool2d", at, at + pool_us + number % 3, dims=[[64, 64], []], **arguments)
            at += pool_us + 5
            trace.step(number, begin, at)
        return trace

    found = compare(pooled(3, 2000, slower=0), pooled(9, 12_000, slower=0.4))
    assert "aten::avg_pool2d +10.0 ms per step" in found.findings[0].sentence
    assert finding_of(found, "host_pace").change_us < 2_000


def test_a_slower_machine_beside_a_slower_program_is_no_remaining_cpu_time() -> None:
    """With one capture a side, and ratios that differ by operator."""

    def recorded(slower: float, more: int) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0.0
        for number in range(10):
            begin = at
            for name in range(12):
                length = 300 * (1 + slower * (1 + name % 4)) + 7 * ((3 * number + 5 * name) % 11)
                trace.op(f"aten::op{name}", at, at + length, dims=[[64, name + 1]])
                at += length + 4
            for _ in range(more):
                trace.op("aten::item", at, at + 40, dims=[[1]])
                at += 41
            trace.step(number, begin, at)
            at += 5
        return trace

    for pair in (((0, 0), (0.08, 30)), ((0.08, 30), (0, 0))):
        assert rules_of(compare(*(recorded(*one) for one in pair))) == ["operators_changed", "host_pace"]
    assert rules_of(compare(recorded(0, 0), recorded(0, 30))) == ["operators_changed"]


def test_the_pace_of_a_machine_is_told_once() -> None:
    """Four operators are slower than the machine makes the others."""

    def recorded(us: int, slower_us: int) -> TraceBuilder:
        trace, at = TraceBuilder(vendor="cpu"), 0
        for number in range(10):
            begin = at
            for name in range(24):
                length = (slower_us if name < 4 else us) + (number + name) % 3
                trace.op(f"aten::op{name}", at, at + length, dims=[[64, name + 1]])
                at += length + us // 8
            trace.step(number, begin, at)
            at += 5
        return trace

    sides = recorded(300, 300), recorded(324, 420)
    for pair in (sides, sides[::-1]):
        assert rules_of(compare(*pair)).count("host_pace") == 1
