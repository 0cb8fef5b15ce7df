"""The engine: withheld verdicts, notes given once, step windows that matter."""

from __future__ import annotations

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, notes_of

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


def test_one_side_without_step_markers_withholds_the_verdict() -> None:
    unmarked = TraceBuilder(vendor="cpu")
    for start in (0, 500):
        unmarked.op("aten::mm", start, start + 400)
    got = compare(steps(1, 2, 3, 4), unmarked)
    assert got.headline.verdict is Verdict.WITHHELD
    assert got.headline.reason.startswith(
        "the candidate has no step markers: its whole recording counts as one step "
        "(--step-marker: the baseline has 'profiler', 'whole' and the candidate has 'whole')"
    )
    assert got.headline.delta is not None


def test_the_reason_names_a_marker_of_both_sides() -> None:
    whole = summary(steps(1, 2, 3, 4), marker="whole")
    got = compare(steps(1, 2, 3, 4), whole)
    assert "(--step-marker: both sides have 'profiler', 'whole')" in got.headline.reason


def test_a_window_with_another_verdict_has_a_note() -> None:
    before, after = summary(steps(3, 1, 5, 2, 6, 4)), summary(steps(203, 201, 205, 202, 206, 204))
    got = compare(before, after)
    assert got.headline.verdict is Verdict.SLOWER
    messages = notes_of(got, NoteCode.STEP_WINDOW_MATTERS)
    assert messages == ['with marker windows the verdict would be "same" instead of "slower" (--step-window marker)']


def test_a_table_absent_on_both_sides_for_one_reason_has_one_note() -> None:
    side = summary(steps(1, 2))
    got = compare(side, side)
    absent = [note for note in got.notes if note.code is NoteCode.TABLE_ABSENT and "modules" in note.where.split(", ")]
    assert len(absent) == 1
    assert "baseline" not in absent[0].message
