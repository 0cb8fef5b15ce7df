"""A finding says if its time falls in every k-th step."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.evidence.places.recurring_steps import recurring_clause
from tb_perfcompare.model.summary.categories import StepCategory
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare, finding_of, sequence


def program(period: int = 0, pause: int = 0, first: int = 1, steps: int = 20, noise: int = 4) -> TraceBuilder:
    """Steps of 1 ms, with a pause in every `period`-th."""
    return sequence(
        [
            [("aten::mm", 900 + 3 * (7 * step % 5)),
             ("", 40 + step % noise + (pause if period and step % period == first else 0))]
            for step in range(steps)
        ],
        vendor="cpu",
    )  # fmt: skip


@pytest.mark.parametrize(("period", "clause"), [(2, "in every 2nd step, +801"), (3, "in every 3rd step, +799")])
def test_the_sentence_gives_the_period_of_a_pause_and_its_length(period: int, clause: str) -> None:
    plain, pausing = program(), program(period, 800)
    for a, b, text in ((plain, pausing, clause), (pausing, plain, clause.replace("+", "−"))):
        assert f"; mostly {text} µs in each" in finding_of(compare(a, b), "unrecorded_time").sentence


def test_longer_pauses_in_the_same_steps_have_their_period_and_what_is_more() -> None:
    """They need no significant times."""
    for a, b, text in ((500, 900, "+400"), (900, 500, "−400")):
        finding = finding_of(compare(program(3, a), program(3, b)), "unrecorded_time")
        assert f"; mostly in every 3rd step, {text} µs in each" in finding.sentence
        assert finding.confidence == "recurs in every 3rd step"
    short, long = summary(program(3, 500)), summary(program(3, 900))
    for a, b, us, text in ((short, long, 140, "+400 µs"), (long, short, -140, "−400 µs")):
        assert recurring_clause(a, b, StepCategory.OTHER, us) == f"mostly in every 3rd step, {text} in each"
    assert not recurring_clause(short, long, StepCategory.OTHER, 300)  # most of it is in other steps
    assert not recurring_clause(short, long, StepCategory.OTHER, 60)  # other steps take less


@pytest.mark.parametrize(("steps", "period", "is_told"), [(15, 5, True), (8, 3, False)])
def test_three_far_longer_steps_recur_if_there_are_enough_others(steps: int, period: int, *, is_told: bool) -> None:
    """Of eight steps, a busy machine makes every third one long now and then."""
    plain, pausing = summary(program(steps=steps)), summary(program(period, 800, steps=steps))
    for a, b, way in ((plain, pausing, 1), (pausing, plain, -1)):
        assert bool(recurring_clause(a, b, StepCategory.OTHER, way * 800 / period)) is is_told


def test_pauses_in_every_step_or_in_irregular_steps_have_no_period() -> None:
    some = sequence(
        [[("aten::mm", 900), ("", 40 + (800 if step in (1, 2, 5, 9, 11, 16) else step % 4))] for step in range(20)],
        vendor="cpu",
    )  # fmt: skip
    for a, b in ((program(), program(1, 300, first=0)), (program(), some)):
        assert not any("mostly in every" in finding.sentence for finding in compare(a, b).findings)


@pytest.mark.parametrize(("starts", "found"), [((1, 1), True), ((1, 0), False), ((1, 0, 2), True)])
def test_three_pauses_in_each_short_recording_recur_if_they_begin_alike_or_there_are_more(
    starts: tuple[int, ...], found: bool
) -> None:
    for pause, is_told in ((60, found), (800, True)):  # or if they are far longer than the rest of the step
        pausing = [capture(program(4, pause, one, 9 + one, noise=5), str(number)) for number, one in enumerate(starts)]
        clause = recurring_clause(summary(program(noise=5)), pool(pausing), StepCategory.OTHER, pause * 0.3)
        assert clause.startswith("mostly in every 4th step, +") == is_told, clause


def test_two_pauses_do_not_recur() -> None:
    pausing = [capture(program(4, 800, steps=8, noise=5), str(number)) for number in range(4)]
    assert not recurring_clause(summary(program(noise=5)), pool(pausing), StepCategory.OTHER, 200)


@pytest.mark.parametrize(("period", "workers"), [(2, True), (1, False)])
def test_waits_for_data_in_every_kth_step_are_of_the_workers(period: int, workers: bool) -> None:
    """Workers start again in each epoch, or each hands over its batches at once."""

    def loading(wait: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(20):
            at = 5_000 * number
            us = 40 + number % 3 + wait * (number % period == 0)
            trace.step(number, at, at + us + 950)
            trace.loader(at, at + us, iterator="_MultiProcessingDataLoaderIter")
            trace.op("aten::mm", at + us + 10, at + us + 940)
        return trace

    look_at = finding_of(compare(loading(0), loading(800)), "data_loader").look_at
    assert ("persistent_workers" in look_at) == workers
