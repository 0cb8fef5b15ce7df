"""Causes in sentences: the ledger's largest changes, each with the entities behind it and how sure it is.

A finding is made for every category whose change is material (CompareOptions.material_*). Definitions: docs/findings.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.compare.comparison import Evidence, Finding, Ledger, LedgerRow
from tb_perfcompare.compare.options import CompareOptions
from tb_perfcompare.compare.wording import more_or_less, number_text, short, time_text
from tb_perfcompare.model.summary import CATEGORY_LABELS, StepCategory, Summary

_SUBJECTS = {
    StepCategory.KERNEL: "Kernels take",
    StepCategory.MEMCPY: "Copies between host and device take",
    StepCategory.MEMSET: "Memory sets take",
    StepCategory.COMMUNICATION: "Communication not hidden by kernels takes",
    StepCategory.RUNTIME: "Calls into the device runtime take",
    StepCategory.DATALOADER: "Waiting for the data loader takes",
    StepCategory.CPU_EXEC: "Host code outside runtime calls and data loading takes",
    StepCategory.OTHER: "Stretches in which nothing was recorded take",
}
_RULES = {
    StepCategory.KERNEL: "kernel_time",
    StepCategory.MEMCPY: "memcpy_time",
    StepCategory.MEMSET: "memset_time",
    StepCategory.COMMUNICATION: "communication_time",
    StepCategory.RUNTIME: "runtime_time",
    StepCategory.DATALOADER: "data_loader",
    StepCategory.CPU_EXEC: "host_time",
    StepCategory.OTHER: "unrecorded_time",
}

MOST_OF_IT = 0.25
"""An entity is named in a sentence if its change is at least this share of its category's."""

UNIFORM_SPREAD = 0.05
"""Kernels count as uniformly slower if the middle half (by time) of their per-launch ratios lies within this of the median."""

UNIFORM_CHANGE = 0.03
"""... and the median ratio is at least this far from 1."""


def find_causes(
    ledger: Ledger,
    baseline: Summary,
    candidate: Summary,
    p_values: Mapping[str, float | None],
    options: CompareOptions,
) -> tuple[Finding, ...]:
    """Findings, largest |delta| first. A comparison of equal runs has none."""
    unit = ledger.denominator * 1000
    step_us = ledger.baseline / unit
    threshold = max(options.material_fraction * step_us, options.material_ns / 1000)
    children: dict[str, list[LedgerRow]] = {}
    for row in ledger.rows:
        if len(row.path) == 2:
            children.setdefault(row.path[0], []).append(row)
    found = []
    for row in ledger.rows:
        if len(row.path) == 1 and row.delta and abs(row.delta) / unit >= threshold:
            category = StepCategory(CATEGORY_LABELS.index(row.path[0]))
            entities = _behind(row, children.get(row.path[0], []))
            found.append(_finding(category, row, entities, ledger, baseline, candidate, p_values, options))
    found.sort(key=lambda finding: -abs(finding.delta_us))
    return tuple(found[: options.top_findings])


def _behind(row: LedgerRow, entities: list[LedgerRow]) -> list[LedgerRow]:
    """Up to three entities that moved the category its way, largest first."""
    same_way = [e for e in entities if (e.delta > 0) == (row.delta > 0) and abs(e.delta) >= MOST_OF_IT * abs(row.delta)]
    return same_way[:3]


def _finding(
    category: StepCategory,
    row: LedgerRow,
    entities: list[LedgerRow],
    ledger: Ledger,
    baseline: Summary,
    candidate: Summary,
    p_values: Mapping[str, float | None],
    options: CompareOptions,
) -> Finding:
    unit = ledger.denominator * 1000
    delta_us = row.delta / unit
    label = row.path[0]
    sentence = (
        f"{_SUBJECTS[category]} {more_or_less(delta_us)} per step "
        f"({time_text(row.baseline / unit)} to {time_text(row.candidate / unit)})"
    )
    evidence = [Evidence("categories", label)]
    clauses = []
    if category is not StepCategory.OTHER:
        clauses += [_entity_clause(entity, unit) for entity in entities]
        evidence += [Evidence("ledger", " / ".join(entity.path)) for entity in entities]
        table = _table_of(category)
        if table:
            evidence += [Evidence(table, entity.path[1]) for entity in entities]
    if category is StepCategory.RUNTIME:
        behind = _operator_behind(baseline, candidate, delta_us)
        if behind:
            clauses.append(behind[1])
            evidence.append(Evidence("operators", behind[0]))
    if category is StepCategory.KERNEL:
        uniform = _uniform_ratio(baseline, candidate)
        if uniform is not None:
            clauses.append(
                f"the same kernels take {uniform:.2f} times as long per launch almost throughout, "
                "as a different clock or device would do"
            )
    if not clauses and category is not StepCategory.OTHER:
        clauses.append("spread over many entries, none of them a quarter of it")
    return Finding(
        rule=_RULES[category],
        subject=entities[0].path[1] if entities and category is not StepCategory.OTHER else label,
        category=label,
        delta_us=delta_us,
        share=row.delta / ledger.delta if ledger.delta else None,
        sentence="; ".join([sentence, *clauses]) + ".",
        evidence=tuple(evidence),
        confidence=_confidence(p_values.get(label), baseline, candidate, options.alpha),
    )


