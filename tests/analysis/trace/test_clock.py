"""A device whose clock differs from the host's."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import categories_us, summary
from tests.build import TraceBuilder

FAR_US = 50_000
WORDS = {-FAR_US: "50.0 ms behind", FAR_US: "50.0 ms ahead of"}


def synchronous(moved: float, *, until: int = 5) -> TraceBuilder:
    """Steps with one kernel each that the host waits for, its times `moved` in the steps before `until`."""
    trace = TraceBuilder()
    for step in range(5):
        start = 1000 * step
        trace.step(step, start, start + 900)
        trace.op("aten::mm", start + 10, start + 100)
        by = moved if step < until else 0
        trace.kernel("gemm", start + 25 + by, start + 725 + by, launch=(start + 20, start + 30))
        trace.call("cudaDeviceSynchronize", start + 200, start + 730)
    return trace


def clock_notes(of: Summary) -> list[str]:
    return [note.message for note in of.notes if note.code is NoteCode.CLOCK_MOVED]


@pytest.mark.parametrize("moved", WORDS)
def test_a_clock_that_is_off_changes_no_time(moved: int) -> None:
    on, off = summary(synchronous(0)), summary(synchronous(moved))
    assert [categories_us(off, step) for step in range(5)] == [categories_us(on, step) for step in range(5)]
    assert not clock_notes(on)
    assert len(clock_notes(off)) == 1 and WORDS[moved] in clock_notes(off)[0]


def test_a_few_events_out_of_order_move_nothing() -> None:
    assert not clock_notes(summary(synchronous(-FAR_US, until=4)))


def test_events_linked_to_wrong_launches_move_nothing() -> None:
    """Six of 1,000 kernels have launches of later kernels."""
    trace = TraceBuilder()
    for number in range(1000):
        start, launched = 100 * number, 100 * (number + (20 * number if number in range(1, 7) else 0))
        trace.kernel("gemm", start + 20, start + 60, launch=(launched, launched + 5))
    trace.step(0, 0, 100_000)
    assert not clock_notes(summary(trace))


def test_a_move_that_contradicts_the_hosts_waits_is_none() -> None:
    """A tenth of the kernels have launches of later kernels; the host has waited for all of them."""
    trace = TraceBuilder()
    for number in range(100):
        start, launched = 1000 * number, 1000 * (number + (20 if number % 10 == 0 else 0))
        trace.kernel("gemm", start + 20, start + 60, launch=(launched, launched + 5))
        trace.call("cudaDeviceSynchronize", start + 10, start + 70)
    trace.step(0, 0, 130_000)
    assert not clock_notes(summary(trace))


def test_an_event_that_is_further_off_does_not_decide() -> None:
    trace = synchronous(-FAR_US)
    trace.kernel("odd", 25 - 100 * FAR_US, 30 - 100 * FAR_US, launch=(40, 50))
    assert "50.0 ms behind" in clock_notes(summary(trace))[0]
