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


GETITEM, DECODE = "data.py(9): __getitem__", "PIL/Image.py(40): load"


def decoding(iterator: str, *, decode: int, stacks: bool = True) -> TraceBuilder:
    """Loading of 100 µs in `data.py`, and of images that a library decodes for `decode` µs more."""
    trace = training(iterator, wait=100 + decode)
    for step in range(8):
        at = 4_000 * step
        if stacks:
            trace.python(GETITEM, at + 10, at + 90 + decode, number=10 * step)
            trace.python("<built-in function len>", at + 20, at + 80, number=10 * step + 1)
            if decode:
                trace.python(DECODE, at + 85, at + 85 + decode, number=10 * step + 2)
    return trace


@pytest.mark.parametrize(("iterator", "stacks", "how", "look_at"), [
    (MAIN, True, f"; inside {DECODE} (0 → 1 calls per step), called in {GETITEM}",
     "Dataset.__getitem__ and collate_fn, which run in the main process (num_workers=0)"),
    (MAIN, False, "",
     "Dataset.__getitem__ and collate_fn (record with with_stack=True), which run in the main process (num_workers=0)"),
    (WORKERS, True, "",
     "num_workers, prefetch_factor, pin_memory, decoding and storage"),
])  # fmt: skip
def test_what_the_main_process_does_to_load_is_named(iterator: str, stacks: bool, how: str, look_at: str) -> None:
    (finding,) = compared(*(decoding(iterator, decode=decode, stacks=stacks) for decode in (0, 800))).findings
    assert finding.sentence == f"Data loader wait: +800 µs per step (100 → 900 µs){how}."
    assert finding.look_at == look_at


def test_operators_of_the_main_process_are_named_if_they_make_much_of_it() -> None:
    for sides, sign, calls in (((0, 40), "+", "0 → 40"), ((40, 0), "−", "40 → 0")):
        (finding,) = compared(*(training(MAIN, wait=100 + 20 * copies, copies=copies) for copies in sides)).findings
        us = f"{sign}720 µs"
        assert finding.sentence.endswith(f"; operators in it {us}: aten::copy_ {us} ({calls} calls per step).")
