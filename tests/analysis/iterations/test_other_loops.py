"""Steps found in programs of many styles: their number, beginnings and kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from tb_perfcompare.analysis.iterations.step_ranges import TraceSteps, iteration_notes, trace_steps
from tb_perfcompare.model.names.kinds import kinds_of
from tests.analysis.iterations import other_loops as loops
from tests.analysis.iterations.other_loops import Pen
from tests.analysis.summaries import timeline

TOLERANCE = 0.02
"""Largest distance of a step's begin from that of an iteration, as a fraction of the iteration."""


def steps_of(pen: Pen, marker: str = "") -> TraceSteps:
    return trace_steps(timeline(pen.trace), marker)


def starts_us(steps: TraceSteps) -> list[float]:
    return [ns / 1000 for ns in steps.windows["marker"].start_ns.tolist()]


PROGRAMS: dict[str, Callable[[], Pen]] = {
    "microbatches": loops.microbatches,
    "microbatches, fused optimizer": partial(loops.microbatches, optimizer=loops.FUSED, count=8),
    "microbatches, modules": partial(loops.microbatches, modules=True),
    "pipeline stage": loops.pipeline_stage,
    "prefetching pipeline": loops.prefetching_pipeline,
    "collating threads": loops.collating_threads,
    "validation, optimizer": partial(loops.validating, annotated=True),
    "a log every fifth step": loops.logging,
    "two networks": partial(loops.adversaries, 1),
    "two networks, two steps of one": partial(loops.adversaries, 2),
    "rollouts": loops.rollouts,
    "vllm": partial(loops.engine, "vllm"),
    "vllm, runner only": partial(loops.engine, "runner"),
    "TensorRT-LLM": partial(loops.engine, "executor"),
    "own annotations": partial(loops.engine, "own"),
    "two batches in flight": loops.two_batches_in_flight,
    "speculative": loops.speculative,
    "speculative, modules": partial(loops.speculative, modules=True),
    "images": partial(loops.denoising, 5),
    "denoising steps of one image, modules": partial(loops.denoising, 1, modules=True),
    "tokens": loops.requests,
    "varying lengths": loops.varying_lengths,
    "kernels alone": loops.replayed_kernels,
    "ROCm": partial(loops.graphs, "rocm", "hipGraphLaunch", "hipMemcpyAsync", "hipStreamSynchronize"),
    "MLU": partial(loops.graphs, "mlu", "cnrtTaskTopoEntityInvokeWithParam", "cnrtMemcpyAsync", "cnrtQueueSync"),
    "inference script": loops.inference_script,
    "one prompt": loops.generating,
    "tokens of requests": loops.tokens_of_requests,
    "warm-up in the first step": loops.warming_up,
    "requests in any order": loops.requests_in_any_order,
    "parts in order": partial(loops.parts_in_order, validates=False),
    "parts in order, validation": partial(loops.parts_in_order, validates=True),
}


@cache
def read(name: str) -> tuple[Pen, TraceSteps]:
    pen = PROGRAMS[name]()
    return pen, steps_of(pen)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_complete_iteration_is_a_step(name: str) -> None:
    pen, steps = read(name)
    assert steps.iterations.chosen.origin != "whole"
    # the last iteration is incomplete; markers at the end of iterations lose the first as well
    assert len(starts_us(steps)) in (len(pen.begins) - 1, len(pen.begins) - 2)


@pytest.mark.parametrize(
    "name",
    ["microbatches", "prefetching pipeline", "collating threads", "rollouts", "two networks", "tokens",
     "two batches in flight", "varying lengths", "kernels alone", "ROCm", "images", "one prompt", "tokens of requests",
     "warm-up in the first step", "requests in any order", "parts in order"],
)  # fmt: skip
def test_steps_begin_with_iterations(name: str) -> None:
    pen, steps = read(name)
    period = (pen.at - pen.begins[0]) / len(pen.begins)
    for start in starts_us(steps):
        assert min(abs(start - begin) for begin in pen.begins) <= TOLERANCE * period


@pytest.mark.parametrize(
    "program",
    [
        partial(loops.script, passes=1), partial(loops.script, passes=2),
        partial(loops.script, passes=1, layers=24, few_names=True),
        partial(loops.script, passes=2, layers=24, few_names=True), partial(loops.script, passes=1, modules=True),
        loops.trained_twice, loops.annotated_layers, partial(loops.denoising, 1), loops.separate_projections,
    ],
)  # fmt: skip
def test_a_program_that_runs_once_or_twice_is_one_step(program: Callable[[], Pen]) -> None:
    steps = steps_of(program())
    assert steps.iterations.chosen.origin == "whole"
    (note,) = iteration_notes(steps, "here")
    assert "the whole recording counts as one step" in note.message and "--step-marker" in note.message


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("vllm", (6, 23)), ("vllm, runner only", (6, 23)), ("TensorRT-LLM", (6, 23)), ("own annotations", (6, 23)),
        ("requests in any order", (7, 9, 13)), ("two batches in flight", (4, 15)), ("validation, optimizer", (4, 15)),
        ("microbatches", (5,)),
    ],
)  # fmt: skip
def test_steps_of_each_kind_are_counted(name: str, kinds: tuple[int, ...]) -> None:
    _, steps = read(name)
    found = Counter(kinds_of(steps.text)) if steps.text else {"": len(starts_us(steps))}
    assert sorted(found.values()) == sorted(kinds)


def test_validation_after_an_unannotated_optimizer_makes_no_steps() -> None:
    assert len(starts_us(steps_of(loops.validating(annotated=False)))) == 19


def test_a_recording_cut_within_iterations_has_complete_steps_only() -> None:
    pen = loops.cut_within()
    lengths = np.diff(starts_us(steps_of(pen))).tolist()
    assert len(lengths) == 5
    assert max(lengths) <= 1.1 * min(lengths)


def test_parts_of_an_operator_in_which_a_recording_begins_are_no_other_program() -> None:
    assert len(starts_us(steps_of(loops.cut_within_operators()))) >= 5


def test_a_marker_can_select_a_part_of_an_iteration() -> None:
    assert len(starts_us(steps_of(loops.denoising(1), "aten::chunk"))) == 29


def test_an_ambiguous_repetition_is_named_and_can_be_chosen() -> None:
    pen = loops.iterated_solver()
    steps = steps_of(pen)
    (note,) = iteration_notes(steps, "here")
    assert steps.iterations.chosen.origin == "whole"
    assert "aten::matmul cuts it into 20 stretches" in note.message and "'detected:aten::matmul'" in note.message
    assert len(starts_us(steps_of(pen, "detected:aten::matmul"))) == 20


def test_each_of_several_optimizer_calls_in_a_step_can_be_chosen() -> None:
    pen = loops.alternating_heads()
    steps = steps_of(pen)
    (note,) = iteration_notes(steps, "here")
    assert len(starts_us(steps)) == 3 and "every 3rd Optimizer.step#*" in note.message
    assert len(starts_us(steps_of(pen, "Optimizer.step#*"))) == 11


def test_a_complete_first_iteration_is_a_step() -> None:
    assert len(starts_us(read("one prompt")[1])) == 19
