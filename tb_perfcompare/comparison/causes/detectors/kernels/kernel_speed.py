"""Some kernels take longer per launch, beyond a uniform slowdown: for example with less occupancy or utilization."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import device_ratio
from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.general_rules import UTILIZATION_CHANGE, kernel_fact
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, changed_arguments, other_inputs
from tb_perfcompare.comparison.causes.evidence.rule import SIZES, Rule, cause, change_text, entity_confidence
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import beyond_pace, called_as_often, largest
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import LAUNCHES
from tb_perfcompare.comparison.causes.evidence.speed.launch_sizes import launches_clause, typical_growth
from tb_perfcompare.comparison.causes.evidence.speed.rates import rate_clause
from tb_perfcompare.comparison.causes.evidence.speed.registers import compiled_otherwise
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow
from tb_perfcompare.comparison.result.wording import (
    and_others,
    number_text,
    numbers_text,
    percent_text,
    short,
    signed_time,
    times_text,
)
from tb_perfcompare.model.summary.categories import KERNEL

MAIN_SHARE = 0.5
"""Share of the slowdown of the same launches, beyond a uniform slowdown, that the kernels must explain."""

MIN_SHARE = 0.05
"""Share of the category's change that they must explain."""

ALIKE = 1.5
"""Largest factor between changes, as logarithms, of kernels that changed alike."""

BEYOND_PACE = 0.2
"""On a uniformly slower device, least deviation from the pace for a kernel to be slower itself."""

MOST_NAMED = 2
"""Further kernels that a sentence names."""

MOST = 0.5
"""Share of a kernel's launches that have to be alike on both sides to tell whether it takes longer."""

_SEVERAL = "their library and its version; clocks, power limits and memory traffic, which slow kernels of one kind"
_COMPILED = "the kernel's tile or block size and number of warps (constants and autotuning of Triton), compiler options"

_MEASURED = (("dram_active", "DRAM throughput"), ("tensor_active", "tensor utilization"))
_OCCUPANCY = (("achieved_occupancy", 1.0), ("occupancy", 0.01))
"""Occupancy of kernels with its scale to a fraction: measured, else the one that the launch allows."""


def kernel_speed_rules(context: RuleContext) -> Iterator[Cause]:
    """The kernel that makes most of the slowdown of the same launches, beyond a uniform slowdown of the device, with
    others that changed alike, such as those of one library."""
    pace = device_ratio(context)
    rows = context.entities(KERNEL)
    often = called_as_often(rows)
    beyond = beyond_pace(rows, context.unit, pace)
    left = fsum(beyond[often].tolist())
    slower = np.flatnonzero(often & _beyond(rows, pace))
    if not len(slower) or abs(left) < context.least_us:
        return
    toward = beyond * (1 if left > 0 else -1)
    first = largest(rows, slower, toward)
    ratio, some = _log_ratio(rows[first]), [first]
    if ratio and not _is_paced(context, ratio) and typical_growth(context) / ratio < MAIN_SHARE:
        others = slower[(toward[slower] >= context.least_us) & (slower != first)].tolist()
        some += [at for at in others if 1 / ALIKE <= _log_ratio(rows[at]) / ratio <= ALIKE]
    sure = {at: entity_confidence(context, KERNEL, rows.key[at], int(often.sum())) for at in some}
    changed = {
        rows.key[at]: float(beyond[at]) for at in some if sure[at] and not _launched_otherwise(context, rows.key[at])
    }
    delta, exposed = fsum(changed.values()), context.exposed(KERNEL)
    least = max(MAIN_SHARE * abs(left), MIN_SHARE * abs(exposed), context.least_us)
    if delta * exposed < 0:  # if other kernels more than make up for it, it is a cause only if it is the larger part
        least = max(least, abs(exposed))
    if rows.key[first] in changed and delta * left > 0 and abs(delta) >= least:
        yield _slower_cause(context, rows[first], changed, sure[first], paced=pace is not None)


