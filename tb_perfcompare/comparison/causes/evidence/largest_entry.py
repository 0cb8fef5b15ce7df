"""The ledger's largest entry among the findings: the cause that is named first is never a smaller one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.comparison.causes.evidence.findings import GENERAL, TABLES
from tb_perfcompare.comparison.causes.evidence.significant_categories import lie_apart
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, Evidence, Finding
from tb_perfcompare.comparison.result.ledger_columns import STATUSES, columns_of
from tb_perfcompare.comparison.result.ledger_rows import Ledger, LedgerRow
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time, times_text
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOBODY, NOT_SPLIT, StepCategory, Summary


def with_largest_entry(
    findings: tuple[Finding, ...], ledger: Ledger, baseline: Summary, candidate: Summary, options: CompareOptions,
    explained: Mapping[str, float],
) -> tuple[Finding, ...]:
    """Findings, the first of which is no smaller than the largest entry of the ledger that changed the step's way: it
    is told where no finding names it. Only entries of both sides, whose steps lie apart, are certain to be one thing
    that changed. `explained` is what findings tell of each category, microseconds per step.
    """
    unit = ledger.denominator * 1000
    largest = _largest(ledger)
    if largest is None:
        return findings
    delta_us = largest.delta / unit
    least = max(options.material_fraction * min(ledger.baseline, ledger.candidate), options.material_ns * unit / 1000)
    if abs(largest.delta) < least or not _lies_apart(largest, baseline, candidate):
        return findings
    key = largest.path[1]
    named = any(key in (found.subject, *(item.row for item in found.evidence)) for found in findings)
    told = [abs(found.delta_us) for found in findings if found.delta_us and found.delta_us * delta_us > 0]
    if named or max(*told, abs(explained.get(largest.path[0], 0.0)), 0.0) >= abs(delta_us):
        return findings
    category = StepCategory(CATEGORY_LABELS.index(largest.path[0]))
    rule = GENERAL[category]
    subject = rule.meaning
    amounts = times_text(largest.baseline / unit, largest.candidate / unit)
    each = f"{numbers_text(*largest.calls)} calls per step"
    lead = f"{subject[0].upper()}{subject[1:]}: {signed_time(delta_us)} per step"
    sentence = f"{lead} in {short(key)} ({amounts}, {each})."
    table = (Evidence(TABLES[category], key),) if category in TABLES else ()
    one = Finding(
        rule.names[0], key, largest.path[0], delta_us, largest.delta / ledger.delta, sentence,
        (Evidence("ledger", " / ".join(largest.path)), *table),
        "no overlap between the steps of the two sides" if min(len(baseline.steps), len(candidate.steps)) > 1
        else f"size certain, {REPEATABILITY_UNKNOWN} (only one step on a side)",
        rule.look_at,
    )  # fmt: skip
    return tuple(sorted((one, *findings), key=lambda finding: -abs(finding.delta_us or 0.0)))[: options.top_findings]


def _largest(ledger: Ledger) -> LedgerRow | None:
    """Of all entries that both sides have and that changed the step's way; the last by name of equal ones."""
    found: list[LedgerRow] = []
    for head in ledger.heads if ledger.delta else ():
        rows = columns_of(head.path[0], ledger.entities(head.path[0]))
        size = np.where((rows.delta > 0) == (ledger.delta > 0), np.abs(rows.delta), 0)
        size[rows.status != STATUSES.index("both")] = 0
        size[[at for at, key in enumerate(rows.key) if key in (NOBODY, NOT_SPLIT)]] = 0
        if len(rows) and size.max() > 0:
            found += rows.of_rows(np.flatnonzero(size == size.max()))
    return max(found, key=lambda row: (abs(row.delta), row.path), default=None)


def _lies_apart(row: LedgerRow, baseline: Summary, candidate: Summary) -> bool:
    times = []
    for side in (baseline, candidate):
        places = [
            at for at, (category, key) in enumerate(zip(side.owned.category.tolist(), side.owned.key, strict=True))
            if (CATEGORY_LABELS[category], key) == row.path
        ]  # fmt: skip
        if not places:
            return False
        times.append(observations(side).means(side.owned.time_ns[places]))
    return bool(lie_apart(times[0], times[1])[0])
