"""Work that two sides have in common, by calls per step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import fsum
from typing import TypeVar

import numpy as np

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.input_shapes import NO_TYPES, tensor_types
from tb_perfcompare.model.names.ranges import OPTIMIZER_STEP
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, join_rows

SIMILAR_WORK, SOME_WORK = 0.9, 0.5
"""Shared share of calls per step above which the two sides do the same work, and below which they do not."""

Key = TypeVar("Key")


def shared_share(baseline: Mapping[Key, float], candidate: Mapping[Key, float]) -> float:
    """Sum over names of min(calls) over the sum of max(calls), 0 to 1: a Jaccard index of the calls; 1 without any."""
    names = dict.fromkeys((*baseline, *candidate))
    a, b = (np.array([side.get(name, 0.0) for name in names], np.float64) for side in (baseline, candidate))
    return shared_part(a, b)


def shared_part(baseline: Floats, candidate: Floats) -> float:
    """`shared_share` for arrays of calls of (n,) names, zero if a side lacks one."""
    # sums that do not depend on the order of the names
    least = fsum(np.minimum(baseline, candidate).tolist())
    # max + min is the sum of both sides
    most = fsum(baseline.tolist()) + fsum(candidate.tolist()) - least
    return least / most if most else 1.0


def shared_calls(
    table: str, baseline: Summary, candidate: Summary, numbers: TextNumbers
) -> tuple[float, JoinedRows] | None:
    """(shared share of the calls per step of a group table, its joined rows); None unless both sides have it."""
    if table not in baseline.groups or table not in candidate.groups:
        return None
    groups = baseline.groups[table], candidate.groups[table]
    joined = join_rows(numbers, groups[0].keys, groups[1].keys, len(groups[0].key_columns))
    # row -1 is the appended zero
    a, b = (
        np.append(group.calls.sum(axis=1) / len(side.steps), 0.0)[rows]
        for group, side, rows in zip(groups, (baseline, candidate), (joined.at_a, joined.at_b), strict=True)
    )
    return shared_part(a, b), joined


def shared_typed_calls(baseline: Summary, candidate: Summary) -> float | None:
    """Shared share of the calls per step by operator and types of its tensors; None unless both sides recorded any."""
    groups = [side.groups["operators_by_type"] for side in (baseline, candidate)]
    if any(all(types in NO_TYPES for _, types in group.keys) for group in groups):
        return None
    sides = []
    for group, side in zip(groups, (baseline, candidate), strict=True):
        calls: Counter[tuple[str, ...]] = Counter()
        for (name, types), count in zip(group.keys, group.calls.sum(axis=1).tolist(), strict=True):
            calls[(name, *tensor_types(types))] += count
        sides.append({key: count / len(side.steps) for key, count in calls.items()})
    return shared_share(*sides)


def operator_calls(summary: Summary) -> dict[str, float]:
    """Operator -> calls per step, of those that are called."""
    return {key[0]: count for key, count in calls_per_step(summary, "operators").items()}


def calls_per_step(summary: Summary, table: str) -> dict[tuple[str, ...], float]:
    """Key of a row of a group table -> calls per step, of those that are called; empty without the table."""
    group = summary.groups.get(table)
    if group is None:
        return {}
    calls = (group.calls.sum(axis=1) / max(len(summary.steps), 1)).tolist()
    return {key: count for key, count in zip(group.keys, calls, strict=True) if count}


ITERATION = {"batches loaded": "enumerate(DataLoader)", "optimizer steps": OPTIMIZER_STEP}
"""What happens once per iteration -> prefix of its name."""


def per_iteration(summary: Summary) -> dict[str, float]:
    """Calls per step of the ledger's entries that occur once per iteration, by word."""
    owned, steps = summary.owned, max(len(summary.steps), 1)
    rows = {
        word: [row for row, key in enumerate(owned.key) if key.startswith(name)] for word, name in ITERATION.items()
    }
    return {word: float(owned.calls[some].sum()) / steps for word, some in rows.items()}