def _is_paced(context: RuleContext, log_ratio: float) -> bool:
    """Whether the device runs at a pace that makes the change, and this kernel changed by that: it is the machine's."""
    sides, change = Amount(1, 1, *context.exposed_times(KERNEL)), context.exposed(KERNEL)
    return any(
        math.log1p(pace.estimate) * log_ratio >= log_ratio**2 / ALIKE
        and MAIN_SHARE * abs(sides.paced_us(1 + pace.estimate)) <= abs(change)
        for pace in context.headline.paces if pace.of == "device" and not pace.unusable
    )  # fmt: skip


def _log_ratio(row: LedgerRow) -> float:
    """Logarithm of the ratio of the times per launch; 0 if one is not known."""
    if not (row.baseline and row.candidate and all(row.calls)):
        return 0.0
    return math.log(row.candidate / row.calls[1]) - math.log(row.baseline / row.calls[0])


def _launched_otherwise(context: RuleContext, kernel: str) -> bool:
    """Whether the kernel takes as long in most of its launches, which are alike on both sides, so that others make its
    change: a large copy that one side alone makes, by a kernel that also does small ones."""
    launches = context.amounts_of(kernel, LAUNCHES, "total").values()
    of_both = [one for one in launches if one.calls_a and one.calls_b]
    alike = [one for one in of_both if not call_count_changed(one.calls_a, one.calls_b)]
    times, times_alike = (fsum(one.calls_a + one.calls_b for one in some) for some in (launches, alike))
    change, change_alike = (fsum(one.delta_us for one in some) for some in (launches, alike))
    return times_alike >= MOST * times > 0 and abs(change_alike) < MAIN_SHARE * abs(change)


def _beyond(rows: EntityRows, pace: float | None) -> NDArray[np.bool_]:
    if pace is None:
        return np.ones(len(rows), dtype=bool)
    there = (rows.baseline != 0) & (rows.candidate != 0)
    with np.errstate(all="ignore"):
        times = (column.astype(np.float64) for column in (rows.candidate, rows.baseline))
        after, before = (time / calls for time, calls in zip(times, rows.calls[::-1], strict=True))
        own = after / before / pace
        beyond: NDArray[np.bool_] = there & (np.maximum(own, 1 / own) >= 1 + BEYOND_PACE)
    return beyond


def _slower_cause(
    context: RuleContext, row: LedgerRow, changed: Mapping[str, float], sure: str, *, paced: bool
) -> Cause:  # fmt: skip
    """The cause. `row`: the kernel that changed most; `changed`: kernel -> change, microseconds per step."""
    name, delta = row.path[1], fsum(changed.values())
    way = "slower" if delta > 0 else "faster"
    rule, why = _why(context, name, delta > 0)
    operator = launching_operator(context, name)
    below = f" (under {short(operator)})" if operator else ""
    subject, other_rule, look_at = name, "", _COMPILED if name in context.once(compiled_otherwise) else ""
    apart = "; beyond the uniform change of all kernels" if paced else "; other kernels did not change the same way"
    if inputs := other_inputs(context, operator):
        subject, other_rule, look_at, why = operator, inputs.rule, INPUTS, f"; {inputs.clause}"
    elif launches := launches_clause(context, name):
        look_at, why, apart = SIZES, f"; {launches}", ""
    else:
        called = changed_arguments(context, operator)
        if called is not None:
            look_at, why = called.look_at, f"; {called.clause}"
        why += rate_clause(context, operator, other_arguments=called is not None)
    amount = context.amount("kernels", "total", name)
    each = times_text(amount.us_a / (amount.calls_a or 1), amount.us_b / (amount.calls_b or 1))
    launches_text = f"{each} per launch, {number_text(row.calls[1])} {'launch' if row.calls[1] == 1 else 'launches'}"
    others = sorted((one for one in changed if one != name), key=lambda one: (-abs(changed[one]), one))

    def sentence(own: Explains) -> str:
        if not others:
            which = f"{short(name)}{below} {change_text(own)} per step ({launches_text})"
            return f"One kernel is {way}: {which}{why}{apart}."
        named = ", ".join(f"{short(one)} {signed_time(changed[one])}" for one in others[:MOST_NAMED])
        return (
            f"{len(changed)} kernels are {way}: {change_text(own)} per step; {short(name)}{below} "
            f"{signed_time(changed[name])} ({launches_text}){why}; by about the same ratio {named}"
            f"{and_others(len(others) - MOST_NAMED)}{apart}."
        )

    return cause(
        context, rule, subject, KERNEL, delta, sentence,
        (Evidence("kernels", name), Evidence("ledger", " / ".join(row.path))),
        name=other_rule, confidence=sure, look_at=look_at or (_SEVERAL if others else ""),
        explains={(KERNEL, one): us for one, us in changed.items()},
    )  # fmt: skip


