"""Allocations by the driver: memory pressure, or a cache that is off?"""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def training(*, allocated: int = 0) -> TraceBuilder:
    """Eight steps of twenty tensors, each for one product. The driver allocates the first `allocated`, and frees them
    within the products."""
    trace, at = TraceBuilder(), 0
    for number in range(8):
        begin = at
        for place in range(20):
            driver = 60 * (place < allocated)
            trace.op("aten::empty", at, at + 10 + driver)
            trace.op("aten::mm", at + 11 + driver, at + 40 + 2 * driver + (number + place) % 3)
            late = at + 2 * driver
            trace.kernel("gemm", late + 38, late + 45, launch=(late + 30, late + 34))
            if driver:
                trace.call("cudaMalloc", at + 5, at + 5 + driver)
                trace.call("cudaFree", at + 15 + driver, at + 15 + 2 * driver)
            at += 50 + 2 * driver
        trace.step(number, begin, at)
    return trace


def first(before: int, after: int) -> Finding:
    return compare(training(allocated=before), training(allocated=after)).findings[0]


@pytest.mark.parametrize(
    ("allocated", "rule", "says"),
    [
        (4, "memory_pressure", "Memory pressure: +480 µs per step; allocations inside operators run out of memory"),
        (20, "allocator_calls", "The caching allocator is off: +2.40 ms per step; every tensor goes to the driver, "
                                "cudaMalloc 0 → 20 and cudaFree 0 → 20 calls per step."),
    ],
)  # fmt: skip
def test_a_driver_that_allocates_each_tensor_is_not_out_of_memory(allocated: int, rule: str, says: str) -> None:
    found = first(0, allocated)
    assert (found.rule, found.sentence.startswith(says)) == (rule, True), found.sentence


def test_a_cache_that_is_on_again_gains_as_much() -> None:
    found = first(20, 0)
    assert found.sentence == (
        "The caching allocator is on again: −2.40 ms per step; cudaMalloc 20 → 0 and cudaFree 20 → 0 calls per step."
    )
    assert found.look_at.startswith("PYTORCH_NO_CUDA_MEMORY_CACHING")
