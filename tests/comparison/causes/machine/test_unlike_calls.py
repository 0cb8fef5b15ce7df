"""Operators with inputs of several sizes, and steps of one large operator, are neither contention nor a pace."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of, sequence

NAMES = ("aten::sqrt", "aten::div", "aten::mul_", "aten::add_")


def updates(large: int) -> TraceBuilder:
    """Ten steps in which each operator has a small and a large input, without recorded shapes."""
    return sequence(
        ([(name, us + (7 * step + 3 * place) % 5) for place, name in enumerate(NAMES) for us in (100, large)]
         for step in range(10)), gap=2, vendor="cpu",
    )  # fmt: skip


def test_larger_inputs_of_some_calls_are_not_contention() -> None:
    rules = set(rules_of(compare(updates(1000), updates(8000))))
    assert "host_interrupted" not in rules and "host_time" in rules


def alone(pace: float, large: int) -> TraceBuilder:
    """Ten steps of four operators; one takes `large` µs."""
    lengths = dict(zip(NAMES, (large, 300, 400, 350), strict=True))
    return sequence(
        ([(name, us * pace + (7 * step + 3 * place) % 3, [[8, 8]]) for place, (name, us) in enumerate(lengths.items())]
         for step in range(10)), gap=2, vendor="cpu",
    )  # fmt: skip


@pytest.mark.parametrize(("large", "rule"), [(40_000, "operator_slower"), (380, "host_pace")])
def test_a_step_of_one_operator_has_no_pace_of_all(large: int, rule: str) -> None:
    rules = set(rules_of(compare(alone(1.0, large), alone(1.4, large))))
    assert rules & {"operator_slower", "host_pace"} == {rule}


def interrupted(fastest: float, *others: float) -> TraceBuilder:
    """Eight steps of an operator for each of `others`, with four calls of 100 µs; the fastest takes `fastest` times
    that, the others so many times."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for number in range(8):
        begin = at
        for name, factor in enumerate(others):
            for call in range(4):
                us = 100 * (fastest if call == (number + name) % 4 else factor) + number % 3
                trace.op(f"aten::op{name}", at, at + us, dims=[[64, name + 1]])
                at += us + 4
        trace.step(number, begin, at)
        at += 5
    return trace


def test_exchanging_the_sides_inverts_the_ratio_of_contention() -> None:
    """Three of four calls are interrupted, on a machine that is slower, too."""
    alone, beside = interrupted(1, *[1] * 6), interrupted(1.2, *[2.5] * 6)
    (more,), (less,) = compare(alone, beside).findings, compare(beside, alone).findings
    assert "mean operator time ×1.97, but fastest calls ×1.20;" in more.sentence
    assert "mean operator time ×0.509, but fastest calls ×0.833;" in less.sentence
    assert less.delta_us == -more.change_us


def test_contention_of_the_other_side_is_subtracted() -> None:
    """Of nine operators, other work interrupts two in the baseline and seven in the candidate."""
    sides = interrupted(1, 2, 2, *[1] * 7), interrupted(1, 1, 1, *[2] * 7)
    for a, b, us in ((*sides, 1_500), (*sides[::-1], -1_500)):
        (finding,) = compare(a, b).findings
        assert (finding.rule, finding.delta_us) == ("host_interrupted", pytest.approx(us, abs=20))
