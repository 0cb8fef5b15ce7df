"""The incomplete last step: left out by default, compared on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import TraceBuilder
from tests.cli.invoke import json_of, tb_perfcompare


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Steps 7 to 10 of 1 ms with three kernels each, the last without device work."""
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
    answer = json_of("view", run, "--view", "steps", *options)
    names = [column["name"] for column in answer["table"]["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in answer["table"]["rows"]]
    return {
        "compared": [row["step"] for row in rows if row["admitted"]],
        "left out": [row["step"] for row in rows if not row["admitted"]],
    }


def test_the_last_step_is_left_out_by_default(run: Path) -> None:
    assert steps(run) == {"compared": ["7", "8", "9"], "left out": ["10"]}


@pytest.mark.parametrize("window", ["device", "marker"])
def test_all_steps_includes_the_last_step_with_a_note(run: Path, window: str) -> None:
    assert steps(run, "--all-steps", "--step-window", window) == {"compared": ["7", "8", "9", "10"], "left out": []}
    noted = " ".join(tb_perfcompare("view", run, "--all-steps", "--step-window", window).out.split())
    assert "step 10 is compared, though incomplete: no device work of this step was recorded" in noted


def test_the_last_step_can_be_selected(run: Path) -> None:
    assert steps(run, "--steps", "10") == {"compared": ["10"], "left out": ["7", "8", "9"]}
    assert steps(run, "--steps", "9-10")["compared"] == ["9", "10"]


@pytest.mark.parametrize(
    ("options", "admitted"), [(["--all-steps"], [4, 4]), (["--candidate-steps", "7-10"], [3, 4])], ids=["both", "one"]
)
def test_the_last_step_can_be_compared(run: Path, options: list[str], admitted: list[int]) -> None:
    answer = json_of("diff", run, run, *options)
    assert [answer[side]["steps"]["admitted"] for side in ("baseline", "candidate")] == admitted


def test_the_last_step_can_be_extracted(run: Path, tmp_path: Path) -> None:
    assert tb_perfcompare("trace", run, "--steps", "10", "-o", tmp_path / "step.json").status == 0


def test_a_step_that_was_not_recorded_is_an_error(run: Path) -> None:
    assert "there is no step 11; there are: 7, 8, 9, 10" in tb_perfcompare("view", run, "--steps", "11").err


def test_a_saved_baseline_gives_the_reason_of_the_missing_step(run: Path, tmp_path: Path) -> None:
    kept = ("--baselines", tmp_path / "kept")
    assert tb_perfcompare("baseline", "save", "main", run, *kept).status == 0
    refused = tb_perfcompare("view", "main", "--steps", "10", *kept).err
    assert "step 10 cannot be compared: incomplete: no device work of this step was recorded" in refused
