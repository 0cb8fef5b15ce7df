"""All captures of one side after all of the other: a drifting machine looks like a change, and the verdict says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

MINUTE_NS = 60 * 10**9


def recorded(minute: int, op_us: int) -> Summary:
    """Eight steps of one operator without shapes, so that program and machine stay together."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(8):
        length = op_us + number % 3
        trace.op("aten::sort", at, at + length)
        trace.step(number, at, at + length)
        at += length
    made = summary(trace, span=str(minute))
    capture = made.captures[0]
    file = replace(capture.file, sha256=f"{minute}")
    return replace(made, captures=(replace(capture, file=file, clock_zero_ns=minute * MINUTE_NS),))


@pytest.mark.parametrize(
    ("baseline", "says"),
    [
        ((0, 1, 2), "Probably slower: typical step +50.0 % (95 % CI +49.9 % to +50.0 %), but not recorded alternately"),
        ((0, 4, 8), "Slower: typical step +50.0 % (95 % CI +49.9 % to +50.0 %), entirely above the 1 % threshold"),
    ],
    ids=["one side after the other", "alternately"],
)
def test_the_order_of_captures(baseline: tuple[int, ...], says: str) -> None:
    sides = (pool([recorded(at, op_us) for at in order]) for order, op_us in ((baseline, 1000), ((3, 5, 9), 1500)))
    assert compare_summaries(*sides, CompareOptions(resamples=100)).headline.sentence == says
