"""The step that the recording ended in is left out, and compared by whoever asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.build import TraceBuilder
from tests.cli.invoke import tb_perfcompare


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Steps 7 to 10 of 1 ms, three kernels each; the last one has no device work any more."""
    trace = TraceBuilder()
    for number in range(4):
        at = 1000 * number
        trace.step(7 + number, at, at + 1000)
        trace.op("aten::mm", at + 10, at + 400)
        for kernel in range(3) if number < 3 else ():
            start = at + 100 * kernel
            trace.kernel("gemm", start + 50, start + 120, launch=(start + 20, start + 30))
    trace.write(tmp_path / "run" / "worker0.1.pt.trace.json")
    return tmp_path / "run"


def steps(run: Path, *options: str) -> dict[str, list[str]]:
    """{"compared": steps, "left out": steps}"""
    answer = json.loads(tb_perfcompare("view", run, "--view", "steps", "--json", *options).out)
    names = [column["name"] for column in answer["table"]["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in answer["table"]["rows"]]
    return {
        "compared": [row["step"] for row in rows if row["admitted"]],
        "left out": [row["step"] for row in rows if not row["admitted"]],
    }


def test_by_itself_it_is_left_out(run: Path) -> None:
    assert steps(run) == {"compared": ["7", "8", "9"], "left out": ["10"]}


@pytest.mark.parametrize("window", ["device", "marker"])
def test_all_steps_are_all_of_them(run: Path, window: str) -> None:
    assert steps(run, "--all-steps", "--step-window", window) == {"compared": ["7", "8", "9", "10"], "left out": []}
    noted = " ".join(tb_perfcompare("view", run, "--all-steps", "--step-window", window).out.split())
    assert "step 10 is compared, though incomplete: no device work of this step was recorded" in noted


def test_it_is_there_for_whoever_names_it(run: Path) -> None:
    assert steps(run, "--steps", "10") == {"compared": ["10"], "left out": ["7", "8", "9"]}
    assert steps(run, "--steps", "9-10")["compared"] == ["9", "10"]


def test_two_runs_are_compared_by_it(run: Path) -> None:
    answer = json.loads(tb_perfcompare("diff", run, run, "--all-steps", "--format", "json").out)
    assert [answer[side]["steps"]["admitted"] for side in ("baseline", "candidate")] == [4, 4]


def test_one_side_with_and_one_without(run: Path) -> None:
    answer = json.loads(tb_perfcompare("diff", run, run, "--candidate-steps", "7-10", "--format", "json").out)
    assert [answer[side]["steps"]["admitted"] for side in ("baseline", "candidate")] == [3, 4]


def test_it_can_be_cut_out_of_the_trace(run: Path, tmp_path: Path) -> None:
    assert tb_perfcompare("trace", run, "--steps", "10", "-o", tmp_path / "step.json").status == 0


def test_a_step_that_was_not_recorded(run: Path) -> None:
    assert "there is no step 11; there are: 7, 8, 9, 10" in tb_perfcompare("view", run, "--steps", "11").err


def test_a_baseline_saved_without_it_says_why_it_is_not_there(run: Path, tmp_path: Path) -> None:
    kept = ("--baselines", tmp_path / "kept")
    assert tb_perfcompare("baseline", "save", "main", run, *kept).status == 0
    refused = tb_perfcompare("view", "main", "--steps", "10", *kept).err
    assert "step 10 cannot be compared: incomplete: no device work of this step was recorded" in refused
