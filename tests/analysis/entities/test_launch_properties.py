"""Kernels by launch configuration: grid and block, or kernel type and dimensions of an MLU."""

from __future__ import annotations

from typing import Any

import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import categories_us, summary
from tests.build import TraceBuilder


def launched(vendor: str, *launches: dict[str, Any], name: str = "gemm", without: tuple[str, ...] = ()) -> TraceBuilder:
    """One kernel per set of arguments, the first 1 us long, the second 2 us and so on."""
    trace = TraceBuilder(vendor=vendor)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 0, 50)
    for at, args in enumerate(launches):
        trace.kernel(name, 50 + 8 * at, 51 + 9 * at, launch=(2 * at, 2 * at + 1), **args)
    for event in trace.events:
        for key in without:
            if event.args is not None:
                event.args.pop(key, None)
    return trace


def by_launch(of: Summary) -> dict[str, tuple[int, float]]:
    """Launch -> calls and microseconds."""
    group = of.groups["kernels_by_launch"]
    times = (group.measures_ns["total"].sum(axis=1) / 1000).tolist()
    return {
        launch: (calls, us)
        for (_, launch), calls, us in zip(group.keys, group.calls.sum(axis=1).tolist(), times, strict=True)
    }


def test_kernels_are_split_by_grid_and_block() -> None:
    drawn = summary(launched("cuda", {}, {"grid": (8, 1, 1)}, {"block": (32, 2, 1)}, {}))
    assert by_launch(drawn) == {
        "grid [64, 1, 1] block [256, 1, 1]": (2, 1 + 4),
        "grid [8, 1, 1] block [256, 1, 1]": (1, 2),
        "grid [64, 1, 1] block [32, 2, 1]": (1, 3),
    }


def test_mlu_kernels_are_split_by_type_and_dimensions() -> None:
    drawn = summary(launched("mlu", {}, {"kernel type": "BLOCK", "dim": "[1,1,1]"}, {"dim": "[8,1,1]"}, {}))
    assert by_launch(drawn) == {"UNION1 [4, 1, 1]": (2, 5), "BLOCK [1, 1, 1]": (1, 2), "UNION1 [8, 1, 1]": (1, 3)}


def test_dimensions_of_older_mlu_traces_are_read() -> None:
    drawn = summary(launched("mlu", {"dimx": 16, "dimy": 2, "dimz": 1}, without=("dim",)))
    assert by_launch(drawn) == {"UNION1 [16, 2, 1]": (1, 1)}


def test_launches_of_graphs_are_one_row_for_all_graphs() -> None:
    """Numbers of task topologies differ between recordings."""
    drawn = summary(launched("mlu", {"tasktopo": 3}, {"tasktopo": 4}, {}))
    assert by_launch(drawn) == {"UNION1 [4, 1, 1] in a tasktopo": (2, 3), "UNION1 [4, 1, 1]": (1, 3)}


def test_registers_and_shared_memory_are_means_weighted_by_time() -> None:
    drawn = summary(launched("cuda", {"registers per thread": 30}, {"registers per thread": 60}))
    facts = drawn.groups["kernels_by_launch"].facts
    assert facts["registers"].tolist() == [50.0]
    assert facts["shared_memory"].tolist() == [0.0]


def test_kernels_without_a_launch_configuration_are_one_row() -> None:
    trace = launched("mlu", {})
    trace.kernel("Atomic Operation[ADD]", 90, 94, launch=(20, 22), api="cnQueueAtomicOperation")
    for event in trace.events:
        if event.name.startswith("Atomic") and event.args is not None:
            for key in ("kernel type", "dim", "tasktopo", "tasktopo node"):
                del event.args[key]
    drawn = summary(trace)
    assert by_launch(drawn) == {"UNION1 [4, 1, 1]": (1, 1), "": (1, 4)}
    assert categories_us(drawn)["Kernel"] == 5


@pytest.mark.parametrize("vendor", ["mtia", "xpu"])
def test_a_device_without_launch_properties_has_no_table_by_launch(vendor: str) -> None:
    drawn = summary(launched(vendor, {}, without=("grid", "block")))
    assert "kernels_by_launch" not in drawn.groups
    assert drawn.absent["kernels_by_launch"] == "no kernel records its launch configuration"


def test_a_changed_launch_configuration_removes_a_row_and_adds_one() -> None:
    found = compare_summaries(
        summary(launched("mlu", {})), summary(launched("mlu", {"dim": "[8,1,1]"})), CompareOptions()
    )
    table = found.tables["kernels_by_launch"]
    names = [column.name for column in table.columns]
    rows = {row[names.index("launch")]: row[names.index("status")] for row in table.rows}
    assert rows == {"UNION1 [4, 1, 1]": "removed", "UNION1 [8, 1, 1]": "added"}


def test_the_view_of_a_run_shows_launch_configurations() -> None:
    table = view_tables(summary(launched("mlu", {})))["kernels_by_launch"]
    assert [column.label for column in table.columns][:4] == ["Name", "Launch", "Launches", "Total"]
    assert table.rows[0][:2] == ("gemm", "UNION1 [4, 1, 1]")


def test_a_copy_between_devices_adds_no_device() -> None:
    trace = TraceBuilder(vendor="mlu")
    trace.step(1, 0, 100)
    trace.op("aten::copy_", 0, 50)
    trace.memcpy(60, 70, kind="PtoP", launch=(10, 12))
    trace.kernel("gemm", 70, 80, launch=(20, 22))
    for event in trace.events:
        if event.name == "Memcpy PtoP" and event.args is not None:
            del event.args["device"]
            event.args |= {"fromDevice": 0, "inDevice": 0, "toDevice": 1, "memory bandwidth (GB/s)": "N/A"}
    drawn = summary(trace)
    assert drawn.device.count == 1
    assert categories_us(drawn)["Memcpy"] == 10
