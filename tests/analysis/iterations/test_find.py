"""What delimits the steps of a trace that profiler.step() did not mark."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
from tb_perfcompare.analysis.pooling.step_admission import admit_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.errors import MarkerMissing, SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.iterations import Marker
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.iterations.loops import model_once, server, training
from tests.analysis.summaries import owners_us, recording, timeline
from tests.build import MAIN, TraceBuilder

DECODE = "execute_context_0(0)_generation_{0}({0})"


def chosen(trace: TraceBuilder, marker: str = "") -> tuple[str, str, int]:
    found = trace_steps(timeline(trace), marker).iterations.chosen
    return found.origin, found.name, found.count


def summary(trace: TraceBuilder, marker: str = "", *, window: str = "device", tail: bool = False) -> Summary:
    return summarize(recording(trace), Origin("drawn", "drawn", "worker0", "1", 0), window, marker=marker, tail=tail)


def steps_us(of: Summary) -> list[float]:
    return [int(ns) / 1000 for ns in of.steps.total_ns]


def starts_us(of: Summary) -> list[float]:
    return [int(ns) / 1000 for ns in of.steps.start_ns]


def marker_of(of: Summary) -> Marker:
    assert of.iterations is not None
    return of.iterations.chosen


def iteration_note(of: Summary) -> str:
    (message,) = [note.message for note in of.notes if note.code is NoteCode.ITERATIONS]
    return message


def test_profiler_steps_are_preferred_to_other_markers() -> None:
    assert chosen(training(marks=True)) == ("profiler", "ProfilerStep#*", 6)


def test_a_data_loader_call_begins_an_iteration_and_the_last_is_incomplete() -> None:
    found = summary(training())
    assert marker_of(found).name == "enumerate(DataLoader)*"
    assert steps_us(found) == [1000] * 5
    assert [(step.label, step.reason.split(":")[0]) for step in found.dropped] == [("5", "incomplete")]


def test_without_a_data_loader_the_end_of_the_optimizer_ends_an_iteration() -> None:
    found = summary(training(loader=False))
    assert marker_of(found).name == "Optimizer.step#*"
    assert steps_us(found) == [1000] * 5


def test_accumulated_batches_are_not_iterations() -> None:
    trace = training(6, optimizer=False)
    for number in (1, 3, 5):
        trace.annotation("Optimizer.step#SGD.step", number * 1000 + 800, number * 1000 + 980)
    assert chosen(trace) == ("optimizer", "Optimizer.step#*", 2)


def test_the_last_of_two_optimizers_ends_an_iteration() -> None:
    trace = training(8, loader=False, optimizer=False)
    for number in range(8):
        for at in (300, 800):
            trace.annotation("Optimizer.step#Adam.step", number * 1000 + at, number * 1000 + at + 30)
    assert steps_us(summary(trace)) == [1000] * 7


def test_an_optimizer_call_that_ends_with_the_previous_one_does_not_end_an_iteration() -> None:
    trace = TraceBuilder()
    for start, end in ((0, 0), (1, 120), (119.5, 119.5)):  # the last begins within a microsecond of the end
        trace.op("Optimizer.step#SGD.step", start, end)
    assert steps_us(summary(trace)) == [120]


def test_without_annotations_repetition_is_detected_from_the_first_operator() -> None:
    found = summary(training(loader=False, optimizer=False))
    assert marker_of(found).origin == "detected"
    assert steps_us(found) == [1000] * 5
    assert int(found.steps.start_ns[0]) == 110_000


def test_two_iterations_are_not_merged_into_one() -> None:
    assert chosen(training(16, loader=False, optimizer=False))[2] == 15


def test_longer_periods_are_offered_as_candidates() -> None:
    """Tokens within batches: sides whose tokens differ can still be compared by batches."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for _ in range(6):
        trace.op("aten::empty", at, at + 5)
        for name in [f"aten::op{number}" for number in range(30)] * 8:
            at += 10
            trace.op(name, at, at + 5)
        at += 10
    found = trace_steps(timeline(trace), "").iterations
    assert (found.chosen.name, found.chosen.count) == ("aten::op0", 47)
    assert ("aten::empty", 5) in [(marker.name, marker.count) for marker in found.candidates]


