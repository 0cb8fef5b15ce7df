"""A slower collective is told with its bus bandwidth, and with what its messages became."""

from __future__ import annotations

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

MIB = 1 << 20


def trained(us: int, size: int = 16 * MIB, *, rank: int = 0, late: int = 0, sized: bool = True) -> Summary:
    """Ten steps with one all-reduce of `size` bytes among two ranks, in the open; the rank waits `late` us in it."""
    trace = TraceBuilder(rank=rank, world_size=2)
    for number in range(1, 11):
        start = 4000 * number
        trace.step(number, start, start + 3900)
        trace.kernel("gemm", start + 10, start + 100, launch=(start + 1, start + 5))
        at = start + 200 - late
        end = start + 200 + us + number % 3
        name = "all_reduce" if sized else "all_to_all_v"
        trace.collective(name, (start + 50, start + 60), (at, end), elements=size // 4, group=2)
    return summary(trace, worker=f"worker{rank}")


def sentence(a: Summary, b: Summary) -> str:
    return compare_summaries(a, b, CompareOptions()).findings[0].sentence


def test_the_same_messages_at_another_bandwidth() -> None:
    text = sentence(trained(200), trained(800))
    assert "bus bandwidth 83.5 → 20.9 GB/s, same 16 MiB messages" in text
    assert "bus bandwidth 20.9 → 83.5 GB/s, same 16 MiB messages" in sentence(trained(800), trained(200))


def test_larger_messages_are_said_to_be() -> None:
    text = sentence(trained(200), trained(800, 64 * MIB))
    assert "GB/s, messages of 16.0 MiB → 64.0 MiB on average" in text


def test_unrecorded_facts_are_not_mentioned() -> None:
    assert "bandwidth" not in sentence(trained(200, sized=False), trained(800, sized=False))


def test_with_several_ranks_the_bandwidth_is_that_of_the_transfer() -> None:
    """The second rank waits 100 us for the first in each collective of both runs."""
    a, b = (pool([trained(us), trained(us, rank=1, late=100)]) for us in (200, 800))
    assert "bus bandwidth 83.5 → 20.9 GB/s, same 16 MiB messages" in sentence(a, b)
