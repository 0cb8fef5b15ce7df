"""A slower collective is reported with its bus bandwidth and message size."""

from __future__ import annotations

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare

MIB = 1 << 20


def trained(us: int, size: int = 16 * MIB, *, rank: int = 0, late: int = 0, sized: bool = True) -> Summary:
    """Ten steps with one exposed all-reduce of `size` bytes between two ranks, in which this rank waits `late` µs."""
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
    return compare(a, b).findings[0].sentence


def test_the_sentence_has_both_bandwidths_of_the_same_messages() -> None:
    text = sentence(trained(200), trained(800))
    assert "bus bandwidth 83.5 → 20.9 GB/s, same 16 MiB messages" in text
    assert "bus bandwidth 20.9 → 83.5 GB/s, same 16 MiB messages" in sentence(trained(800), trained(200))


def test_the_sentence_has_the_sizes_of_larger_messages() -> None:
    text = sentence(trained(200), trained(800, 64 * MIB))
    assert "GB/s, messages of 16.0 MiB → 64.0 MiB on average" in text


def test_an_unrecorded_bandwidth_is_not_mentioned() -> None:
    assert "bandwidth" not in sentence(trained(200, sized=False), trained(800, sized=False))


def test_with_several_ranks_the_bandwidth_excludes_waiting() -> None:
    """The second rank waits 100 us for the first in each collective of both runs."""
    a, b = (pool([trained(us), trained(us, rank=1, late=100)]) for us in (200, 800))
    assert "bus bandwidth 83.5 → 20.9 GB/s, same 16 MiB messages" in sentence(a, b)
