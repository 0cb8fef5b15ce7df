"""Causes for launches with utilization: replaced kernels, lost throughput, time that moved between bound classes.

Every rule has an opposite, so exchanging the sides exchanges them. Definitions: docs/method/findings.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.general_rules import MAIN_SHARE, UTILIZATION_CHANGE
from tb_perfcompare.comparison.causes.evidence.places.responsible_operator import MIN_TOTAL_SHARE
from tb_perfcompare.comparison.causes.evidence.rule import Recorded, Rule
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import repeatability
from tb_perfcompare.comparison.launches.kernel_use import Use, incomparable, kernel_uses, launches_of, tensor_cores
from tb_perfcompare.comparison.launches.rows import BOTH, REPLACED, LaunchRows
from tb_perfcompare.comparison.launches.table import largest_rows
from tb_perfcompare.comparison.result.finding import Evidence, Finding
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import (
    calls_text,
    many,
    numbers_text,
    percent_text,
    short,
    short_apart,
    signed_time,
    time_text,
    times_text,
)
from tb_perfcompare.comparison.statistics.uniform_ratio import UNIFORM_SPREAD, uniform_ratio
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.summary.categories import KERNEL
from tb_perfcompare.model.summary.summary import BOUND_CLASSES, KERNEL_TIME, NOT_MEASURED
from tb_perfcompare.quick_dataclass import dataclass

SHARE_MOVED = 0.05
"""Least time moved between bound classes, as a share of the longer side's time."""

SAME_WORK = 0.5
"""Least share of launches in common for two kernels, or two programs, to count as the same work."""

UTILIZATION = Rule(
    names=("utilization_lost", "utilization_gained"),
    meaning="a kernel uses less of the device",
    when="A kernel of both sides takes longer per launch, and its DRAM throughput or tensor utilization fell by at "
    "least 0.05, or both the opposite. Not if all kernels changed by [one ratio](#thresholds)",
    look_at="memory accesses: strides, alignment, cache hits; concurrent work on the device",
    recorded=Recorded.LAUNCHES,
)
TENSOR_CORES = Rule(
    names=("tensor_cores_lost", "tensor_cores_gained"),
    meaning="tensor cores are no longer used",
    when="The tensor pipe was active for at least 0.10 of the time, now for less than 0.02, or the reverse: in a "
    "kernel of both sides or in [replaced launches](alignment.md#launches-side-by-side). Without figures on both "
    "sides, names decide",
    look_at="data types, allow_tf32, shapes not divisible by 8, library versions",
    recorded=Recorded.LAUNCHES,
)
BOUND_SHIFT = Rule(
    names=("bound_shift",),
    meaning="time moved between bound classes",
    when="At least 0.05 of the longer side's time moved between bottlenecks, beyond the change of all launches. No "
    "share; comes last",
    look_at="the scatter plot of launches, and the kernels of the class that changed most",
    recorded=Recorded.LAUNCHES,
    of_means=False,
)
_BOUND_WORDS = {"both": "bound by both", "neither": "bound by neither"}


@dataclass(frozen=True, slots=True)
class LaunchCauses:
    """Findings, largest first, and the kernels whose change they explain in full."""

    findings: tuple[Finding, ...] = ()
    explained_kernels: frozenset[str] = frozenset()

    @property
    def explained(self) -> dict[str, float]:
        """Explained change of kernel time, in microseconds per step."""
        return {KERNEL: fsum(finding.change_us for finding in self.findings if finding.share is not None)}


@dataclass(frozen=True, slots=True)
class _Books:
    """Data for the findings: both sides, and how each uses its kernels."""

    context: RuleContext
    uses: tuple[dict[str, Use], dict[str, Use]]

    def finding(
        self, rule: Rule, subject: str, delta_us: float, sentence: str, evidence: tuple[Evidence, ...],
        *, gain: bool = False, part: bool = True,
    ) -> Finding:  # fmt: skip
        """Builds a finding. `gain`: under the name of the improvement; `part`: the time is a part of the headline's
        delta."""
        context, whole = self.context, self.context.delta_us
        share = delta_us / whole if part and whole else None
        confidence = repeatability(context.p_values.get(KERNEL), context.headline.verdict, context.options.alpha)
        name = rule.names[-1 if gain else 0]
        return Finding(name, subject, KERNEL, delta_us, share, sentence, evidence, confidence, rule.look_at)


