"""Captures of one side after those of the other make the verdict probable: the machine may have drifted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, judge, sequence

MINUTE_NS = 60 * 10**9


def recorded(minute: int, op_us: int) -> Summary:
    """Eight steps of one operator without shapes, so that program and machine cannot be separated."""
    made = capture(sequence(([("aten::sort", op_us + number % 3)] for number in range(8)), vendor="cpu"), str(minute))
    return replace(made, captures=(replace(made.captures[0], clock_zero_ns=minute * MINUTE_NS),))


@pytest.mark.parametrize(
    ("baseline", "says"),
    [
        ((0, 1, 2), "Probably slower: typical step +50.0 % (95 % CI +49.9 to +50.0 %), but not recorded alternately"),
        ((0, 4, 8), "Slower: typical step +50.0 % (95 % CI +49.9 to +50.0 %)"),
    ],
    ids=["one side after the other", "alternately"],
)
def test_captures_in_alternation_decide_and_others_are_probable(baseline: tuple[int, ...], says: str) -> None:
    sides = (pool([recorded(at, op_us) for at in order]) for order, op_us in ((baseline, 1000), ((3, 5, 9), 1500)))
    assert judge(*sides).headline.sentence == says
