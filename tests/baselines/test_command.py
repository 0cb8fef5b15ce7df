"""`tb-perfcompare baseline`, and names where a run is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.invoke import Outcome, tb_perfcompare
from tests.drawn_runs import write_garbage, write_pair, write_run


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_pair(tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def baseline(*words: str) -> Outcome:
    return tb_perfcompare("baseline", *words)


def test_saved_listed_shown_removed() -> None:
    saved = baseline("save", "main", "logs/normal")
    assert (saved.status, saved.out) == (0, "saved main: normal, 1 file, 8 of 8 steps\n")
    assert Path(".perfcompare/baselines/main.baseline").is_file()
    assert "main" in baseline("list").out
    shown = baseline("show", "main").out
    assert "worker0 span 1: worker0.1700000000001.pt.trace.json" in shown
    assert "sha256" in shown
    assert baseline("remove", "main").out == "removed main\n"
    assert "none in .perfcompare/baselines" in baseline("list").out
    assert not list(Path(".perfcompare/baselines").iterdir())


def test_a_name_stands_where_a_run_is_asked_for() -> None:
    baseline("save", "main", "logs/normal")
    found = tb_perfcompare("diff", "main", "logs/abnormal", "--format", "json")
    assert json.loads(found.out)["baseline"]["source"] == "main"
    assert tb_perfcompare("view", "main", "--view", "steps", "--csv").out.count("\n") == 9
    assert tb_perfcompare("strict", "main", "logs/abnormal").status == 0


def test_another_directory() -> None:
    baseline("save", "main", "logs/normal", "--baselines", "ci/saved")
    assert Path("ci/saved/main.baseline").is_file()
    found = tb_perfcompare("diff", "main", "logs/abnormal", "--baselines", "ci/saved", "--format", "json")
    assert json.loads(found.out)["baseline"]["source"] == "main"


def test_a_name_in_use_is_replaced_only_on_request() -> None:
    baseline("save", "main", "logs/normal")
    refused = baseline("save", "main", "logs/abnormal")
    assert refused.status == 2
    assert "there is a baseline called 'main'; choose another name, or add --replace" in refused.err
    assert baseline("save", "main", "logs/abnormal", "--replace").status == 0
    assert "run           abnormal" in baseline("show", "main").out


def test_a_name_that_means_both_has_to_be_made_clear() -> None:
    baseline("save", "main", "logs/normal")
    write_run(Path("main"))
    found = tb_perfcompare("view", "main")
    assert found.status == 2
    assert "'main' is a run here and a saved baseline; give ./main for the run" in found.err
    assert "or .perfcompare/baselines/main.baseline for the baseline" in found.err
    assert tb_perfcompare("view", "./main").status == 0


@pytest.mark.parametrize("command", [["view", "mian"], ["baseline", "show", "mian"], ["baseline", "remove", "mian"]])
def test_a_name_there_is_not_suggests_one(command: list[str]) -> None:
    baseline("save", "main", "logs/normal")
    found = tb_perfcompare(*command)
    assert (found.status, found.out) == (2, "")
    assert "called 'mian'; did you mean 'main'?" in found.err


def test_without_baselines_a_missing_name_says_where_they_would_be() -> None:
    message = tb_perfcompare("view", "main").err
    assert "no run and no baseline called 'main'; check the name; no baseline is saved in .perfcompare" in message
    assert "No such file or directory; check the path" in tb_perfcompare("view", "./main").err


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".hidden", "x.baseline", "a b", "ü", "x" * 101, "a\nb"])
def test_what_cannot_be_a_name(name: str) -> None:
    found = baseline("save", name, "logs/normal")
    assert (found.status, "is not a valid name for a baseline" in found.err) == (2, True)
    assert not Path(".perfcompare").exists()


def test_a_run_that_cannot_be_read_leaves_nothing_behind() -> None:
    write_garbage(Path("broken"))
    assert baseline("save", "main", "broken").status == 2
    assert baseline("save", "main", "nowhere").status == 2
    assert baseline("save", "main", "logs/normal", "--steps", "90-99").status == 2
    assert not Path(".perfcompare").exists()


def test_a_file_that_cannot_be_read_is_said_and_listed() -> None:
    write_garbage(Path("logs/normal"))
    saved = baseline("save", "main", "logs/normal")
    assert saved.err.startswith("note: broken.1700000000009.pt.trace.json: left out: ")
    assert "broken.1700000000009.pt.trace.json: " in baseline("list").out
    assert "not read: " in baseline("show", "main").out


def test_a_directory_that_cannot_be_written_is_named() -> None:
    Path("taken").write_text("")
    found = baseline("save", "main", "logs/normal", "--baselines", "taken")
    assert (found.status, "taken/main.baseline: cannot be written: " in found.err) == (2, True)


def test_json_is_sorted_and_names_no_place_on_this_machine(tmp_path: Path) -> None:
    for name in ("zeta", "alpha", "beta2"):
        baseline("save", name, str(tmp_path / "logs" / "normal"))
    Path(".perfcompare/baselines/broken.baseline").write_bytes(b"nothing")
    text = baseline("list", "--json").out
    found = json.loads(text)
    assert [row["name"] for row in found["baselines"]] == ["alpha", "beta2", "broken", "zeta"]
    assert found["baselines"][2]["error"]["code"] == "corrupt"
    assert str(tmp_path) not in text
    shown = json.loads(baseline("show", "alpha", "--json").out)
    assert shown == found["baselines"][0]
    assert (shown["run"], shown["steps"]["admitted"]) == ("normal", 8)


def test_the_other_step_windows_are_refused_with_the_remedy() -> None:
    baseline("save", "main", "logs/normal", "--step-window", "marker")
    refused = tb_perfcompare("diff", "main", "logs/abnormal")
    assert refused.status == 2
    assert "main is a baseline with marker windows, and device windows were asked for" in refused.err
    assert "add --step-window marker, or save it again with --step-window device" in refused.err
    assert tb_perfcompare("diff", "main", "logs/abnormal", "--step-window", "marker").status == 0


def test_torch_tb_profilers_answers_need_the_trace() -> None:
    baseline("save", "main", "logs/normal")
    found = tb_perfcompare("view", "main", "--compat")
    assert (found.status, "is a saved baseline" in found.err) == (2, True)
    assert tb_perfcompare("trace", "main").status == 2


def test_a_log_directory_lists_baselines_as_runs() -> None:
    write_run(Path("logs/both"), spans=2)
    baseline("save", "main", "logs/both", "--baselines", "logs/saved")
    listed = json.loads(tb_perfcompare("runs", "logs", "--json").out)
    (found,) = [run for run in listed["runs"] if run["run"] == "saved"]
    assert found["format"] == "baseline"
    spans = found["workers"][0]["spans"]
    assert [(span["span"], span["steps"]["admitted"]) for span in spans] == [("1", 8), ("2", 8)]


@pytest.mark.parametrize("words", [[], ["save"], ["save", "main"], ["show"], ["remove"], ["sing"]])
def test_usage_errors_name_the_command(words: list[str]) -> None:
    found = baseline(*words)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("tb-perfcompare baseline")


def test_an_option_is_not_abbreviated_but_suggested() -> None:
    assert "--jso; did you mean '--json'?" in baseline("list", "--jso").err
