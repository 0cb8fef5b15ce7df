"""Ranks of one job are not independent observations."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.statistics.samples import observations, of_late_ranks
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare
from tests.drawn_runs import drawn_trace

IN_2024 = 1_717_000_000_000_000
"""Microseconds since 1970."""


def rank(worker: str, *lengths: int, at: int = 0, number: int | None = None) -> Summary:
    trace = TraceBuilder(vendor="cuda" if number is not None else "cpu", rank=number, world_size=2)
    for step, length in enumerate(lengths):
        trace.step(step, at, at + length)
        trace.op("aten::mm", at, at + length // 2)
        at += length
    return summary(trace, worker=worker)


def test_a_step_of_two_ranks_is_one_observation() -> None:
    both = pool([rank("worker0", 100, 120, 110), rank("worker1", 102, 124, 117)])
    samples = observations(both)
    assert samples.pooled
    assert samples.means(both.steps.total_ns).tolist() == [101_000, 122_000, 113_500]


def test_the_headline_counts_observations_and_equals_the_ledger() -> None:
    before = pool([rank("worker0", 100, 120, 110), rank("worker1", 103, 124, 117)])
    after = pool([rank("worker0", 200, 220, 210), rank("worker1", 203, 224, 217)])
    got = compare(before, after)
    assert got.headline.n == (3, 3)
    assert got.headline.delta == 100.0
    assert got.ledger.delta / got.ledger.denominator / 1000 == 100.0
    assert got.headline.baseline == pytest.approx(674 / 6, rel=1e-15)


def waiting_rank(worker: str, *own: int, together: int = 200) -> Summary:
    """Steps of 200 µs and a little: own work, then a collective that waits for the other rank."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for step, length in enumerate(own):
        trace.op("aten::mm", at, at + length)
        trace.annotation("gloo:all_reduce", at + length, at + together)
        trace.step(step, at, at + together + len(worker))
        at += together + len(worker)
    return summary(trace, worker=worker)


def test_a_rank_that_the_others_wait_for_stands_for_the_job() -> None:
    both = pool([waiting_rank("late", 190, 180, 100, 185), waiting_rank("others", 100, 120, 110, 120)])
    samples = of_late_ranks(both)
    assert samples.means(both.steps.total_ns).tolist() == [204_000, 204_000, 206_000, 204_000]
    assert (samples.group.tolist(), samples.label) == (observations(both).group.tolist(), observations(both).label)


@pytest.mark.parametrize(
    "side",
    [
        pool([rank("worker0", 100, 120), rank("worker1", 190, 200)]),
        pool([waiting_rank("late", 190, 180), waiting_rank("others", 185, 172)]),
        pool([waiting_rank("late", 190, 100), waiting_rank("others", 100, 180)]),
        waiting_rank("alone", 190, 100),
    ],
    ids=["no waiting", "alike", "in turns", "one rank"],
)
def test_ranks_that_wait_for_no_one_rank_stand_for_it_together(side: Summary) -> None:
    assert of_late_ranks(side).late is None


def test_ranks_with_different_steps_stay_separate_with_a_note() -> None:
    before = pool([rank("worker0", 100, 120, 110), rank("worker1", 103, 124)])
    got = compare(before, before)
    assert got.headline.n == (5, 5)
    assert NoteCode.UNEVEN_RANKS in {note.code for note in got.notes}
    assert set(observations(before).capture.tolist()) == {0}  # one launch is one capture


def test_processes_that_record_one_after_another_are_captures_of_one_program() -> None:
    """torch's handler names the files of a program that runs three times."""
    runs = [rank(f"host_{100 + run}", 100, 120, 110, at=IN_2024 + 1000 * run) for run in range(3)]
    samples = observations(pool(runs))
    assert not samples.pooled
    assert samples.capture.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    with pytest.raises(SelectionError, match="the workers recorded one after another"):
        compare(pool(runs), pool(runs)).table("ranks")


def test_processes_that_record_at_the_same_time_are_ranks() -> None:
    assert observations(pool([rank("host_1", 100, 120, at=IN_2024), rank("host_2", 100, 120, at=IN_2024 + 9)])).pooled


def test_processes_of_a_job_are_ranks_although_their_clocks_differ() -> None:
    job = [rank(f"host_{at}", 100, 120, at=IN_2024 + 1000 * at, number=at) for at in range(2)]
    assert observations(pool(job)).pooled


def test_a_job_started_three_times_has_three_captures() -> None:
    """Two ranks, started three times in one folder: six workers."""
    sides = [
        rank(f"host_{100 + 10 * start + number}", 100, 120, at=IN_2024 + 1000 * start + number, number=number)
        for start in range(3) for number in range(2)
    ]  # fmt: skip
    samples = observations(pool(sides))
    assert samples.pooled
    assert samples.capture.tolist() == [0, 0, 1, 1, 2, 2]
    assert compare(pool(sides), pool(sides)).table("ranks").rows[1][0] == "rank 1"


def test_headline_check_and_side_count_the_same_steps() -> None:
    """Two ranks, ten steps of the job: ten steps, not twenty."""
    side = pool([summary(drawn_trace(steps=10), worker=f"worker{rank}") for rank in range(2)])
    found = compare(side, side)
    check = check_of(found, "steps")
    assert (found.headline.n, check.detail) == ((10, 10), "10 vs 10 steps")
    assert (found.baseline.steps_admitted, found.baseline.steps_total) == (10, 10)
