"""Device work that lags behind the host: to which step calls, kernels and time belong."""

from __future__ import annotations

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.step_admission import admit_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def gpu_bound(*, behind: float, steps: int = 6, before: float = 0) -> TraceBuilder:
    """Steps of 100 us; in each, the host launches four kernels of 25 us; the device starts `behind` us later.
    `before` us of kernels were launched before the recording."""
    trace = TraceBuilder()
    if before:
        trace.kernel("earlier", 0, before, stream=9)
    for number in range(steps):
        start = 100 * number
        trace.step(number + 1, start, start + 98)
        for call in range(4):
            at = start + 10 * call
            trace.op("aten::conv2d", at, at + 9)
            late = behind + start + 25 * call
            stream = 9 if before and call == 3 else 7  # the earlier work is on one of two streams
            if stream == 9:
                late = max(late, before)
            trace.kernel("conv", late + 3, late + 27, launch=(at + 1, at + 3), stream=stream)
    return trace


def calls(of: Summary, table: str) -> list[int]:
    """Calls per step of the first row."""
    return of.groups[table].calls[0].tolist()


@pytest.mark.parametrize("behind", [0, 60, 250])
@pytest.mark.parametrize("window", ["device", "marker"])
def test_calls_belong_to_the_step_that_launched_them(behind: float, window: str) -> None:
    found = summary(gpu_bound(behind=behind), window=window)
    assert calls(found, "operators") == [4] * 6
    assert calls(found, "kernels") == [4] * 6
    assert found.steps.launches.tolist() == [4] * 6
    assert found.owned.calls.sum(axis=0).tolist() == found.owned.calls.sum(axis=0).tolist()[:1] * 6


def test_backlog_is_the_kernel_time_of_earlier_launches_in_marker_windows() -> None:
    found = summary(gpu_bound(behind=250), window="marker")
    kernels = found.owned.by_category()[0]
    assert kernels[3] > 0
    assert found.steps.backlog_ns.tolist() == kernels.tolist()


def test_a_later_device_alone_changes_no_call_counts() -> None:
    sides = [summary(gpu_bound(behind=behind)) for behind in (0, 250)]
    found = compare_summaries(*sides, CompareOptions())
    assert not [finding for finding in found.findings if finding.rule in ("more_calls", "fewer_calls")]


def test_calls_are_certain_with_backlog() -> None:
    late, more = gpu_bound(behind=250), gpu_bound(behind=250)
    for number in range(6):
        for call in range(8):
            more.op("aten::conv2d", 100 * number + 41 + 4 * call, 100 * number + 44 + 4 * call)
    found = compare_summaries(summary(late), summary(more), CompareOptions())
    assert NoteCode.BACKLOG in {note.code for note in found.notes}
    assert "certain: calls are counted" in [finding.confidence for finding in found.findings]


def test_a_first_step_with_work_launched_before_it_is_dropped_as_warm_up() -> None:
    trace = gpu_bound(behind=0, before=150)
    whole = summary(trace)
    assert whole.steps.launches.tolist() == [4] * 6
    assert whole.steps.backlog_ns[0] > 0
    assert [step.label for step in admit_steps(whole).dropped] == ["1"]


def test_a_step_whose_window_is_almost_empty_has_a_note() -> None:
    trace = TraceBuilder()
    for number in range(4):
        start = 100 * number
        trace.step(number + 1, start, start + 98)
        trace.op("aten::mm", start + 1, start + 9)
        # a kernel of the second step outlasts the third on another stream
        end = start + 195 if number == 1 else start + 90
        trace.kernel("gemm", start + 5, end, launch=(start + 2, start + 4), stream=7 + number)
    (note,) = [note for note in summary(trace).notes if note.code == NoteCode.BACKLOG]
    assert "almost nothing is left of the window of step 3" in note.message


def test_a_pause_between_markers_has_no_backlog_note() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(4):
        start = 100 * number
        trace.step(number + 1, start, start + (8 if number == 1 else 98))  # a pause after the second marker
        trace.op("aten::mm", start + 1, start + 7)
    assert not [note for note in summary(trace).notes if note.code == NoteCode.BACKLOG]


def test_the_call_tree_counts_calls_that_the_device_hides() -> None:
    hidden = gpu_bound(behind=0)
    for number in range(6):
        hidden.op("aten::view", 100 * number + 60, 100 * number + 61)
    of = summary(hidden).call_tree
    assert of is not None
    time, count = of.own()
    (view,) = np.flatnonzero(of.name == of.names.index("aten::view"))
    assert (time[view], count[view]) == (0, 6)
