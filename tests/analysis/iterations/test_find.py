"""What delimits the steps of a trace that profiler.step() did not mark."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.errors import MarkerMissing, SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.iterations import Marker
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.iterations.loops import kernels_only, model_once, server, training
from tests.analysis.summaries import owners_us, recording, timeline
from tests.build import MAIN, TraceBuilder

DECODE = "execute_context_0(0)_generation_{0}({0})"


def chosen(trace: TraceBuilder, marker: str = "") -> tuple[str, str, int]:
    found = trace_steps(timeline(trace), marker).iterations.chosen
    return found.origin, found.name, found.count


def summary(trace: TraceBuilder, marker: str = "", *, window: str = "device", tail: bool = False) -> Summary:
    return summarize(recording(trace), Origin("drawn", "drawn", "worker0", "1", 0), window, marker=marker, tail=tail)


def us(of: Summary) -> list[float]:
    return [int(ns) / 1000 for ns in of.steps.total_ns]


def test_profiler_step_comes_first() -> None:
    assert chosen(training(marks=True)) == ("profiler", "ProfilerStep#*", 6)


def test_a_batch_begins_an_iteration_and_the_last_one_is_cut_off() -> None:
    found = summary(training())
    assert found.iterations is not None and found.iterations.chosen.name == "enumerate(DataLoader)*"
    assert us(found) == [1000] * 5
    assert [(step.label, step.reason.split(":")[0]) for step in found.dropped] == [("5", "incomplete")]


def test_the_end_of_the_optimizer_ends_an_iteration_without_a_loader() -> None:
    found = summary(training(loader=False))
    assert found.iterations is not None and found.iterations.chosen.name == "Optimizer.step#*"
    assert us(found) == [1000] * 5


def test_batches_that_are_accumulated_are_no_iterations() -> None:
    trace = training(6, optimizer=False)
    for number in (1, 3, 5):
        trace.annotation("Optimizer.step#SGD.step", number * 1000 + 800, number * 1000 + 980)
    assert chosen(trace) == ("optimizer", "Optimizer.step#*", 2)


def test_the_last_of_two_optimizers_ends_an_iteration() -> None:
    trace = training(8, loader=False, optimizer=False)
    for number in range(8):
        for at in (300, 800):
            trace.annotation("Optimizer.step#Adam.step", number * 1000 + at, number * 1000 + at + 30)
    assert us(summary(trace)) == [1000] * 7


def test_an_optimizer_that_ends_with_another_one_ends_no_iteration() -> None:
    trace = TraceBuilder()
    for start, end in ((0, 0), (1, 120), (119.5, 119.5)):  # the last begins within a microsecond of the end
        trace.op("Optimizer.step#SGD.step", start, end)
    assert us(summary(trace)) == [120]


def test_repetition_is_found_where_nothing_has_a_name_and_begins_with_the_recording() -> None:
    found = summary(training(loader=False, optimizer=False))
    assert found.iterations is not None and found.iterations.chosen.origin == "detected"
    assert us(found) == [1000] * 5
    assert int(found.steps.start_ns[0]) == 110_000


def test_an_iteration_is_not_two() -> None:
    assert chosen(training(16, loader=False, optimizer=False))[2] == 15


def test_other_periods_are_offered_too() -> None:
    """Tokens within batches: where the other side's tokens are not alike, both can be cut by the batches."""
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


def test_layers_of_a_model_that_runs_once_are_no_iterations() -> None:
    found = summary(model_once())
    assert not found.marked and len(found.steps) == 1
    (note,) = [note for note in found.notes if note.code is NoteCode.NO_STEPS]
    assert "repeated operators or kernels were tried" in note.message


def test_annotated_layers_of_a_model_that_runs_once_are_no_iterations() -> None:
    trace = model_once()
    for layer in range(12):
        trace.annotation(f"layer {layer}", 100 + 100 * layer, 199 + 100 * layer)
    assert chosen(trace)[0] == "whole"


def test_kernels_alone_repeat_on_their_stream() -> None:
    found = summary(kernels_only())
    assert found.iterations is not None and found.iterations.chosen.name == "embed"
    assert us(found) == [100] * 5


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([DECODE.format(n) for n in (4, 5, 6, 7)], "execute_context_*"),
        (["step[EXTEND bs=2 toks=300]", "step[DECODE bs=2]", "step[DECODE bs=2]", "step[DECODE bs=1]"], "step[*"),
        (["iteration 3", "iteration 4", "iteration 5", "iteration 6"], "iteration *"),
        (["[pl][profile][_TrainingEpochLoop].run_training_batch"] * 4, "[pl][profile]*run_training_batch"),
    ],
)
def test_what_engines_write_is_known(texts: list[str], name: str) -> None:
    found = summary(server(texts))
    assert found.iterations is not None and found.iterations.chosen.name == name
    assert us(found) == [600] * 3
    assert name not in "".join(owners_us(found))


