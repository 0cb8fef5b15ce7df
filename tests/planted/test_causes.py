"""Each planted fault is the first finding, equal programs have none, exchanged sides find the opposite."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest

from tb_perfcompare.analysis.pool import pool
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison import causes
from tb_perfcompare.comparison.comparison import Comparison, Finding
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.model.recording import Origin
from tb_perfcompare.model.summary import Summary
from tb_perfcompare.sources.torch_profiler import read_trace
from tests.build import TraceBuilder
from tests.planted.faults import BASE, FAULTS, SMALL, Fault
from tests.planted.training import Program, record

OPPOSITE = {
    "tensor_cores_lost": "tensor_cores_gained",
    "fusion_lost": "fusion_gained",
    "graph_lost": "graph_gained",
}
"""What a rule is called when the sides are exchanged; the others keep their name."""

NAMES = [fault.name for fault in FAULTS]


def summary(trace: TraceBuilder, worker: str = "worker0") -> Summary:
    """As the product reads it."""
    recording = read_trace(BytesIO(trace.encode()), name=f"{worker}.1.pt.trace.json")
    return summarize(recording, Origin("drawn", "drawn", worker, "1"))


@cache
def recorded(program: int, seed: int) -> Summary:
    return summary(record(replace(PROGRAMS[program], seed=seed)))


PROGRAMS: dict[int, Program] = {}


def side(program: Program, seed: int) -> Summary:
    PROGRAMS[id(program)] = program
    return recorded(id(program), seed)


def compared(a: Summary, b: Summary) -> Comparison:
    return compare_summaries(a, b, CompareOptions(resamples=200))


def first(found: Comparison) -> Finding:
    assert found.findings, found.headline.reason
    return found.findings[0]


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_the_planted_cause_is_the_first_finding(fault: Fault) -> None:
    found = first(compared(side(fault.healthy, 1), side(fault.faulty, 101)))
    assert found.rule == fault.rule
    assert fault.subject in found.subject


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_exchanging_the_sides_finds_the_opposite(fault: Fault) -> None:
    there = first(compared(side(fault.healthy, 1), side(fault.faulty, 101)))
    back = first(compared(side(fault.faulty, 101), side(fault.healthy, 1)))
    assert back.rule == OPPOSITE.get(there.rule, there.rule)
    assert there.delta_us is not None and back.delta_us == pytest.approx(-there.delta_us)


@pytest.mark.parametrize("program", [BASE, SMALL, *[fault.faulty for fault in FAULTS]])
def test_equal_programs_have_no_findings(program: Program) -> None:
    again = compared(side(program, 1), side(program, 2))
    assert [finding.sentence for finding in again.findings] == []


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_findings_explain_no_more_than_the_change(fault: Fault) -> None:
    found = compared(side(fault.healthy, 1), side(fault.faulty, 101))
    shares = [finding.share for finding in found.findings if finding.share is not None and finding.share > 0]
    assert sum(shares) <= 1.25


def test_every_specific_finding_says_what_to_look_at() -> None:
    for fault in FAULTS:
        if fault.rule != "data_loader":
            assert first(compared(side(fault.healthy, 1), side(fault.faulty, 101))).look_at


def test_a_recorded_clock_is_named() -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == "slow device clock, recorded"]
    found = first(compared(side(fault.healthy, 1), side(fault.faulty, 101)))
    assert "from 1,410 to 1,128" in found.sentence


def ranks(late: int | None) -> Summary:
    """Four ranks; the others wait in the collective for the late one."""
    made = []
    for rank in range(4):
        wait = 0.0 if late in (None, rank) else 700.0
        # the late rank computes longer instead
        gaps = {step: 700.0 for step in range(14)} if rank == late else {}
        program = BASE.changed(collective_us=150.0, wait_us=wait, gaps=gaps, seed=rank + 1)
        one = summary(record(program, rank=rank, world_size=4), worker=f"worker{rank}")
        capture = replace(one.captures[0], rank=rank, file=replace(one.captures[0].file, sha256=f"{rank}{late}"))
        made.append(replace(one, captures=(capture,)))
    return pool(made)


def test_a_late_rank_is_told_from_a_slow_collective() -> None:
    found = compared(ranks(None), ranks(2))
    rules = {finding.rule: finding for finding in found.findings}
    assert rules["late_rank"].subject == "worker2"
    assert "collective_slower" not in rules


def test_every_rule_has_a_row_in_the_document() -> None:
    folder = Path(causes.__file__).parent
    named = set(re.findall(r'"([a-z]+(?:_[a-z]+)*)"', "".join(path.read_text() for path in folder.glob("*.py"))))
    document = (Path(__file__).parents[2] / "docs" / "findings.md").read_text("utf-8")
    rules = {fault.rule for fault in FAULTS} | set(OPPOSITE.values()) | {"late_rank", "kernel_replaced"}
    assert rules - {"data_loader"} <= named
    for rule in rules:
        assert f"`{rule}`" in document, rule
