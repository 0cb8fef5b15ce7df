"""Waits for the device expose host work, but do not make additional calls."""

from __future__ import annotations

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare


def training(*, waits: int = 0, slices: int = 0, checks: int = 0) -> TraceBuilder:
    """Ten steps of twenty products whose kernels hide the host, which waits for the device `waits` times per step,
    after `checks` operators each, and then `slices` small operators."""
    trace, at = TraceBuilder(), 0
    for number in range(10):
        begin, host, device = at, at, at + 20
        for place in range(20):
            trace.op("aten::mm", host, host + 40)
            device = max(device, host + 35)
            trace.kernel("gemm", device, device + 90 + (number + place) % 3, launch=(host + 10, host + 20))
            device += 95
            host += 42
            if place < waits:
                for _ in range(checks):
                    trace.op("aten::isfinite", host, host + 60)
                    host += 61
                trace.op("aten::copy_", host, device + 5)
                trace.call("cudaStreamSynchronize", host + 2, device + 3)
                host = device + 6
        host = max(host, device if waits else host)
        for _ in range(slices):
            trace.op("aten::slice", host, host + 8)
            host += 9
        at = max(host, device) + 2
        trace.step(number, begin, at - 1)
    return trace


@pytest.mark.parametrize(
    ("waits", "slices", "checks", "rule"),
    [
        (12, 0, 0, "synchronisation"), (2, 200, 0, "operators_changed"), (2, 4, 0, "synchronisation"),
        (12, 0, 3, "synchronisation"),
    ],
)  # fmt: skip
def test_additional_calls_are_no_waits(waits: int, slices: int, checks: int, rule: str) -> None:
    first = compare(training(), training(waits=waits, slices=slices, checks=checks)).findings[0]
    assert first.rule == rule, first.sentence
