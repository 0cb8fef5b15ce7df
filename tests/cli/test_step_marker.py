"""--step-marker, and the common marker of two runs."""

from __future__ import annotations

from pathlib import Path

from tests.analysis.iterations.loops import model_once, server, training
from tests.analysis.iterations.other_loops import adversaries
from tests.build import TraceBuilder
from tests.cli.invoke import json_of, tb_perfcompare


def write_trace(folder: Path, trace: TraceBuilder, span: int = 1) -> Path:
    trace.write(folder / f"worker0.170000000000{span}.pt.trace.json")
    return folder


def marker_of(side: dict[str, object]) -> str:
    return str(side["steps"]["by"]["step_marker"])


def check(answer: dict[str, list[dict[str, str]]], name: str) -> dict[str, str]:
    (found,) = [row for row in answer["comparability"] if row["check"] == name]
    return found


def test_runs_lists_the_marker_and_the_steps(tmp_path: Path) -> None:
    write_trace(tmp_path / "loop", training())
    found = tb_perfcompare("runs", tmp_path)
    assert "enumerate(DataLoader)*" in found.out and "5 of 6" in found.out
    asked = tb_perfcompare("runs", tmp_path, "--step-marker", "whole")
    assert "whole recording" in asked.out


def test_view_uses_the_requested_marker(tmp_path: Path) -> None:
    run = write_trace(tmp_path / "loop", training(marks=True))
    asked = tb_perfcompare("view", run, "--view", "steps", "--step-marker", "Optimizer.step#*", "--csv").out
    assert len(asked.splitlines()) == 1 + 6  # the incomplete last step is listed
    whole = tb_perfcompare("view", run, "--view", "steps", "--step-marker", "whole", "--csv").out
    assert len(whole.splitlines()) == 1 + 1


def test_sides_are_compared_by_a_marker_of_both(tmp_path: Path) -> None:
    a, b = write_trace(tmp_path / "a", training(8, marks=True)), write_trace(tmp_path / "b", training(8))
    answer = json_of("diff", a, b)
    assert marker_of(answer["baseline"]) == marker_of(answer["candidate"]) == "enumerate(DataLoader)*"
    assert answer["headline"]["delta"] == 0
    assert check(answer, "step_marker")["status"] == "ok"


def test_captures_of_a_side_use_a_marker_of_all(tmp_path: Path) -> None:
    side = write_trace(tmp_path / "a", training(8, marks=True))
    write_trace(side, training(8), span=2)
    answer = json_of("diff", side, side)
    assert marker_of(answer["baseline"]) == "enumerate(DataLoader)*"
    assert answer["baseline"]["steps"]["admitted"] == 14


def test_captures_without_a_common_marker_are_one_step_each(tmp_path: Path) -> None:
    side = write_trace(tmp_path / "a", training(8))
    write_trace(side, model_once(), span=2)
    answer = json_of("diff", side, side)
    assert marker_of(answer["baseline"]) == "whole"
    assert answer["baseline"]["steps"]["admitted"] == 2


def validated(validation_us: int) -> TraceBuilder:
    """Eight training steps of 1 ms, then a validation."""
    trace = training(8, loader=False)
    trace.op("aten::_convolution", 8_000, 8_000 + validation_us)
    return trace


def test_training_is_compared_however_long_the_validation_after_it_takes(tmp_path: Path) -> None:
    a, b = (write_trace(tmp_path / name, validated(us)) for name, us in (("a", 4_000), ("b", 12_000)))
    answer = json_of("diff", a, b)
    assert marker_of(answer["baseline"]) == marker_of(answer["candidate"]) == "Optimizer.step#*"
    assert (answer["headline"]["verdict"], answer["headline"]["delta"]) == ("same", 0)
    found = check(answer, "step_marker")
    assert found["status"] == "warn"
    assert found["detail"].startswith("iterations by Optimizer.step#* cover 58.9 % of the baseline's recording and")
    assert "the rest (4.89 → 12.9 ms) is not compared" in found["detail"]
    assert "Optimizer.step#* cuts 35.2 % of it into 7 steps" in tb_perfcompare("diff", b, b).out


def test_sides_without_a_common_marker_get_no_verdict_and_a_list_of_markers(tmp_path: Path) -> None:
    a = write_trace(tmp_path / "a", training(8))
    b = write_trace(tmp_path / "b", server([f"iteration {n}" for n in range(8)]))
    answer = json_of("diff", a, b)
    found = check(answer, "step_marker")
    assert (answer["headline"]["verdict"], found["status"]) == ("withheld", "fail")
    assert "the baseline has 'enumerate(DataLoader)*'" in found["detail"]
    assert "the candidate has 'iteration *'" in found["detail"]


