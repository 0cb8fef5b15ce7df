"""The critical path of drawn steps, computed by hand; it sums to the step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import cells_of
from tb_perfcompare.model.summary.categories import NOTHING_RECORDED
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, EVENT_EDGE, LAUNCH_EDGE, STREAM_EDGE, WAIT_EDGE
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarized, summary
from tests.build import TraceBuilder
from tests.strategies import traces

OTHER = (NOTHING_RECORDED, "Other")
AUTOGRAD = 77


def path_us(drawn: Summary) -> dict[tuple[str, str], int]:
    """(name, category) -> microseconds in all steps, which sum to the steps."""
    table = drawn.groups[CRITICAL_PATH]
    time = table.measures_ns["total"]
    assert time.sum(axis=0).tolist() == drawn.steps.total_ns.tolist()
    return {key: int(row.sum()) // 1000 for key, row in zip(table.keys, time, strict=True)}


def test_a_busy_device_is_the_path() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    for number in range(3):
        at = 10 * number
        trace.op("aten::mm", at + 5, at + 12)
        trace.kernel(f"gemm{'abc'[number]}", 20 + 50 * number, 68 + 50 * number, launch=(at + 6, at + 10))
    assert path_us(summary(trace)) == {
        OTHER: 5, ("aten::mm", "CPU Exec"): 1, ("cudaLaunchKernel", "Runtime"): 4, LAUNCH_EDGE: 10,
        ("gemma", "Kernel"): 48, ("gemmb", "Kernel"): 48, ("gemmc", "Kernel"): 48, STREAM_EDGE: 4,
    }  # fmt: skip


@pytest.mark.parametrize(("other", "launch", "stream"), [("two", (4, 8), 8), ("one", (9, 11), 7)])
def test_of_kernels_that_run_at_once_the_order_in_the_file_chooses_none(
    other: str, launch: tuple[float, float], stream: int
) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 20)
    trace.op("aten::mm", 2, 12)
    trace.kernel("one", 15, 40, launch=(4, 8), stream=7)
    trace.kernel(other, 15, 40, launch=launch, stream=stream)
    order = list(range(len(trace.events)))
    assert path_us(summary(trace)) == path_us(summary(trace, order=order[::-1]))


def test_the_host_is_the_path_until_it_waits_for_the_device() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 5, 15)
    trace.kernel("gemm", 16, 60, launch=(6, 14))
    trace.call("cudaDeviceSynchronize", 20, 63)
    trace.op("aten::cpu", 63, 95)
    assert path_us(summary(trace)) == {
        OTHER: 10, ("aten::mm", "CPU Exec"): 1, ("cudaLaunchKernel", "Runtime"): 8, LAUNCH_EDGE: 2,
        ("gemm", "Kernel"): 44, WAIT_EDGE: 3, ("aten::cpu", "CPU Exec"): 32,
    }  # fmt: skip


def test_a_synchronization_with_an_idle_device_is_host_time() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 16, 19, launch=(6, 14))
    trace.call("cudaDeviceSynchronize", 20, 63)
    assert path_us(summary(trace)) == {
        OTHER: 49, ("cudaLaunchKernel", "Runtime"): 8, ("cudaDeviceSynchronize", "Runtime"): 43
    }  # fmt: skip


def test_a_synchronous_copy_is_on_the_path() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.memcpy(40, 70, launch=(10, 72))
    path = path_us(summary(trace))
    assert path[WAIT_EDGE] == 2 and path["cudaMemcpyAsync", "Runtime"] == 30
    assert sum(us for (_, category), us in path.items() if category == "Memcpy") == 30


@pytest.mark.parametrize(
    ("idle_from", "returns", "kernel", "copying"),
    [(60, 72, 54, 0), (8, 72, 0, 52), (60, 64, 0, 54)],
    ids=["behind a kernel", "idle device", "a call that does not wait"],
)
def test_a_synchronous_copy_waits_for_earlier_work(idle_from: int, returns: int, kernel: int, copying: int) -> None:
    """Its call lasts as long as the kernels before it, which are on the path in its place."""
    trace = TraceBuilder()
    trace.step(1, 0, 72)
    trace.kernel("gemm", 6, idle_from, launch=(2, 4))
    trace.memcpy(62, 70, kind="DtoH (Device -> Pageable)", launch=(10, returns))
    path = path_us(summary(trace))
    assert path.get(("gemm", "Kernel"), 0) == kernel
    assert path.get(("cudaMemcpyAsync", "Runtime"), 0) == copying


@pytest.mark.parametrize("waits", [True, False])
def test_a_stream_waits_for_another_after_a_stream_wait_event(waits: bool) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 10, 60, launch=(2, 4))
    if waits:
        trace.call("cudaStreamWaitEvent", 5, 6)
    trace.kernel("ncclDevKernel_AllReduce", 61, 100, launch=(7, 9), stream=20)
    path = path_us(summary(trace))
    assert path.get(EVENT_EDGE, 0) == waits
    assert path.get(("gemm", "Kernel"), 0) == 50 * waits
    assert path.get(LAUNCH_EDGE) == (6 if waits else 52)


def test_backward_runs_while_the_main_thread_is_idle() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::forward", 5, 30)
    trace.op("autograd::engine::evaluate_function: MmBackward0", 33, 80, thread=AUTOGRAD)
    trace.kernel("gemm", 42, 44, launch=(40, 41), thread=AUTOGRAD)
    trace.op("aten::update", 82, 100)
    assert path_us(summary(trace)) == {
        OTHER: 10, ("aten::forward", "CPU Exec"): 25, ("cudaLaunchKernel", "Runtime"): 1,
        ("autograd::engine::evaluate_function: MmBackward", "CPU Exec"): 46, ("aten::update", "CPU Exec"): 18,
    }  # fmt: skip


def test_without_a_device_the_path_runs_over_threads() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::forward", 5, 30)
    trace.op("aten::backward", 30, 80, thread=AUTOGRAD)
    trace.forward_backward(1, 5, 30, backward_thread=AUTOGRAD)
    trace.op("aten::update", 80, 100)
    path = path_us(summary(trace))
    assert path == {
        OTHER: 5, ("aten::forward", "CPU Exec"): 25, ("aten::backward", "CPU Exec"): 50,
        ("aten::update", "CPU Exec"): 20,
    }  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(traces())
def test_the_path_of_any_trace_sums_to_the_step(trace: TraceBuilder) -> None:
    drawn = summarized(trace)
    if CRITICAL_PATH in drawn.groups:
        path_us(drawn)
        assert (drawn.groups[CRITICAL_PATH].measures_ns["total"] >= 0).all()


def test_rows_sum_to_the_change_of_the_step_and_swapping_negates_them() -> None:
    sides = []
    for us in (40, 90):
        trace = TraceBuilder()
        for number in range(6):
            start = 200 * number
            trace.step(number + 1, start, start + us + 20)
            trace.op("aten::mm", start + 5, start + 15)
            trace.kernel("gemm", start + 20, start + 20 + us, launch=(start + 6, start + 10))
        sides.append(summary(trace))
    tables = []
    for pair in (sides, sides[::-1]):
        found = compare_summaries(*pair, CompareOptions())
        table = found.table(CRITICAL_PATH)
        delta = [column.name for column in table.columns].index("delta_us")
        assert sum(cells_of(table.rows, delta)) == pytest.approx(found.headline.delta)
        tables.append({row[:2]: row[delta] for row in table.rows})
    assert tables[0] == {key: -us for key, us in tables[1].items()}
    assert tables[0]["gemm", "Kernel"] == pytest.approx(50)