def find_launch_causes(context: RuleContext, rows: LaunchRows | None) -> LaunchCauses:
    """Findings on kernel listings; none for other sources or identical sides."""
    if not all(side.bound_ns and side.metric == KERNEL_TIME for side in context.sides):
        return LaunchCauses()
    without = incomparable(*context.sides)
    books = _Books(context, each_side(lambda side: kernel_uses(side, without), context.sides))
    entities = {row.path[1]: row for row in context.ledger.rows if len(row.path) == 2 and row.path[0] == KERNEL}
    found = [*_same_kernels(books, entities), *(_replaced(books, entities, rows) if rows is not None else ())]
    moved = _bound_shift(books) if not without else None
    if moved is not None:
        found.append((moved, ()))
    ranked = sorted((finding for finding, _ in found), key=lambda finding: -abs(finding.change_us))
    shown = tuple(ranked[: context.options.top_findings])
    return LaunchCauses(shown, frozenset(name for finding, names in found if finding in shown for name in names))


_FindingAndKernels = tuple[Finding, tuple[str, ...]]
"""A finding and the kernels whose change it explains in full."""


def _same_kernels(books: _Books, entities: Mapping[str, LedgerRow]) -> Iterator[_FindingAndKernels]:
    """Yields kernels of both sides whose launches take longer (shorter) and use the device less (more)."""
    before, after = books.uses
    uniform = uniform_ratio(*each_side(lambda side: side.groups.get("kernels"), books.context.sides))
    for name, entity in entities.items():
        delta_us = entity.rate_effect / books.context.unit
        if name not in before or name not in after or abs(delta_us) < books.context.least_us or not delta_us:
            continue
        a, b = before[name], after[name]
        if min(a.calls, b.calls) < SAME_WORK * max(a.calls, b.calls):
            continue
        cores = tensor_cores(a, b)
        each = times_text(a.time_us / a.calls, b.time_us / b.calls)
        how = f"{short(name)} {signed_time(delta_us)} ({each} per launch, {_calls(a, b)})"
        explained_kernels = (name,) if abs(entity.rate_effect) >= MIN_TOTAL_SHARE * abs(entity.delta) else ()
        evidence = (Evidence("kernels", name), Evidence("ledger", " / ".join(entity.path)))
        if cores in ((True, False), (False, True)):
            lost = cores[0]
            sentence = f"Tensor cores are {'no longer' if lost else 'now'} used: {how}{_pipe(a, b)}."
            yield books.finding(TENSOR_CORES, name, delta_us, sentence, evidence, gain=not lost), explained_kernels
            continue
        sign = 1 if delta_us > 0 else -1
        figures = (("DRAM throughput", a.dram, b.dram), ("tensor utilization", a.tensor, b.tensor))
        moved = [(word, x, y) for word, x, y in figures if sign * (x - y) >= UTILIZATION_CHANGE]
        if moved and not _is_like_all(a, b, uniform):
            lower = "lower" if sign > 0 else "higher"
            words = " and ".join(f"{lower} {word} ({percent_text(x)} → {percent_text(y)})" for word, x, y in moved)
            way = "slower" if sign > 0 else "faster"
            sentence = f"The same kernel is {way}: {how}; {words}."
            yield books.finding(UTILIZATION, name, delta_us, sentence, evidence, gain=sign < 0), explained_kernels


def _is_like_all(a: Use, b: Use, uniform: float | None) -> bool:
    """Whether the kernel's time per launch changed by the ratio of all kernels: another clock, not another kernel."""
    if uniform is None:
        return False
    ratio = b.time_us / b.calls / (a.time_us / a.calls)
    return bool(abs(np.log(ratio / uniform)) <= UNIFORM_SPREAD)


