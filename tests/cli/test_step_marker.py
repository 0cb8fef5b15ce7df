"""--step-marker, and two runs that are cut by one marker."""

from __future__ import annotations

import json
from pathlib import Path

from tests.analysis.iterations.loops import model_once, server, training
from tests.build import TraceBuilder
from tests.cli.invoke import tb_perfcompare


def written(folder: Path, trace: TraceBuilder, span: int = 1) -> Path:
    trace.write(folder / f"worker0.170000000000{span}.pt.trace.json")
    return folder


def by(side: dict[str, object]) -> str:
    return str(side["steps"]["by"]["step_marker"])  # type: ignore[index]


def check(answer: dict[str, list[dict[str, str]]], name: str) -> dict[str, str]:
    (found,) = [one for one in answer["comparability"] if one["check"] == name]
    return found


def test_runs_says_by_what(tmp_path: Path) -> None:
    written(tmp_path / "loop", training())
    found = tb_perfcompare("runs", tmp_path)
    assert "enumerate(DataLoader)*" in found.out and "5 of 6" in found.out
    asked = tb_perfcompare("runs", tmp_path, "--step-marker", "whole")
    assert "whole recording" in asked.out


def test_view_is_cut_by_the_marker_that_is_asked_for(tmp_path: Path) -> None:
    run = written(tmp_path / "loop", training(marks=True))
    asked = tb_perfcompare("view", run, "--view", "steps", "--step-marker", "Optimizer.step#*", "--csv").out
    assert len(asked.splitlines()) == 1 + 6  # the last one is listed as cut off
    whole = tb_perfcompare("view", run, "--view", "steps", "--step-marker", "whole", "--csv").out
    assert len(whole.splitlines()) == 1 + 1


def test_a_side_without_profiler_step_is_compared_by_what_both_have(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a", training(8, marks=True)), written(tmp_path / "b", training(8))
    answer = json.loads(tb_perfcompare("diff", a, b, "--format", "json").out)
    assert by(answer["baseline"]) == by(answer["candidate"]) == "enumerate(DataLoader)*"
    assert answer["headline"]["delta"] == 0
    assert check(answer, "step_marker")["status"] == "ok"


def test_captures_of_a_side_are_cut_by_what_all_have(tmp_path: Path) -> None:
    side = written(tmp_path / "a", training(8, marks=True))
    written(side, training(8), span=2)
    answer = json.loads(tb_perfcompare("diff", side, side, "--format", "json").out)
    assert by(answer["baseline"]) == "enumerate(DataLoader)*"
    assert answer["baseline"]["steps"]["admitted"] == 14


def test_captures_without_a_common_marker_are_a_step_each(tmp_path: Path) -> None:
    side = written(tmp_path / "a", training(8))
    written(side, model_once(), span=2)
    answer = json.loads(tb_perfcompare("diff", side, side, "--format", "json").out)
    assert by(answer["baseline"]) == "whole"
    assert answer["baseline"]["steps"]["admitted"] == 2


def test_sides_of_different_units_get_no_verdict_and_are_told_what_there_is(tmp_path: Path) -> None:
    a = written(tmp_path / "a", training(8))
    b = written(tmp_path / "b", server([f"iteration {n}" for n in range(8)]))
    answer = json.loads(tb_perfcompare("diff", a, b, "--format", "json").out)
    found = check(answer, "step_marker")
    assert (answer["headline"]["verdict"], found["status"]) == ("withheld", "fail")
    assert "the baseline has 'enumerate(DataLoader)*'" in found["detail"]
    assert "the candidate has 'iteration *'" in found["detail"]


def test_a_marker_that_one_side_lacks_is_refused_with_what_each_has(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a", training(8)), written(tmp_path / "b", server(["iteration 1"] * 8))
    found = tb_perfcompare("diff", a, b, "--step-marker", "iteration *")
    assert found.status != 0
    assert "/a has 'enumerate(DataLoader)*'" in found.err and "/b has 'iteration *'" in found.err


def test_a_loop_against_itself_has_no_direction(tmp_path: Path) -> None:
    run = written(tmp_path / "loop", training(12, loader=False, optimizer=False))
    answer = json.loads(tb_perfcompare("diff", run, run, "--format", "json").out)
    assert by(answer["baseline"]) == "detected:aten::to"
    assert answer["headline"]["verdict"] not in ("slower", "faster")


def test_a_saved_baseline_keeps_its_marker(tmp_path: Path) -> None:
    run, kept = written(tmp_path / "loop", training(8)), tmp_path / "kept"
    tb_perfcompare("baseline", "save", "main", run, "--baselines", kept, "--step-marker", "Optimizer.step#*")
    answer = json.loads(tb_perfcompare("diff", "main", run, "--baselines", kept, "--format", "json").out)
    assert by(answer["baseline"]) == by(answer["candidate"]) == "Optimizer.step#*"
    other = tb_perfcompare("diff", "main", run, "--baselines", kept, "--step-marker", "whole")
    assert other.status != 0 and "main has 'Optimizer.step#*' (7);" in other.err


def test_the_strict_report_works_on_iterations(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a", training(8, marks=True)), written(tmp_path / "b", training(8))
    assert "| Total Cycles        | 7        | 7          |" in tb_perfcompare("strict", a, b).out
