"""Caveats: notes that differ only in a figure are one sentence."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.caveats import Caveat, caveats_of, merged, not_recorded
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.model.note import Note, NoteCode


def noted(*notes: tuple[str, str], code: NoteCode = NoteCode.ITERATIONS) -> list[Caveat]:
    """Caveats of notes with these messages and places."""
    return list(caveats_of((), [Note(code, message, where) for message, where in notes]))


def test_files_that_differ_in_a_figure_are_one_sentence_with_its_range() -> None:
    (one,) = noted(
        ("9 steps found: 90.1 % of the recording", "baseline: w0.1.json, candidate: w0.4.json"),
        ("9 steps found: 94.6 % of the recording", "baseline: w0.2.json"),
        ("9 steps found: 91.0 % of the recording", "candidate: w0.5.json"),
    )
    assert one.message == "9 steps found: 90.1–94.6 % of the recording"
    assert (one.where, one.notes) == ("2 files of each side", (0, 1, 2))


def test_advice_about_several_recordings_is_one_sentence_with_the_range() -> None:
    advice = [f"GPU 0 ({share} %) is idle" for share in ("9.35", "10.4", "8.00")]
    assert merged([*advice, "GPU 1 (3.00 %) is idle"]) == ["GPU 0 (8.00–10.4 %) is idle", "GPU 1 (3.00 %) is idle"]


@pytest.mark.parametrize(
    "messages",
    [
        ("left out: step 7 (warm-up)", "left out: step 9 (warm-up)"),
        ("kernel gemm_128x64 is cut", "kernel gemm_256x64 is cut"),
        ("3 events of one thread overlap", "3 ms are missing"),
    ],
)
def test_messages_that_differ_in_more_than_a_figure_stay_apart(messages: tuple[str, str]) -> None:
    assert [one.message for one in noted(*((message, "baseline") for message in messages))] == list(messages)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [(("1,024", "980"), "980–1,024 lost"), (("−3", "+2"), "−3 to +2 lost"), (("5", "5"), "5 lost")],
)
def test_a_range_goes_from_the_smallest_to_the_largest(figures: tuple[str, str], expected: str) -> None:
    assert [one.message for one in noted(*((f"{figure} lost", "candidate") for figure in figures))] == [expected]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (["baseline: a.json"], "baseline: a.json"),
        (["candidate"], "candidate"),
        (["baseline", "candidate"], ""),
        (["baseline: a.json", "baseline: b.json"], "2 files of the baseline and 0 files of the candidate"),
        (["baseline: a.json", "candidate: b.json", "candidate: c, d.json"],
         "1 file of the baseline and 2 files of the candidate"),
    ],
)  # fmt: skip
def test_a_note_names_the_files_of_each_side(places: list[str], expected: str) -> None:
    (one,) = noted(*(("no device events", place) for place in places))
    assert one.where == expected.replace(" and 0 files of the candidate", "")


def test_what_was_not_recorded_is_one_sentence_without_what_the_program_lacks() -> None:
    reasons = {
        "modules": "no nn.Module calls; record with with_stack=True",
        "modules_ledger": "no nn.Module calls; record with with_stack=True",
        "operators": "the trace has no operators; record with ProfilerActivity.CPU",
        "communication": "no collectives in the compared steps",
        "kernels": "candidate: no device events; record with the device's ProfilerActivity",
    }
    assert not_recorded(Note(NoteCode.TABLE_ABSENT, why, table) for table, why in reasons.items()) == [
        "not recorded: nn.Module calls (with_stack=True), operators (ProfilerActivity.CPU)",
        "candidate: no device events; record with the device's ProfilerActivity",
    ]


def test_that_both_sides_lack_device_work_is_said_by_the_categories() -> None:
    without = Note(NoteCode.NO_DEVICE_EVENTS, "no device events: host time only", "baseline")
    both_lack_it = Note(NoteCode.TABLE_ABSENT, "no device events; record with CUDA", "kernels")
    assert [one.message for one in caveats_of((), [without])] == ["no device events: host time only"]
    assert caveats_of((), [without, both_lack_it]) == ()


WARNED = Check("operators", "warn", "75 % are shared"), Check("same_work", "ok", "in common")
FAILED = Check("operators", "fail", "20 % are shared"), Check("same_work", "warn", "other operators")


@pytest.mark.parametrize(
    ("checks", "confidence", "shown"),
    [
        (WARNED, "certain: calls are counted", []),
        (WARNED, "significant", ["operators"]),
        (FAILED, "", ["same work"]),
        (FAILED[:1], "certain: calls are counted", []),
    ],
)
def test_what_sides_do_not_share_is_said_once(checks: tuple[Check, ...], confidence: str, shown: list[str]) -> None:
    findings = [Finding("operators_changed", "", "CPU Exec", 9.0, 0.5, "", (), confidence)]
    assert [caveat.name for caveat in caveats_of(checks, (), findings)] == shown


def test_steps_that_are_left_out_are_said_once() -> None:
    note = Note(NoteCode.STEPS_DROPPED, "left out: step 3 (warm-up)", "baseline")
    check = Check("left_out", "warn", "left out: 9 of 24 steps")
    assert [one.code for one in caveats_of((), [note])] == ["steps_dropped"]
    assert [one.code for one in caveats_of([check], [note])] == ["left_out"]


def test_checks_come_first_and_name_what_they_weaken() -> None:
    checks = [
        Check("kernels", "warn", "73 % are shared", ("cause", "kernels")),
        Check("steps", "ok", "9 vs 9"),
        Check("matched", "fail", "nothing is matched", ("verdict", "alignment", "p")),
    ]
    found = caveats_of(checks, [Note(NoteCode.NO_STEPS, "one step", "baseline")])
    assert [(one.status, one.name, one.weakens) for one in found] == [
        ("fail", "matched work", "the verdict, the matched work and p"),
        ("warn", "kernels", "the causes and the kernels"),
        ("note", "no steps", ""),
    ]


@pytest.mark.parametrize(
    ("expected", "on_page"),
    [
        ("--step-marker chooses another: 'detected:a'", "“step marker” chooses another: 'detected:a'"),
        ("call profiler.step(), or give --step-marker NAME", "call profiler.step(), or give “step marker”"),
        ("the verdict would be slower (--step-window marker)", "the verdict would be slower (“step ends at” marker)"),
        ("leave them out with --steps 2-5", "leave them out with “steps” 2-5"),
        ("--baseline-steps 4-9 compares that part", "“steps” of A 4-9 compares that part"),
        ("message sizes (table communication_by_message)", "message sizes (“Collectives by message”)"),
        ("a row of the table kernels, a kernel table", "a row of the “Kernels by name”, a kernel table"),
        ("record it again with ncu --csv --page raw", "record it again with ncu --csv --page raw"),
    ],
)
def test_the_page_names_its_controls_where_the_command_line_names_options(expected: str, on_page: str) -> None:
    assert for_page(expected) == on_page
    assert for_page({"reason": [expected], "arguments": expected}) == {"reason": [on_page], "arguments": expected}
