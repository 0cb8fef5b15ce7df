"""Exact sums of the additive columns of a run's tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import TraceBuilder
from tests.cli.invoke import json_of, tb_perfcompare
from tests.drawn_runs import write_run


def test_decimals_are_summed_exactly(tmp_path: Path) -> None:
    """Ten launches of 0.1 us take 1 us, not 0.9999999999999999."""
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    for at in range(10):
        trace.kernel(f"gemm_{at}", 10 * at, 10 * at + 0.1, launch=(10 * at, 10 * at + 0.05))
    trace.write(tmp_path / "run" / "worker0.1.pt.trace.json")
    answer = json_of("view", tmp_path / "run", "--view", "kernels", "--top", "3")
    assert answer["table"]["sums"] == {"calls": 10.0, "total_us": 1.0, "share": 1.0}
    shown = tb_perfcompare("view", tmp_path / "run", "--view", "kernels", "--top", "3").out
    assert "* Sum of 10 rows: Launches 10, Total 1 µs.\n" in shown


@pytest.mark.parametrize(
    ("view", "additive", "others"),
    [
        ("operators", ["calls", "host_self_us", "device_self_us"], ["host_total_us", "device_total_us"]),
        ("kernels", ["calls", "total_us", "share"], ["mean_us", "min_us", "max_us"]),
        ("steps", ["total_us", "launches", "kernel_us"], ["capture"]),
        ("categories", ["mean_us", "share"], []),
        ("overview", [], ["value"]),
    ],
)
def test_only_additive_columns_have_sums(tmp_path: Path, view: str, additive: list[str], others: list[str]) -> None:
    run = write_run(tmp_path / "run")
    sums = json_of("view", run, "--view", view)["table"]["sums"]
    assert {*additive} <= {*sums}
    assert not {*others} & {*sums}


def test_the_categories_of_steps_sum_to_their_total(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    sums = json_of("view", run, "--view", "steps")["table"]["sums"]
    categories = [value for name, value in sums.items() if name not in ("total_us", "launches")]
    assert sum(categories) == sums["total_us"] == 8004.0


def test_a_run_of_two_ranks_has_a_table_of_ranks_without_sums(tmp_path: Path) -> None:
    for rank, extra in ((0, 0), (1, 300)):
        write_run(tmp_path / "run", worker=f"rank{rank}", extra_us=extra)
    answer = json_of("view", tmp_path / "run", "--view", "ranks")
    names = [column["name"] for column in answer["table"]["columns"]]
    assert names[:3] == ["rank", "step_us", "own_us"]
    assert [row[:3] for row in answer["table"]["rows"]] == [["rank 0", 1000.5, 1000.5], ["rank 1", 1300.5, 1300.5]]
    assert answer["table"]["sums"] == {}


def test_a_run_of_one_worker_has_no_table_of_ranks(tmp_path: Path) -> None:
    found = tb_perfcompare("view", write_run(tmp_path / "run"), "--view", "ranks")
    assert "has no view 'ranks': one worker recorded this run" in found.err


def test_modules_sum_to_the_step(tmp_path: Path) -> None:
    trace = TraceBuilder()
    for number in range(3):
        at = 1000 * number
        trace.step(number, at, at + 1000)
        trace.python("nn.Module: Linear_0", at + 100, at + 400, number=10 * number + 1, module=0)
        trace.op("aten::mm", at + 150, at + 350)
    trace.write(tmp_path / "run" / "worker0.1.pt.trace.json")
    answer = json_of("view", tmp_path / "run", "--view", "modules_ledger")
    assert [column["name"] for column in answer["table"]["columns"]] == ["module", "category", "mean_us", "share"]
    assert answer["table"]["sums"] == {"mean_us": 1000.0, "share": 1.0}
