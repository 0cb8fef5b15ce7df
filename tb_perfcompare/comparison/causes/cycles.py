"""Functions of a cycle that take more or less time, and their device's counters (docs/method/findings.md).

Functions overlap, so their times do not add up to the cycle: a finding gives their own change and whether the cycle
became longer too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.causes.counters import ROW_SEPARATOR, counter_evidence, counter_text, distinct
from tb_perfcompare.comparison.causes.evidence.general_rules import MAIN_SHARE
from tb_perfcompare.comparison.causes.evidence.rule import Recorded, Rule
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import repeatability
from tb_perfcompare.comparison.result.finding import Evidence, Finding
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.wording import (
    calls_text,
    numbers_text,
    ratio_text,
    short,
    signed_time,
    time_text,
    times_text,
)
from tb_perfcompare.comparison.statistics.entity_tests import floor_ns
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test, smallest_p
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.statistics.uniform_ratio import uniform_ratio
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.recordings.cycles import HOST, HOST_TYPE, is_device_type
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

Key = tuple[str, ...]

_DEVICE = "device"
_HOST_SUBJECTS = {
    "oncpu": "Threads on a core (oncpu)",
    "runq": "Threads waiting for a core (runq)",
    "cpu_sync": "Waits for the device (cpu_sync)",
    "cpu_os_syscall_mem": "Memory system calls (cpu_os_syscall_mem)",
    "disk_read_and_write": "File reads and writes (disk_read_and_write)",
    HOST_TYPE: "Host functions",
}
_ON_DEVICE = "clocks, power and temperature limits, other jobs on the device; these functions"
_MAX_NAMED, _MAX_COUNTERS = 3, 2
_NEARLY = 1.1
"""Ratio, in either direction, from which a change is also given as a ratio."""

_MANY_CALLS = 100
_PER = " per cycle"

FUNCTION_TIME = Rule(
    names=("function_time",),
    meaning="functions of one type take longer",
    when="The functions of one type changed significantly (below), by at least the larger of 0.2 % of the shorter "
    "cycle and 5 µs. All device types (`gpu_...`) are one type, as they share a clock",
    look_at="these functions, CPU clock and load, other threads of the process",
    recorded=Recorded.CYCLES,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Functions of one type on one side: their table, totals per cycle (s,) and means per cycle."""

    table: GroupTable
    total_ns: Ints
    time_us: float
    calls: float


def find_cycle_causes(context: RuleContext) -> tuple[Finding, ...]:
    """One finding per type of function whose time per cycle changed materially, largest first. Empty if the cycles
    of the two sides are not comparable."""
    a, b = (side.groups.get("functions") for side in context.sides)
    if context.headline.verdict is Verdict.WITHHELD or a is None or b is None:
        return ()
    least_us = floor_ns(min(float(side.steps.total_ns.mean()) for side in context.sides), context.options) / 1000
    findings = []
    groups = sorted({_group(key[1]) for key in (*a.keys, *b.keys)})
    for group in groups:
        parts = _part(a, context.baseline, group), _part(b, context.candidate, group)
        delta_us = parts[1].time_us - parts[0].time_us
        if not delta_us or abs(delta_us) < least_us:
            continue
        test = _test(parts, context.sides)
        # several types are tested, hence alpha is divided by their number
        if test is None or min(test) <= context.options.alpha / len(groups):
            findings.append(_finding(context, group, parts, test))
    findings.sort(key=lambda finding: -abs(finding.change_us))
    return tuple(findings[: context.options.top_findings])


def _finding(
    context: RuleContext, group: str, parts: tuple[_Part, _Part], test: tuple[float, float] | None
) -> Finding:
    x, y = parts
    delta_us, on_device = y.time_us - x.time_us, group == _DEVICE
    word = next((side.device.word for side in context.sides if side.device.count), "Device")
    subject = f"{word} functions" if on_device else _HOST_SUBJECTS.get(group, f"{group} functions")
    clauses = [f"{subject}{_change(x.time_us, y.time_us)}"]
    if abs(delta_us) >= context.options.margin * (context.headline.baseline or 0.0):
        clauses[0] += _contrast_clause(context.headline.verdict, delta_us)
    if x.time_us and y.time_us and (x.calls or y.calls) and all(side.counts_launches for side in context.sides):
        clauses.append(_calls_clause(x.calls, y.calls))
    ratio = uniform_ratio(x.table, y.table)
    if ratio is not None:
        clauses.append(f"functions {ratio_text(ratio)} per call across the board")
    named, words = _named(parts, context.sides, delta_us)
    counters = [row for row in distinct(context.counters) if (row.device != HOST) == on_device][:_MAX_COUNTERS]
    clauses += [*words, *map(counter_text, counters)]
    return Finding(
        rule=FUNCTION_TIME.names[0],
        subject=subject,
        category=word if on_device else group,
        delta_us=delta_us,
        share=None,
        sentence="; ".join(clauses) + ".",
        evidence=(*(Evidence("functions", ROW_SEPARATOR.join(key)) for key in named), *map(counter_evidence, counters)),
        confidence=repeatability(
            None if test is None else test[0], context.headline.verdict, context.options.alpha, "cycle",
            apart=test is not None and test[1] <= context.options.alpha,
        ),
        look_at=_ON_DEVICE if on_device else FUNCTION_TIME.look_at,
    )  # fmt: skip


