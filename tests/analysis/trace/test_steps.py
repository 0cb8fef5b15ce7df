"""Where a step begins and ends."""

from __future__ import annotations

import pytest

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import recording, summary
from tests.build import TraceBuilder
from tests.picture import picture


def windows_us(drawn: Summary) -> list[tuple[str, float, float]]:
    """(label, begin, length) of each step."""
    steps = drawn.steps
    return [
        (label, int(start) / 1000, int(total) / 1000)
        for label, start, total in zip(steps.label, steps.start_ns, steps.total_ns, strict=True)
    ]


TWO_STEPS = """
main     |[ProfilerStep#1.][ProfilerStep#2.]
main     |[aten::mm]       [aten::mm]
main.api | a                a
stream7  |              aaaaaaaaa    aaaaaa
"""


def test_a_device_window_ends_with_the_kernels_of_its_step() -> None:
    assert windows_us(summary(picture(TWO_STEPS))) == [("1", 0, 230), ("2", 230, 110)]


def test_marker_windows_run_from_marker_to_marker() -> None:
    assert windows_us(summary(picture(TWO_STEPS), window="marker")) == [("1", 0, 170), ("2", 170, 170)]


def test_marker_windows_do_not_bridge_a_missing_step() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number, start in ((1, 0), (2, 100), (4, 300)):
        trace.step(number, start, start + 60)
    assert windows_us(summary(trace, window="marker")) == [("1", 0, 100), ("2", 100, 60), ("4", 300, 60)]


def test_markers_without_a_length_are_not_steps() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(5):
        trace.step(number, 100 * number, 100 * number)
        trace.op("aten::mm", 100 * number + 10, 100 * number + 60)
    assert windows_us(summary(trace)) == [("0", 0, 460)]


def test_device_work_launched_earlier_delays_the_first_step() -> None:
    drawn = picture(
        """
        main     |  [ProfilerStep#1.][ProfilerStep#2.]
        main     |  [aten::mm]       [aten::mm]
        main.api |   a                a
        stream7  |kkkkkk  aaa          aaa
        """
    )
    assert windows_us(summary(drawn))[0] == ("1", 60, 130)


def test_an_incomplete_last_step_is_left_out_with_a_note() -> None:
    drawn = summary(picture("""
        main     |[ProfilerStep#1.][ProfilerStep#2.]
        main     |[aten::mm]       [aten::mm]
        main.api | aabbcc           a
        stream7  |  aabbcc           aa
    """))  # fmt: skip
    assert [label for label, _, _ in windows_us(drawn)] == ["1"]
    assert drawn.dropped[0].label == "2"
    assert drawn.dropped[0].reason == "incomplete: 1 device events recorded, 3 in the step before"
    assert NoteCode.STEPS_DROPPED in {note.code for note in drawn.notes}


def test_copies_of_the_marker_on_device_streams_are_not_steps() -> None:
    trace = TraceBuilder()
    trace.step(5, 0, 100, twin=(20, 160))
    trace.op("aten::mm", 5, 60)
    trace.kernel("gemm", 30, 90, launch=(10, 20))
    drawn = summary(trace)
    assert windows_us(drawn) == [("5", 0, 100)]
    assert NoteCode.DEVICE_STEPS_IGNORED in {note.code for note in drawn.notes}


def test_without_markers_the_whole_recording_is_one_step() -> None:
    trace = TraceBuilder()
    trace.op("aten::mm", 10, 60)
    trace.op("aten::add", 70, 80)
    trace.kernel("gemm", 30, 120, launch=(15, 20))
    drawn = summary(trace)
    assert windows_us(drawn) == [("0", 10, 110)]
    assert not drawn.marked
    assert NoteCode.NO_STEPS in {note.code for note in drawn.notes}


def test_a_device_only_trace_is_timed_by_its_kernels() -> None:
    trace = TraceBuilder()
    trace.kernel("gemm", 30, 120)
    assert windows_us(summary(trace)) == [("0", 30, 90)]


