"""Kernels measured one at a time: the n-th range is of the n-th launch, and its times are not used."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.groups import KERNEL_METRICS, MODELED_WORK, OPERATOR_METRICS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

READ, SHARE = "dram__bytes_read.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"


def measured(*, steps: int = 2, ranges: int = 4, metrics: bool = True, api: str = "cudaLaunchKernel") -> TraceBuilder:
    """Every step launches a product and a sum; ranges read 100, 200, 300, ... bytes at half the peak."""
    trace = TraceBuilder()
    for number in range(steps):
        at = 1000 * number
        trace.step(number + 1, at, at + 900)
        for offset, name in ((100, "aten::mm"), (300, "aten::sum")):
            trace.op(name, at + offset, at + offset + 100, dims=[[8, 8], [8, 8]])
            trace.call(api, at + offset + 10, at + offset + 20)
    for number in range(ranges):
        figures = {READ: 100.0 * (number + 1), SHARE: 50.25}
        trace.range(("gemm", "reduce")[number % 2], 475 * number, figures if metrics else {})
    return trace


def sums(found: Summary, group: str) -> dict[tuple[str, str], tuple[list[int], list[int]]]:
    """Key -> launches and sums by step."""
    table = found.groups[group]
    return {
        (key[0], key[1]): (calls, total)
        for key, calls, total in zip(
            table.keys, table.calls.tolist(), table.measures_ns["total"].tolist(), strict=True
        )
    }  # fmt: skip


def notes(found: Summary) -> str:
    return " ".join(note.message for note in found.notes if note.code is NoteCode.MEASURED_RANGES)


def test_the_nth_range_belongs_to_the_nth_launch() -> None:
    found = summary(measured())
    assert sums(found, KERNEL_METRICS) == {
        ("gemm", READ): ([1, 1], [100, 300]), ("gemm", SHARE): ([1, 1], [50_250, 50_250]),  # thousandths
        ("reduce", READ): ([1, 1], [200, 400]), ("reduce", SHARE): ([1, 1], [50_250, 50_250]),
    }  # fmt: skip
    assert sums(found, OPERATOR_METRICS) == {
        ("aten::mm", READ): ([1, 1], [100, 300]), ("aten::sum", READ): ([1, 1], [200, 400]),
    }  # fmt: skip
    assert "4 ranges" in notes(found) and "launch" not in notes(found)
    assert inconsistency(found) == ""


def test_driver_calls_within_runtime_calls_are_not_launches() -> None:
    trace = measured()
    for number in range(2):
        trace.call("cuLaunchKernel", 1000 * number + 112, 1000 * number + 118)
        trace.call("cudaMemcpyAsync", 1000 * number + 150, 1000 * number + 160)
    assert sums(summary(trace), OPERATOR_METRICS) == sums(summary(measured()), OPERATOR_METRICS)


def test_times_of_measured_ranges_count_in_no_step_operator_or_category() -> None:
    with_ranges, without = summary(measured()), summary(measured(ranges=0))
    assert with_ranges.steps.total_ns.tolist() == without.steps.total_ns.tolist() == [900_000, 900_000]
    assert with_ranges.steps.launches.tolist() == [0, 0] and with_ranges.device.count == 0
    assert with_ranges.owned.key == without.owned.key
    assert with_ranges.owned.time_ns.tolist() == without.owned.time_ns.tolist()
    assert with_ranges.iterations == without.iterations
    assert [key[0] for key in with_ranges.groups["operators"].keys] == ["aten::mm", "aten::sum"]
    assert "kernels" not in with_ranges.groups and "one by one" in with_ranges.absent["kernels"]


def test_work_without_kernel_times_has_no_rate() -> None:
    found = summary(measured())
    assert "operator_work" not in found.groups and MODELED_WORK in found.groups
    assert MODELED_WORK not in summary(measured(ranges=0)).groups


@pytest.mark.parametrize("api", ["cudaLaunchKernel", "cudaGraphLaunch"])
def test_unequal_numbers_of_ranges_and_launches_leave_the_operator_unknown(api: str) -> None:
    found = summary(measured(ranges=5, api=api))
    launches = 4 if api == "cudaLaunchKernel" else 0
    assert OPERATOR_METRICS not in found.groups
    assert f"5 measured ranges, but {launches} kernel launches" in notes(found)
    assert sums(found, KERNEL_METRICS)["gemm", READ] == ([2, 1], [450, 450])  # 100 + 300 + 500, divided evenly
    assert not found.groups[KERNEL_METRICS].sampled


def test_ranges_without_metrics_are_noted_and_have_no_table() -> None:
    found = summary(measured(metrics=False))
    assert KERNEL_METRICS not in found.groups and "4 ranges" in notes(found)


def test_metrics_are_selected_by_step_and_pooled() -> None:
    found = summary(measured(steps=4, ranges=8))
    chosen = select_steps(found, (2, 3))
    assert sums(chosen, KERNEL_METRICS)["gemm", READ] == ([1, 1], [300, 500])
    both = pool([found, summary(measured(), span="2")])
    assert sums(both, OPERATOR_METRICS)["aten::mm", READ][1] == [100, 300, 500, 700, 100, 300]
