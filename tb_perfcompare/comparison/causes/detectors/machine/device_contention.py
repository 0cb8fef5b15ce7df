"""Device contention: other work takes the device, within kernels, whose fastest launches are as fast as before, or
between them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.causes.detectors.machine.contention import contention
from tb_perfcompare.comparison.causes.detectors.machine.cpu_contention import MAIN_SHARE, MIN_CALLS, MIN_SLOWDOWN
from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import kernels_flat
from tb_perfcompare.comparison.causes.evidence.amounts import total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import (
    call_count_changed,
    exposed_host,
    idle_shares,
    is_same_runtime,
)
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import INTERRUPTED, LAUNCHES, fastest_calls
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import ratio_text, time_text, times_text
from tb_perfcompare.model.api_calls import LAUNCH, WAIT
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.summary.categories import KERNEL, RUNTIME
from tb_perfcompare.model.summary.groups import DEVICE_TIMELINE, LAUNCH_LATENCY

LATE = 1.75
"""Ratio of the times from a launch to its start on an idle device from which the device is late. In 104 unchanged pairs
on an H200 it is at most 1.52, beside a process that takes a quarter of the device 2.2."""

MIN_KERNELS = 3
"""Fewest kernels, by name, that have to take longer. A single one is slower, not interrupted."""


def device_contention_rules(context: RuleContext) -> Iterator[Cause]:
    """Yields at most one cause: other work takes the device, within kernels or between them."""
    within = list(_within_kernels(context))
    yield from within or _between_kernels(context)


def _within_kernels(context: RuleContext) -> Iterator[Cause]:
    """Device contention: mean times of the same launches changed, the fastest ones did not."""
    exposed = context.exposed(KERNEL)
    if abs(exposed) < context.least_us or not context.is_clear(KERNEL):
        return
    fastest = fastest_calls(context, LAUNCHES)
    kernels = {
        key: amount for key, amount in context.amounts(LAUNCHES).items()
        if key in fastest and min(amount.calls_a * context.steps[0], amount.calls_b * context.steps[1]) >= MIN_CALLS
    }  # fmt: skip
    if not kernels:
        return
    us = np.array([(kernel.us_a, kernel.us_b) for kernel in kernels.values()]).T
    launches = np.array([(kernel.calls_a, kernel.calls_b) for kernel in kernels.values()]).T
    # as if both sides launched it as often: other numbers of launches are no contention
    before, after = (launches.mean(axis=0) * us / launches).sum(axis=1).tolist()
    if max(before, after) < MIN_SLOWDOWN * min(before, after):
        return
    # as if each launch took as long as its kernel's fastest: one slow kernel lengthens that, too
    lowest = launches.mean(axis=0) @ np.array([fastest[key] for key in kernels])
    fast = float(lowest[1] / lowest[0])
    if abs(math.log(fast)) > INTERRUPTED * abs(math.log(after / before)):
        return
    rates = np.array([kernel.rate_us for kernel in kernels.values()])
    kept = rates * exposed > 0
    grown = total_by_key((key[0], float(us)) for key, us, keep in zip(kernels, rates, kept, strict=True) if keep)
    delta = math.fsum(grown.values())
    if (
        len(grown) < MIN_KERNELS
        or abs(delta) < MAIN_SHARE * abs(exposed)
        or max(map(abs, grown.values())) > MAIN_SHARE * abs(delta)
    ):
        return
    own = math.copysign(min(abs(delta), abs(exposed)), exposed)
    explained: dict[Part, float] = {(KERNEL, name): us * own / delta for name, us in grown.items()}
    explained |= _queued(context, delta)
    delta = math.fsum(explained.values())

    def sentence(own: Explains) -> str:
        kernels = f"mean kernel time {ratio_text(after / before)}, but fastest launches {ratio_text(fast)}"
        facts = f"{change_text(own)} per step{_queued_clause(own)}; {kernels}"
        return contention(context.candidate.device.word, delta, facts)

    yield cause(
        context, DEVICE_CONTENTION, "kernels", KERNEL, delta, sentence, (Evidence("kernels", ""),), explains=explained
    )


def _queued_clause(explains: Explains) -> str:
    """Clause on the part before launched work starts; "" without it."""
    us = math.fsum(part_us for (category, _), part_us in explains.items() if category != KERNEL)
    return f", {time_text(abs(us))} of it before launched work starts" if us else ""


def _between_kernels(context: RuleContext) -> Iterator[Cause]:
    """Device contention between kernels: launched work starts later on an idle device, and kernels take as long."""
    idle = context.amounts(DEVICE_TIMELINE).get((LAUNCH_LATENCY,))
    if idle is None or min(idle.calls_a, idle.calls_b) < MIN_CALLS:
        return
    if not is_same_runtime(context) or not kernels_flat(context):
        return
    waits = total(context.called(WAIT).values())
    # a device that catches up with the host, or a host that waits for it, meets more launches that start at once
    if min(idle_shares(context)) < MAIN_SHARE or call_count_changed(waits.calls_a, waits.calls_b):
        return
    each = idle.us_a / idle.calls_a, idle.us_b / idle.calls_b
    delta = idle.rate_us - total(context.called(LAUNCH).values()).rate_us  # a slower host launches later, too
    if max(each) < LATE * min(each) or delta * idle.delta_us <= 0:
        return
    if abs(delta) < max(context.least_us, MAIN_SHARE * abs(idle.delta_us)):
        return
    if delta * context.delta_us <= 0 or abs(idle.delta_us) < MAIN_SHARE * abs(context.delta_us) or not _apart(context):
        return
    share = min(1.0, delta / idle.delta_us)
    explained = {part: us * share for part, us in _queued(context, delta).items()}
    delta = math.fsum(explained.values())
    if abs(delta) < context.least_us:
        return

    def sentence(own: Explains) -> str:
        late = f"{change_text(own)} per step before launched work starts, {times_text(*each)} per launch"
        return contention(context.candidate.device.word, delta, f"{late}; kernels take as long")

    yield cause(
        context, DEVICE_CONTENTION, "launches", RUNTIME, delta, sentence, (Evidence(DEVICE_TIMELINE, LAUNCH_LATENCY),),
        explains=explained,
    )  # fmt: skip


def _apart(context: RuleContext) -> bool:
    """Whether launched work starts later in every capture of one side than in all of the other."""
    lows, highs = [], []
    for side in context.sides:
        group, captures = side.groups[DEVICE_TIMELINE], side.steps.capture
        row = group.keys.index((LAUNCH_LATENCY,))
        late = group.measures_ns["total"][row]
        means = [float(late[captures == which].mean()) for which in unique(captures)]
        lows.append(min(means))
        highs.append(max(means))
    return lows[1] > highs[0] or lows[0] > highs[1]


def _queued(context: RuleContext, grown: float) -> dict[Part, float]:
    """Part -> time in which the device is idle although work is launched, as far as that changed as the kernels did:
    the device runs other work then, whatever the host does meanwhile."""
    idle = context.amounts(DEVICE_TIMELINE).get((LAUNCH_LATENCY,))
    host = {label: us for label, us in exposed_host(context).items() if us * grown > 0}
    if idle is None or idle.delta_us * grown <= 0 or abs(idle.delta_us) < context.least_us or not host:
        return {}
    share = min(1.0, idle.delta_us / math.fsum(host.values()))
    return {(label, ""): us * share for label, us in host.items()}


DEVICE_CONTENTION = Rule(
    names=("device_interrupted",),
    meaning="device contention: other work takes the device between and within kernels",
    when="Kernels with equal launch configuration together take 1.2 times as long, but their fastest launches do not; "
    "or launched work starts 1.75 times as late on an idle device",
    tables=("kernels",),
    look_at="other processes on the device (nvidia-smi), other streams of this program, sharing by MPS or MIG",
    find=device_contention_rules,
    rank=3,
    same_work=True,
)
