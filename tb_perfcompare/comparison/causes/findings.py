"""Causes in sentences: the ledger's largest changes, each with the entities behind it and how sure it is.

A finding is made for every category whose change is material (CompareOptions.material_*).
Definitions: docs/findings.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tb_perfcompare.comparison.causes.rules import REPEATABILITY_UNKNOWN, WITHIN_SPREAD
from tb_perfcompare.comparison.causes.wording import calls_text, more_or_less, number_text, short, time_text
from tb_perfcompare.comparison.comparison import Evidence, Finding, Ledger, LedgerRow, Verdict
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.statistics.uniform_ratio import uniform_ratio
from tb_perfcompare.model.summary import CATEGORY_LABELS, NOT_SPLIT, PROFILER_WORK, GroupTable, StepCategory, Summary

_SUBJECTS = {
    StepCategory.KERNEL: "Kernels take",
    StepCategory.MEMCPY: "Memory copies take",
    StepCategory.MEMSET: "Memory sets take",
    StepCategory.COMMUNICATION: "Communication not hidden by kernels takes",
    StepCategory.RUNTIME: "Calls into the device runtime take",
    StepCategory.DATALOADER: "Waiting for the data loader takes",
    StepCategory.CPU_EXEC: "Host code outside runtime calls and data loading takes",
    StepCategory.OTHER: "Stretches in which nothing was recorded take",
}
PYTHON = "Python code outside operators takes"
"""The subject of Other where Python functions were recorded."""

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

_TABLES = {
    StepCategory.KERNEL: "kernels",
    StepCategory.MEMCPY: "memcpy",
    StepCategory.MEMSET: "memcpy",
    StepCategory.COMMUNICATION: "communication",
    StepCategory.CPU_EXEC: "operators",
}
"""Table that holds the rows of a category's entities."""

MOST_OF_IT = 0.25
"""An entity is named in a sentence if its change is at least this share of its category's."""

UTILISATION_CHANGE = 0.05
"""A kernel's tensor-pipe or DRAM utilisation is mentioned if it moved by at least this fraction of the peak."""

NEARLY_ALL = 0.75
"""Where API calls are not told by operator, one is named if its total host time moved by this share of the change."""

REST_TOLD = 0.25
"""What causes told elsewhere leave of a category is told if it is at least this share of the category's change."""

WRAPPED = 1.1
"""An operator called as often and taking at most this many times as long merely wraps the one below it."""


@dataclass(frozen=True, slots=True)
class _Books:
    """What every finding is made from. `unit` turns ledger integers into microseconds per step; `told` are kernels
    that findings of their own tell of."""

    ledger: Ledger
    baseline: Summary
    candidate: Summary
    p_values: Mapping[str, float | None]
    verdict: Verdict
    alpha: float
    unit: int
    told: frozenset[str]

    @property
    def per(self) -> str:
        """What figures are divided by, in words; a source without a clock has no steps."""
        return " per step" if self.baseline.metric == "step_time" else ""


def find_causes(
    ledger: Ledger,
    baseline: Summary,
    candidate: Summary,
    p_values: Mapping[str, float | None],
    verdict: Verdict,
    options: CompareOptions,
    told: frozenset[str] = frozenset(),
    explained: Mapping[str, float] | None = None,
) -> tuple[Finding, ...]:
    """Findings, largest |delta| first. A comparison of equal runs has none. What is `told` of kernels elsewhere is not
    repeated, nor what is `explained` of a category (microseconds per step): only the rest is told, where it matters."""
    books = _Books(ledger, baseline, candidate, p_values, verdict, options.alpha, ledger.denominator * 1000, told)
    threshold = max(options.material_fraction * ledger.baseline / books.unit, options.material_ns / 1000)
    children: dict[str, list[LedgerRow]] = {label: [] for label in CATEGORY_LABELS}
    for row in ledger.rows:
        if len(row.path) == 2:
            children[row.path[0]].append(row)
    found = []
    for row in ledger.rows:
        if len(row.path) != 1 or abs(row.delta) / books.unit < threshold:
            continue
        delta_us = row.delta / books.unit
        known = (explained or {}).get(row.path[0], 0.0)
        rest_us = delta_us - known if known * delta_us > 0 else delta_us
        if rest_us * delta_us <= 0 or abs(rest_us) < max(threshold, REST_TOLD * abs(delta_us)):
            continue
        entities = [entity for entity in children[row.path[0]] if _moved_with(row, entity)]
        if row.path[0] == CATEGORY_LABELS[StepCategory.OTHER]:
            entities = _python(children[row.path[0]], entities)
        found.append(_finding(row, entities, books, rest_us))
    found.sort(key=lambda finding: -abs(finding.delta_us or 0.0))
    return tuple(found[: options.top_findings])


