"""The books: the step-time delta split over categories and, inside each, over their entities, exact to the last unit.

Owned (exposed) nanoseconds are summed over the admitted steps of each side and brought to the least common multiple of
the two step counts, so that means per step are integers and every level adds up without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from tb_perfcompare.compare.comparison import Ledger, LedgerRow
from tb_perfcompare.model.summary import CATEGORY_LABELS, NOT_SPLIT, OwnedTime, Summary


@dataclass(frozen=True, slots=True)
class _Total:
    """One entity on one side: owned time in ledger units, calls over all admitted steps, steps, display name."""

    time: int
    calls: int
    steps: int
    name: str


def build_ledger(baseline: Summary, candidate: Summary) -> Ledger:
    """Rows: every category, then its entities, largest |delta| first, ties by name. If a side has categories alone, so
    has the ledger: each category is one entity."""
    steps_a, steps_b = len(baseline.steps), len(candidate.steps)
    denominator = lcm(steps_a, steps_b)
    split = baseline.is_split and candidate.is_split
    side_a = _totals(baseline.owned if split else _undivided(baseline.owned), steps_a, denominator // steps_a)
    side_b = _totals(candidate.owned if split else _undivided(candidate.owned), steps_b, denominator // steps_b)
    empty_a, empty_b = _Total(0, 0, steps_a, ""), _Total(0, 0, steps_b, "")
    groups: list[tuple[LedgerRow, list[LedgerRow]]] = []
    for category, label in enumerate(CATEGORY_LABELS):
        keys = sorted({key for kind, key in (*side_a, *side_b) if kind == category})
        entities = [
            _row((label, key), side_a.get((category, key), empty_a), side_b.get((category, key), empty_b))
            for key in keys
        ]
        entities.sort(key=lambda row: (-abs(row.delta), row.path))
        groups.append((_sum_row(label, entities), entities))
    groups.sort(key=lambda group: -abs(group[0].delta))
    rows = tuple(row for head, entities in groups for row in (head, *entities))
    heads = [head for head, _ in groups]
    return Ledger(
        denominator=denominator,
        baseline=sum(head.baseline for head in heads),
        candidate=sum(head.candidate for head in heads),
        delta=sum(head.delta for head in heads),
        rows=rows,
    )


def _undivided(owned: OwnedTime) -> OwnedTime:
    """One entity per category. It has no calls: what would be counted is not said by both sides."""
    time = owned.by_category()
    rows = np.flatnonzero(time.any(axis=1))
    names = (NOT_SPLIT,) * len(rows)
    return OwnedTime(rows.astype(np.int8), names, names, time[rows], time[rows], np.zeros_like(time[rows]))


def _totals(owned: OwnedTime, steps: int, factor: int) -> dict[tuple[int, str], _Total]:
    time = owned.time_ns.sum(axis=1).tolist()
    calls = owned.calls.sum(axis=1).tolist()
    return {
        (int(category), key): _Total(int(t) * factor, int(c), steps, name)
        for category, key, name, t, c in zip(owned.category.tolist(), owned.key, owned.name, time, calls, strict=True)
    }


def _row(path: tuple[str, str], a: _Total, b: _Total) -> LedgerRow:
    count = count_effect(a.time, Fraction(a.calls, a.steps), b.time, Fraction(b.calls, b.steps))
    delta = b.time - a.time
    has_a, has_b = bool(a.time or a.calls), bool(b.time or b.calls)
    return LedgerRow(
        path=path,
        name=a.name or b.name,
        baseline=a.time,
        candidate=b.time,
        delta=delta,
        calls=(a.calls / a.steps, b.calls / b.steps),
        count_effect=count,
        rate_effect=delta - count,
        status="removed" if has_a and not has_b else "added" if has_b and not has_a else "both",
    )


def count_effect(time_a: int, calls_a: Fraction, time_b: int, calls_b: Fraction) -> int:
    """Part of time_b - time_a that the change in calls explains, (c_b - c_a)(m_a + m_b)/2 with m = time / calls.

    A side without calls takes the other's mean, so appearing and vanishing are count effects in full. Rounded half to
    even, which keeps the sign symmetric when the sides are swapped.
    """
    if calls_a == calls_b:
        return 0
    mean_a = Fraction(time_a) / calls_a if calls_a else None
    mean_b = Fraction(time_b) / calls_b if calls_b else None
    if mean_a is None or mean_b is None:
        # Only the time that has calls can come from calls; a tail reaching in from an earlier step cannot.
        return time_b if mean_a is None else -time_a
    return round((calls_b - calls_a) * (mean_a + mean_b) / 2)


def _sum_row(label: str, entities: list[LedgerRow]) -> LedgerRow:
    statuses = {row.status for row in entities}
    return LedgerRow(
        path=(label,),
        name=label,
        baseline=sum(row.baseline for row in entities),
        candidate=sum(row.candidate for row in entities),
        delta=sum(row.delta for row in entities),
        calls=(sum(row.calls[0] for row in entities), sum(row.calls[1] for row in entities)),
        count_effect=sum(row.count_effect for row in entities),
        rate_effect=sum(row.rate_effect for row in entities),
        status=statuses.pop() if len(statuses) == 1 else "both",
    )
