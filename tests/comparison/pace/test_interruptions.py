"""Without input shapes and with few captures, uninterrupted steps show that other processes took the CPU."""

from __future__ import annotations

from functools import cache
from itertools import cycle

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, rules_of, sequence

OPERATORS, STEPS, SLICE_US = 9, 16, 4000
EVERYWHERE, ONE_PLACE = tuple(range(OPERATORS)), (4,)


@cache
def recorded(
    span: int, hit: tuple[int, ...] = (), slices: int = 3, slower: float = 1.0, worker: str = "worker0"
) -> Summary:
    """16 steps of nine operators of about 1 ms without shapes. In three of four steps `slices` slices of 4 ms fall on
    the operators `hit`, in turn; all work takes `slower` times as long."""
    next_hit, steps = cycle(hit), []
    for number in range(STEPS):
        lengths = [round((1000 + (7 * number + 5 * at + span) % 11) * slower) for at in range(OPERATORS)]
        for _ in range(slices if hit and number % 4 else 0):
            lengths[next(next_hit)] += SLICE_US
        steps.append([(f"aten::op{at}", us) for at, us in enumerate(lengths)])
    return capture(sequence(steps, gap=10, vendor="cpu"), str(span), worker)


def compared(*others: Summary) -> tuple[Comparison, Comparison]:
    """The comparison with as many undisturbed captures, and the reverse."""
    one, two = pool([recorded(2 * at) for at in range(len(others))]), pool(others)
    return compare(one, two), compare(two, one)


def test_slices_that_fall_on_everything_give_no_direction_and_are_the_cause() -> None:
    found, back = compared(recorded(1, EVERYWHERE))
    for side, what in ((found, "CPU contention: "), (back, "Less CPU contention: ")):
        assert side.headline.verdict is Verdict.INCONCLUSIVE
        assert ", above zero" not in side.headline.sentence
        assert side.headline.sentence.endswith("0.01 % in uninterrupted steps: other processes took the CPU")
        assert rules_of(side) == ["host_interrupted"]
        assert side.findings[0].sentence.startswith(what)
    assert found.findings[0].delta_us == -(back.findings[0].delta_us or 0.0)
    assert found.findings[0].share == pytest.approx(1.0, abs=0.01)


def test_slices_on_every_rank_give_no_direction() -> None:
    ranks = [(0, "worker0"), (2, "worker1")]
    calm, busy = (pool([recorded(span, hit, worker=rank) for span, rank in ranks]) for hit in ((), EVERYWHERE))
    assert compare(calm, busy).headline.sentence.endswith("in uninterrupted steps: other processes took the CPU")


@pytest.mark.parametrize(
    "other", [recorded(1, ONE_PLACE), recorded(1, EVERYWHERE, slices=1, slower=1.6)], ids=["one place", "slower, too"]
)
def test_a_program_that_stalls_in_one_place_or_is_slower_has_a_direction(other: Summary) -> None:
    found, back = compared(other)
    assert (found.headline.verdict, back.headline.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    assert "uninterrupted" not in found.headline.sentence


def test_three_captures_decide_for_themselves() -> None:
    found, _ = compared(*(recorded(2 * at + 1, EVERYWHERE) for at in range(3)))
    assert found.headline.verdict is Verdict.SLOWER
    assert rules_of(found) == ["host_interrupted"]