def test_layers_of_a_model_that_runs_once_are_not_iterations() -> None:
    found = summary(model_once())
    assert not found.marked and len(found.steps) == 1
    (note,) = [note for note in found.notes if note.code is NoteCode.NO_STEPS]
    assert "repeated operators or kernels were tried" in note.message


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([DECODE.format(n) for n in (4, 5, 6, 7)], "execute_context_*"),
        (["step[EXTEND bs=2 toks=300]", "step[DECODE bs=2]", "step[DECODE bs=2]", "step[DECODE bs=1]"], "step[*"),
        (["iteration 3", "iteration 4", "iteration 5", "iteration 6"], "iteration *"),
        (["[pl][profile][_TrainingEpochLoop].run_training_batch"] * 4, "[pl][profile]*run_training_batch"),
    ],
)
def test_annotations_of_known_engines_mark_iterations(texts: list[str], name: str) -> None:
    found = summary(server(texts))
    assert marker_of(found).name == name
    assert steps_us(found) == [600] * 3
    assert name not in "".join(owners_us(found))


def test_increasing_numbers_in_annotations_are_the_labels() -> None:
    assert summary(server([f"iteration {n}" for n in (7, 8, 10, 12)])).steps.label == ("7", "8", "10")
    assert summary(server([DECODE.format(n) for n in (4, 5, 4, 4)])).steps.label == ("0", "1", "2")


def test_a_kind_with_fewer_launches_is_not_incomplete() -> None:
    trace = TraceBuilder()
    for number in range(40):
        at, launches = number * 1000, 20 if number % 4 == 0 else 4
        trace.annotation("step[EXTEND bs=1]" if launches == 20 else "step[DECODE bs=1]", at, at + 950)
        for begin in range(at, at + 40 * launches, 40):
            trace.kernel("k", begin + 20, begin + 40, launch=(begin + 10, begin + 15))
    assert len(admit_steps(summary(trace)).steps) == 39


def test_nested_markers_and_those_on_other_threads_are_left_out_with_a_note() -> None:
    trace = server([f"work {n}" for n in range(5)])
    trace.annotation("work 9", 100, 200)
    trace.annotation("work 8", 0, 300, thread=MAIN + 1)
    found = summary(trace, "work *")
    assert steps_us(found) == [600] * 4
    note = iteration_note(found)
    assert "1 within another are left out" in note and "1 on other threads are left out" in note


def test_a_pattern_without_matches_suggests_similar_names() -> None:
    with pytest.raises(MarkerMissing) as caught:
        summary(server(["decode 1", "decode 2", "decode 3"]), "decod *")
    assert "decod *" in caught.value.message and "decode *" in caught.value.hint


def test_a_pattern_that_matches_one_range_lists_other_markers() -> None:
    trace = training()
    trace.annotation("everything", 0, 6000)
    with pytest.raises(MarkerMissing) as caught:
        summary(trace, "everything")
    assert "one range only" in caught.value.message and "enumerate(DataLoader)*" in caught.value.hint


def test_the_pattern_of_everything_matches_the_outermost_annotations() -> None:
    trace = server([f"outer {n}" for n in range(5)])
    trace.annotation("inner", 10, 20)
    assert steps_us(summary(trace, "*")) == [600] * 4


def test_a_pattern_can_match_operators() -> None:
    assert steps_us(summary(training(), "aten::mse_loss")) == [1000] * 5


@pytest.mark.parametrize(
    "number", ["0x7fa00 9f86d081884c7d6", "2f1d0c6e-93ab-4c1d-8e2f-00aa11bb22c", "9F86D081884C7D6"]
)
def test_addresses_hashes_and_uuids_in_names_count_as_numbers(number: str) -> None:
    texts = [f"generate {number}{n}" for n in range(4)]
    assert steps_us(summary(server(texts), "generate *" + " *" * number.count(" "))) == [600] * 3


def test_iterations_that_overlap_after_a_clock_reset_are_not_used() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(20):
        at = number * 400 - (1_000 if number >= 10 else 0)
        trace.annotation("step[DECODE bs=4]", at, at + 390)
        for part in range(3):
            trace.op(f"aten::op{part}", at + 10 + part * 100, at + 90 + part * 100)
    assert "step[* overlap each other and are not used" in iteration_note(summary(trace))


