"""Every sentence that the rules of causes write about the planted faults; `python -m tests.planted.sentences` prints
them for review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import compare
from tests.cycles.test_comparing import server
from tests.listings.drawn import drawn
from tests.planted.causes.test_compiled_regions import compiled, eager
from tests.planted.causes.test_rank_causes import job
from tests.planted.causes.test_recorded_utilization import HEALTHY, SLOW, measured
from tests.planted.faults import ON_DEVICES
from tests.planted.sides import compared, side

_LISTINGS = (
    ("scan 100 .0 .8, rest 100 .0 .1", "scan 200 .0 .4, rest 100 .0 .1"),
    ("norm 10 .0 .7, gemm 22 .62 .2, act 10 .0 .7", "norm 10 .0 .7, sgemm 61 .0 .1, act 10 .0 .7"),
    ("gemm 100 .5 .2, rest 50 .0 .1", "gemm 300 .0 .2, rest 50 .0 .1"),
    ("gemm 600 .8 .1, copy 400 .0 .7", "gemm 100 .8 .1, copy 1000 .0 .7, scan 300 .0 .1"),
)


def comparisons() -> Iterator[Comparison]:
    """Each planted fault in both directions."""
    for a, b in _pairs():
        yield compared(a, b)
        yield compared(b, a)
    for before, after in _LISTINGS:
        yield compare(drawn(before), drawn(after))
        yield compare(drawn(after), drawn(before))
    with TemporaryDirectory() as folder:
        cycles = server(Path(folder)), server(Path(folder), "b", times=3.6, mhz=210)
        yield compare(*cycles)
        yield compare(*reversed(cycles))


def _pairs() -> Iterator[tuple[Summary, Summary]]:
    for fault, device in ON_DEVICES:
        yield side(fault.healthy.on(device), 1), side(fault.faulty.on(device), 101)
    yield job(), job(2, by_us=700.0, seed=1)
    yield job(), job(collective_us=600.0, seed=1)
    yield eager(), compiled()
    yield compiled(), compiled((("0/0", "1/0"),), us=1200.0)
    yield measured(HEALTHY, dram_active=0.72), measured(SLOW, dram_active=0.31)


def findings(comparisons: Iterable[Comparison]) -> Iterator[Finding]:
    """All findings, each sentence once."""
    found = (finding for comparison in comparisons for finding in comparison.findings)
    return iter({finding.sentence: finding for finding in found}.values())


if __name__ == "__main__":
    for finding in findings(comparisons()):
        print(f"{finding.rule}\n  {finding.sentence}\n  {finding.confidence}\n  look at: {finding.look_at}\n")
