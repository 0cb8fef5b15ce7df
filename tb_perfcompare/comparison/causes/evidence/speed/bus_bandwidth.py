"""Bandwidth of collectives, if their messages are known."""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.summary.collectives import BUS_BYTES, BY_MESSAGE, MESSAGE_BYTES, SIZED_TIME
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.number_text import rate, size

_COVERED = 0.9
"""Share of the collectives' time whose messages must be known for a bandwidth, and share of the bytes in messages of
one size for the size to be named."""

_ALL = 0.999
"""All of the time, up to rounding."""

_ALIKE = 0.05
"""Largest relative difference of two figures that count as the same."""

_Calls = Mapping[tuple[str, ...], float]


def bandwidth_text(
    context: RuleContext, collective_us: tuple[float, float], transfer_us: tuple[float, float] | None
) -> str:
    """Clause on bandwidth: ", bus bandwidth 182 → 61.0 GB/s, same 64 MiB messages"; "" if most messages are unknown
    on a side. `collective_us`: time of the collectives per step; `transfer_us`: the same without waiting for other
    ranks, used if known for all."""
    a, b = context.baseline.groups.get(BY_MESSAGE), context.candidate.groups.get(BY_MESSAGE)
    if a is None or b is None:
        return ""
    least = _COVERED if transfer_us is None else _ALL
    rates = []
    for at, (group, steps) in enumerate(((a, len(context.baseline.steps)), (b, len(context.candidate.steps)))):
        sized_us = int(group.measures_ns[SIZED_TIME].sum()) / steps / 1000
        us = sized_us if transfer_us is None else transfer_us[at]
        moved = int(group.measures_ns[BUS_BYTES].sum()) / steps
        if sized_us < least * collective_us[at] or us <= 0 or not moved:
            return ""
        rates.append(rate(moved / us * 1e6))
    (number, unit), (_, other) = rates[0].split(), rates[1].split()
    return f", bus bandwidth {number if unit == other else rates[0]} → {rates[1]}{_messages(context, a, b)}"


def _messages(context: RuleContext, a: GroupTable, b: GroupTable) -> str:
    one, two = _calls(a, len(context.baseline.steps)), _calls(b, len(context.candidate.steps))
    means = tuple(int(group.measures_ns[MESSAGE_BYTES].sum()) / int(group.calls.sum()) for group in (a, b))
    if one.keys() == two.keys() and all(_nearly_equal(calls, two[key]) for key, calls in one.items()):
        bytes_of = dict(zip(a.keys, a.measures_ns[MESSAGE_BYTES].sum(axis=1).tolist(), strict=True))
        most = max(bytes_of, key=lambda key: (bytes_of[key], key))
        named = bytes_of[most] >= _COVERED * sum(bytes_of.values())
        text = most[2] if most[2].endswith(("MiB", "GiB")) else size(means[0])
        return f", same {text} messages" if named else ", same messages"
    return "" if _nearly_equal(*means) else f", messages of {size(means[0])} → {size(means[1])} on average"


def _calls(group: GroupTable, steps: int) -> _Calls:
    return dict(zip(group.keys, (group.calls.sum(axis=1) / steps).tolist(), strict=True))


def _nearly_equal(one: float, two: float) -> bool:
    return abs(one - two) <= _ALIKE * max(one, two)
