"""Programs of many styles: as many steps as they have iterations, of the right kinds; none where a model ran once."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tb_perfcompare.analysis.iterations.step_ranges import TraceSteps, iteration_notes, trace_steps
from tb_perfcompare.model.names.kinds import kinds_of
from tests.analysis.iterations import other_loops as loops
from tests.analysis.iterations.other_loops import Pen
from tests.analysis.summaries import timeline

_AT = 0.02
"""Of an iteration: how far from where it begins a step may begin."""


def steps_of(pen: Pen, marker: str = "") -> TraceSteps:
    return trace_steps(timeline(pen.trace), marker)


def starts_us(steps: TraceSteps) -> list[float]:
    return [ns / 1000 for ns in steps.windows["marker"].start_ns.tolist()]


BEGINNINGS = {
    "microbatches": loops.microbatches(),
    "microbatches, fused optimizer": loops.microbatches(optimizer=loops.FUSED, count=8),
    "microbatches, modules": loops.microbatches(modules=True),
    "pipeline stage": loops.pipeline_stage(),
    "prefetching pipeline": loops.prefetching_pipeline(),
    "collating threads": loops.collating_threads(),
    "validation, optimizer": loops.validating(annotated=True),
    "a log every fifth step": loops.logging(),
    "two networks": loops.adversaries(1),
    "two networks, two steps of one": loops.adversaries(2),
    "rollouts": loops.rollouts(),
    "vllm": loops.engine("vllm"),
    "vllm, runner only": loops.engine("runner"),
    "TensorRT-LLM": loops.engine("executor"),
    "own annotations": loops.engine("own"),
    "two batches in flight": loops.two_batches_in_flight(),
    "speculative": loops.speculative(),
    "speculative, modules": loops.speculative(modules=True),
    "images": loops.denoising(5),
    "denoising steps of one image, modules": loops.denoising(1, modules=True),
    "tokens": loops.requests(),
    "varying lengths": loops.varying_lengths(),
    "kernels alone": loops.replayed_kernels(),
    "ROCm": loops.graphs("rocm", "hipGraphLaunch", "hipMemcpyAsync", "hipStreamSynchronize"),
    "MLU": loops.graphs("mlu", "cnrtTaskTopoEntityInvokeWithParam", "cnrtMemcpyAsync", "cnrtQueueSync"),
    "inference script": loops.inference_script(),
    "one prompt": loops.generating(),
    "tokens of requests": loops.tokens_of_requests(),
    "warm-up in the first step": loops.warming_up(),
    "requests in any order": loops.requests_in_any_order(),
    "parts in order": loops.parts_in_order(validates=False),
    "parts in order, validation": loops.parts_in_order(validates=True),
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_step_for_each_iteration(name: str) -> None:
    pen = BEGINNINGS[name]
    steps = steps_of(pen)
    found = starts_us(steps)
    assert steps.iterations.chosen.origin != "whole"
    assert len(found) in (len(pen.begins) - 1, len(pen.begins) - 2)  # the last one is cut off; an end is no beginning


@pytest.mark.parametrize(
    "name",
    ["microbatches", "prefetching pipeline", "collating threads", "rollouts", "two networks", "tokens",
     "two batches in flight", "varying lengths", "kernels alone", "ROCm", "images", "one prompt", "tokens of requests",
     "warm-up in the first step", "requests in any order", "parts in order"],
)  # fmt: skip
def test_they_begin_where_iterations_do(name: str) -> None:
    pen = BEGINNINGS[name]
    period = (pen.at - pen.begins[0]) / len(pen.begins)
    for start in starts_us(steps_of(pen)):
        assert min(abs(start - begin) for begin in pen.begins) <= _AT * period


@pytest.mark.parametrize(
    "pen",
    [
        loops.script(passes=1), loops.script(passes=2), loops.script(passes=1, layers=24, few_names=True),
        loops.script(passes=2, layers=24, few_names=True), loops.script(passes=1, modules=True), loops.trained_twice(),
        loops.annotated_layers(), loops.denoising(1), loops.separate_projections(),
    ],
)  # fmt: skip
def test_what_ran_once_or_twice_is_one_step(pen: Pen) -> None:
    steps = steps_of(pen)
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
def test_prefill_and_decode_are_kinds(name: str, kinds: tuple[int, ...]) -> None:
    steps = steps_of(BEGINNINGS[name])
    found = Counter(kinds_of(steps.text)) if steps.text else {"": len(starts_us(steps))}
    assert sorted(found.values()) == sorted(kinds)


def test_a_validation_is_no_second_optimizer_whether_or_not_it_is_annotated() -> None:
    assert len(starts_us(steps_of(loops.validating(annotated=False)))) == 19


def test_a_recording_that_begins_and_ends_within_iterations() -> None:
    pen = loops.cut_within()
    lengths = np.diff(starts_us(steps_of(pen))).tolist()
    assert len(lengths) == 5
    assert max(lengths) <= 1.1 * min(lengths)


def test_a_part_of_an_iteration_can_be_asked_for() -> None:
    assert len(starts_us(steps_of(loops.denoising(1), "aten::chunk"))) == 29


def test_what_could_be_iterations_or_layers_is_named_and_can_be_chosen() -> None:
    pen = loops.iterated_solver()
    steps = steps_of(pen)
    (note,) = iteration_notes(steps, "here")
    assert steps.iterations.chosen.origin == "whole"
    assert "aten::matmul cuts it into 20 stretches" in note.message and "'detected:aten::matmul'" in note.message
    assert len(starts_us(steps_of(pen, "detected:aten::matmul"))) == 20


def test_each_step_of_an_optimizer_that_makes_several_in_an_iteration_can_be_chosen() -> None:
    pen = loops.heads_by_turns()
    steps = steps_of(pen)
    (note,) = iteration_notes(steps, "here")
    assert len(starts_us(steps)) == 3 and "3 calls make a step" in note.message
    assert len(starts_us(steps_of(pen, "each Optimizer.step#*"))) == 11


def test_the_first_iteration_counts_where_it_is_whole() -> None:
    assert len(starts_us(steps_of(loops.generating()))) == 19
