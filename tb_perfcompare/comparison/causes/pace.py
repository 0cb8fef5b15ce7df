"""The same work, all of it slower or faster: clocks, contention, another machine."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from tb_perfcompare.comparison.causes.cause import Cause, cause
from tb_perfcompare.comparison.causes.pair import Pair
from tb_perfcompare.comparison.causes.recording import costlier_to_record
from tb_perfcompare.comparison.causes.wording import more_or_less
from tb_perfcompare.comparison.comparison import Evidence
from tb_perfcompare.comparison.statistics.uniform_ratio import uniform_ratio
from tb_perfcompare.model.summary import GroupTable

KERNELS_FLAT = 0.03
"""Kernels take the same time if their sum changed by at most this."""

MOST = 0.5
"""Share of a category's change that the pace must make."""

_HOST = ("CPU Exec", "Runtime", "DataLoader", "Other")
_CLOCKS = ("freq", "clock")


def pace_rules(pair: Pair) -> Iterator[Cause]:
    """Whether the device, or the host, was slower throughout."""
    device = uniform_ratio(pair.baseline.groups.get("kernels"), pair.candidate.groups.get("kernels"))
    exposed = sum(_explained(pair, ("Kernel",), device).values())
    if device is not None and abs(exposed) >= pair.least_us and pair.is_clear("Kernel"):
        way = "slower" if device > 1 else "faster"
        clock = _clock(pair, "GPU", device)
        sentence = (
            f"The device is {way} throughout: the same kernels take {device:.2f} times as long per launch, which makes "
            f"{more_or_less(exposed)} per step{clock or '; no clock was recorded that could tell why'}."
        )
        yield cause(
            pair, "device_pace", "kernels", "Kernel", exposed, sentence, (Evidence("kernels", ""),),
            confidence="the same ratio in at least half of the kernel time",
            look_at="clocks, power and temperature limits, other jobs on the device, another device model",
            rank=3,
        )  # fmt: skip
    host = _host_ratio(pair)
    explained = _explained(pair, _HOST, host)
    exposed = sum(explained.values())
    if host is None or costlier_to_record(pair, exposed):  # recording more is the likelier cause
        return
    if abs(exposed) >= pair.least_us and pair.is_clear(*explained):
        way = "slower" if host > 1 else "faster"
        sentence = (
            f"The host is {way} throughout: the same operators take {host:.2f} times as long per call, which makes "
            f"{more_or_less(exposed)} per step{_clock(pair, 'Host', host)}."
        )
        yield cause(
            pair, "host_pace", "operators", "CPU Exec", exposed, sentence, (Evidence("operators", ""),),
            confidence="the same ratio in at least half of the operators' time",
            look_at="CPU clock and governor, other processes, thread and NUMA placement, another machine",
            explains=explained, rank=4,
        )  # fmt: skip


def _explained(pair: Pair, labels: tuple[str, ...], ratio: float | None) -> dict[str, float]:
    """Changes of those categories that a pace of candidate / baseline = ratio makes at least half of. Work that takes
    `ratio` times as long changes by (ratio - 1) / (ratio + 1) of both sides' time together."""
    found: dict[str, float] = {}
    if ratio is None:
        return found
    for label in labels:
        by_pace = (ratio - 1) / (ratio + 1) * sum(pair.exposed_times(label))
        if by_pace * pair.exposed(label) > 0 and abs(by_pace) >= MOST * abs(pair.exposed(label)):
            found[label] = pair.exposed(label)
    return found


def kernels_flat(pair: Pair) -> bool:
    """Whether all kernels together take the same time on both sides."""
    amounts = pair.amounts("kernels").values()
    a, b = sum(amount.us_a for amount in amounts), sum(amount.us_b for amount in amounts)
    return abs(b - a) <= KERNELS_FLAT * max(a, b)


def _host_ratio(pair: Pair) -> float | None:
    """As uniform_ratio, over operators' own host time."""
    tables = []
    steps = lcm(len(pair.baseline.steps), len(pair.candidate.steps))
    for summary in (pair.baseline, pair.candidate):
        table = summary.groups.get("operators")
        if table is None or "host_self" not in table.measures_ns:
            return None
        # as if both sides had as many steps, so that they have the same weight
        factor = steps // len(summary.steps)
        own = table.measures_ns["host_self"].sum(axis=1, keepdims=True) * factor
        calls = table.calls.sum(axis=1, keepdims=True) * factor
        tables.append(
            GroupTable(table.kind, table.key_columns, table.keys, table.names, calls, {"total": own}, None, None, {})
        )
    return uniform_ratio(tables[0], tables[1])


def _clock(pair: Pair, device: str, ratio: float) -> str:
    """ "; its clock went from 1,410 to 1,128 MHz" where a clock counter moved the other way."""
    for change in pair.counters:
        name = change.counter.lower()
        if not any(word in name for word in _CLOCKS) or not change.device.startswith(device):
            continue
        x, y = change.baseline, change.candidate
        if x is None or y is None or x.mean is None or y.mean is None or not x.mean or not y.mean:
            continue
        if (y.mean < x.mean) == (ratio > 1):
            return (
                f"; {change.counter} of {change.device} went from {x.mean:,.0f} to {y.mean:,.0f} {change.unit} "
                f"(1/{x.mean / y.mean:.2f})"
            )
    return ""
