"""Notes of data that were recorded but not used, in every format and with a single table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import json_of, tb_perfcompare
from tests.drawn_runs import drawn_trace, write_garbage, write_run

LEFT_OUT = "broken.1700000000009.pt.trace.json: left out: byte 0: not JSON"


@pytest.fixture
def truncated(tmp_path: Path) -> Path:
    """A run whose file ends within its events."""
    path = tmp_path / "truncated" / "worker0.1700000000001.pt.trace.json"
    drawn_trace().write(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    return path.parent


@pytest.fixture
def unreadable(tmp_path: Path) -> Path:
    """A run with two traces and a file that is not one."""
    folder = write_run(tmp_path / "three", spans=2)
    write_garbage(folder)
    return folder


def test_a_table_of_a_truncated_file_has_a_note(truncated: Path) -> None:
    shown = tb_perfcompare("view", truncated, "--view", "kernels").out
    assert "\nNotes\n" in shown
    assert "worker0.1700000000001.pt.trace.json: the file ends inside traceEvents" in " ".join(shown.split())


def test_data_lost_in_a_truncated_file_are_named_as_the_reason(truncated: Path) -> None:
    (path,) = truncated.iterdir()
    path.write_bytes(path.read_bytes()[: path.read_bytes().index(b'"kernel"') - 300])
    found = tb_perfcompare("view", truncated, "--view", "kernels")
    assert "no device events; the file is cut off; the lost part may hold them" in " ".join(found.err.split())


def test_a_table_has_a_note_of_the_file_left_out(unreadable: Path) -> None:
    assert LEFT_OUT in " ".join(tb_perfcompare("view", unreadable, "--view", "kernels").out.split())


def test_notes_of_a_csv_table_are_on_standard_error(unreadable: Path) -> None:
    found = tb_perfcompare("view", unreadable, "--view", "kernels", "--csv")
    assert found.status == 0 and "broken" not in found.out
    assert found.err.startswith(f"note: {LEFT_OUT}")


def test_json_has_the_notes(unreadable: Path) -> None:
    notes = json_of("view", unreadable, "--view", "kernels")["notes"]
    assert [note["where"] for note in notes if note["code"] == "file_failed"] == ["broken.1700000000009.pt.trace.json"]


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_single_table_of_a_comparison_has_the_notes(unreadable: Path, form: str) -> None:
    words = ("diff", unreadable, unreadable, "--table", "kernels", "--format", form)
    assert "left out: byte 0: not JSON" in " ".join(tb_perfcompare(*words).out.split())


def test_notes_of_a_comparison_as_csv_are_on_standard_error(unreadable: Path) -> None:
    found = tb_perfcompare("diff", unreadable, unreadable, "--format", "csv")
    assert (found.status, "left out: byte 0: not JSON" in found.err) == (0, True)


def test_compat_answers_of_a_truncated_file_have_a_note(truncated: Path) -> None:
    found = tb_perfcompare("view", truncated, "--compat", "--view", "kernel")
    assert found.status == 0
    assert "the file ends inside traceEvents" in found.err


def test_a_complete_run_has_no_notes(tmp_path: Path) -> None:
    found = tb_perfcompare("view", write_run(tmp_path / "run"), "--view", "kernels", "--csv")
    assert found.err == ""
    assert "\nNotes\n" not in tb_perfcompare("view", tmp_path / "run", "--view", "kernels").out


@pytest.fixture
def other_names(tmp_path: Path) -> Path:
    """A run with a trace and two traces with other names."""
    folder = write_run(tmp_path / "run")
    for name in ("rank1.json", "rank2.json.gz"):
        drawn_trace().write(folder / name)
    return folder


NOT_READ = "2 traces are skipped because of their names: rank1.json, rank2.json.gz"


@pytest.mark.parametrize("words", [("runs",), ("pairs",), ("view",), ("diff", "--table", "kernels"), ("diff",)])
def test_traces_with_other_names_have_a_note(other_names: Path, words: tuple[str, ...]) -> None:
    command, *options = words
    found = tb_perfcompare(command, *([other_names] * (2 if command == "diff" else 1)), *options)
    assert NOT_READ in " ".join(found.out.split())


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_verdicts_have_the_notes_of_each_run(other_names: Path, unreadable: Path, form: str) -> None:
    text = " ".join(tb_perfcompare("verdicts", other_names, unreadable, "--format", form).out.split())
    assert NOT_READ in text and "left out: byte 0: not JSON" in text


def test_notes_of_verdicts_as_csv_are_on_standard_error(other_names: Path, unreadable: Path) -> None:
    found = tb_perfcompare("verdicts", other_names, unreadable, "--format", "csv")
    assert f"note: baseline: {NOT_READ}" in found.err
    assert f"note: {unreadable}: {LEFT_OUT}" in found.err


def test_saving_and_recording_print_the_notes_and_keep_them(other_names: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    saved = tb_perfcompare("baseline", "save", "main", other_names, "--baselines", folder)
    recorded = tb_perfcompare("record", other_names, "--into", tmp_path / "log", "--series", "nightly")
    assert [f"note: {NOT_READ}" in found.err for found in (saved, recorded)] == [True, True]
    assert NOT_READ in " ".join(tb_perfcompare("view", "main", "--baselines", folder).out.split())


def test_a_log_directory_with_only_other_names_is_compared(tmp_path: Path) -> None:
    for name in ("before.json", "after.json"):
        drawn_trace().write(tmp_path / name)
    assert tb_perfcompare("diff", tmp_path / "before.json", tmp_path / "after.json").status == 0
    listed = json_of("runs", tmp_path)
    assert [run["run"] for run in listed["runs"]] == ["after.json", "before.json"]
