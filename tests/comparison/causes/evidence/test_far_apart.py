"""A wait several times as long in every capture is significant, although captures and steps vary much."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.evidence.significant_categories import significant_categories
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare

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


def test_few_long_waits_that_double_the_mean_are_told() -> None:
    """Workers hand over several batches at once: two of six steps wait, the typical one does not."""

    def loaded(*waits: int) -> TraceBuilder:
        trace, at = TraceBuilder(), 0
        for step, wait in enumerate(waits):
            trace.loader(at, at + wait)
            trace.op("aten::mm", at + wait, at + wait + 10_000)
            trace.step(step, at, at + wait + 10_000)
            at += wait + 10_000
        return trace

    first = compare(loaded(60, 0, 30, 80, 20, 50), loaded(90_000, 10, 10, 10, 80_000, 10)).findings[0]
    assert first.rule == "data_loader"
    assert first.confidence.startswith("within the spread of the steps")