def test_a_trace_with_nothing_to_time_is_an_error() -> None:
    trace = TraceBuilder(vendor="cpu", window=False)
    trace.memory(5, 100)
    with pytest.raises(CorruptInput, match=r"record with torch\.profiler"):
        summary(trace)
    assert len(recording(trace).events) == 1


SETUP = ("cudaGetDeviceCount", "cudaStreamIsCapturing", "cudaGetDeviceProperties", "cudaDeviceSynchronize")


def api_calls(*names: str) -> TraceBuilder:
    trace = TraceBuilder()
    for number, name in enumerate(names):
        trace.call(name, 10 * number, 10 * number + 5)
    return trace


def test_a_trace_of_nothing_but_the_profilers_own_calls_is_an_error() -> None:
    with pytest.raises(CorruptInput, match="no operator and no kernel was recorded") as raised:
        summary(api_calls(*SETUP))
    assert raised.value.hint == "record the active steps of the schedule, with ProfilerActivity.CPU and the device's"


@pytest.mark.parametrize("call", ["cudaLaunchKernel", "cudaGraphLaunch", "cudaMalloc", "cudaFree"])
def test_calls_that_work_for_the_program_are_timed(call: str) -> None:
    assert len(summary(api_calls(*SETUP, call)).steps) == 1


def test_overlapping_markers_are_cut_at_the_next_begin() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 120)
    trace.step(2, 100, 200, thread=1001)
    drawn = summary(trace)
    assert windows_us(drawn) == [("1", 0, 100), ("2", 100, 100)]
    assert NoteCode.OVERLAPPING_STEPS in {note.code for note in drawn.notes}


def test_a_marker_repeated_on_another_thread_is_the_same_step() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.step(1, 5, 90, thread=1001)
    trace.step(2, 100, 200)
    assert windows_us(summary(trace)) == [("1", 0, 100), ("2", 100, 100)]


def test_a_step_number_repeated_later_is_another_step() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.step(1, 500, 620)
    assert windows_us(summary(trace)) == [("1", 0, 100), ("1 (2)", 500, 120)]


def lagging(vendor: str = "cuda", *, linked: bool, marked: bool = True, waits: bool = False) -> TraceBuilder:
    """Six steps of 100 µs on the host, each with a kernel of 300 µs."""
    trace = TraceBuilder(vendor=vendor)
    for step in range(6):
        start = 300 * step if waits else 100 * step
        trace.op("aten::mm", start, start + 90)
        trace.kernel("gemm", 300 * step + 10, 300 * step + 310, launch=(start + 1, start + 5) if linked else None)
        if marked:
            trace.step(step, start, start + (300 if waits else 100))
    return trace


def late_notes(drawn: Summary) -> list[str]:
    return [note.message for note in drawn.notes if note.code is NoteCode.DEVICE_AFTER_STEPS]


def test_device_work_after_the_last_step_is_named_unless_a_launch_tells_its_step() -> None:
    assert late_notes(summary(lagging(linked=False))) == [
        "66.7 % of the device time runs after the last step, and no recorded launch tells its step"
    ]
    for known in (lagging(linked=True), lagging(linked=False, waits=True), lagging(linked=False, marked=False)):
        assert late_notes(summary(known)) == []


def test_device_work_of_an_iteration_that_is_left_out_is_not_after_the_last_step() -> None:
    trace = lagging(linked=False, marked=False, waits=True)
    for step in range(6):
        trace.annotation("train_step", 300 * step, 300 * step + 299)
    drawn = summary(trace)
    assert [step.label for step in drawn.dropped] == ["5"]
    assert late_notes(drawn) == []


def test_a_whole_recording_includes_device_work_without_a_launch() -> None:
    assert windows_us(summary(lagging(linked=False, marked=False))) == [("0", 0, 1810)]