def _why(context: RuleContext, kernel: str, slower: bool) -> tuple[Rule, str]:
    """The rule and the clause for a figure that fell as the kernel became slower, or rose as it became faster."""
    word = "lower" if slower else "higher"

    def moved(fact: str, scale: float = 1.0) -> tuple[float, float] | None:
        x, y = (kernel_fact(side, kernel, fact) for side in context.sides)
        if x is None or y is None or ((x - y) if slower else (y - x)) * scale < UTILIZATION_CHANGE:
            return None
        return x * scale, y * scale

    for fact, scale in _OCCUPANCY:
        change = moved(fact, scale)
        if change is not None:
            measured = "" if fact == "achieved_occupancy" else "estimated "
            before, after = map(percent_text, change)
            return OCCUPANCY_LOST, f"; {word} {measured}occupancy ({before} → {after})"
    for fact, words in _MEASURED:
        change = moved(fact)
        if change is not None:
            return UTILIZATION_LOST, f"; {word} {words} ({percent_text(change[0])} → {percent_text(change[1])})"
    registers = context.once(compiled_otherwise).get(kernel)
    if registers is not None:
        return KERNEL_SLOWER, f"; compiled otherwise ({numbers_text(*registers)} registers per thread)"
    return KERNEL_SLOWER, ""


def launching_operator(context: RuleContext, kernel: str) -> str:
    """The operator below which a kernel's time changed most, "" if none is known."""
    columns = context.columns("kernels_by_operator")
    rows = {
        operator: amount for (_, operator), amount in columns.of_rows(columns.joined.named(kernel)).items()
    }  # fmt: skip
    return max(rows, key=lambda operator: (abs(rows[operator].delta_us), operator), default="")


KERNEL_SLOWER = Rule(
    names=("kernel_slower", "kernel_faster"),
    meaning="one kernel is slower, or several by about the same ratio",
    when="They make half of the change of kernels launched as often, beyond a uniform slowdown, and each is "
    "significant among all kernels",
    tables=("kernels",),
    look_at="input shapes and strides, launch configuration, concurrent memory traffic",
    find=kernel_speed_rules,
    rank=4,
    same_work=True,
    of_library=True,
)
OCCUPANCY_LOST = Rule(
    names=("occupancy_lost", "occupancy_gained"),
    meaning="a slower kernel fills less of the device",
    when="As `kernel_slower`, and the measured or estimated occupancy fell by at least 0.05",
    tables=("kernels",),
    look_at="launch configuration: block size, registers, shared memory; compiler flags and library version",
    find=kernel_speed_rules,
    rank=4,
    same_work=True,
    of_library=True,
)
UTILIZATION_LOST = Rule(
    names=("utilization_lost", "utilization_gained"),
    meaning="a slower kernel uses less of the device",
    when="As `kernel_slower`, and DRAM throughput or tensor utilization fell by at least 0.05",
    tables=("kernels",),
    look_at="memory accesses: strides, alignment, cache hits; concurrent work on the device",
    find=kernel_speed_rules,
    rank=4,
    same_work=True,
    of_library=True,
)
