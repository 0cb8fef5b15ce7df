"""`tb-perfcompare runs` and `pairs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import json_of, tb_perfcompare
from tests.drawn_runs import write_garbage, write_pair, write_run


def test_runs_lists_device_steps_size_and_problems(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_garbage(tmp_path / "bad")
    lines = tb_perfcompare("runs", tmp_path).out.splitlines()
    assert lines[0] == f"Runs below {tmp_path}"
    rows = {line.split()[0]: line for line in lines[2:]}
    assert "NVIDIA A100" in rows["normal"]
    assert "8 of 8" in rows["normal"]
    assert "byte 0: not JSON" in rows["bad"]


def test_runs_as_json_has_steps_device_and_errors_by_span(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_garbage(tmp_path / "bad")
    answer = json_of("runs", tmp_path)
    spans = {run["run"]: run["workers"][0]["spans"][0] for run in answer["runs"]}
    steps = spans["normal"]["steps"]
    assert {name: steps[name] for name in ("count", "admitted", "marked")} == {
        "count": 8, "admitted": 8, "marked": True,
    }  # fmt: skip
    assert (steps["by"]["step_marker"], steps["by"]["count"]) == ("profiler", 8)
    assert spans["normal"]["format"] == "torch_profiler_trace"
    assert spans["normal"]["device"]["kind"] == "cuda"
    assert spans["normal"]["mean_step_us"] == 1000.5
    assert spans["bad"]["error"]["code"] == "corrupt"


def test_names_only_reads_no_trace(tmp_path: Path) -> None:
    write_garbage(tmp_path / "bad")
    found = tb_perfcompare("runs", tmp_path, "--names-only")
    assert "not JSON" not in found.out
    assert "bad" in found.out
    answer = json_of("runs", tmp_path, "--names-only")
    assert set(answer["runs"][0]["workers"][0]["spans"][0]) == {"span", "files"}


def test_an_empty_directory_is_listed_with_an_explanation_of_runs(tmp_path: Path) -> None:
    found = tb_perfcompare("runs", tmp_path)
    assert found.status == 0
    assert "a run is a directory with" in found.out
    assert json_of("runs", tmp_path)["runs"] == []
    assert "no two runs" in tb_perfcompare("pairs", tmp_path).out


@pytest.mark.parametrize("command", ["runs", "pairs"])
def test_a_missing_directory_is_status_2(tmp_path: Path, command: str) -> None:
    found = tb_perfcompare(command, tmp_path / "missing")
    assert (found.status, found.out) == (2, "")
    assert "missing: No such file or directory; check the path" in found.err


def test_pairs_have_a_reason(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_run(tmp_path / "long", spans=2)
    assert "names differ only in normal/abnormal" in tb_perfcompare("pairs", tmp_path).out
    answer = json_of("pairs", tmp_path)
    assert answer["schema"] == "tb_perfcompare.pairs/1"
    assert [(pair["baseline"]["run"], pair["candidate"]["span"]) for pair in answer["pairs"]] == [
        ("normal", None),
        ("long", "2"),
    ]
