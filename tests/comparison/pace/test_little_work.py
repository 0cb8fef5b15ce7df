"""Sides with other inputs: little of the step is the same work, and the machine changes from capture to capture."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

UNEVEN = (0.8, 1.4, 1.05)
"""Pace of the machine in three captures."""

SHARED = {f"aten::op{number}": 60 + 10 * number for number in range(5)}
"""The same work on both sides, a tenth of the step."""


def capture(span: int, pace: float, rows: int) -> Summary:
    """Eight steps of matrix products with so many rows, which take 40 µs each, and of the shared operators."""
    trace, at = TraceBuilder(), 0
    for number in range(8):
        start = at
        parts = [(name, us, 8) for name, us in SHARED.items()] + [("aten::mm", 40 * rows, rows)]
        for place, (name, us, size) in enumerate(parts):
            wobble = 1 + 0.004 * ((7 * number + 5 * place + span) % 5 - 2)
            trace.op(name, at, at + round(us * pace * wobble), dims=[[size, 8]])
            at += round(us * pace * wobble)
        trace.step(number, start, at)
    made = summary(trace, worker="worker0", span=str(span))
    file = replace(made.captures[0].file, sha256=f"{span} {pace} {rows}")
    return replace(made, captures=(replace(made.captures[0], file=file),))


@cache
def compared(rows: int, captures: int = 3) -> Comparison:
    """100 rows against `rows`, recorded alternately."""
    paces = UNEVEN[:captures]
    one = pool([capture(2 * at, pace, 100) for at, pace in enumerate(paces)])
    other = pool([capture(2 * at + 1, pace, rows) for at, pace in enumerate(paces[1:] + paces[:1])])
    return compare_summaries(one, other, CompareOptions(resamples=200))


def test_its_pace_decides_what_the_recorded_times_leave_open() -> None:
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
def test_fewer_captures_do_not_show_whether_the_rest_follows(captures: int) -> None:
    headline = compared(120, captures).headline
    assert (headline.basis, headline.program) == (Basis.RECORDED, None)


def test_nothing_is_said_of_the_machine() -> None:
    headline = compared(120).headline
    assert headline.machine is not None
    assert headline.machine.verdict is Verdict.INCONCLUSIVE
