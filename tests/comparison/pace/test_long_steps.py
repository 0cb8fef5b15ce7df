"""One side has more long steps: steps far longer than its others."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.statistics.mean_effect import fisher_p, long_steps
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, finding_of, judge, sequence

STEPS = 15
APART, BURST = (2, 5, 6, 9, 13), (4, 5, 6, 7, 8)


@cache
def recorded(span: int, stalls: tuple[int, ...] = (), stall_us: int = 40_000) -> Summary:
    """15 steps of nine operators of about 1 ms; nothing is recorded for a while in some of them."""
    steps = []
    for number in range(STEPS):
        calls = [(f"aten::op{at}", 1000 + (7 * number + 5 * at + 3 * span) % 11, [[at, 64]]) for at in range(9)]
        steps.append([*calls[:4], ("", stall_us * (1 + number % 3) if number in stalls else 5), *calls[4:]])
    return capture(sequence(steps, gap=10, vendor="cpu"), str(span))


def test_a_third_of_the_steps_that_stalls_is_slower_and_says_so() -> None:
    calm, stalling = pool([recorded(0), recorded(2)]), pool([recorded(1, APART), recorded(3, APART)])
    found, back = compare(calm, stalling), compare(stalling, calm)
    assert (found.headline.verdict, back.headline.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    assert found.headline.basis is back.headline.basis is Basis.PROGRAM
    assert found.headline.sentence == "Slower: 0 → 10 of 30 steps take 80.0 ms longer."
    assert back.headline.sentence == "Faster: 10 → 0 of 30 steps take 80.0 ms longer."
    slow = finding_of(found, "slow_steps")
    assert "from 10 of 30 steps" in slow.sentence and "untraced host time +80.0 ms" in slow.sentence
    assert finding_of(back, "slow_steps").delta_us == -(slow.delta_us or 0.0)


def test_one_capture_each_says_that_it_is_about_these() -> None:
    headline = judge(recorded(0), recorded(1, APART)).headline
    assert headline.sentence.startswith("Slower in these two captures: 0 → 5 of 15 steps take 80.0 ms longer")


@pytest.mark.parametrize(
    ("one", "other"), [((), BURST), ((), (2, 9)), (APART, (1, 4, 7, 10)), ((), (0, 1))],
    ids=["one burst", "too few", "as many on the other side", "warm-up"],
)  # fmt: skip
def test_long_steps_that_may_be_chance_give_no_direction_and_move_no_interval(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    headline = judge(recorded(0, one), recorded(1, other)).headline
    assert headline.verdict in (Verdict.INCONCLUSIVE, Verdict.SAME)
    assert headline.program is not None and headline.program.high < 0.05
    assert headline.long_steps is None


def test_a_side_most_of_whose_steps_are_long_has_no_fewer_long_ones() -> None:
    headline = judge(recorded(0, APART), recorded(1, (0, 2, 3, 5, 6, 8, 10, 11, 13))).headline
    assert headline.long_steps is None
    assert headline.verdict is not Verdict.FASTER


def test_long_steps_in_one_of_two_captures_give_no_direction() -> None:
    stalling = pool([recorded(1, APART), recorded(3)])
    assert not judge(pool([recorded(0), recorded(2)]), stalling).headline.verdict.way


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([10, 11, 10, 12, 30, 50], [4, 5]),
        ([10, 11, 10, 12, 14, 16], []),
        ([10, 11, 30, 31, 32, 50], []),
        ([10, 20, 30, 40, 60, 80], []),
        ([10, 10, 10, 10, 50], []),
    ],
    ids=["two", "a tail", "most are long", "no usual length", "too few"],
)
def test_which_steps_are_long(times: list[int], expected: list[int]) -> None:
    assert np.flatnonzero(long_steps(np.log(times))).tolist() == expected


def test_fishers_exact_test() -> None:
    assert fisher_p((5, 15), (0, 15)) == pytest.approx(0.0421, abs=1e-4)
    assert fisher_p((3, 15), (3, 15)) == 1.0
