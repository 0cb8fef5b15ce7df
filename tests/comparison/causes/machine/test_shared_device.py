"""A device that other processes use: launched work starts late, too, and that is not the host's doing."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare, finding_of, rules_of

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


@cache
def launched(*late: float, host: float = 16.0, call: float = 4.0, length: float = 5.0, ahead: bool = False) -> Summary:
    """Three captures of eight steps of ten operators, which take `host` us and a launch of `call` us. A kernel of
    `length` starts `late` us after its launch (6 by default, or by capture), or when the one before it ends. The host
    waits for each kernel, or runs `ahead` and waits for the last one."""
    captures = []
    for span in range(3):
        own = late[span % len(late)] if late else 6.0
        trace, at, free = TraceBuilder(), 0.0, 0.0
        for number in range(8):
            begin = at
            for place in range(10):
                trace.op(f"aten::{_KERNELS[place % 4]}", at, at + host + call, dims=[[64, 64]])
                start = max(at + 3 + call + own + (number + span) % 3 / 10, free)
                free = start + length
                trace.kernel(f"{_KERNELS[place % 4]}_kernel", start, free, launch=(at + 3, at + 3 + call))
                at += host + call + 1
                if not ahead or place == 9:
                    end = max(at + 1, free + 1)
                    trace.call("cudaStreamSynchronize", at, end)
                    at = end + 1
            trace.step(number + 1, begin, at)
            at += 1
        captures.append(capture(trace, str(span)))
    return pool(captures)


def test_a_device_that_starts_launched_work_late_is_shared() -> None:
    found = compare(launched(), launched(30.0)).findings[0]
    assert (found.rule, found.subject) == ("device_interrupted", "launches")
    assert re.fullmatch(
        r"Device contention: \+\d+ µs per step before launched work starts, 10\.1 → 34\.1 µs per launch; kernels take "
        r"as long; other work is taking the GPU\.", found.sentence,
    )  # fmt: skip


def test_contention_does_not_count_what_launching_takes_longer() -> None:
    found = finding_of(compare(launched(), launched(30.0, call=10.0)), "device_interrupted")
    assert found.delta_us is not None and 200 < found.delta_us < 10 * 24.5  # not 10 * (24 + 6)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (launched, lambda: launched(host=60.0)),
        (launched, lambda: launched(11.0)),
        (launched, lambda: launched(6.0, 6.0, 90.0)),
        (
            lambda: launched(15.0, length=20.5, ahead=True),
            lambda: launched(15.0, host=36.0, length=20.5, ahead=True),
        ),
    ],
    ids=["a slower host", "hardly later", "one capture is late", "work was queued before"],
)
def test_a_late_start_has_other_causes(one: Callable[[], Summary], two: Callable[[], Summary]) -> None:
    assert "device_interrupted" not in rules_of(compare(one(), two()))
