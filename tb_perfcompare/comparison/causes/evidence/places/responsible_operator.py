"""The operator whose API calls took more or less time."""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.comparison.result.wording import short, times_text
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable

MAIN_SHARE = 0.25
"""Share of the change by which an operator's own API calls must have moved for it to be named ..."""

MIN_TOTAL_SHARE = 0.75
"""... or, without API calls by operator, its total host time."""

WRAPPED = 1.1
"""Largest ratio of times at which an operator called as often merely wraps the one below it."""


def responsible_operator(baseline: Summary, candidate: Summary, delta_us: float) -> tuple[str, str] | None:
    """(operator, clause): the operator whose own API calls moved most in the same direction, named by its outermost
    wrapper; None if none moved enough."""
    a, b = baseline.groups.get("operators"), candidate.groups.get("operators")
    if a is None or b is None:
        return None
    if not all("host_api" in table.measures_ns for table in (a, b)):
        return _operator_moved(_changes(a, b, "host_total", baseline, candidate), delta_us)
    api = _changes(a, b, "host_api", baseline, candidate)
    sign = 1 if delta_us > 0 else -1
    inner = min(api, key=lambda key: (-sign * (api[key][1] - api[key][0]), key))
    moved = sign * (api[inner][1] - api[inner][0])
    if moved < MAIN_SHARE * abs(delta_us):
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
    whose = "" if outer == inner else f" of {short(inner[0])}"
    return outer[0], f"mostly under {short(outer[0])} (API calls{whose} {times_text(*api[inner])})"


def _operator_moved(total: Mapping[tuple[str, ...], tuple[float, float]], delta_us: float) -> tuple[str, str] | None:
    """Without API calls by operator: (operator, clause) for the one whose total host time changed most in the same
    direction. Of a chain of wrappers the outermost; equal changes go by name."""
    sign = 1 if delta_us > 0 else -1
    most = min(total, key=lambda key: (-sign * (total[key][1] - total[key][0]), key))
    x, y = total[most]
    if sign * (y - x) < MIN_TOTAL_SHARE * abs(delta_us):
        return None
    text = f"largest change of an operator: {short(most[0])} (host time {times_text(x, y)})"
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
