"""What the engine adds to its parts: withheld verdicts, notes said once, step windows that matter."""

from __future__ import annotations

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

OPTIONS = CompareOptions(resamples=200)


def steps(*tails: int) -> TraceBuilder:
    """Steps of 100 us, each with a kernel that outlasts its marker by the given time."""
    trace = TraceBuilder()
    for number, tail in enumerate(tails):
        at = number * 1000
        trace.step(number, at, at + 100)
        trace.op("aten::mm", at, at + 90)
        trace.kernel("gemm", at + 50, at + 100 + tail, launch=(at + 5, at + 10))
    return trace


def test_one_side_without_step_marks_withholds_the_verdict_and_says_why() -> None:
    unmarked = TraceBuilder(vendor="cpu")
    for start in (0, 500):
        unmarked.op("aten::mm", start, start + 400)
    got = compare_summaries(summary(steps(1, 2, 3, 4)), summary(unmarked), OPTIONS)
    assert got.headline.verdict is Verdict.WITHHELD
    assert got.headline.reason.startswith(
        "the candidate has no step markers: its whole recording counts as one step "
        "(--step-marker: the baseline has 'profiler', 'whole' and the candidate has 'whole')"
    )
    assert got.headline.delta is not None


def test_a_marker_that_both_sides_have_is_named() -> None:
    whole = summary(steps(1, 2, 3, 4), marker="whole")
    got = compare_summaries(summary(steps(1, 2, 3, 4)), whole, OPTIONS)
    assert "(--step-marker: both sides have 'profiler', 'whole')" in got.headline.reason


def test_windows_that_lead_to_different_verdicts_are_pointed_out() -> None:
    before, after = summary(steps(3, 1, 5, 2, 6, 4)), summary(steps(203, 201, 205, 202, 206, 204))
    got = compare_summaries(before, after, OPTIONS)
    assert got.headline.verdict is Verdict.SLOWER
    messages = [note.message for note in got.notes if note.code is NoteCode.STEP_WINDOW_MATTERS]
    assert messages == [
        'with marker windows the verdict would be "same" instead of "slower" (--step-window marker)'
    ]


def test_both_sides_lacking_a_table_for_one_reason_is_one_note() -> None:
    side = summary(steps(1, 2))
    got = compare_summaries(side, side, OPTIONS)
    absent = [note for note in got.notes if note.code is NoteCode.TABLE_ABSENT and "modules" in note.where.split(", ")]
    assert len(absent) == 1
    assert "baseline" not in absent[0].message
