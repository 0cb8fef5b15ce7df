"""Batches of the main process or of workers."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

WORKERS, MAIN = "_MultiProcessingDataLoaderIter", "_SingleProcessDataLoaderIter"


def training(iterator: str, *, wait: int = 100, copies: int = 0) -> TraceBuilder:
    """Eight steps that wait for a batch, with copies while they wait, and compute."""
    trace = TraceBuilder(vendor="cpu")
    for step in range(8):
        at = 4_000 * step
        trace.step(step, at, at + wait + 1_200 + step % 3 + (iterator == MAIN))
        trace.loader(at, at + wait, iterator=iterator)
        for copy in range(copies):
            trace.op("aten::copy_", at + 20 * copy, at + 20 * copy + 18, dims=[[64], [64]])
        for call in range(12):
            begin = at + wait + 90 * call
            trace.op(f"aten::op{call}", begin, begin + 80, dims=[[64]])
    return trace


def compared(*sides: TraceBuilder) -> Comparison:
    return compare_summaries(summary(sides[0]), summary(sides[1]), CompareOptions(resamples=200))


@pytest.mark.parametrize(("sides", "sentence"), [
    ((training(WORKERS), training(MAIN, wait=900, copies=40)),
     "Data loader wait: +800 µs per step (100 → 900 µs); "
     "batches are loaded in the main process, no longer by workers."),
    ((training(MAIN, wait=900, copies=40), training(WORKERS)),
     "Data loader wait: −800 µs per step (900 → 100 µs); "
     "batches are loaded by workers, no longer in the main process."),
    ((training(WORKERS), training(MAIN)),
     "Batches are loaded in the main process, no longer by workers."),
])  # fmt: skip
def test_who_loads_is_the_cause_and_not_the_copies_it_makes(
    sides: tuple[TraceBuilder, TraceBuilder], sentence: str
) -> None:
    found = compared(*sides)
    assert [(finding.rule, finding.sentence) for finding in found.findings] == [("data_loader", sentence)]


def test_a_slower_loader_of_the_same_kind_is_not_named_so() -> None:
    found = compared(training(MAIN), training(MAIN, wait=900))
    (finding,) = found.findings
    assert finding.rule == "data_loader" and "batches are loaded" not in finding.sentence
