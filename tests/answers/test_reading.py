"""Saved answers are recognized by structure, split into runs, and read as far as possible."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tb_perfcompare.errors import CorruptInput, InputError, UnrecognisedFormat
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.answers import AnswerKind, AnswersRecording, SavedOperator
from tb_perfcompare.sources.answers.lines import kind_of, why_not_answers
from tb_perfcompare.sources.registry import read, recognize
from tests.answers.saved import kernel_pie, kernels, operator_pies, operators, overview, write

MM = {"name": "aten::mm", "calls": 2, "host": 30, "device": 40}
GEMM = ("gemm", "No", 2, 40, 20, 25, 15)
STEP = {"Kernel": 40, "CPU Exec": 60}
FIVE = (
    overview(STEP),
    operator_pies(host_total={"aten::mm": 30}),
    operators(MM),
    kernels(GEMM),
    kernel_pie({"gemm": 40}),
)


def read_saved(path: Path, part: int = 1) -> AnswersRecording:
    recording = read(str(path), part=part)
    assert isinstance(recording, AnswersRecording)
    return recording


def notes_of(recording: AnswersRecording) -> list[str]:
    return [note.message for note in recording.notes]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *zip(FIVE, ["overview", "operation", "operation/table", "kernel/table", "kernel"], strict=True),
        (operators(MM | {"shape": "[[4]]"}), "operation/table by input shape"),
        (kernel_pie({"Using Tensor Cores": 0.1, "Not Using Tensor Cores": 0.9}), "kernel/tc_pie"),
        ({"metadata": {"sort": "device_self_duration"}, "data": [{"name": "a", "call_stack": "f"}]}, None),
        ({"metadata": {"title": "Memory View"}, "columns": {}, "rows": {}}, None),
        ({"traceEvents": [], "schemaVersion": 1}, None),
        ([1], None),
        (None, None),
    ],
)
def test_an_answer_is_recognized_by_its_structure(answer: Any, kind: str | None) -> None:
    found = kind_of(answer)
    assert (found.value if found else None) == kind


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "anything", "a.jsonl.gz"])
def test_a_file_is_recognized_whatever_its_name(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, *FIVE)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert recognize(str(path)) == "profiler_answers"
    assert [step.label for step in read_saved(path).steps] == ["3"]


def test_a_long_answer_is_recognized_by_its_beginning() -> None:
    line = json.dumps(kernels(*[(f"kernel_{n}" * 20, "No", 1, 5, 5, 5, 5) for n in range(1000)])).encode()
    assert len(line) > 1 << 16
    assert why_not_answers("x.json", line[: 1 << 16]) == ""


def test_other_files_are_declined_with_the_reason_of_the_nearest_reader(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"loss": 1}\n{"loss": 2}\n')
    with pytest.raises(UnrecognisedFormat, match="not saved torch-tb-profiler answers: no line is an answer"):
        read(str(path))


def test_a_new_run_begins_when_a_kind_repeats(tmp_path: Path) -> None:
    second = (overview({"CPU Exec": 7}), kernels(GEMM))
    path = write(tmp_path / "a.jsonl", *FIVE, *second)
    assert set(read_saved(path).answers) == {kind for answer in FIVE if (kind := kind_of(answer))}
    assert set(read_saved(path, 2).answers) == {AnswerKind.OVERVIEW, AnswerKind.KERNELS}
    assert read_saved(path, 2).steps[0].total_ns == 7000
    assert (read_saved(path).file.part, read_saved(path, 2).file.part) == (1, 2)
    with pytest.raises(InputError, match=r"holds 2 runs, not 3; give a number from 1 to 2"):
        read(str(path), part=3)


def test_a_trace_has_no_second_run(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"traceEvents": []}')
    with pytest.raises(InputError, match=r"a torch\.profiler trace is one run"):
        read(str(path), part=2)


def test_times_become_nanoseconds(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", overview({"Kernel": 1.25, "Other": 2}, total=3.2500000000001), operators(MM))
    recording = read_saved(path)
    (step,) = recording.steps
    assert (step.parts_ns[0], step.parts_ns[7], step.total_ns) == (1250, 2000, 3250)
    assert recording.operators == (SavedOperator("aten::mm", None, 2, 30_000, 30_000, 40_000, 40_000),)


def test_a_cpu_run_has_no_device_columns(tmp_path: Path) -> None:
    parts = ("DataLoader", "CPU Exec", "Other")
    answers = (overview({"CPU Exec": 60}, word="CPU", columns=parts), operators({"name": "a", "calls": 1, "host": 5}))
    recording = read_saved(write(tmp_path / "a.jsonl", *answers, None))
    assert recording.operators is not None
    assert recording.operators[0].device_self_ns is None
    assert recording.notes == ()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'{"metadata": {"sort": "Total Dur', "line 2: not JSON ("),
        (b"\xff\xfe", "line 2: not JSON ("),
        ({"steps": 1}, "line 2: an object with steps is not one of the answers that are compared"),
        (7, "line 2: a number is not one of the answers that are compared"),
        (kernels() | {"data": {"columns": [{"name": "Name"}], "rows": []}}, "kernel/table: no column Calls, Total"),
        (kernels(("gemm", "No", 1.5, 40, 20, 25, 15)), "1 of 1 rows left out, the first because the number of calls"),
        (kernels(("gemm", "No", 2, None, 20, 25, 15)), "Total Duration (us) is missing or no number of microseconds"),
        (kernels(("gemm", "No", 2, -1, 20, 25, 15)), "Total Duration (us) is below zero"),
        (kernels(("gemm", "No", 2, 1e300, 20, 25, 15)), "Total Duration (us) is missing or no number of microseconds"),
        (kernels(("gemm", "No")), "a row has not all 7 columns"),
        (kernels((None, "No", 2, 40, 20, 25, 15)), "a name is missing or no text"),
        (operators({"name": "a", "calls": True, "host": 1}), "the number of calls is missing or no count"),
        ({"metadata": {"sort": "host_self_duration"}, "data": [3]}, "a row is not an object"),
        ({"total": {"rows": [["gemm"]]}}, "kernel: a row of the pie kernel is not a name and a number"),
        ({"host_total_time": {"title": "x"}}, "operation: the pie host_total has no rows"),
    ],
)
def test_an_unusable_answer_is_a_note_with_its_line_and_the_rest_loads(tmp_path: Path, bad: Any, message: str) -> None:
    recording = read_saved(write(tmp_path / "a.jsonl", overview(STEP), bad))
    assert len(recording.steps) == 1
    (note,) = recording.notes
    assert message in note.message
    assert "line 2" in note.message
    assert note.code is NoteCode.DROPPED_EVENTS
    assert note.where == "a.jsonl"


def test_only_the_bad_row_is_left_out(tmp_path: Path) -> None:
    recording = read_saved(write(tmp_path / "a.jsonl", kernels(GEMM, ("torn",), ("relu", "Yes", 1, 5, 5, 5, 5))))
    assert recording.kernels is not None
    assert [kernel.name for kernel in recording.kernels] == ["gemm", "relu"]
    assert [kernel.tensor_cores for kernel in recording.kernels] == [False, True]
    assert "1 of 3 rows left out" in notes_of(recording)[0]


def test_a_truncated_last_line_is_a_note(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *FIVE)
    path.write_bytes(path.read_bytes()[:-20])
    recording = read_saved(path)
    assert [note.code for note in recording.notes] == [NoteCode.TRUNCATED]
    assert "line 5: not JSON" in notes_of(recording)[0]
    assert "save that answer again" in notes_of(recording)[0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b'{"steps": {"columns": [{"ty', "no usable answer: line 1: not JSON"),
        (overview(), "nothing that can be compared: line 1, overview: no steps"),
        (overview(STEP, columns=()), "steps have no column for any part of the time"),
        ({"steps": {"columns": [{"name": "Kernel"}], "rows": []}}, "steps have no column Step"),
        (kernel_pie({"gemm": 1}), "pies alone, which have no numbers of calls"),
    ],
)
def test_a_file_with_nothing_usable_is_an_error_with_the_reason(tmp_path: Path, answer: Any, message: str) -> None:
    with pytest.raises(CorruptInput) as refused:
        read(str(write(tmp_path / "a.jsonl", answer)))
    assert message in str(refused.value)
    assert refused.value.hint


def test_an_empty_file_is_declined(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    with pytest.raises(UnrecognisedFormat, match="saved torch-tb-profiler answers: empty"):
        read(str(tmp_path / "a.jsonl"))


def test_a_missing_column_of_a_category_is_noted(tmp_path: Path) -> None:
    columns = ("Kernel", "CPU Exec", "Other")
    recording = read_saved(write(tmp_path / "a.jsonl", overview(STEP, columns=columns)))
    assert "no column DataLoader" in notes_of(recording)[0]
    assert recording.steps[0].parts_ns[5] == 0
