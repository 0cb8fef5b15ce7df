"""A device has one name on every face of a comparison."""

from __future__ import annotations

from tb_perfcompare.comparison.result.comparison import Comparison
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rows_of


def on_device(number: int) -> TraceBuilder:
    trace = TraceBuilder()
    for step in range(3):
        at = 1000 * step
        trace.step(step + 1, at, at + 900)
        trace.op("aten::mm", at + 5, at + 50)
        trace.kernel("gemm", at + 60, at + 500, launch=(at + 10, at + 20), device=number)
        trace.memory(at + 12, 1024, device=number, allocated=1024 * (step + 1), reserved=8192)
    return trace


def names(found: Comparison) -> list[set[str]]:
    """Devices of the device table and of the memory table."""
    return [set(rows_of(found.tables[name])) for name in ("device", "memory")]


def test_the_same_device_keeps_its_number() -> None:
    assert names(compare(on_device(2), on_device(2))) == [{"GPU 2"}, {"GPU 2"}]


def test_devices_of_different_numbers_share_one_name() -> None:
    found = compare(on_device(2), on_device(0))
    assert names(found) == [{"GPU #1"}, {"GPU #1"}]
    assert found.tables["device"].notes[-1] == "GPU #1 is GPU 2 of the baseline and GPU 0 of the candidate."
