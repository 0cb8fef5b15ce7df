"""Times of several calls together say less than those of one: an operator has inputs of several sizes, and a step may
be one operator."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised

NAMES = ("aten::sqrt", "aten::div", "aten::mul_", "aten::add_")


def updates(large: int) -> Summary:
    """Ten steps in which each operator has a small input and a large one, of which shapes were not recorded."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step in range(10):
        start = at
        for place, name in enumerate(NAMES):
            for us in (100, large):
                length = us + (7 * step + 3 * place) % 5
                trace.op(name, at, at + length)
                at += length + 2
        trace.step(step, start, at)
    return summarised(trace)


def test_larger_inputs_of_some_calls_are_no_contention() -> None:
    rules = {finding.rule for finding in compare(updates(1000), updates(8000)).findings}
    assert "host_interrupted" not in rules and "host_time" in rules


def alone(pace: float, large: int) -> Summary:
    """Ten steps of three operators, one of which takes `large` µs."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(10):
        start = at
        for place, (name, us) in enumerate(zip(NAMES, (large, 300, 400, 350), strict=True)):
            length = us * pace + (7 * step + 3 * place) % 3
            trace.op(name, at, at + length, dims=[[8, 8]])
            at += length + 2
        trace.step(step, start, at)
    return summarised(trace)


@pytest.mark.parametrize(("large", "rule"), [(40_000, "operator_slower"), (380, "host_pace")])
def test_a_step_of_one_operator_has_no_pace_of_all(large: int, rule: str) -> None:
    rules = {finding.rule for finding in compare(alone(1.0, large), alone(1.4, large)).findings}
    assert rules & {"operator_slower", "host_pace"} == {rule}
