"""Without common work on a busy machine, uninterrupted steps decide when they are far apart."""

from __future__ import annotations

import random

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, sequence

OPERATORS, OPERATOR_US, SLICE_US = 12, 1500, 15_000
HEALTHY, OTHER_INPUTS = (1.0, 1.02, 0.99), 32
SLICES = (1, 3, 5, 1, 3, 7)
"""Slices that other processes take from a step, by capture."""


def recorded(span: int, times: float, rows: int) -> Summary:
    """Twelve steps of twelve operators with `rows` rows, `times` 1.5 ms each, that lose slices of 15 ms to other
    processes."""
    drawn, steps = random.Random(span), []
    for _ in range(12):
        lost = drawn.choices(range(OPERATORS), k=SLICES[span])
        lost_us = [SLICE_US * lost.count(at) for at in range(OPERATORS)]
        lengths = [round(OPERATOR_US * times) + drawn.randint(0, 20) + us for us in lost_us]
        steps.append([(f"aten::op{at}", us, [[rows, at + 1]]) for at, us in enumerate(lengths)])
    return capture(sequence(steps, gap=10, vendor="cpu"), str(span))


def headline(times: tuple[float, ...], *, swapped: bool = False, alpha: float = 0.05) -> Headline:
    """Alternating captures; those of the candidate take `times` as long, on larger inputs."""
    one = pool([recorded(2 * at, factor, 16) for at, factor in enumerate(HEALTHY[: len(times)])])
    two = pool([recorded(2 * at + 1, factor, OTHER_INPUTS) for at, factor in enumerate(times)])
    sides = (two, one) if swapped else (one, two)
    return compare(*sides, alpha=alpha).headline


def test_captures_that_are_far_apart_decide() -> None:
    found = headline((1.6, 1.5, 1.55))
    assert found.recorded is not None and found.program is None
    assert found.recorded.verdict is Verdict.INCONCLUSIVE
    assert (found.verdict, found.basis) == (Verdict.SLOWER, Basis.RECORDED)
    assert found.sentence == "Slower, by at least 47 %; how much more is open."
    assert found.reason.startswith("without interruptions, every capture of the candidate takes at least 47 % longer")
    assert "unchanged when dropping the first step of each capture or the slowest step" in found.sensitivity


def test_swapped_sides_have_the_opposite_sentence() -> None:
    assert headline((1.6, 1.5, 1.55), swapped=True).sentence == "Faster, by at least 32 %; how much more is open."


@pytest.mark.parametrize("times", [(1.15, 1.14, 1.16), (2.5, 1.5, 1.5)], ids=["less than 20 %", "one far above"])
def test_captures_near_each_other_do_not_decide(times: tuple[float, ...]) -> None:
    assert headline(times).verdict in (Verdict.INCONCLUSIVE, Verdict.PROBABLY_SLOWER)


def test_two_captures_do_not_decide() -> None:
    assert headline((1.6, 1.5)).verdict is Verdict.INCONCLUSIVE


def test_at_a_smaller_alpha_they_do_not_decide() -> None:
    found = headline((1.6, 1.5, 1.55), alpha=0.02)
    assert found.recorded is not None and found.recorded.at_least is None
    assert found.verdict is not Verdict.SLOWER
