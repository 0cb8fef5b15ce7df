"""Sides of a comparison made from programs, read as the product reads them."""

from __future__ import annotations

from functools import cache
from io import BytesIO

from tb_perfcompare.analysis.pooling.step_admission import admit_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.build import TraceBuilder
from tests.comparison.compare import assert_no_time_is_told_twice, compare, rules_of
from tests.planted.programs import Program
from tests.planted.training import record

GENERAL = {
    "kernel_time", "memcpy_time", "memset_time", "communication_time", "runtime_time", "data_loader", "host_time",
    "unrecorded_time", "counter_moved",
}  # fmt: skip
"""Rules about where time went; all others name a cause."""

_RECORDED: dict[str, Summary] = {}


def summary(trace: TraceBuilder, worker: str = "worker0", span: str = "1") -> Summary:
    """The summary without the steps that the product drops."""
    recording = read_trace(BytesIO(trace.encode()), name=f"{worker}.{span}.pt.trace.json")
    return admit_steps(summarize(recording, Origin("drawn", "drawn", worker, span)))


def side(program: Program, seed: int) -> Summary:
    """A recording of the program, made once."""
    seeded = program.changed(seed=seed)
    if repr(seeded) not in _RECORDED:
        _RECORDED[repr(seeded)] = summary(record(seeded))
    return _RECORDED[repr(seeded)]


@cache
def compared(a: Summary, b: Summary) -> Comparison:
    """Compared once. Whatever was planted, no time is told twice."""
    found = compare(a, b)
    assert_no_time_is_told_twice(found)
    return found


def first(found: Comparison) -> Finding:
    """The leading finding."""
    assert found.findings, found.headline.reason
    return found.findings[0]


def causes(found: Comparison) -> list[str]:
    """Rules of the findings that name a cause, leading first."""
    return [finding.rule for finding in found.findings if finding.rule not in GENERAL]


rules = rules_of
