"""A run compared with itself, which the first line of the answer states."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import drawn_trace


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for span, step_us in ((1, 1000), (2, 1001)):
        drawn_trace(step_us=step_us).write(tmp_path / "run" / f"worker0.{span}.pt.trace.json")
    return tmp_path / "run"


def first_line(*words: object) -> str:
    return tb_perfcompare("diff", *words).out.splitlines()[0]


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_run_against_itself_is_stated_first(run: Path, form: str) -> None:
    shown = tb_perfcompare("diff", run, run, "--format", form).out
    text = "Same: a run compared with itself: the same 2 files on both sides"
    assert text in shown.replace("\\", "")
    assert shown.index("compared with itself") < shown.index("candidate")


def test_a_copy_of_a_run_counts_as_the_run(run: Path, tmp_path: Path) -> None:
    """Equal bytes are the same recording under any file name."""
    (tmp_path / "copy").mkdir()
    for file in run.iterdir():
        (tmp_path / "copy" / file.name.replace("worker0", "w")).write_bytes(file.read_bytes())
    assert first_line(run, tmp_path / "copy").startswith("Same: a run compared with itself")


def test_a_run_against_one_of_its_spans_names_the_shared_file(run: Path) -> None:
    text = first_line(run, run, "--candidate-span", "1")
    assert "1 file on both sides: those steps are compared with themselves" in text


def test_different_steps_of_a_file_are_not_compared_with_themselves(run: Path) -> None:
    text = first_line(run, run, "--span", "1", "--baseline-steps", "1-4", "--candidate-steps", "5-8")
    assert "itself" not in text
    assert "themselves" not in text