def test_numbers_that_count_iterations_are_their_labels() -> None:
    assert summary(server([f"iteration {n}" for n in (7, 8, 10, 12)])).steps.label == ("7", "8", "10")
    assert summary(server([DECODE.format(n) for n in (4, 5, 4, 4)])).steps.label == ("0", "1", "2")


def test_kinds_are_not_incomplete_beside_each_other() -> None:
    """Prefills launch more than decodes; neither lacks anything."""
    trace = TraceBuilder()
    for number in range(40):
        at, launches = number * 1000, 20 if number % 4 == 0 else 4
        trace.annotation("step[EXTEND bs=1]" if launches == 20 else "step[DECODE bs=1]", at, at + 950)
        for one in range(launches):
            trace.kernel("k", at + 20 + 40 * one, at + 40 + 40 * one, launch=(at + 10 + 40 * one, at + 15 + 40 * one))
    from tb_perfcompare.analysis.pooling.step_admission import admit_steps

    assert len(admit_steps(summary(trace)).steps) == 39


def test_markers_within_each_other_and_on_other_threads_are_left_out_and_reported() -> None:
    trace = server([f"work {n}" for n in range(5)])
    trace.annotation("work 9", 100, 200)
    trace.annotation("work 8", 0, 300, thread=MAIN + 1)
    found = summary(trace, "work *")
    assert us(found) == [600] * 4
    (note,) = [note.message for note in found.notes if note.code is NoteCode.ITERATIONS]
    assert "1 that lie within another are left out" in note and "1 on other threads are left out" in note


def test_a_pattern_that_matches_nothing_names_what_is_near() -> None:
    with pytest.raises(MarkerMissing) as caught:
        summary(server(["decode 1", "decode 2", "decode 3"]), "decod *")
    assert "decod *" in caught.value.message and "decode *" in caught.value.hint


def test_a_pattern_that_marks_one_range_names_what_there_is() -> None:
    trace = training()
    trace.annotation("everything", 0, 6000)
    with pytest.raises(MarkerMissing) as caught:
        summary(trace, "everything")
    assert "one range only" in caught.value.message and "enumerate(DataLoader)*" in caught.value.hint


def test_everything_is_the_outermost() -> None:
    trace = server([f"outer {n}" for n in range(5)])
    trace.annotation("inner", 10, 20)
    assert us(summary(trace, "*")) == [600] * 4


def test_a_pattern_may_name_operators() -> None:
    assert us(summary(training(), "aten::mse_loss")) == [1000] * 5


def test_addresses_and_hashes_in_names_are_numbers() -> None:
    texts = [f"run 0x7f{n}a00 9f86d081884c7d6{n}" for n in range(4)]
    assert us(summary(server(texts), "run * *")) == [600] * 3


@pytest.mark.parametrize("number", ["2f1d0c6e-93ab-4c1d-8e2f-00aa11bb22c", "9F86D081884C7D6"])
def test_uuids_and_capital_hashes_are_numbers(number: str) -> None:
    texts = [f"generate {number}{n}" for n in range(4)]
    assert us(summary(server(texts), "generate *")) == [600] * 3


def iteration_note(found: Summary) -> str:
    (told,) = [note.message for note in found.notes if note.code is NoteCode.ITERATIONS]
    return told


def test_a_clock_that_went_back_is_noted() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(20):
        at = number * 400 - (1_000 if number >= 10 else 0)
        trace.annotation("step[DECODE bs=4]", at, at + 390)
        for part in range(3):
            trace.op(f"aten::op{part}", at + 10 + part * 100, at + 90 + part * 100)
    assert "step[* overlap each other, so they are not taken" in iteration_note(summary(trace))


@pytest.mark.parametrize("length", [250, 2_000])
def test_overlapping_ranges_of_a_known_name_are_noted(length: int) -> None:
    """Each reaches into the next one, or the first holds all others."""
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = number * 200
        for part in range(4):
            trace.op(f"aten::op{part}", at + 10 + part * 45, at + 50 + part * 45)
        trace.annotation("train_step", at, at + (length if number == 0 or length < 1_000 else 190))
    assert "train_step overlap each other, so they are not taken" in iteration_note(summary(trace))


def test_a_clock_jump_is_noted() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(8):
        at = number * 400 + (10**7 if number >= 4 else 0)
        trace.annotation("step[DECODE bs=4]", at, at + 390)
        trace.op("aten::linear", at + 10, at + 300)
    assert "iteration 3 is 25,001 times as long as the typical one" in iteration_note(summary(trace))