def _table_of(category: StepCategory) -> str:
    if category is StepCategory.KERNEL:
        return "kernels"
    if category in (StepCategory.MEMCPY, StepCategory.MEMSET):
        return "memcpy"
    if category is StepCategory.COMMUNICATION:
        return "communication"
    return "operators" if category is StepCategory.CPU_EXEC else ""


def _entity_clause(entity: LedgerRow, unit: int) -> str:
    delta_us = entity.delta / unit
    name = short(entity.path[1])
    calls_a, calls_b = entity.calls
    if entity.status == "added":
        return f"{name} is new ({time_text(entity.candidate / unit)}, {number_text(calls_b)} calls per step)"
    if entity.status == "removed":
        return f"{name} is gone ({time_text(entity.baseline / unit)}, {number_text(calls_a)} calls per step)"
    if calls_a == calls_b:
        how = f"the same {number_text(calls_a)} calls per step" if calls_a else "no calls of its own"
    else:
        how = f"{number_text(calls_a)} to {number_text(calls_b)} calls per step"
        by_count = abs(entity.count_effect) >= abs(entity.rate_effect)
        how += ", mostly by their number" if by_count else ", mostly by the time of each"
    return f"{name} {more_or_less(delta_us)} ({how})"


def _operator_behind(baseline: Summary, candidate: Summary, delta_us: float) -> tuple[str, str] | None:
    """The operator whose total host time moved most in the same direction: API time lies inside operators."""
    a, b = baseline.groups.get("operators"), candidate.groups.get("operators")
    if a is None or b is None:
        return None
    before = dict(zip(a.keys, a.measures_ns["host_total"].sum(axis=1) / len(baseline.steps) / 1000, strict=True))
    after = dict(zip(b.keys, b.measures_ns["host_total"].sum(axis=1) / len(candidate.steps) / 1000, strict=True))
    sign = 1 if delta_us > 0 else -1
    moved = {key: sign * (after.get(key, 0.0) - before.get(key, 0.0)) for key in (*before, *after)}
    if not moved:
        return None
    key = min(moved, key=lambda k: (-moved[k], k))
    if moved[key] < MOST_OF_IT * abs(delta_us):
        return None
    x, y = float(before.get(key, 0.0)), float(after.get(key, 0.0))
    return key[0], f"the operator that changed most is {short(key[0])} ({time_text(x)} to {time_text(y)} host time)"


def _uniform_ratio(baseline: Summary, candidate: Summary) -> float | None:
    """Median over kernel time of candidate / baseline time per launch, if the same kernels all changed alike."""
    a, b = baseline.groups.get("kernels"), candidate.groups.get("kernels")
    if a is None or b is None:
        return None
    at = {key: row for row, key in enumerate(b.keys)}
    pairs = [(row, at[key]) for row, key in enumerate(a.keys) if key in at]
    if len(pairs) < 3:
        return None
    rows_a, rows_b = np.array(pairs).T
    time_a = a.measures_ns["total"].sum(axis=1)[rows_a].astype(float)
    time_b = b.measures_ns["total"].sum(axis=1)[rows_b].astype(float)
    calls_a, calls_b = a.calls.sum(axis=1)[rows_a], b.calls.sum(axis=1)[rows_b]
    good = (time_a > 0) & (time_b > 0) & (calls_a > 0) & (calls_b > 0)
    if good.sum() < 3 or time_a[good].sum() < 0.5 * a.measures_ns["total"].sum():
        return None
    ratio = np.log((time_b[good] / calls_b[good]) / (time_a[good] / calls_a[good]))
    low, middle, high = _weighted_quartiles(ratio, time_a[good] + time_b[good])
    uniform = high - low <= 2 * UNIFORM_SPREAD and abs(middle) >= UNIFORM_CHANGE
    return float(np.exp(middle)) if uniform else None


def _weighted_quartiles(values: np.ndarray, weights: np.ndarray) -> tuple[float, float, float]:  # type: ignore[type-arg]
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    low, middle, high = (float(values[order][np.searchsorted(share, q)]) for q in (0.25, 0.5, 0.75))
    return low, middle, high


def _confidence(p: float | None, baseline: Summary, candidate: Summary, alpha: float) -> str:
    """How repeatable the category's change is, in words; the size itself is exact."""
    if min(len(baseline.steps), len(candidate.steps)) < 2 or p is None:
        return "size certain, repeatability unknown (one step on a side)"
    if p <= alpha:
        return f"steps of the two runs differ clearly (p = {p:.2g})"
    return f"within the spread of the steps (p = {p:.2g})"

