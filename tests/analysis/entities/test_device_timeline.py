"""Device time per step: busy, exposed, and idle by reason."""

from __future__ import annotations

from hypothesis import given

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.summary.groups import (
    BUSY,
    DEVICE_TIMELINE,
    EXPOSED_COMMUNICATION,
    EXPOSED_COPIES,
    HOST_WAIT,
    IDLE,
    IDLE_PARTS,
    LAUNCH_LATENCY,
    LAUNCH_UNKNOWN,
    SHORT_KERNELS,
    STEP_END,
)
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tests.analysis.summaries import summarized, summary
from tests.build import TraceBuilder
from tests.strategies import traces


def figures(of: Summary, step: int = 0) -> dict[str, tuple[float, int]]:
    """Figure -> (microseconds, calls) of one step, without zeros."""
    table = of.groups[DEVICE_TIMELINE]
    time, calls = table.measures_ns["total"][:, step].tolist(), table.calls[:, step].tolist()
    found = {name: (ns / 1000, n) for (name,), ns, n in zip(table.keys, time, calls, strict=True)}
    return {name: both for name, both in found.items() if both != (0, 0)}


def drawn() -> TraceBuilder:
    """A step of 100 us: [host 10][latency 5][kernel 15..45][copy ..55][host ..60][latency ..62][kernel ..66][end]."""
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 15, 45, launch=(10, 14))
    trace.memcpy(40, 55, launch=(20, 22), stream=8)
    trace.kernel("relu", 62, 66, launch=(60, 61))
    return trace


def test_idle_time_is_split_by_reason() -> None:
    assert figures(summary(drawn())) == {
        BUSY: (44, 3), EXPOSED_COPIES: (10, 1), IDLE: (56, 5), HOST_WAIT: (15, 2), LAUNCH_LATENCY: (7, 2),
        STEP_END: (34, 1), SHORT_KERNELS: (4, 1),
    }  # fmt: skip


def test_a_queued_kernel_has_launch_latency_but_no_host_wait() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.kernel("one", 10, 30, launch=(0, 1))
    trace.kernel("two", 33, 50, launch=(2, 3))
    assert figures(summary(trace)) == {BUSY: (37, 2), IDLE: (13, 2), LAUNCH_LATENCY: (13, 2)}


def test_a_kernel_that_starts_before_its_launch_has_host_wait_only() -> None:
    """Host and device clocks differ slightly."""
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.kernel("one", 10, 50, launch=(12, 13))
    assert figures(summary(trace)) == {BUSY: (40, 1), IDLE: (10, 1), HOST_WAIT: (10, 1)}


def test_a_collective_is_exposed_where_no_kernel_computes() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 0, 60, launch=(0, 1))
    trace.collective("all_reduce", (2, 3), (40, 100))
    assert figures(summary(trace)) == {BUSY: (100, 2), EXPOSED_COMMUNICATION: (40, 1)}


def test_idle_time_before_a_kernel_without_a_launch_is_unknown() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.kernel("one", 0, 10, launch=(0, 1))
    trace.kernel("two", 20, 30)
    trace.kernel("three", 40, 50, launch=(31, 32))
    found = figures(summary(trace))
    assert (found[LAUNCH_UNKNOWN], found[HOST_WAIT], found[LAUNCH_LATENCY]) == ((10, 1), (1, 1), (9, 1))


def test_figures_are_means_over_devices() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.kernel("one", 0, 50, launch=(0, 1), device=0)
    trace.kernel("two", 10, 30, launch=(10, 11), device=1)
    assert figures(summary(trace))[BUSY] == (35, 1)
    assert figures(summary(trace))[IDLE] == (15, 1)


def test_without_device_events_the_reason_is_given() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 50)
    trace.op("aten::mm", 0, 40)
    of = summary(trace)
    assert DEVICE_TIMELINE not in of.groups
    assert "no device events" in of.absent[DEVICE_TIMELINE]


def test_figures_that_are_zero_in_the_selected_steps_remain() -> None:
    trace = drawn()
    trace.step(2, 200, 300)
    for at in (215, 230, 240):
        trace.kernel("gemm", at, at + 10, launch=(at - 5, at - 4))
    both = pool([summary(trace), summary(trace, worker="worker1")])
    chosen = select_steps(both, (2, 2)).groups[DEVICE_TIMELINE]
    assert chosen.keys == both.groups[DEVICE_TIMELINE].keys
    assert inconsistency(summary(trace)) == ""


@given(traces())
def test_busy_and_idle_parts_sum_to_the_step(trace: TraceBuilder) -> None:
    of = summarized(trace)
    if DEVICE_TIMELINE not in of.groups:
        return
    table = of.groups[DEVICE_TIMELINE]
    time = {name: ns for (name,), ns in zip(table.keys, table.measures_ns["total"], strict=True)}
    assert all((ns >= 0).all() for ns in time.values())
    parts = sum(time[name] for name in IDLE_PARTS if name in time)
    assert (time[IDLE] == parts).all()
    assert (time[BUSY] + parts == of.steps.total_ns).all()
    assert (time[EXPOSED_COPIES] + time[EXPOSED_COMMUNICATION] <= time[BUSY]).all()
