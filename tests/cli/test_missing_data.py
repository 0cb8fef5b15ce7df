"""What was recorded and is in no figure is said on every face, beside a single table as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import drawn_trace, write_garbage, write_run

CUT = "ends"
LEFT_OUT = "broken.1700000000009.pt.trace.json: left out: byte 0: not JSON"


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A run whose only file ends in the middle of its events."""
    path = tmp_path / "cut" / "worker0.1700000000001.pt.trace.json"
    drawn_trace().write(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    return path.parent


@pytest.fixture
def one_unreadable(tmp_path: Path) -> Path:
    """Two files of a run can be read, the third holds no trace."""
    folder = write_run(tmp_path / "three", spans=2)
    write_garbage(folder)
    return folder


def test_a_table_of_a_truncated_file_says_so(cut: Path) -> None:
    shown = tb_perfcompare("view", cut, "--view", "kernels").out
    assert "\nNotes\n" in shown
    assert "worker0.1700000000001.pt.trace.json: the file ends inside traceEvents" in " ".join(shown.split())


def test_what_is_behind_the_cut_is_not_asked_to_be_recorded(cut: Path) -> None:
    (path,) = cut.iterdir()
    path.write_bytes(path.read_bytes()[: path.read_bytes().index(b'"kernel"') - 300])
    found = tb_perfcompare("view", cut, "--view", "kernels")
    assert "no device events; the file is cut off; the lost part may hold them" in " ".join(found.err.split())


def test_a_table_names_the_file_left_out(one_unreadable: Path) -> None:
    assert LEFT_OUT in " ".join(tb_perfcompare("view", one_unreadable, "--view", "kernels").out.split())


@pytest.mark.parametrize("view", ["kernels", "overview", "steps"])
def test_csv_has_no_place_for_notes_and_standard_error_has(one_unreadable: Path, view: str) -> None:
    found = tb_perfcompare("view", one_unreadable, "--view", view, "--csv")
    assert found.status == 0 and "broken" not in found.out
    assert found.err.startswith(f"note: {LEFT_OUT}")


def test_json_holds_the_notes(one_unreadable: Path) -> None:
    notes = json.loads(tb_perfcompare("view", one_unreadable, "--view", "kernels", "--json").out)["notes"]
    assert [note["where"] for note in notes if note["code"] == "file_failed"] == ["broken.1700000000009.pt.trace.json"]


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_single_table_of_a_comparison_says_what_is_missing(one_unreadable: Path, form: str) -> None:
    words = ("diff", one_unreadable, one_unreadable, "--table", "kernels", "--format", form)
    assert "left out: byte 0: not JSON" in " ".join(tb_perfcompare(*words).out.split())


def test_a_comparison_as_csv_complains_on_standard_error(one_unreadable: Path) -> None:
    found = tb_perfcompare("diff", one_unreadable, one_unreadable, "--format", "csv")
    assert (found.status, "left out: byte 0: not JSON" in found.err) == (0, True)


def test_the_profiler_s_own_answers_of_a_truncated_file_too(cut: Path) -> None:
    found = tb_perfcompare("view", cut, "--compat", "--view", "kernel")
    assert found.status == 0
    assert "the file ends inside traceEvents" in found.err


def test_a_whole_run_has_nothing_to_note(tmp_path: Path) -> None:
    found = tb_perfcompare("view", write_run(tmp_path / "run"), "--view", "kernels", "--csv")
    assert found.err == ""
    assert "\nNotes\n" not in tb_perfcompare("view", tmp_path / "run", "--view", "kernels").out


@pytest.fixture
def others_beside(tmp_path: Path) -> Path:
    """One file is named like a trace, two are not."""
    folder = write_run(tmp_path / "run")
    for name in ("rank1.json", "rank2.json.gz"):
        drawn_trace().write(folder / name)
    return folder


NOT_READ = "2 traces are skipped because of their names: rank1.json, rank2.json.gz"


@pytest.mark.parametrize("words", [("runs",), ("pairs",), ("view",), ("diff", "--table", "kernels"), ("diff",)])
def test_traces_without_the_name_of_one_are_counted_and_named(others_beside: Path, words: tuple[str, ...]) -> None:
    command, *options = words
    found = tb_perfcompare(command, *([others_beside] * (2 if command == "diff" else 1)), *options)
    assert NOT_READ in " ".join(found.out.split())


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_several_candidates_say_it_of_each_run(others_beside: Path, one_unreadable: Path, form: str) -> None:
    text = " ".join(tb_perfcompare("verdicts", others_beside, one_unreadable, "--format", form).out.split())
    assert NOT_READ in text and "left out: byte 0: not JSON" in text


def test_several_candidates_as_csv_say_it_on_standard_error(others_beside: Path, one_unreadable: Path) -> None:
    found = tb_perfcompare("verdicts", others_beside, one_unreadable, "--format", "csv")
    assert f"note: baseline: {NOT_READ}" in found.err
    assert f"note: {one_unreadable}: {LEFT_OUT}" in found.err


def test_what_is_saved_or_recorded_says_it_then_and_later(others_beside: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    saved = tb_perfcompare("baseline", "save", "main", others_beside, "--baselines", folder)
    recorded = tb_perfcompare("record", others_beside, "--into", tmp_path / "log", "--series", "nightly")
    assert [f"note: {NOT_READ}" in found.err for found in (saved, recorded)] == [True, True]
    assert NOT_READ in " ".join(tb_perfcompare("view", "main", "--baselines", folder).out.split())


def test_a_log_directory_of_such_files_alone_is_compared(tmp_path: Path) -> None:
    for name in ("before.json", "after.json"):
        drawn_trace().write(tmp_path / name)
    assert tb_perfcompare("diff", tmp_path / "before.json", tmp_path / "after.json").status == 0
    listed = json.loads(tb_perfcompare("runs", tmp_path, "--json").out)
    assert [run["run"] for run in listed["runs"]] == ["after.json", "before.json"]
