"""What two steps spent on each name, largest difference first."""

from __future__ import annotations

from collections.abc import Iterable

from tb_perfcompare.model.summary.step_events import NameDifference, NameTotals


def name_differences(baseline: Iterable[NameTotals], candidate: Iterable[NameTotals]) -> tuple[NameDifference, ...]:
    """Every name of either step once; names of one key are one."""
    sides = [{(one.key, one.kind): one for one in side} for side in (baseline, candidate)]
    keys = dict.fromkeys((*sides[0], *sides[1]))
    found = [
        NameDifference((a or b).name, key[1], (a, b))  # type: ignore[union-attr]
        for key in keys
        for a, b in [(sides[0].get(key), sides[1].get(key))]
    ]
    return tuple(sorted(found, key=lambda one: (-abs(one.delta_ns), one.name, one.kind)))
