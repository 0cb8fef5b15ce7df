"""Summaries of drawn traces."""

from __future__ import annotations

import io

from hypothesis import assume

from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace, interpret
from tb_perfcompare.analysis.trace.vendor import find_vendor
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.build import TraceBuilder


def recording(trace: TraceBuilder, order: list[int] | None = None) -> TraceRecording:
    """The recording of a drawn trace; `order` permutes its events."""
    return read_trace(io.BytesIO(trace.encode(order)), name="worker0.1.pt.trace.json")


def timeline(trace: TraceBuilder) -> InterpretedTrace:
    """The corrected reading of a drawn trace."""
    drawn = recording(trace)
    return interpret(drawn.events, find_vendor(drawn))


def summary(
    trace: TraceBuilder,
    *,
    window: str = "device",
    order: list[int] | None = None,
    span: str = "1",
    worker: str = "worker0",
    marker: str = "",
) -> Summary:
    """The summary of a drawn trace."""
    return summarize(recording(trace, order), Origin("drawn", "drawn", worker, span, 0), window, marker=marker)


def categories_us(of: Summary, step: int = 0) -> dict[str, float]:
    """Non-zero categories of one step in microseconds."""
    times = of.owned.by_category()[:, step].tolist()
    return {label: ns / 1000 for label, ns in zip(CATEGORY_LABELS, times, strict=True) if ns}


def owners_us(of: Summary, step: int = 0) -> dict[str, float]:
    """Non-zero owners of one step in microseconds."""
    return {key: int(ns) / 1000 for key, ns in zip(of.owned.key, of.owned.time_ns[:, step], strict=True) if ns}


def operator_us(of: Summary, name: str, measure: str, table: str = "operators") -> float:
    """One measure of one operator summed over the steps."""
    group = of.groups[table]
    row = [key[0] for key in group.keys].index(name)
    return int(group.measures_ns[measure][row].sum()) / 1000


def summarized(trace: TraceBuilder, **options: object) -> Summary:
    """`summary` of a trace drawn by hypothesis; rejects traces without anything to time."""
    try:
        return summary(trace, **options)
    except CorruptInput:
        assume(False)
        raise
