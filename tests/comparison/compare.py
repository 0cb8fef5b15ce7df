"""Comparisons of drawn traces, and what tests look up in them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.judged import Judged, judge_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def compare(baseline: TraceBuilder | Summary, candidate: TraceBuilder | Summary, **options: Any) -> Comparison:
    """Two traces or summaries compared, with 200 bootstrap resamples for speed."""
    return compare_summaries(*_sides(baseline, candidate), CompareOptions(**{"resamples": 200, **options}))


def judge(baseline: TraceBuilder | Summary, candidate: TraceBuilder | Summary, **options: Any) -> Judged:
    """Their checks and their headline, without its sensitivity: a quarter of the work of a comparison."""
    return judge_summaries(*_sides(baseline, candidate), CompareOptions(**{"resamples": 200, **options}))


def _sides(baseline: TraceBuilder | Summary, candidate: TraceBuilder | Summary) -> tuple[Summary, Summary]:
    one, other = (summary(side) if isinstance(side, TraceBuilder) else side for side in (baseline, candidate))
    return one, other


def capture(trace: TraceBuilder, span: str, worker: str = "worker0") -> Summary:
    """One capture of several; its file has a hash of its own."""
    made = summary(trace, worker=worker, span=span)
    file = made.captures[0].file
    digest = hashlib.sha256(f"{worker} {span} {file.sha256}".encode()).hexdigest()
    return replace(made, captures=(replace(made.captures[0], file=replace(file, sha256=digest)),))


def check_of(comparison: Comparison | Judged, name: str) -> Check:
    """The comparability check with this name."""
    checks = comparison.checks if isinstance(comparison, Judged) else comparison.comparability
    (found,) = [check for check in checks if check.check == name]
    return found


def finding_of(comparison: Comparison, rule: str) -> Finding:
    """The only finding of the rule."""
    (found,) = [finding for finding in comparison.findings if finding.rule == rule]
    return found


def rules_of(comparison: Comparison) -> list[str]:
    """Rules of the findings, leading first."""
    return [finding.rule for finding in comparison.findings]


def notes_of(noted: Any, code: NoteCode) -> list[str]:
    """Messages of the notes with the code, of a comparison, a summary or a recording."""
    return [note.message for note in noted.notes if note.code is code]


def rows_of(table: Table | None) -> dict[str, dict[str, Any]]:
    """First cell of a row -> column -> cell."""
    assert table is not None
    return {str(row[0]): dict(zip(table.places, row, strict=True)) for row in table.rows}


def assert_finite(value: Any) -> None:
    """No NaN and no infinity anywhere in a comparison."""
    if isinstance(value, float):
        assert math.isfinite(value)
    elif is_dataclass(value) and not isinstance(value, type):
        assert_finite([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, dict):
        assert_finite(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            assert_finite(item)


BESIDE = {name for rule in RULES for name in rule.names if not rule.of_means}
"""Rules whose time is no part of the change of the means."""


def assert_no_time_is_told_twice(comparison: Comparison) -> None:
    """Findings that lengthen the step take at most what entries of the ledger take longer; likewise shorter."""
    unit = comparison.ledger.denominator * 1000
    changes = [row.delta / unit for row in comparison.ledger.rows if len(row.path) == 2]
    told = [one.change_us for one in comparison.findings if one.share is not None and one.rule not in BESIDE]
    for sign in (1, -1):
        changed = math.fsum(max(sign * us, 0.0) for us in changes)
        assert math.fsum(max(sign * us, 0.0) for us in told) <= changed * (1 + 1e-9)


def sequence(
    steps: Iterable[Iterable[tuple[Any, ...]]], *, gap: float = 0, between: float = 0, vendor: str = "cuda"
) -> TraceBuilder:
    """A step per list of calls, one after another: (operator, µs[, input shapes[, types]]); ("", µs) is untraced.

    Each operator is followed by `gap` µs, each step by `between` µs.
    """
    trace, at = TraceBuilder(vendor=vendor), 0.0
    for number, calls in enumerate(steps):
        start = at
        for name, us, *inputs in calls:
            if name:
                types = {"Input type": inputs[1]} if len(inputs) > 1 else {}
                trace.op(name, at, at + us, dims=inputs[0] if inputs else None, **types)
            at += us + (gap if name else 0)
        trace.step(number, start, at)
        at += between
    return trace
