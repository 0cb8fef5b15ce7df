"""Work that two sides have in common, by calls per step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import fsum
from typing import TypeVar

import numpy as np

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.input_shapes import NO_TYPES, tensor_types
from tb_perfcompare.model.summary.summary import GroupTable, Summary
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


def shared_calls(table: str, baseline: Summary, candidate: Summary, numbers: TextNumbers) -> float | None:
    """Shared share of the calls per step of a group table, None unless both sides have it."""
    group_a, group_b = baseline.groups.get(table), candidate.groups.get(table)
    if group_a is None or group_b is None:
        return None
    joined = join_rows(numbers, group_a.keys, group_b.keys, len(group_a.key_columns))
    return share_of_calls(joined, (group_a, len(baseline.steps)), (group_b, len(candidate.steps)))


def shared_typed_calls(baseline: Summary, candidate: Summary) -> float | None:
    """Shared share of the calls per step by operator and types of its tensors; None unless both sides recorded any."""
    groups = [side.groups["operators_by_type"] for side in (baseline, candidate)]
    if any(all(types in NO_TYPES for _, types in group.keys) for group in groups):
        return None
    a, b = (
        _typed_calls(group, len(side.steps)) for group, side in zip(groups, (baseline, candidate), strict=True)
    )
    return shared_share(a, b)


def _typed_calls(group: GroupTable, steps: int) -> dict[tuple[str, ...], float]:
    calls: Counter[tuple[str, ...]] = Counter()
    for (name, types), count in zip(group.keys, group.calls.sum(axis=1).tolist(), strict=True):
        calls[(name, *tensor_types(types))] += count
    return {key: count / steps for key, count in calls.items()}


def share_of_calls(joined: JoinedRows, table_a: tuple[GroupTable, int], table_b: tuple[GroupTable, int]) -> float:
    """Shared share of the calls of two joined tables, each with its number of steps."""
    sides = (np.append(table.calls.sum(axis=1) / steps, 0.0) for table, steps in (table_a, table_b))
    # row -1 is the appended zero
    a, b = (mean[rows] for mean, rows in zip(sides, (joined.at_a, joined.at_b), strict=True))
    return shared_part(a, b)
