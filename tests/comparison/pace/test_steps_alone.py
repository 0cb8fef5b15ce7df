"""Sides without common work on a busy machine: steps that nothing interrupted decide where they are far apart."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

OPERATORS, OPERATOR_US, SLICE_US = 12, 1500, 15_000
HEALTHY, OTHER_INPUTS = (1.0, 1.02, 0.99), 32
SLICES = (1, 3, 5, 1, 3, 7)
"""That others take of a step, by capture."""


def capture(span: int, times: float, rows: int) -> Summary:
    """Twelve steps of twelve operators on inputs of so many rows, `times` 1.5 ms each. Other programs take
    slices of 15 ms."""
    drawn, trace, at = random.Random(span), TraceBuilder(vendor="cpu"), 0
    for number in range(12):
        start = at
        lost = drawn.choices(range(OPERATORS), k=SLICES[span])
        for operator in range(OPERATORS):
            length = round(OPERATOR_US * times) + drawn.randint(0, 20) + SLICE_US * lost.count(operator)
            trace.op(f"aten::op{operator}", at, at + length, dims=[[rows, operator + 1]])
            at += length + 10
        trace.step(number, start, at)
    made = summary(trace, span=str(span))
    file = replace(made.captures[0].file, sha256=f"{span} {times} {rows}")
    return replace(made, captures=(replace(made.captures[0], file=file),))


def headline(times: tuple[float, ...], *, swapped: bool = False, alpha: float = 0.05) -> Headline:
    """Alternating captures; those of the candidate are so many times as long, on larger inputs."""
    one = pool([capture(2 * at, factor, 16) for at, factor in enumerate(HEALTHY)])
    two = pool([capture(2 * at + 1, factor, OTHER_INPUTS) for at, factor in enumerate(times)])
    sides = (two, one) if swapped else (one, two)
    return compare_summaries(*sides, CompareOptions(resamples=100, alpha=alpha)).headline


def test_captures_that_are_far_apart_decide() -> None:
    found = headline((1.6, 1.5, 1.55))
    assert found.recorded is not None and found.program is None
    assert found.recorded.verdict is Verdict.INCONCLUSIVE
    assert (found.verdict, found.basis) == (Verdict.SLOWER, Basis.RECORDED)
    assert found.sentence == "Slower, by at least 47 %; how much more is open."
    assert found.reason.startswith("without interruptions, every capture of the candidate takes at least 47 % longer")
    assert "unchanged when dropping the first step of each capture or the slowest step" in found.sensitivity


def test_exchanged_sides_say_the_opposite() -> None:
    assert headline((1.6, 1.5, 1.55), swapped=True).sentence == "Faster, by at least 32 %; how much more is open."


@pytest.mark.parametrize("times", [(1.15, 1.14, 1.16), (2.5, 1.5, 1.5)], ids=["less than 20 %", "one far above"])
def test_captures_that_are_not_leave_it_open(times: tuple[float, ...]) -> None:
    assert headline(times).verdict in (Verdict.INCONCLUSIVE, Verdict.PROBABLY_SLOWER)


def test_at_one_of_several_looks_they_do_not_decide() -> None:
    found = headline((1.6, 1.5, 1.55), alpha=0.02)
    assert found.recorded is not None and found.recorded.at_least is None
    assert found.verdict is not Verdict.SLOWER
