"""Two jobs over all ranks: which rank is slow, which rank the others wait for, all or one?"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.ranks.changes import beyond_others
from tb_perfcompare.comparison.ranks.job import job_of
from tb_perfcompare.comparison.ranks.sentences import changed_rank
from tb_perfcompare.comparison.ranks.sides import split_waiting
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.collectives import Collectives
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.render.formats import render
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of

STEPS = 12
STEP_US = 1000


@cache
def rank(
    number: int, ranks: int, *, late: int | None = None, by_us: float = 0, all_us: float = 0, steps: int = STEPS,
    seed: int = 0, calls: int = 1, group: int | None = None,
) -> Summary:  # fmt: skip
    """Steps of 500 µs computing, longer on the late rank, then a collective of 100 µs in which the others wait for it;
    20 µs of it overlap a kernel."""
    trace = TraceBuilder(rank=number, world_size=ranks)
    chance = random.Random(100 * seed + number)
    at = 0.0
    for step in range(1, steps + 1):
        own = 500 + all_us + chance.uniform(-3, 3) + (by_us if number == late else 0)
        end = at + 500 + all_us + (by_us if late is not None else 0) + 3
        trace.op("aten::mm", at + 1, at + 10)
        trace.kernel("gemm", at + 20, at + own, launch=(at + 3, at + 8))
        trace.kernel("tail", end + 5, end + 25, launch=(at + 11, at + 12), stream=9)
        for call in range(calls):
            first = at + own if call == 0 else end + 100
            last = end + 100 + 10 * call
            trace.collective("all_reduce", (at + 13, at + 15), (first, last), group=ranks if group is None else group)
        trace.step(step, at, end + 200)
        at = end + 200
    return summary(trace, worker=f"worker{number}")


@cache
def job(ranks: int = 4, **options: Any) -> Summary:
    return pool([rank(number, ranks, **options) for number in range(ranks)])


def cells(table: Table, *names: str) -> dict[str, tuple[Any, ...]]:
    """Rank -> cells of these columns."""
    places = [table.places[name] for name in names]
    return {str(row[0]): tuple(row[place] for place in places) for row in table.rows}


@pytest.mark.parametrize(("ranks", "others"), [(2, "the other rank"), (4, "the other ranks")])
def test_the_rank_whose_own_work_alone_changed_is_named(ranks: int, others: str) -> None:
    options, before = CompareOptions(), job(ranks)

    def changed(after: Summary) -> str:
        found = job_of(before, after, options)
        assert found is not None
        return changed_rank(found, 5.0, options)

    text = changed(job(ranks, late=1, by_us=300, seed=1))
    assert re.fullmatch(rf"own work of rank 1 \+30\d µs, of {others} .*", text)
    assert changed(job(ranks, all_us=300, seed=1)) == changed(job(ranks, seed=1)) == ""


def test_a_late_rank_is_slower_and_the_others_wait_for_it() -> None:
    table = compare(job(), job(late=2, by_us=300, seed=1)).tables["ranks"]
    got = cells(table, "verdict", "stands_out", "candidate_waiting_us", "beyond_delta_us")
    assert next(iter(got)) == "rank 2"  # first, because it changed most beyond the others
    like, apart = ("slower", "like the others"), ("slower", "slower")
    assert [got[name][:2] for name in sorted(got)] == [like, like, apart, like]
    assert [round(got[name][2], -1) for name in sorted(got)] == [300, 300, 0, 300]
    assert got["rank 2"][3] == pytest.approx(300, abs=3)
    text = " ".join(table.notes)
    assert "changed on all ranks: 4 of 4 ranks slower; all ranks pooled: slower" in text
    assert "1 of 4 ranks changed differently from the others in their own work (without waiting): rank 2 +" in text
    assert "In the candidate the other ranks wait for rank 2" in text
    assert "In the baseline the other ranks wait" not in text


def test_a_slowdown_of_all_ranks_has_no_outlier() -> None:
    table = compare(job(), job(all_us=100, seed=1)).tables["ranks"]
    assert {found for (found,) in cells(table, "stands_out").values()} == {"like the others"}
    assert any(note.startswith("No rank stands out") for note in table.notes)


def test_a_difference_that_is_not_significant_does_not_stand_out() -> None:
    table = compare(job(steps=2), job(late=2, by_us=300, steps=2, seed=1)).tables["ranks"]
    assert any(note.startswith("No rank stands out") for note in table.notes)


def test_without_collectives_only_the_slow_rank_is_slower() -> None:
    def alone(number: int, longer: float, seed: int) -> Summary:
        trace, chance, at = TraceBuilder(rank=number, world_size=4), random.Random(10 * seed + number), 0.0
        for step in range(1, STEPS + 1):
            length = 1000 + longer + chance.uniform(-2, 2)
            trace.op("aten::mm", at + 1, at + length - 1)
            trace.step(step, at, at + length)
            at += length
        return summary(trace, worker=f"worker{number}")

    before = pool([alone(number, 0, 1) for number in range(4)])
    after = pool([alone(number, 200 * (number == 1), 2) for number in range(4)])
    table = compare(before, after).tables["ranks"]
    assert {name: word for name, (word,) in cells(table, "verdict").items()} == {
        "rank 0": "same", "rank 1": "slower", "rank 2": "same",
        "rank 3": "same",
    }  # fmt: skip
    text = " ".join(table.notes)
    assert "Step time changed on rank 1: 1 of 4 ranks slower, 3 same" in text
    assert "The slowest rank of the candidate is rank 1: 1.20 ms per step, 19.9 % above the median rank." in text
    assert "No collectives in the baseline: waiting is not measured." in text


def test_collectives_split_into_transfer_and_waiting_with_their_overlap() -> None:
    table = compare(job(), job(late=1, by_us=300)).tables["ranks"]
    got = cells(table, "candidate_transfer_us", "candidate_waiting_us", "candidate_matched", "candidate_overlap")
    transfer, waiting, matched, overlap = got["rank 0"]
    assert transfer == pytest.approx(103, abs=4)
    assert waiting == pytest.approx(300, abs=5)
    assert matched == 1.0
    assert overlap == pytest.approx(20 / 403, rel=0.05)
    assert got["rank 1"][3] == pytest.approx(20 / 103, rel=0.05)


def test_one_worker_per_side_has_no_ranks_table() -> None:
    got = compare(rank(0, 1), rank(0, 1, seed=1))
    assert "ranks" not in got.tables
    with pytest.raises(SelectionError, match="one worker on each side"):
        got.table("ranks")


def test_different_world_sizes_are_noted() -> None:
    got = compare(job(2), job(4, seed=1))
    table = got.tables["ranks"]
    assert [status for (status,) in cells(table, "status").values()].count("added") == 2
    text = table.notes[0]
    assert "2 ranks in the baseline, 4 in the candidate, 2 in both; rank 2, rank 3 only in the candidate" in text
    assert {check.check for check in got.comparability if check.status == "warn"} >= {"world_size", "ranks"}


def test_a_single_rank_has_no_waiting() -> None:
    table = compare(pool([rank(0, 4)]), job(4, seed=1)).tables["ranks"]
    assert cells(table, "baseline_waiting_us")["rank 0"] == (None,)
    assert "The baseline has one worker: waiting and transfer cannot be separated." in table.notes


def test_ranks_that_call_a_collective_unequally_often_are_not_matched() -> None:
    odd = pool([rank(0, 2), rank(1, 2, calls=2)])
    table = compare(odd, job(2)).tables["ranks"]
    assert cells(table, "baseline_waiting_us", "baseline_matched")["rank 0"] == (None, 0.0)
    assert any(note.startswith("Waiting is not measured in the baseline") for note in table.notes)


def test_more_ranks_than_the_group_has_are_several_groups() -> None:
    table = compare(job(4, group=2), job(4, group=2, seed=1)).tables["ranks"]
    assert set(cells(table, "candidate_waiting_us").values()) == {(None,)}


def sampled(number: int, kinds: str, *, clock_us: float = 0, named: bool = True) -> Summary:
    """Every 10 ms a collective of 100 µs: "r" all_reduce, "R" a larger one, "a" all_to_all, "." not recorded. All
    kernels share one name; unless `named` only the operator shows the collective."""
    trace = TraceBuilder(rank=number, world_size=2)
    trace.step(1, clock_us, clock_us + 10_000 * len(kinds))
    for place, kind in enumerate(kinds):
        at = clock_us + 10_000 * place + 50
        if kind != ".":
            is_reduce = kind.lower() == "r"
            called, operator = ("allreduce", "nccl:all_reduce") if is_reduce else ("all_to_allv", "nccl:all_to_all")
            size = 64 if kind.islower() else 4096
            args: dict[str, Any] = {"Collective name": called, "In msg nelems": size, "dtype": "Float",
                                    "Process Group Name": "0", "Group size": 2} if named else {}  # fmt: skip
            trace.op("record_param_comms" if named else operator, at, at + 20, dims=[[size]], **args)
            trace.kernel("ncclDevKernel_Generic", at + 30, at + 130, launch=(at + 5, at + 10), **args)
    return summary(trace, worker=f"worker{number}")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("one", "two", "share"),
    [
        ("rrrr", "rrrr", 1.0),
        ("rRrR", "RrRr", 0.0),  # other messages
        ("rara", "arar", 0.0),  # as many of each: what begins at one time is another operation
        ("ra..", "ra..", 1.0),
        ("r.r.r.", "r.rr..", 2 / 3),  # as often, but the third is not the same call
        ("rr", "aa", 0.0),
    ],
)
def test_collectives_match_by_operation_message_and_time(one: str, two: str, share: float, named: bool) -> None:
    job = pool([sampled(0, one, named=named), sampled(1, two, clock_us=123_456, named=named)])
    got = cells(compare(job, job).tables["ranks"], "candidate_matched")
    assert got == {"rank 0": (pytest.approx(share),), "rank 1": (pytest.approx(share),)}


def test_with_two_ranks_each_baseline_shows_which_changed() -> None:
    table = compare(job(2), job(2, late=0, by_us=300, seed=1)).tables["ranks"]
    (note,) = [note for note in table.notes if "own work" in note.lower()]
    assert note.startswith("Own work (without waiting) changed differently: rank 0 +300 µs per step, rank 1 ")
    assert note.endswith("; rank 0 is the one that changed.")
    assert cells(table, "stands_out") == {"rank 0": ("slower",), "rank 1": ("others slower",)}


def gloo(rank: int, *, sorts_us: float = 0.0, late_us: float = 0.0, steps: int = 10) -> Summary:
    """Steps on the CPU: work, an optional sort, and a collective that ends on both ranks at once."""
    trace, chance, at = TraceBuilder(vendor="cpu", rank=rank, world_size=2), random.Random(rank), 0.0
    for step in range(1, steps + 1):
        own = 2000 + chance.uniform(-20, 20)
        trace.op("aten::mm", at + 10, at + own)
        if sorts_us:
            trace.op("aten::sort", at + own + 5, at + own + 5 + sorts_us)
        begin, end = at + own + 10 + sorts_us, at + 2500 + late_us
        trace.annotation("gloo:all_reduce", begin, end)
        trace.step(step, at, end + 50)
        at = end + 60
    return summary(trace, worker=f"worker{rank}")


def test_a_late_ranks_sentence_names_the_responsible_operator() -> None:
    before, after = pool([gloo(0), gloo(1)]), pool([gloo(0, late_us=60_000), gloo(1, sorts_us=60_000, late_us=60_000)])
    found = compare(before, after)
    late = finding_of(found, "late_rank")
    assert "aten::sort +60.0 ms, new on this rank alone" in late.sentence
    # the sort is on one of two ranks, the other one waits for it: together that is all of the change
    assert late.delta_us == pytest.approx(60_000, rel=0.01)
    assert "per step; that includes +30.0 ms of the late rank's own work (mean over ranks)" in late.sentence
    swapped = [finding for finding in compare(after, before).findings if finding.rule == "late_rank"]
    assert "aten::sort +60.0 ms" in swapped[0].sentence


def test_two_ranks_that_swap_roles_are_unclear() -> None:
    table = compare(job(2, late=1, by_us=300), job(2, late=0, by_us=300, seed=1)).tables["ranks"]
    assert any("which of the two changed is unclear" in note for note in table.notes)


def test_ranks_are_compared_over_the_steps_that_all_recorded() -> None:
    uneven = pool([rank(0, 2), rank(1, 2, steps=STEPS - 3)])
    table = compare(uneven, uneven).tables["ranks"]
    assert cells(table, "baseline_steps") == {"rank 0": (STEPS,), "rank 1": (STEPS - 3,)}
    assert any(f"is compared over {STEPS - 3} steps that all recorded" in note for note in table.notes)


def test_a_job_against_itself_has_no_change() -> None:
    one = job(late=1, by_us=200)
    table = compare(one, one).tables["ranks"]
    assert set(cells(table, "verdict", "delta_us", "beyond_delta_us", "waiting_delta_us").values()) == {
        ("same", 0.0, 0.0, 0.0)
    }


def test_swapping_the_sides_negates_every_delta() -> None:
    one, two = job(), job(late=3, by_us=300, seed=1)
    forward, swapped = compare(one, two).tables["ranks"], compare(two, one).tables["ranks"]
    names = [column.name for column in forward.columns if column.role == "delta"]
    before, after = cells(forward, *names), cells(swapped, *names)
    assert before == {name: tuple(-value for value in row) for name, row in after.items()}
    assert cells(forward, "stands_out")["rank 3"] == ("slower",)
    assert cells(swapped, "stands_out")["rank 3"] == ("faster",)


@pytest.mark.parametrize("form", ["text", "md", "html", "csv", "json"])
def test_every_report_has_the_ranks(form: str) -> None:
    got = compare(job(2), job(2, seed=1))
    drawn = render(got, form, table="ranks" if form == "csv" else None).decode()
    assert "rank 1" in drawn


@given(st.integers(2, 9), st.integers(1, 5), st.randoms(use_true_random=False))
def test_beyond_the_others_is_the_distance_from_their_median(ranks: int, steps: int, chance: random.Random) -> None:
    values = np.array([[chance.randrange(50) for _ in range(steps)] for _ in range(ranks)], dtype=np.int64)
    got = beyond_others(values)
    for row in range(ranks):
        others = np.delete(values, row, axis=0)
        assert np.abs(got[row] - (values[row] - np.median(others, axis=0))).max() <= 0.5


@given(st.integers(2, 4), st.integers(1, 3), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_transfer_of_a_collective_is_its_shortest_rank(
    ranks: int, steps: int, calls: int, chance: random.Random
) -> None:
    """Against brute force; every rank makes the same calls in the same steps."""
    length = {(r, s, c): chance.randrange(1, 100) for r in range(ranks) for s in range(steps) for c in range(calls)}
    order = [(r, s, c) for r in range(ranks) for s in range(steps) for c in range(calls)]
    zeros = np.zeros(ranks * steps, dtype=np.int64)
    got = split_waiting(
        Collectives(
            (("all_reduce", "0"),), np.array([ranks]), np.zeros(len(order), dtype=np.int64),
            np.array([r * steps + s for r, s, _ in order]),
            np.array([7_000_000 * r + 1000 * (s * calls + c) - length[r, s, c] for r, s, c in order]),
            np.array([length[one] for one in order]), zeros, zeros,
        ),
        np.tile(np.arange(steps), ranks),
        np.repeat(np.arange(ranks), steps),
    )  # fmt: skip
    for r in range(ranks):
        for s in range(steps):
            waited = sum(length[r, s, c] - min(length[o, s, c] for o in range(ranks)) for c in range(calls))
            assert got.waiting[r * steps + s] == waited
            assert got.matched[r * steps + s] == got.plain[r * steps + s] == sum(length[r, s, c] for c in range(calls))


def test_operators_new_on_one_rank_name_the_rank() -> None:
    def ranks(sorts: bool) -> Summary:
        found = []
        for number in range(2):
            trace = TraceBuilder(vendor="cpu", rank=number, world_size=2)
            for step in range(8):
                trace.step(step, 1000 * step, 1000 * step + 900)
                for call in range(10):
                    trace.op("aten::mm", 1000 * step + 10 * call, 1000 * step + 10 * call + 8)
                if sorts and number:
                    trace.op("aten::sort", 1000 * step + 200, 1000 * step + 800)
            found.append(summary(trace, worker=f"worker{number}"))
        return pool(found)

    (found,) = [finding for finding in compare(ranks(False), ranks(True)).findings if "aten::sort" in finding.sentence]
    assert "; 0.5 aten::sort; all on worker1." in found.sentence


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=12))
def test_concurrent_collectives_count_once(calls: list[tuple[int, int, int]]) -> None:
    """Against brute force over three steps; the other rank makes the same calls in a nanosecond each."""
    step, start, dur = (np.array(column, dtype=np.int64) for column in zip(*calls, strict=True))
    each, zeros = np.arange(len(calls)), np.zeros(6, dtype=np.int64)
    got = split_waiting(
        Collectives(
            tuple((f"all_reduce of {size}", "0") for size in each), np.full(len(calls), 2), np.tile(each, 2),
            np.concatenate([step, step + 3]), np.concatenate([start, start + dur - 1]),
            np.concatenate([dur, np.ones(len(calls), dtype=np.int64)]), zeros, zeros,
        ),
        np.tile(np.arange(3), 2),
        np.repeat(np.arange(2), 3),
    )  # fmt: skip
    for number in range(3):
        mine = [(first, first + length) for at, first, length in calls if at == number]
        assert got.plain[number] == got.matched[number] == len({ns for a, b in mine for ns in range(a, b)})
        assert got.waiting[number] == len({ns for a, b in mine for ns in range(a, b - 1)})
