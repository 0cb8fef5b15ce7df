"""Bandwidth of the transfer alone, without waiting for other ranks."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.rank_mean import RankMean
from tb_perfcompare.comparison.ranks.sides import transfers_of
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import compare
from tests.comparison.ranks.test_ranks import cells, job, rank

RANKS = 4
MESSAGE = ("all_reduce", "4", "4 KiB")
BUS_BYTES = 4096 * 2 * 3 / 4
"""Of 1,024 floats between four ranks."""


def _folded(**options: float) -> Summary:
    fold = RankMean()
    for number in range(RANKS):
        fold.add(rank(number, RANKS, **options))
    found = fold.finish()
    assert found is not None
    return found


@pytest.mark.parametrize("is_folded", [False, True])
def test_a_late_rank_lowers_the_bandwidth_but_not_that_of_the_transfer(is_folded: bool) -> None:
    sides = (_folded(), _folded(late=2, by_us=300, seed=1)) if is_folded else (job(), job(late=2, by_us=300, seed=1))
    table = compare(*sides).tables[BY_MESSAGE]
    bus, slow, a, b, known = cells(
        table, "baseline_bus_bandwidth", "candidate_bus_bandwidth", "baseline_transfer_bandwidth",
        "candidate_transfer_bandwidth", "candidate_transfer_coverage",
    )["all_reduce"]  # fmt: skip
    assert slow < 0.5 * bus
    assert a == pytest.approx(BUS_BYTES / 100e-6, rel=0.05)
    assert b == pytest.approx(a, rel=0.05)
    assert known == 1
    assert any("without waiting for other ranks" in note for note in table.notes)


def test_the_transfer_is_the_shortest_of_the_ranks() -> None:
    calls, time = transfers_of(job())[MESSAGE]
    shortest = transfers_of(job(late=1, by_us=200))[MESSAGE]
    assert calls == shortest[0] and shortest[1] == pytest.approx(time, rel=0.05)


def test_one_rank_has_no_transfer_bandwidth() -> None:
    alone = rank(0, RANKS)
    assert transfers_of(alone) == {}
    table = compare(alone, pool([alone])).tables[BY_MESSAGE]
    assert not any("transfer" in column.name for column in table.columns)
    assert not any("transfer" in column.name for column in view_tables(alone)[BY_MESSAGE].columns)


def test_a_single_run_has_the_transfer_bandwidth() -> None:
    table = view_tables(job())[BY_MESSAGE]
    assert cells(table, "transfer_bandwidth")["all_reduce"][0] == pytest.approx(BUS_BYTES / 100e-6, rel=0.05)