def _replaced(books: _Books, entities: Mapping[str, LedgerRow], rows: LaunchRows) -> Iterator[_FindingAndKernels]:
    """Yields kernels whose replacement in the same places lost or gained tensor cores."""
    a, b = (side.launches for side in books.context.sides)
    assert a is not None and b is not None
    if 2 * rows.in_step() < SAME_WORK * (len(a) + len(b)):
        return
    before, after = (list(side.values()) for side in books.uses)
    gone = np.bincount(a.kernel[rows.at_a[(rows.at_a >= 0) & (rows.status != BOTH)]], minlength=len(before))
    new = np.bincount(b.kernel[rows.at_b[(rows.at_b >= 0) & (rows.status != BOTH)]], minlength=len(after))
    place = np.flatnonzero(rows.status == REPLACED)
    launch_a, launch_b = rows.at_a[place], rows.at_b[place]
    # one group of rows per pair of kernels, launches in order
    order = np.lexsort((place, b.kernel[launch_b], a.kernel[launch_a]))
    changes = np.flatnonzero(np.diff(a.kernel[launch_a][order]) | np.diff(b.kernel[launch_b][order])) + 1
    shown_rows = set(largest_rows(rows.deltas_ns(a, b)).tolist())
    for pair_rows in np.split(order, changes) if len(order) else ():
        kernel_a, kernel_b = int(a.kernel[launch_a[pair_rows[0]]]), int(b.kernel[launch_b[pair_rows[0]]])
        parts = sorted((len(pair_rows) / int(gone[kernel_a]), len(pair_rows) / int(new[kernel_b])))
        if parts[0] < MAIN_SHARE or parts[1] < MIN_TOTAL_SHARE:
            continue
        x = launches_of(before[kernel_a], a.dur_ns[launch_a[pair_rows]], a.tensor[launch_a[pair_rows]])
        y = launches_of(after[kernel_b], b.dur_ns[launch_b[pair_rows]], b.tensor[launch_b[pair_rows]])
        delta_us = y.time_us - x.time_us
        cores = tensor_cores(x, y)
        if cores not in ((True, False), (False, True)) or abs(delta_us) < books.context.least_us or not delta_us:
            continue
        lost = bool(cores[0])
        count = many(len(pair_rows), "launch", "launches")
        gone_text, new_text = short_apart(x.name, y.name)
        sentence = (
            f"Tensor cores are {'no longer' if lost else 'now'} used: {signed_time(delta_us)} "
            f"({times_text(x.time_us, y.time_us)}); {new_text} replaces {gone_text} in {count}{_pipe(x, y)}."
        )
        evidence = [Evidence("kernels", x.name), Evidence("kernels", y.name)]
        change = np.abs(b.dur_ns[launch_b[pair_rows]] - a.dur_ns[launch_a[pair_rows]])
        largest = int(place[pair_rows[int(np.argmax(change))]])
        if largest in shown_rows:
            evidence.append(Evidence("launches", str(largest + 1)))
        explained_kernels = tuple(use.name for use in (x, y) if _explains_kernel(use, entities.get(use.name), books))
        yield books.finding(TENSOR_CORES, y.name, delta_us, sentence, tuple(evidence), gain=not lost), explained_kernels


def _bound_shift(books: _Books) -> Finding | None:
    """Finding on time that moved between bound classes, beyond the change of the whole listing; None if that is
    little."""
    before, after = (
        {name: ns / len(side.steps) / 1000 for name, ns in side.bound_ns.items()} for side in books.context.sides
    )
    times = {name: (before.get(name, 0.0), after.get(name, 0.0)) for name in BOUND_CLASSES}
    whole_a, whole_b = sum(before.values()), sum(after.values())
    least_us, material_us = SHARE_MOVED * max(whole_a, whole_b), books.context.least_us
    change = {name: two - one for name, (one, two) in times.items() if one or two}
    if abs(change.pop(NOT_MEASURED, 0.0)) >= least_us:
        return None  # other launches were measured
    up, down = (sum(max(sign * delta, 0.0) for delta in change.values()) for sign in (1, -1))
    moved = min(up, down)
    if moved < max(material_us, least_us) or not moved:
        return None
    ranked = sorted((name for name in change if abs(change[name]) >= material_us), key=lambda n: -abs(change[n]))
    clauses = []
    for name in ranked:
        shares = percent_text(times[name][0] / (whole_a or 1.0)), percent_text(times[name][1] / (whole_b or 1.0))
        words = f"{_BOUND_WORDS.get(name, name)} {signed_time(change[name])}"
        clauses.append(f"{words} ({' → '.join(shares)} of the time)")
    delta_us = moved if change[ranked[0]] > 0 else -moved
    sentence = f"Bottlenecks shifted: {time_text(moved)} moved between bound classes; {'; '.join(clauses)}."
    evidence = tuple(Evidence("bound", name) for name in ranked)
    return books.finding(BOUND_SHIFT, ranked[0], delta_us, sentence, evidence, part=False)


def _explains_kernel(part: Use, entity: LedgerRow | None, books: _Books) -> bool:
    """Whether the replaced launches make up nearly all of a kernel's change."""
    return entity is None or part.time_us >= MIN_TOTAL_SHARE * abs(entity.delta) / books.context.unit


def _pipe(a: Use, b: Use) -> str:
    if np.isnan(a.tensor) or np.isnan(b.tensor):
        return "; recognized by kernel name"
    return f"; tensor pipe {percent_text(a.tensor)} → {percent_text(b.tensor)}"


def _calls(a: Use, b: Use) -> str:
    if a.calls == b.calls:
        return calls_text(a.calls, '')
    return f"{numbers_text(a.calls, b.calls)} calls"
