"""A device that other processes use: launched work starts late, too, and that is not the host's doing."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

_KERNELS = ("gemm", "softmax", "norm", "add")


def queued(*, shared: bool) -> Summary:
    """Ten steps of twelve kernels, launched long before they run. Shared, two of three take three times as long and
    start 150 us late, while the host waits in the next launch for a place in the queue."""
    trace, at = TraceBuilder(), 0.0
    for number in range(10):
        begin, device, host = at, at + 100, at + 1
        for place in range(12):
            name, taken = _KERNELS[place % 4], shared and (place + number) % 3 > 0
            late, length = (150, 300) if taken else (1, 100)
            waits = 120.0 if taken and place > 1 else 5.0
            trace.op(f"aten::{name}", host, host + waits + 10, dims=[[64, 64]])
            trace.kernel(f"{name}_kernel", device + late, device + late + length, launch=(host + 2, host + 2 + waits))
            host, device = host + waits + 11, device + late + length
        trace.step(number + 1, begin, max(host, device) + 1)
        at = max(host, device) + 2
    return summary(trace)


def test_work_that_waits_in_the_queue_of_a_shared_device_is_part_of_its_contention() -> None:
    found = compare_summaries(queued(shared=False), queued(shared=True), CompareOptions(resamples=200))
    first = found.findings[0]
    assert first.rule == "device_interrupted"
    assert ", 1.19 ms of it before launched work starts; mean kernel time ×2.33" in first.sentence
    assert "host_interrupted" not in {one.rule for one in found.findings}