def test_a_million_ranges_are_refused() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(20_010):
        trace.annotation("tick", number, number + 0.5)
    with pytest.raises(SelectionError) as caught:
        summary(trace, "tick")
    assert "20,010 iterations" in caught.value.message


def test_whole_is_one_step_whatever_marks_there_are() -> None:
    found = summary(training(marks=True), "whole")
    assert not found.marked and len(found.steps) == 1


def test_graph_launches_are_decode_steps() -> None:
    trace = TraceBuilder()
    for number in range(8):
        at = number * 100
        for one in range(3):
            trace.kernel(f"k{one}", at + 20 + 20 * one, at + 38 + 20 * one)
        trace.call("cudaGraphLaunch", at, at + 10)
        trace.call("cudaMemcpyAsync", at + 85, at + 90)
    found = summary(trace)
    assert found.iterations is not None and found.iterations.chosen.origin == "graph"
    assert us(found)[:6] == [100] * 6


def test_graph_launches_are_decode_steps_however_far_behind_them_the_device_is() -> None:
    """Nothing but launches, which are done in a third of the time that the device takes."""
    trace = TraceBuilder()
    trace.call("cudaStreamIsCapturing", 100, 102)
    for number in range(8):
        at = 500 + number * 30
        trace.call("cudaStreamIsCapturing", at - 3, at - 2)
        trace.call("cudaGraphLaunch", at, at + 25)
        for one in range(4):
            begin = 540 + number * 100 + 25 * one
            trace.kernel(f"k{one}", begin, begin + 24)
    trace.call("cudaDeviceSynchronize", 750, 1350)
    found = summary(trace)
    assert found.iterations is not None and found.iterations.chosen.origin == "graph"


def test_the_last_iteration_is_kept_on_request() -> None:
    assert summary(training(), tail=True).steps.label == ("0", "1", "2", "3", "4", "5")


def test_candidates_tell_their_number_and_length() -> None:
    found = trace_steps(timeline(training())).iterations.candidates
    by_name: dict[str, Marker] = {marker.name: marker for marker in found}
    loader = by_name["enumerate(DataLoader)*"]
    assert (loader.count, loader.mean_ns, round(loader.coverage, 2)) == (5, 1_000_000.0, 0.84)
    assert list(by_name)[-1] == ""


@pytest.mark.parametrize("optimizer", [True, False])
def test_iterations_begin_where_the_recording_does_if_it_begins_between_two(optimizer: bool) -> None:
    """What follows the optimizer, and takes longer each time, belongs to the iteration that it is in."""
    trace, at, begins = TraceBuilder(vendor="cpu"), 0.0, []
    for number in range(6):
        begins.append(at)
        if optimizer:
            trace.annotation("Optimizer.step#SGD.step", at + 500, at + 600)
        names = (
            "aten::zeros",
            "aten::empty",
            "aten::linear",
            "aten::mse_loss",
            "aten::_foreach_add_",
            "c10d::alltoall_",
        )
        for part, name in enumerate(names):
            trace.op(name, at + 10 + 120 * part, at + 100 + 120 * part + (10 * number**2 if part == 5 else 0))
        at += 800 + 10 * number**2
    found = summary(trace)
    assert found.iterations is not None and found.iterations.chosen.origin == ("optimizer" if optimizer else "detected")
    assert [int(ns) / 1000 for ns in found.steps.start_ns] == [begin + 10 for begin in begins[:5]]


def test_an_iteration_does_not_begin_where_a_recording_does_that_began_within_one() -> None:
    """The optimizer's end is known to be an end."""
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mse_loss", 0, 40)
    for number in range(6):
        at = 100 + number * 1000
        trace.annotation("Optimizer.step#SGD.step", at, at + 100)
        for part, name in enumerate(("aten::to", "aten::linear", "aten::relu", "aten::mse_loss", "aten::neg")):
            if number < 5 or part < 2:
                trace.op(name, at + 110 + 100 * part, at + 190 + 100 * part)
    assert [int(ns) / 1000 for ns in summary(trace).steps.start_ns] == [200 + 1000 * number for number in range(5)]


def test_calls_that_whole_microseconds_put_outside_of_others_move_no_beginning() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number in range(6):
        at = number * 1000
        for part, name in enumerate(("aten::zeros", "aten::linear", "aten::mse_loss", "aten::add_")):
            trace.op(name, at + 10 + 200 * part, at + 100 + 200 * part)
        trace.op("aten::zero_", at + 100 if number in (0, 3) else at + 50, at + 110 if number in (0, 3) else at + 60)
        trace.op("aten::zero_", at + 15, at + 20)
    assert [int(ns) / 1000 for ns in summary(trace).steps.start_ns] == [10 + 1000 * number for number in range(5)]
