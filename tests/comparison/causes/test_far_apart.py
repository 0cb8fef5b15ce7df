"""A wait several times as long in every capture is significant, although captures and steps vary much."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.evidence.significant_categories import significant_categories
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture

BASELINE = (200, 210, 190)
"""Loader wait in µs per step of each capture; every fourth step has none."""


def recorded(span: int, loader_us: int) -> Summary:
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step in range(8):
        begin = at
        waits = loader_us if step % 4 else 5
        trace.loader(at, at + waits)
        trace.op("aten::mm", at + waits, at + waits + 10_000)
        at += waits + 10_000
        trace.step(step, begin, at)
    return capture(trace, str(span))


@pytest.mark.parametrize(
    ("loader_us", "names"),
    [((900, 850, 2200), {"DataLoader"}), ((900, 300, 2200), set()), ((250, 255, 260), set()), ((900, 2200), set())],
    ids=["far apart", "one is near", "not far", "too few captures"],
)  # fmt: skip
def test_captures_far_apart_are_significant_despite_a_large_p(loader_us: tuple[int, ...], names: set[str]) -> None:
    baseline, candidate = (pool([recorded(span, us) for span, us in enumerate(side)]) for side in (BASELINE, loader_us))
    inconclusive = dict.fromkeys(CATEGORY_LABELS, 0.3)
    assert significant_categories(baseline, candidate, inconclusive, 0.05).names == names
