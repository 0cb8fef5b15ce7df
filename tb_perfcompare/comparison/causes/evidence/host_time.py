"""The host's part of a step: exposed time, and the growth of its work including hidden time."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, log1p

from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount
from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.rule import is_of_another_version
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import times_text
from tb_perfcompare.model.api_calls import WAIT, calls
from tb_perfcompare.model.arrays import row_medians
from tb_perfcompare.model.summary.categories import CPU_EXEC, OTHER, RUNTIME
from tb_perfcompare.model.summary.groups import BUSY, DEVICE_TIMELINE, HOST_WAIT, IDLE

HOST = (CPU_EXEC, RUNTIME, OTHER)
"""Categories in which the step waits for the host."""

MORE_CALLS = 0.5
"""Least change of an operator's calls per step ..."""

MUCH_MORE = 0.2
"""... and share of the larger number that this must be."""


OWN = 0.5
"""Share of an operator's change of exposed time that its own time must make to be its cause."""

NEARLY_EVERY = 0.75
"""Share of a side's steps that have to call an operator equally often; a change by a single call then counts."""


def call_count_changed(before: float, after: float) -> bool:
    """Whether the number of calls per step changed by enough to matter."""
    return abs(after - before) >= max(MORE_CALLS, MUCH_MORE * max(before, after))


def recounted_operators(context: RuleContext) -> frozenset[str]:
    """Operators that nearly every step of a side calls equally often, and the other side a different number of times.
    Even few additional calls are certain then: two more layers of forty."""
    usual = []
    for summary in context.sides:
        table = summary.groups.get("operators")
        if table is None:
            return frozenset()
        middle = row_medians(table.calls)
        steady = (table.calls == middle[:, None]).mean(axis=1) >= NEARLY_EVERY
        named = zip(table.keys, middle.tolist(), steady.tolist(), strict=True)
        usual.append({key[0]: calls for key, calls, enough in named if enough})
    return frozenset(name for name, calls in usual[0].items() if usual[1].get(name, calls) != calls)


def exposed_host(context: RuleContext) -> dict[str, float]:
    """Category -> change of the time in which the step waits for the host."""
    return {label: context.exposed(label) for label in HOST}


def slower_work(context: RuleContext) -> float:
    """Microseconds per step by which the same calls of operators and of the device's API take longer, without
    waiting."""
    return fsum(amount.rate_us for amount in working_calls(context))


def working_calls(context: RuleContext) -> list[Amount]:
    """Operators with their own time, and calls of the device's API that do not wait."""
    api = (amount for name, amount in context.runtime().items() if not calls(WAIT, name))
    return [*context.amounts("operators", "host_self").values(), *api]


def added_calls(context: RuleContext, beyond: float) -> float:
    """Microseconds per step by which operators and the device's API take longer because each makes more calls, by more
    than `beyond` per step, without waiting."""
    return fsum(amount.counted_us for amount in working_calls(context) if abs(amount.more_calls) > beyond)


def less_hidden(context: RuleContext) -> float:
    """Microseconds per step by which exposed time of operators and of the device's API grew without the same calls
    taking longer: work that was hidden before, or more of it."""
    return context.exposed(CPU_EXEC) + context.exposed(RUNTIME) - slower_work(context)


def only_exposed(context: RuleContext) -> frozenset[str]:
    """Operators and annotations whose own time makes less than OWN of their change of exposed time: the device hid
    the rest, or does now. What changed is what else runs on the host or the device."""
    own, unit = context.own_times(CPU_EXEC), context.unit
    return frozenset(
        row.path[1] for row in context.entities(CPU_EXEC)
        if own.get(row.path[1], NOTHING).delta_us * row.delta * unit < OWN * row.delta * row.delta
    )  # fmt: skip


def exposed_growth(context: RuleContext, own: Mapping[Part, float], grown: float) -> dict[Part, float]:
    """Part -> exposed time explained by work that grew by `grown` microseconds: its own change of exposed time and,
    if it delays what follows, up to the rest of its growth as exposed time elsewhere on the host."""
    growth = {part: us for part, us in own.items() if us * grown > 0}
    others = {label: us for label, us in exposed_host(context).items() if us * grown > 0}
    for (label, _), us in growth.items():
        others[label] = others.get(label, 0.0) - us
    others = {label: us for label, us in others.items() if us * grown > 0}
    rest, whole = grown - fsum(growth.values()), fsum(others.values())
    if rest * grown > 0 and whole * grown > 0:
        for label, us in others.items():
            growth[label, ""] = us * min(1.0, rest / whole)
    return growth


OTHER_WORK = 0.2
"""Change of the program from which it may change the pace of work that it has in common: 12,000 more calls between
them, or a pause, leave operators with cold caches (×1.1 to ×1.9 in recordings)."""


def are_inputs_unknown(context: RuleContext) -> bool:
    """Whether operators may take longer because of larger inputs, which are not recorded: not with a device, as
    launching takes as long for any."""
    on_device = any(side.device.count for side in context.sides)
    return not on_device and any("operators_by_shape" not in side.groups for side in context.sides)


def machine_or_threads(context: RuleContext) -> str:
    """Clause on the readings of a uniform change of a program without a device, whose operators run on several
    threads: a trace does not say on how many, and without shapes not on what inputs. "" with a device."""
    if any(side.device.count for side in context.sides):
        return ""
    readings = ["the machine", "its number of threads"]
    if context.once(is_of_another_version):
        readings.append("the version of PyTorch")
    if are_inputs_unknown(context):
        readings.append("the size of inputs: shapes are not recorded")
    program = context.headline.program
    if program is not None and abs(log1p(program.estimate)) >= log1p(OTHER_WORK):
        readings.append("its caches, which other work of the program fills")
    if len(readings) == 2:
        return f" ({' or '.join(readings)})"
    return f" ({', '.join(readings[:-1])}, or {readings[-1]})"


def is_same_runtime(context: RuleContext) -> bool:
    """Whether both sides use one device runtime: calls of two runtimes cannot be compared."""
    return context.baseline.device.kind == context.candidate.device.kind


def idle_text(context: RuleContext, delta_us: float) -> str:
    """Clause on idle time: "; device idle waiting for the host 2.10 → 9.40 ms per step" if that changed in the
    cause's direction by enough to matter, else the same for all idle time, else "". `delta_us` is the cause's
    change."""
    amounts = context.amounts(DEVICE_TIMELINE)
    for figure, words in ((HOST_WAIT, "device idle waiting for the host"), (IDLE, "device idle")):
        amount = amounts.get((figure,))
        if amount is not None and abs(amount.delta_us) >= context.least_us and amount.delta_us * delta_us > 0:
            return f"; {words} {times_text(amount.us_a, amount.us_b)} per step"
    return ""


def idle_shares(context: RuleContext) -> tuple[float, float]:
    """Shares of both sides' steps in which the device is idle; 1 if not recorded."""
    amounts = context.amounts(DEVICE_TIMELINE)
    idle, busy = amounts.get((IDLE,)), amounts.get((BUSY,))
    if idle is None or busy is None:
        return 1.0, 1.0
    return idle.us_a / (idle.us_a + busy.us_a or 1.0), idle.us_b / (idle.us_b + busy.us_b or 1.0)
