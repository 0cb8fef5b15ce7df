"""Collectives of several ranks: the other ranks are the controls that tell a slow network from a late rank."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.planted.faults import BASE
from tests.planted.programs import Program
from tests.planted.sides import causes, compared, first, rules, summary
from tests.planted.training import record
from tests.thorough import THOROUGH

RANKS = 4

SLOW, SLOW_US = 1.25, 1000.0
"""Factor on the kernels of a slow device, and what it adds to a step."""


@cache
def job(
    late: int | None = None, *, by_us: float = 0.0, cause: str = "gap", collective_us: float = 200.0, seed: int = 0,
    vendor: str = "cuda", device_pace: float = 1.0,
) -> Summary:  # fmt: skip
    """All ranks of a job. The others wait in the collective for the `late` one, which takes `by_us` longer: in Python
    between operators ("gap"), waiting for its data ("loader"), or in all kernels ("device")."""
    made = []
    for rank in range(RANKS):
        program = BASE.changed(
            steps=14, vendor=vendor, collective_us=collective_us, seed=10 * seed + rank + 1, device_pace=device_pace
        )
        if rank == late:
            program = _longer(program, by_us, cause)
        elif late is not None:
            program = program.changed(wait_us=by_us)
        one = summary(record(program, rank=rank, world_size=RANKS), worker=f"worker{rank}")
        file = replace(one.captures[0].file, sha256=f"{rank}{late}{seed}{device_pace}")
        capture = replace(one.captures[0], rank=rank, file=file)
        made.append(replace(one, captures=(capture,)))
    return pool(made)


def _longer(program: Program, by_us: float, cause: str) -> Program:
    if cause == "loader":
        return program.changed(loader_us=program.loader_us + by_us)
    if cause == "device":
        return program.changed(device_pace=SLOW)
    return program.changed(gaps=dict.fromkeys(range(program.steps), by_us))


@pytest.mark.parametrize(
    ("late", "by_us", "vendor"),
    [(2, 700.0, "cuda"), (0, 175.0, "rocm"), (2, 700.0, "mlu")]
    + [(0, 175.0, "cuda"), (2, 700.0, "rocm"), (0, 175.0, "mlu")] * THOROUGH,
)
def test_a_late_rank_is_told_from_a_slow_collective(late: int, by_us: float, vendor: str) -> None:
    found = compared(job(vendor=vendor), job(late, by_us=by_us, seed=1, vendor=vendor))
    assert causes(found) == ["late_rank"]
    assert first(found).subject == f"rank {late}"
    assert f"rank {late} is late (untraced host time +" in first(found).sentence


def test_what_the_late_rank_does_beyond_the_others_is_named() -> None:
    found = compared(job(), job(1, by_us=700.0, cause="loader", seed=1))
    assert rules(found)[0] == "late_rank"
    assert "rank 1 is late (data loader wait +700 µs vs the other ranks)" in first(found).sentence


def test_a_slow_device_of_one_rank_is_its_pace_and_not_the_programs() -> None:
    """The others wait for it, so that the job runs at its pace, not at the mean of all."""
    one, other = job(), job(2, by_us=SLOW_US, cause="device", seed=1)
    for found, way in ((compared(one, other), 1), (compared(other, one), -1)):
        machine, program = found.headline.machine, found.headline.program
        assert machine is not None and program is not None
        assert way * machine.estimate > 0.1
        assert program.low <= 0 <= program.high
        assert causes(found) == ["late_rank"]
        assert "rank 2 " in first(found).sentence and "the same kernels ×1.2" in first(found).sentence


def test_slow_devices_of_all_ranks_are_no_late_rank() -> None:
    assert causes(compared(job(), job(device_pace=SLOW, seed=1))) == ["device_pace"]


def test_another_rank_that_is_late_instead_is_no_change() -> None:
    found = compared(job(1, by_us=700.0), job(3, by_us=700.0, seed=1))
    assert causes(found) == []


def test_a_rank_that_is_no_longer_late_is_an_improvement() -> None:
    found = compared(job(2, by_us=700.0, seed=1), job())
    assert causes(found) == ["late_rank"]
    assert "Ranks wait less in collectives: −" in first(found).sentence
    assert "rank 2 was late" in first(found).sentence


def test_a_slow_collective_is_slow_on_all_ranks() -> None:
    found = compared(job(), job(collective_us=900.0, seed=1))
    assert causes(found) == ["collective_slower"]
    assert first(found).confidence == "the transfer itself, the same on all ranks"


def test_one_rank_alone_cannot_tell_the_two_apart_and_says_so() -> None:
    """World size 4, one rank recorded."""
    healthy, waiting = (
        summary(record(BASE.changed(collective_us=200.0, wait_us=wait, seed=1 + bool(wait)), rank=0, world_size=RANKS))
        for wait in (0.0, 700.0)
    )
    found = compared(healthy, waiting)
    assert causes(found) == ["collective_slower"]
    assert "waiting for a late rank would look the same" in first(found).sentence
    (check,) = [check for check in found.comparability if check.check == "ranks"]
    assert check.status == "warn" and "1 of 4 ranks" in check.detail


def collectives(count: int, own_us: float = 1000.0) -> TraceBuilder:
    """A step on the CPU with `count` collectives, which end every millisecond and last `own_us`."""
    trace, at = TraceBuilder(vendor="cpu"), 0.0
    for step in range(1, 11):
        begin = at
        trace.op("aten::mm", at + 5, at + 1000 + step % 3)
        at += 1010
        for _ in range(count):
            trace.annotation("gloo:all_reduce", at + 1000 - own_us, at + 1000)
            at += 1005
        trace.step(step, begin, at)
        at += 10
    return trace


def buckets(count: int) -> Summary:
    return summary(collectives(count))


def test_more_collectives_are_no_slower_network() -> None:
    more, fewer = (first(compared(buckets(a), buckets(b))) for a, b in ((1, 4), (4, 1)))
    assert more.sentence.startswith("More collectives: +3.0")
    assert "collectives take 1 → 4 calls, 1.00 → 4.00 ms per step, mostly gloo:all_reduce" in more.sentence
    assert more.confidence == "certain: calls are counted"
    assert (more.rule, fewer.rule) == ("collective_slower", "collective_faster")
    assert fewer.sentence.startswith("Fewer collectives: −3.00 ms")


def waiting_job(count: int, own_us: tuple[float, float] = (200.0, 1000.0)) -> Summary:
    """Two ranks with `count` collectives per step. The second rank waits for the first in each."""
    made = []
    for rank, its_us in enumerate(own_us):
        one = summary(collectives(count, its_us), worker=f"worker{rank}")
        file = replace(one.captures[0].file, sha256=f"{rank}{count}{its_us}")
        capture = replace(one.captures[0], rank=rank, file=file)
        made.append(replace(one, captures=(capture,)))
    return pool(made)


def test_more_collectives_are_no_late_rank_though_ranks_wait_in_each() -> None:
    found = compared(waiting_job(1), waiting_job(6))
    assert first(found).sentence.startswith("More collectives: +3.00 ms exposed per step; collectives take 1 → 6 calls")
    assert "late_rank" not in rules(found)


def test_a_rank_with_a_busy_cpu_slows_transfers_that_the_cpu_makes() -> None:
    found = compared(waiting_job(1, (200.0, 200.0)), waiting_job(1, (900.0, 900.0)))
    assert first(found).sentence.startswith("Collectives are slower: +")
    assert first(found).confidence == "the transfer itself, the same on all ranks; one rank whose CPU is busy slows it"


def test_equal_jobs_have_no_findings() -> None:
    assert compared(job(), job(seed=1)).findings == ()


@pytest.mark.parametrize("vendor", ["cuda", "mlu"])
def test_kernels_of_collectives_show_no_pace_of_the_device(vendor: str) -> None:
    """They wait for the other ranks: all other kernels take as long as before."""
    one, other = job(vendor=vendor), job(2, by_us=700.0, seed=1, vendor=vendor)
    for found in (compared(one, other), compared(other, one)):
        used = {row[1]: row[3] for row in found.tables["common_work"].rows if row[0] == "kernels"}
        (collective,) = [name for name in used if "AllReduce" in name]
        assert used.pop(collective) == "not used: waits for other ranks"
        assert set(used.values()) == {"used"}
        assert all(abs(pace.estimate) < 0.01 for pace in found.headline.paces if pace.of == "device")
