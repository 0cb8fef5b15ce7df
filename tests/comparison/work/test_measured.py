"""Measured metrics of kernels, and measured work against the model, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.views import absent_views, view_tables
from tb_perfcompare.comparison.work.measured import BYTES, FLOPS
from tb_perfcompare.model.summary.groups import BYTE_METRICS, FLOP_METRICS, TENSOR_METRIC
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare

FFMA, FADD = (f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum" for kind in ("ffma", "fadd"))
READ, WRITE = BYTE_METRICS
SIDE = 64
MODEL = 2 * SIDE**3
LEAST = 3 * 4 * SIDE**2
NONE = dict.fromkeys(FLOP_METRICS, 0.0)


def measured(metrics: dict[str, float], *, launches: int = 1, ranges: int | None = None) -> TraceBuilder:
    """Two steps of a product of 64 x 64 matrices, with `launches` launches and ranges with these metrics."""
    trace = TraceBuilder()
    for step in range(2):
        trace.step(step + 1, 1000 * step, 1000 * step + 900)
        trace.op("aten::mm", 1000 * step + 100, 1000 * step + 800, dims=[[SIDE, SIDE], [SIDE, SIDE]])
        for launch in range(launches):
            trace.call("cudaLaunchKernel", 1000 * step + 110 + 10 * launch, 1000 * step + 115 + 10 * launch)
    for number in range(2 * launches if ranges is None else ranges):
        trace.range("sgemm", 10 * number, metrics)
    return trace


def row(table: Table, *key: str) -> dict[str, Any]:
    (found,) = [cells for cells in table.rows if cells[: len(key)] == key]
    return dict(zip(table.places, found, strict=True))


def test_a_metric_has_launches_and_values_per_launch_and_step() -> None:
    table = compare(measured({READ: 1000.0}), measured({READ: 600.0}, launches=2)).tables["kernel_metrics"]
    assert row(table, "sgemm", READ) == {
        "name": "sgemm", "metric": READ, "unit": "bytes", "baseline_calls": 1, "candidate_calls": 2,
        "baseline_per_launch": 1000, "candidate_per_launch": 600, "per_launch_delta": -400,
        "baseline_per_step": 1000, "candidate_per_step": 1200, "per_step_delta": 200, "status": "both",
    }  # fmt: skip


def test_shares_of_a_peak_do_not_add_up() -> None:
    share = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    found = row(compare(measured({share: 40.5}), measured({share: 60.25})).tables["kernel_metrics"], "sgemm", share)
    assert (found["baseline_per_launch"], found["per_launch_delta"]) == (40.5, 19.75)
    assert found["baseline_per_step"] is found["per_step_delta"] is None


def test_fma_counts_two_flops_and_bytes_are_both_directions() -> None:
    metrics = {**NONE, FFMA: 100.0, FADD: 7.0, READ: 1000.0, WRITE: 24.0}
    table = compare(measured(metrics), measured({READ: 5.0})).tables["kernel_metrics"]
    assert row(table, "sgemm", FLOPS)["baseline_per_launch"] == 207
    assert row(table, "sgemm", BYTES)["baseline_per_launch"] == 1024
    assert row(table, "sgemm", FLOPS)["status"] == "removed"  # without all nine counters FLOPs are not known
    assert [cells[1] for cells in table.rows] == [BYTES, FLOPS, READ, WRITE, FADD, FFMA]  # none of the seven that are 0


@pytest.mark.parametrize(
    ("fma", "tensor", "check"),
    [
        (MODEL / 2, 0.0, ""),
        (MODEL, 0.0, ""),  # twice
        (1.5 * MODEL, 0.0, "A: ×3.00 of the model"),
        (MODEL / 8, 0.0, "A: ×0.250 of the model"),
        (0.0, 0.0, "A: ×0 of the model"),
        (0.0, 9.0, "A: tensor cores, whose FLOPs are not measured"),
        (0.0, None, "A: less than the model; tensor cores may do the rest, "
                    "sm__inst_executed_pipe_tensor.sum was not measured"),
    ],
)  # fmt: skip
def test_measured_flops_are_checked_against_the_model(fma: float, tensor: float | None, check: str) -> None:
    metrics = {**NONE, FFMA: fma} | ({} if tensor is None else {TENSOR_METRIC: tensor})
    found = row(
        compare(measured(metrics), measured({**NONE, FFMA: MODEL / 2, TENSOR_METRIC: 0.0})).tables["measured_work"],
        "aten::mm",
    )
    assert (found["baseline_measured_flops"], found["baseline_modelled_flops"]) == (2 * fma, MODEL)
    assert found["check"] == check


def test_measured_bytes_as_a_ratio_of_the_least() -> None:
    sides = (measured({READ: read * LEAST, WRITE: write * LEAST}) for read, write in ((2.0, 0.0), (0.0, 1.0)))
    found = row(compare(*sides).tables["measured_work"], "aten::mm")
    assert (found["baseline_bytes_ratio"], found["candidate_bytes_ratio"]) == (2, 1)
    assert (found["measured_bytes_delta"], found["baseline_measured_flops"], found["check"]) == (-LEAST, None, "")


def test_a_single_run_has_both_tables_or_a_reason() -> None:
    metrics = {**NONE, FFMA: MODEL / 2, READ: 1.0, WRITE: 1.0, TENSOR_METRIC: 0.0}
    views = view_tables(summary(measured(metrics)))
    assert row(views["measured_work"], "aten::mm")["flops_ratio"] == 1
    assert row(views["kernel_metrics"], "sgemm", BYTES)["per_step"] == 2
    alone = summary(measured(metrics, ranges=3))
    assert "measured_work" not in view_tables(alone) and "measured_ranges" in absent_views(alone)["measured_work"]
    plain = summary(measured(metrics, ranges=0))
    assert "kernel_metrics" not in view_tables(plain) and "profiler_metrics" in absent_views(plain)["kernel_metrics"]


def test_swapping_the_sides_negates_differences() -> None:
    a, b = measured({READ: 1000.0, WRITE: 3.0}), measured({READ: 600.0, WRITE: 5.0}, launches=2)
    one, two = compare(a, b).tables, compare(b, a).tables
    for table, key, deltas in (
        ("kernel_metrics", ("sgemm", READ), ("per_launch_delta", "per_step_delta")),
        ("measured_work", ("aten::mm",), ("measured_bytes_delta",)),
    ):
        assert [row(one[table], *key)[name] for name in deltas] == [-row(two[table], *key)[name] for name in deltas]


def test_kernels_without_times_have_no_rates() -> None:
    found = compare(measured({READ: 1.0}), measured({READ: 2.0}))
    assert "work_by_family" not in found.tables
    assert not any(column.name == "baseline_flop_rate" for column in found.table("operators").columns)