@pytest.mark.parametrize("length", [250, 2_000])
def test_overlapping_ranges_of_a_known_annotation_are_not_used(length: int) -> None:
    """Each range reaches into the next one; the first range contains all others."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = number * 200
        for part in range(4):
            trace.op(f"aten::op{part}", at + 10 + part * 45, at + 50 + part * 45)
        trace.annotation("train_step", at, at + (length if number == 0 or length < 1_000 else 190))
    assert "train_step overlap each other and are not used" in iteration_note(summary(trace))


def test_an_iteration_lengthened_by_a_clock_jump_is_noted() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = number * 400 + (10**7 if number >= 4 else 0)
        trace.annotation("step[DECODE bs=4]", at, at + 390)
        trace.op("aten::linear", at + 10, at + 300)
    assert "iteration 3 is 25,001 times as long as the typical one" in iteration_note(summary(trace))


def test_more_than_20000_iterations_are_refused() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(20_010):
        trace.annotation("tick", number, number + 0.5)
    with pytest.raises(SelectionError) as caught:
        summary(trace, "tick")
    assert "20,010 iterations" in caught.value.message


def test_the_marker_whole_makes_one_step_of_a_marked_recording() -> None:
    found = summary(training(marks=True), "whole")
    assert not found.marked and len(found.steps) == 1


def test_graph_launches_are_iterations_even_when_the_device_lags_by_several() -> None:
    """The host issues all launches in a third of the device time."""
    trace = TraceBuilder()
    trace.call("cudaStreamIsCapturing", 100, 102)
    for number in range(8):
        at = 500 + number * 30
        trace.call("cudaStreamIsCapturing", at - 3, at - 2)
        trace.call("cudaGraphLaunch", at, at + 25)
        for kernel in range(4):
            begin = 540 + number * 100 + 25 * kernel
            trace.kernel(f"k{kernel}", begin, begin + 24)
    trace.call("cudaDeviceSynchronize", 750, 1350)
    found = summary(trace)
    assert marker_of(found).origin == "graph"


def test_the_last_iteration_is_kept_on_request() -> None:
    assert summary(training(), tail=True).steps.label == ("0", "1", "2", "3", "4", "5")


def test_a_candidate_has_count_mean_length_and_coverage() -> None:
    candidates = {marker.name: marker for marker in trace_steps(timeline(training())).iterations.candidates}
    loader = candidates["enumerate(DataLoader)*"]
    assert (loader.count, loader.mean_ns, round(loader.coverage, 2)) == (5, 1_000_000.0, 0.84)
    assert list(candidates)[-1] == ""  # the whole recording


@pytest.mark.parametrize("optimizer", [True, False])
def test_a_recording_that_begins_between_iterations_keeps_its_first_iteration(optimizer: bool) -> None:
    """Communication after the optimizer, slower each time, still belongs to its iteration."""
    trace, at, begins = TraceBuilder(vendor="cpu"), 0.0, []
    for number in range(6):
        begins.append(at)
        if optimizer:
            trace.annotation("Optimizer.step#SGD.step", at + 500, at + 600)
        names = ("aten::zeros", "aten::empty", "aten::linear", "aten::mse_loss", "aten::_foreach_add_")
        for part, name in enumerate((*names, "c10d::alltoall_")):
            trace.op(name, at + 10 + 120 * part, at + 100 + 120 * part + (10 * number**2 if part == 5 else 0))
        at += 800 + 10 * number**2
    found = summary(trace)
    assert marker_of(found).origin == ("optimizer" if optimizer else "detected")
    assert starts_us(found) == [begin + 10 for begin in begins[:5]]


def test_a_recording_that_begins_within_an_iteration_drops_its_incomplete_first_iteration() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mse_loss", 0, 40)
    for number in range(6):
        at = 100 + number * 1000
        trace.annotation("Optimizer.step#SGD.step", at, at + 100)
        for part, name in enumerate(("aten::to", "aten::linear", "aten::relu", "aten::mse_loss", "aten::neg")):
            if number < 5 or part < 2:
                trace.op(name, at + 110 + 100 * part, at + 190 + 100 * part)
    assert starts_us(summary(trace)) == [200 + 1000 * number for number in range(5)]


def test_calls_unnested_by_rounded_times_do_not_move_the_beginning_of_an_iteration() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(6):
        at = number * 1000
        for part, name in enumerate(("aten::zeros", "aten::linear", "aten::mse_loss", "aten::add_")):
            trace.op(name, at + 10 + 200 * part, at + 100 + 200 * part)
        trace.op("aten::zero_", at + 100 if number in (0, 3) else at + 50, at + 110 if number in (0, 3) else at + 60)
        trace.op("aten::zero_", at + 15, at + 20)
    assert starts_us(summary(trace)) == [10 + 1000 * number for number in range(5)]