def test_optimizer_steps_after_other_numbers_of_passes_are_cut_into_passes(tmp_path: Path) -> None:
    a = write_trace(tmp_path / "a", training(16, loader=False, accumulated=4))
    b = write_trace(tmp_path / "b", training(16, loader=False))
    answer = json_of("diff", a, b)
    assert marker_of(answer["baseline"]) == marker_of(answer["candidate"]) == "aten::to"
    assert (answer["headline"]["verdict"], answer["headline"]["delta"]) == ("same", 0)
    asked = json_of("diff", a, b, "--step-marker", "optimizer")
    assert (asked["headline"]["verdict"], check(asked, "step_marker")["status"]) == ("withheld", "fail")
    assert "holds 4 of the candidate's" in check(asked, "step_marker")["detail"]


def test_two_networks_are_cut_alike_if_only_one_side_shows_that_they_take_turns(tmp_path: Path) -> None:
    a = write_trace(tmp_path / "a", adversaries(1).trace)
    b = write_trace(tmp_path / "b", adversaries(1, detached=False).trace)
    assert " Optimizer.step#*" in tb_perfcompare("runs", b).out
    for pair in ((a, b), (b, a)):
        answer = json_of("diff", *pair)
        assert marker_of(answer["baseline"]) == marker_of(answer["candidate"]) == "every 2nd Optimizer.step#*"
    one_network = write_trace(tmp_path / "c", training(16, loader=False))
    assert marker_of(json_of("diff", a, one_network)["baseline"]) == "Optimizer.step#*"


def test_a_marker_missing_on_one_side_is_an_error_with_the_markers_of_each(tmp_path: Path) -> None:
    a, b = write_trace(tmp_path / "a", training(8)), write_trace(tmp_path / "b", server(["iteration 1"] * 8))
    found = tb_perfcompare("diff", a, b, "--step-marker", "iteration *")
    assert found.status != 0
    assert "/a has 'enumerate(DataLoader)*'" in found.err and "/b has 'iteration *'" in found.err


def test_a_detected_loop_against_itself_is_neither_slower_nor_faster(tmp_path: Path) -> None:
    run = write_trace(tmp_path / "loop", training(12, loader=False, optimizer=False))
    answer = json_of("diff", run, run)
    assert marker_of(answer["baseline"]) == "detected:aten::to"
    assert answer["headline"]["verdict"] not in ("slower", "faster")


def test_a_saved_baseline_keeps_its_marker(tmp_path: Path) -> None:
    run, kept = write_trace(tmp_path / "loop", training(8)), tmp_path / "kept"
    tb_perfcompare("baseline", "save", "main", run, "--baselines", kept, "--step-marker", "Optimizer.step#*")
    answer = json_of("diff", "main", run, "--baselines", kept)
    assert marker_of(answer["baseline"]) == marker_of(answer["candidate"]) == "Optimizer.step#*"
    other = tb_perfcompare("diff", "main", run, "--baselines", kept, "--step-marker", "whole")
    assert other.status != 0 and "main has 'Optimizer.step#*' (7);" in other.err


def test_the_strict_report_counts_iterations(tmp_path: Path) -> None:
    a, b = write_trace(tmp_path / "a", training(8, marks=True)), write_trace(tmp_path / "b", training(8))
    assert "| Total Cycles        | 7        | 7          |" in tb_perfcompare("strict", a, b).out


def generated(layers: int, tokens: int) -> TraceBuilder:
    """A recording without markers: a prompt, then tokens whose first call is the same."""
    trace = TraceBuilder()
    names = ["embedding", *("norm", "mm", "softmax", "mm", "add") * layers, "argmax", "ne", "cat"]
    at = 0
    for _ in range(tokens):
        for name in names:
            trace.op(f"aten::{name}", at, at + 8)
            at += 10
    return trace


def test_a_recording_without_iterations_is_compared_with_the_whole_other_one(tmp_path: Path) -> None:
    a = write_trace(tmp_path / "a", generated(3, 8))
    b = write_trace(tmp_path / "b", once(8))
    answer = json_of("diff", a, b)
    assert marker_of(json_of("diff", a, a)["baseline"]).startswith("detected:")
    assert [marker_of(answer[side]) for side in ("baseline", "candidate")] == ["whole", "whole"]
    assert check(answer, "step_marker")["status"] == "warn"


def test_a_recording_of_one_iteration_is_not_compared_with_whole_loops(tmp_path: Path) -> None:
    a = write_trace(tmp_path / "a", generated(3, 8))
    b = write_trace(tmp_path / "b", once(1))
    answer = json_of("diff", a, b)
    assert marker_of(answer["baseline"]).startswith("detected:")
    assert marker_of(answer["candidate"]) == "whole"


def once(times: int) -> TraceBuilder:
    """Calls of so many tokens through three layers; nothing repeats."""
    trace = TraceBuilder()
    for number in range(19 * times):
        trace.op(f"aten::one{number}", 10 * number, 10 * number + 8)
    return trace