def _moved_with(row: LedgerRow, entity: LedgerRow) -> bool:
    return entity.delta != 0 and (entity.delta > 0) == (row.delta > 0) and entity.path[1] != NOT_SPLIT


def _python(all_entities: list[LedgerRow], moved: list[LedgerRow]) -> list[LedgerRow]:
    """Python functions among those that moved, if both sides recorded any: nothing else is named between operators."""
    functions = [row for row in all_entities if any(row.calls) and row.path[1] != PROFILER_WORK]
    recorded = [any(row.calls[side] for row in functions) for side in (0, 1)]
    return [row for row in moved if row in functions] if all(recorded) else []


def _finding(row: LedgerRow, same_way: list[LedgerRow], books: _Books, delta_us: float) -> Finding:
    """`same_way` are the category's entities that moved its way, largest first: at least one for a change, but none
    where a source does not split its categories. `delta_us` is what causes told elsewhere leave of the change."""
    label = row.path[0]
    category = StepCategory(CATEGORY_LABELS.index(label))
    whole = delta_us == row.delta / books.unit
    subject = PYTHON if category is StepCategory.OTHER and same_way else _SUBJECTS[category]
    if whole:
        amounts = f" ({time_text(row.baseline / books.unit)} to {time_text(row.candidate / books.unit)})"
        sentence = f"{subject} {more_or_less(delta_us)}{books.per}{amounts}"
    else:
        subject = subject[0].lower() + subject[1:]
        sentence = f"Apart from what is told, {subject} {more_or_less(delta_us)}{books.per}"
        same_way = [entity for entity in same_way if entity.path[1] not in books.told]
    least = MOST_OF_IT * abs(delta_us) * books.unit
    named = [e for e in same_way if abs(e.delta) >= least][:3]
    evidence = [Evidence("categories", label)]
    clauses: list[str] = []
    if same_way:
        told = books.told if category is StepCategory.KERNEL else frozenset()
        clauses = [_entity_clause(entity, books) for entity in named if entity.path[1] not in told]
        if not named and same_way[0].path[1] not in told:
            clauses = [f"spread over many entries, the largest: {_entity_clause(same_way[0], books)}"]
        rest = [e for e in same_way if e not in (named or same_way[:1]) and e.path[1] not in told]
        clauses += _one_sided_clauses(rest, least, books)
        for entity in named or same_way[:1]:
            evidence.append(Evidence("ledger", " / ".join(entity.path)))
            if category in _TABLES:
                evidence.append(Evidence(_TABLES[category], entity.path[1]))
    if category is StepCategory.RUNTIME:
        behind = _operator_behind(books, delta_us)
        if behind:
            clauses.append(behind[1])
            evidence.append(Evidence("operators", behind[0]))
    if category is StepCategory.KERNEL:
        uniform = uniform_ratio(books.baseline.groups.get("kernels"), books.candidate.groups.get("kernels"))
        if uniform is not None:
            clauses.append(
                f"the same kernels take {uniform:.2f} times as long per launch almost throughout, "
                "as a different clock or device would do"
            )
    return Finding(
        rule=_RULES[category],
        subject=named[0].path[1] if named else label,
        category=label,
        delta_us=delta_us,
        share=delta_us * books.unit / books.ledger.delta if books.ledger.delta else None,
        sentence="; ".join([sentence, *clauses]) + ".",
        evidence=tuple(evidence),
        confidence=_confidence(label, books),
    )


def _one_sided_clauses(rest: list[LedgerRow], least: float, books: _Books) -> list[str]:
    """Many small entries that only one side has, when together they are a quarter of the change."""
    out = []
    for status, words, side in (("added", "are new", 1), ("removed", "are gone", 0)):
        group = [entity for entity in rest if entity.status == status]
        total = sum(abs(entity.delta) for entity in group)
        if len(group) > 1 and total >= least:
            calls = sum(entity.calls[side] for entity in group)
            out.append(f"{len(group)} others {words} ({_time(total, books)} together, {calls_text(calls, books.per)})")
    return out


def _time(amount: int, books: _Books) -> str:
    return time_text(amount / books.unit)


def _entity_clause(entity: LedgerRow, books: _Books) -> str:
    delta_us = entity.delta / books.unit
    name = short(entity.path[1])
    calls_a, calls_b = entity.calls
    if entity.status == "added":
        return f"{name} is new ({_time(entity.candidate, books)}, {calls_text(calls_b, books.per)})"
    if entity.status == "removed":
        return f"{name} is gone ({_time(entity.baseline, books)}, {calls_text(calls_a, books.per)})"
    if calls_a == calls_b:
        how = f"{calls_text(calls_a, books.per)} on both sides"
    else:
        how = f"{number_text(calls_a)} to {calls_text(calls_b, books.per)}"
        by_count = abs(entity.count_effect) >= abs(entity.rate_effect)
        how += ", mostly by their number" if by_count else ", mostly by the time of each"
    return f"{name} {more_or_less(delta_us)} ({how}{_utilisation(entity.path[1], books)})"


