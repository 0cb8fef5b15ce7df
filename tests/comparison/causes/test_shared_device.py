"""A device that other processes use: launched work starts late, too, and that is not the host's doing."""

from __future__ import annotations

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare

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


def launched(*, late: float = 6.0, host: float = 20.0) -> Summary:
    """Three captures of eight steps of ten operators. Each kernel starts `late` us after its launch on an idle device,
    and the host waits for the last one."""
    captures = []
    for span in range(3):
        trace, at = TraceBuilder(), 0.0
        for number in range(8):
            begin = at
            for place in range(10):
                trace.op(f"aten::{_KERNELS[place % 4]}", at, at + host, dims=[[64, 64]])
                start = at + 7 + late + (number + span) % 3 / 10
                trace.kernel(f"{_KERNELS[place % 4]}_kernel", start, start + 5, launch=(at + 3, at + 7))
                at += host + 1
            end = max(at, start + 6)
            trace.call("cudaStreamSynchronize", at, end)
            trace.step(number + 1, begin, end + 1)
            at = end + 2
        captures.append(capture(trace, str(span)))
    return pool(captures)


def test_a_device_that_starts_launched_work_late_is_shared() -> None:
    found = compare(launched(), launched(late=200.0)).findings[0]
    assert (found.rule, found.subject) == ("device_interrupted", "launches")
    assert found.sentence == (
        "Device contention: +193 µs per step before launched work starts, 10.1 → 34.8 µs per launch; kernels take as "
        "long; other work is taking the GPU."
    )


def test_a_slower_host_is_no_shared_device() -> None:
    found = compare(launched(), launched(host=40.0)).findings
    assert "device_interrupted" not in {one.rule for one in found}


def test_a_device_that_no_longer_has_work_in_advance_is_not_shared() -> None:
    """Launches meet an idle device, as the host has become slower: before, they were queued."""
    busy, idle = launched(host=9.0), launched(host=40.0)
    assert "device_interrupted" not in {one.rule for one in compare(busy, idle).findings}