def _group(kind: str) -> str:
    """Group of a function type: all device types are one group, because they share a clock."""
    return _DEVICE if is_device_type(kind) else kind


def _part(table: GroupTable, summary: Summary, group: str) -> _Part:
    rows = np.array([row for row, key in enumerate(table.keys) if _group(key[1]) == group], dtype=np.int64)
    total = table.measures_ns["total"][rows]
    steps = len(summary.steps)
    own = replace(
        table,
        keys=tuple(table.keys[row] for row in rows.tolist()),
        names=tuple(table.names[row] for row in rows.tolist()),
        calls=table.calls[rows],
        measures_ns={"total": total},
    )
    return _Part(own, total.sum(axis=0), int(total.sum()) / steps / 1000, int(own.calls.sum()) / steps)


def _change(x: float, y: float) -> str:
    if not x:
        return f" are new: {signed_time(y)}{_PER}"
    if not y:
        return f" are gone: {signed_time(-x)}{_PER}"
    ratio = f", {ratio_text(y / x)}" if max(y / x, x / y) >= _NEARLY else ""
    return f": {signed_time(y - x)}{_PER} ({times_text(x, y)}{ratio})"


def _contrast_clause(verdict: Verdict, delta_us: float) -> str:
    """Clause if the cycle did not follow: ", but the cycle is not slower"."""
    word = "slower" if delta_us > 0 else "faster"
    if verdict.way * delta_us > 0:
        return ""
    return f", but the cycle is not {'clearly ' if verdict is Verdict.INCONCLUSIVE else ''}{word}"


def _calls_clause(x: float, y: float) -> str:
    if x == y:
        return calls_text(x, _PER)
    if max(x, y) >= _MANY_CALLS:  # with many calls, fractions of a call mean nothing
        x, y = round(x), round(y)
    if x == y:
        return f"about {calls_text(x, _PER)}"
    return f"{numbers_text(x, y)} calls{_PER}"


def _named(parts: tuple[_Part, _Part], sides: tuple[Summary, Summary], delta_us: float) -> tuple[list[Key], list[str]]:
    """Functions that changed most in that direction: their keys, and clauses naming them."""
    before, after = (_by_key(part, side) for part, side in zip(parts, sides, strict=True))
    keys = {*before, *after}
    if len(keys) < 2:
        return list(keys), []
    sign = 1 if delta_us > 0 else -1
    moved = {key: after.get(key, 0.0) - before.get(key, 0.0) for key in keys}
    ranked = sorted((key for key in keys if sign * moved[key] > 0), key=lambda key: (-sign * moved[key], key))
    most = [key for key in ranked if abs(moved[key]) >= MAIN_SHARE * abs(delta_us)][:_MAX_NAMED]
    if most:
        return most, [_clause(key, before, after) for key in most]
    spread = f"spread over {len(ranked)} functions, largest: {_clause(ranked[0], before, after)}"
    return ranked[:1], [spread]


def _clause(key: Key, before: dict[Key, float], after: dict[Key, float]) -> str:
    if key not in before:
        return f"{short(key[0])} is new ({time_text(after[key])})"
    if key not in after:
        return f"{short(key[0])} is gone ({time_text(before[key])})"
    return f"{short(key[0])} {signed_time(after[key] - before[key])}"


def _by_key(part: _Part, side: Summary) -> dict[Key, float]:
    time = part.table.measures_ns["total"].sum(axis=1) / len(side.steps) / 1000
    return dict(zip(part.table.keys, time.tolist(), strict=True))


def _test(parts: tuple[_Part, _Part], sides: tuple[Summary, Summary]) -> tuple[float, float] | None:
    """(Mann-Whitney p of the totals per cycle, probability of complete separation by chance or 1 if the sides overlap).
    None with one cycle on a side."""
    seen = [observations(side) for side in sides]
    x, y = (own.means(part.total_ns[None, :]) for own, part in zip(seen, parts, strict=True))
    if min(x.shape[1], y.shape[1]) < 2:
        return None
    p = float(batched_rank_test(x, y, captures=(seen[0].capture, seen[1].capture)).p[0])
    apart = x.max() < y.min() or y.max() < x.min()
    return p, smallest_p(x.shape[1], y.shape[1]) if apart else 1.0