def _utilisation(kernel: str, books: _Books) -> str:
    """ "; DRAM 62 % to 31 %" when a kernel's utilisation was measured and moved."""
    out = ""
    for fact, word in (("tensor_active", "tensor pipe"), ("dram_active", "DRAM")):
        x, y = (_fact(side, kernel, fact) for side in (books.baseline, books.candidate))
        if x is not None and y is not None and abs(y - x) >= UTILISATION_CHANGE:
            out += f"; {word} {x:.0%} to {y:.0%}"
    return out


def _fact(summary: Summary, kernel: str, fact: str) -> float | None:
    table = summary.groups.get("kernels")
    if table is None or fact not in table.facts or (kernel,) not in table.keys:
        return None
    value = float(table.facts[fact][table.keys.index((kernel,))])
    return value if np.isfinite(value) else None


def _operator_behind(books: _Books, delta_us: float) -> tuple[str, str] | None:
    """The operator whose own API calls moved most in the same direction, named by its outermost wrapper."""
    baseline, candidate = books.baseline, books.candidate
    a, b = baseline.groups.get("operators"), candidate.groups.get("operators")
    if a is None or b is None:
        return None
    if not all("host_api" in table.measures_ns for table in (a, b)):
        return _operator_moved(_changes(a, b, "host_total", baseline, candidate), delta_us)
    api = _changes(a, b, "host_api", baseline, candidate)
    sign = 1 if delta_us > 0 else -1
    inner = min(api, key=lambda key: (-sign * (api[key][1] - api[key][0]), key))
    moved = sign * (api[inner][1] - api[inner][0])
    if moved < MOST_OF_IT * abs(delta_us):
        return None
    total = _changes(a, b, "host_total", baseline, candidate)
    calls = _calls(a, baseline), _calls(b, candidate)
    own = sign * (total[inner][1] - total[inner][0])
    wrappers = [
        key
        for key, (x, y) in total.items()
        if own <= sign * (y - x) <= WRAPPED * own and all(c.get(key) == c.get(inner) for c in calls)
    ]
    outer = min(wrappers, key=lambda key: (-sign * (total[key][1] - total[key][0]), key), default=inner)
    x, y = total[outer]
    text = (
        f"mostly below {short(outer[0])} (host time {time_text(x)} to {time_text(y)}, "
        f"API calls {'' if outer == inner else f'of {short(inner[0])} '}"
        f"{time_text(api[inner][0])} to {time_text(api[inner][1])})"
    )
    return outer[0], text


def _operator_moved(total: Mapping[tuple[str, ...], tuple[float, float]], delta_us: float) -> tuple[str, str] | None:
    """Where a side does not tell operators' API calls: the one whose total host time moved most in the same direction.
    Of a chain of wrappers that is the outermost; equal changes go by name."""
    sign = 1 if delta_us > 0 else -1
    most = min(total, key=lambda key: (-sign * (total[key][1] - total[key][0]), key))
    x, y = total[most]
    if sign * (y - x) < NEARLY_ALL * abs(delta_us):
        return None
    text = f"of all operators, {short(most[0])} moved most with it (host time {time_text(x)} to {time_text(y)})"
    return most[0], text


def _changes(
    a: GroupTable, b: GroupTable, measure: str, baseline: Summary, candidate: Summary
) -> dict[tuple[str, ...], tuple[float, float]]:
    """Key -> (baseline, candidate) of a measure, microseconds per step."""
    before, after = (
        dict(zip(table.keys, (table.measures_ns[measure].sum(axis=1) / len(side.steps) / 1000).tolist(), strict=True))
        for table, side in ((a, baseline), (b, candidate))
    )
    return {key: (before.get(key, 0.0), after.get(key, 0.0)) for key in (*before, *after)}


def _calls(table: GroupTable, side: Summary) -> dict[tuple[str, ...], float]:
    return dict(zip(table.keys, (table.calls.sum(axis=1) / len(side.steps)).tolist(), strict=True))


def _confidence(label: str, books: _Books) -> str:
    return repeatability(books.p_values.get(label), books.verdict, books.alpha)


def repeatability(p: float | None, verdict: Verdict, alpha: float, noun: str = "step") -> str:
    """How repeatable a change is, in words; the size itself is exact. `noun` is what one sample is."""
    if p is None:
        return f"size certain, {REPEATABILITY_UNKNOWN} (one {noun} on a side)"
    if p <= alpha:
        clear = verdict not in (Verdict.INCONCLUSIVE, Verdict.SAME, Verdict.WITHHELD)
        rest = "" if clear else f"; the {noun} time as a whole does not"
        return f"differs clearly between the {noun}s of these captures (p = {p:.2g}){rest}"
    return f"{WITHIN_SPREAD} {noun}s (p = {p:.2g})"
