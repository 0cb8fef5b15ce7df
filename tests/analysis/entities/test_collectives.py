"""Single collectives: their steps, lengths, groups and overlap with kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.summary.collectives import UNKNOWN, Collectives
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def two_steps() -> TraceBuilder:
    """Two collectives of 40 us; a kernel hides 10 us of the first and none of the second."""
    trace = TraceBuilder(rank=0, world_size=2)
    for number, start in ((1, 0), (2, 200)):
        trace.step(number, start, start + 150)
        trace.op("aten::mm", start + 1, start + 20)
        trace.kernel("gemm", start + 30, start + 60, launch=(start + 5, start + 10))
        at = start + (50 if number == 1 else 70)
        trace.collective("all_reduce", (start + 22, start + 28), (at, at + 40))
    return trace


def collectives(trace: TraceBuilder) -> Collectives:
    found = summary(trace).collectives
    assert found is not None
    return found


def test_each_call_has_a_step_a_length_and_a_group() -> None:
    found = collectives(two_steps())
    assert [group for _, group in found.keys] == ['"0"']
    assert (found.group_size.tolist(), found.key.tolist(), found.step.tolist()) == ([2], [0, 0], [0, 1])
    assert found.dur_ns.tolist() == [40_000, 40_000]


def test_time_that_overlaps_a_kernel_is_hidden() -> None:
    found = collectives(two_steps())
    assert (found.busy_ns.tolist(), found.hidden_ns.tolist()) == ([40_000, 40_000], [10_000, 0])


def test_a_host_collective_is_its_outermost_range_with_unknown_overlap() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.annotation("gloo:all_reduce", 10, 40)
    trace.annotation("gloo:all_reduce", 15, 30)
    found = collectives(trace)
    assert found.dur_ns.tolist() == [30_000]
    assert found.hidden_ns.tolist() == [UNKNOWN]


def test_a_run_without_communication_has_no_collectives() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 90)
    assert summary(trace).collectives is None


def test_pooling_and_selecting_steps_keep_each_call_in_its_step() -> None:
    plain = TraceBuilder()
    plain.step(1, 0, 100)
    plain.op("aten::mm", 10, 90)
    both = pool([summary(plain, worker="worker0"), summary(two_steps(), worker="worker1")])
    assert both.collectives is not None
    assert (both.collectives.step.tolist(), both.collectives.busy_ns.tolist()) == ([1, 2], [0, 40_000, 40_000])
    last = select_steps(both, (2, 2)).collectives
    assert last is not None
    assert (last.step.tolist(), last.dur_ns.tolist(), last.busy_ns.tolist()) == ([0], [40_000], [40_000])
    assert select_steps(pool([summary(plain), summary(plain, worker="worker1")]), (1, 1)).collectives is None


@pytest.mark.parametrize("damage", ["step", "key", "busy_ns"])
def test_inconsistent_collectives_are_detected(damage: str) -> None:
    whole = summary(two_steps())
    assert whole.collectives is not None and inconsistency(whole) == ""
    values = getattr(whole.collectives, damage)
    broken = values[:1] if damage == "busy_ns" else values + 7
    assert "collectives" in inconsistency(replace(whole, collectives=replace(whole.collectives, **{damage: broken})))
