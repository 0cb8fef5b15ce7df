"""The environment table: words for people, names for programs."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.tables.run_facts import environment_table
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def test_settings_have_words_and_keep_their_names() -> None:
    trace = TraceBuilder()
    trace.op("aten::mm", 0, 10)
    settings = (
        ("device.memory_bytes", "1073741824"), ("profiler.with_stack", "true"), ("version.cuda_driver", "12020"),
        ("distributed.nccl_version", "2.18"), ("host.threads_with_operators", "2"),
    )  # fmt: skip
    side = replace(summary(trace), environment=settings)
    table = environment_table(side, replace(side, environment=settings[:-1]))
    assert [column.name for column in table.columns] == ["setting", "name", "baseline", "candidate", "same"]
    assert [row[0] for row in table.rows] == [
        "Host threads with operators", "Device memory", "Profiler with_stack", "CUDA driver version",
        "NCCL version",
    ]  # fmt: skip
    assert table.rows[0][1:] == ("host.threads_with_operators", "2", None, False)
    assert table.rows[1][1:] == ("device.memory_bytes", *["1073741824 (1.00 GiB)"] * 2, True)
