"""Little common work, on a machine whose pace varies between captures."""

from __future__ import annotations

from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, sequence

UNEVEN = (0.8, 1.4, 1.05)
"""Pace of the machine in three captures."""

SHARED = {f"aten::op{number}": 60 + 10 * number for number in range(5)}
"""The same work on both sides, a tenth of the step."""


def recorded(span: int, pace: float, rows: int) -> Summary:
    """Eight steps of the shared operators and of matrix products with `rows` rows of 40 µs each."""
    parts = [(name, us, 8) for name, us in SHARED.items()] + [("aten::mm", 40 * rows, rows)]

    def length(us: int, number: int, place: int) -> int:
        return round(us * pace * (1 + 0.004 * ((7 * number + 5 * place + span) % 5 - 2)))

    steps = ([(name, length(us, number, place), [[size, 8]]) for place, (name, us, size) in enumerate(parts)]
             for number in range(8))  # fmt: skip
    return capture(sequence(steps), str(span))


@cache
def compared(rows: int, captures: int = 3) -> Comparison:
    """100 rows against `rows`, recorded alternately."""
    paces = UNEVEN[:captures]
    one = pool([recorded(2 * at, pace, 100) for at, pace in enumerate(paces)])
    other = pool([recorded(2 * at + 1, pace, rows) for at, pace in enumerate(paces[1:] + paces[:1])])
    return compare(one, other)


def test_the_pace_of_little_work_decides_an_inconclusive_pair() -> None:
    headline = compared(120).headline
    assert headline.recorded is not None and headline.program is not None
    assert headline.recorded.verdict is Verdict.INCONCLUSIVE
    assert (headline.verdict, headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert headline.program.coverage < 0.12
    assert headline.program.low <= 800 / 4400 <= headline.program.high


def test_decisive_recorded_times_are_kept() -> None:
    headline = compared(500).headline
    assert (headline.verdict, headline.basis, headline.program) == (Verdict.SLOWER, Basis.RECORDED, None)
    assert headline.unsplit.startswith("operators of the same work cover ")


@pytest.mark.parametrize("captures", [1, 2])
def test_fewer_than_three_captures_do_not_decide(captures: int) -> None:
    headline = compared(120, captures).headline
    assert (headline.basis, headline.program) == (Basis.RECORDED, None)


def test_the_machine_part_is_inconclusive() -> None:
    headline = compared(120).headline
    assert headline.machine is not None
    assert headline.machine.verdict is Verdict.INCONCLUSIVE
