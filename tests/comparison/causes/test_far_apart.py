"""A wait that is several times as long in every capture is clear, although captures and steps differ much in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.evidence.significant_categories import significant_categories
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

BASELINE = (200, 210, 190)
"""Microseconds that a loader waits in the steps of each capture; every fourth finds its batch there."""


def capture(span: int, loader_us: int) -> Summary:
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step in range(8):
        begin = at
        waits = loader_us if step % 4 else 5
        trace.loader(at, at + waits)
        trace.op("aten::mm", at + waits, at + waits + 10_000)
        at += waits + 10_000
        trace.step(step, begin, at)
    made = summary(trace, span=str(span))
    file = replace(made.captures[0].file, sha256=f"{span} {loader_us}")
    return replace(made, captures=(replace(made.captures[0], file=file),))


@pytest.mark.parametrize(
    ("loader_us", "names"),
    [((900, 850, 2200), {"DataLoader"}), ((900, 300, 2200), set()), ((250, 255, 260), set()), ((900, 2200), set())],
    ids=["far apart", "one is near", "not far", "too few captures"],
)  # fmt: skip
def test_captures_far_apart_are_significant_whatever_the_test_says(
    loader_us: tuple[int, ...], names: set[str]
) -> None:
    baseline, candidate = (pool([capture(span, us) for span, us in enumerate(side)]) for side in (BASELINE, loader_us))
    inconclusive = dict.fromkeys(CATEGORY_LABELS, 0.3)
    assert significant_categories(baseline, candidate, inconclusive, 0.05).names == names
