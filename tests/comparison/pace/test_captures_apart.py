"""With two captures a side on a busy machine, uninterrupted steps that are far apart give open verdicts a direction."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.pace.captures_apart import RANGES_OF_FEW
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.statistics.between_captures import gaps
from tb_perfcompare.comparison.statistics.mean_effect import LONG_STEPS
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, sequence

OPERATORS, OPERATOR_US, SLICE_US = 10, 1000, 12_000
SLICES = (0, 2, 3, 3)
"""Slices that other processes take from a step, by capture: captures of one side differ more than the sides do."""
OLD_MS = 3.0


@cache
def recorded(span: int, own_ms: float, slower: float, hit: int, shape: tuple[int, ...] | None) -> Summary:
    """Twelve steps of ten operators of 1 ms, and of one of `own_ms` that differs between the sides; all take `slower`
    times as long. Other processes take slices from the first `hit` operators."""
    drawn, steps = random.Random(span), []
    names = [*(f"aten::op{at}" for at in range(OPERATORS)), ("aten::old", "aten::new")[span % 2]]
    inputs = [] if shape is None else [[list(shape)]]
    for _ in range(12):
        lengths = [(OPERATOR_US + drawn.randint(0, 20)) * slower for _ in range(OPERATORS)] + [own_ms * 1000 * slower]
        for at in drawn.choices(range(hit), k=SLICES[span]):
            lengths[at] += SLICE_US
        steps.append([(name, round(us), *inputs) for name, us in zip(names, lengths, strict=True)])
    return capture(sequence(steps, gap=10, vendor="cpu"), str(span))


def headline(
    new_ms: tuple[float, float] = (9, 9), slower: float = 1, *,
    hit: int = OPERATORS, shape: tuple[int, ...] | None = None, swapped: bool = False, alpha: float = 0.05,
) -> Headline:  # fmt: skip
    """Two captures a side, recorded in turn: 3 ms of the baseline became `new_ms`, on a `slower` machine."""
    one = pool([recorded(span, OLD_MS, 1, hit, shape) for span in (0, 2)])
    two = pool([recorded(span, ms, slower, hit, shape) for span, ms in zip((1, 3), new_ms, strict=True)])
    return compare(*((two, one) if swapped else (one, two)), alpha=alpha).headline


def test_a_program_whose_captures_are_far_apart_is_probably_slower() -> None:
    found = headline()
    assert found.recorded is not None and found.recorded.verdict is Verdict.INCONCLUSIVE
    assert (found.verdict, found.basis) == (Verdict.PROBABLY_SLOWER, Basis.RECORDED)
    assert found.sentence == "Probably slower, by at least 46 %; how much more is open."
    assert 'becomes "inconclusive" when dropping any one capture' in found.sensitivity


def test_swapped_sides_have_the_opposite_sentence() -> None:
    assert headline(swapped=True).sentence == "Probably faster, by at least 31 %; how much more is open."


def test_an_interval_at_equal_machine_speed_that_is_open_is_decided_as_well() -> None:
    found = headline(hit=3, shape=(16, 16))
    assert found.program is not None and found.program.low < 0 < found.program.high
    assert (found.verdict, found.basis) == (Verdict.PROBABLY_SLOWER, Basis.PROGRAM)
    assert found.sentence.startswith("Probably slower, by at least ")


@pytest.mark.parametrize(
    ("new_ms", "slower"), [((3, 3), 1.6), ((0.4, 0.4), 1.7), ((5, 5), 1.0), ((7.5, 10.5), 1.0)],
    ids=["a slower machine", "a faster program on one", "less than 20 %", "captures of one side half as far apart"],
)  # fmt: skip
def test_what_may_be_the_machine_or_chance_stays_open(new_ms: tuple[float, float], slower: float) -> None:
    assert headline(new_ms, slower).verdict is Verdict.INCONCLUSIVE


def test_at_a_smaller_alpha_they_do_not_decide() -> None:
    assert headline(alpha=0.02).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(("captures", "ranges", "most"), [(2, RANGES_OF_FEW, 0.042), (3, 1.0, 0.009)])
@pytest.mark.parametrize("deviation", [0.1, 0.3, 1.0, 3.0])
def test_equal_sides_are_seldom_apart_however_much_captures_vary(
    captures: int, ranges: float, most: float, deviation: float
) -> None:
    one, two = np.random.default_rng(1).normal(0, deviation, (2, 40_000, captures))
    assert (np.abs(gaps(one, two, ranges)) > LONG_STEPS).mean() <= most
