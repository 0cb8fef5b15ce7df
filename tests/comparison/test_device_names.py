"""A device has one name on every face of a comparison."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def on_device(number: int) -> TraceBuilder:
    trace = TraceBuilder()
    for step in range(3):
        at = 1000 * step
        trace.step(step + 1, at, at + 900)
        trace.op("aten::mm", at + 5, at + 50)
        trace.kernel("gemm", at + 60, at + 500, launch=(at + 10, at + 20), device=number)
        trace.memory(at + 12, 1024, device=number, allocated=1024 * (step + 1), reserved=8192)
    return trace


def names(a: int, b: int) -> dict[str, set[str]]:
    found: Comparison = compare_summaries(summary(on_device(a)), summary(on_device(b)), CompareOptions())
    tables = {name: found.tables[name] for name in ("device", "memory")}
    return {name: {str(row[0]) for row in table.rows} for name, table in tables.items()}


def test_a_device_of_one_number_is_called_by_it() -> None:
    assert names(2, 2) == {"device": {"GPU 2"}, "memory": {"GPU 2"}}


def test_devices_of_different_numbers_go_together_under_one_name() -> None:
    assert names(2, 0) == {"device": {"GPU #1"}, "memory": {"GPU #1"}}
    found = compare_summaries(summary(on_device(2)), summary(on_device(0)), CompareOptions())
    assert found.tables["device"].notes[-1] == "GPU #1 is GPU 2 of the baseline and GPU 0 of the candidate."
