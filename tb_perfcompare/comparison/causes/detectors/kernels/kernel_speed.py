"""One kernel takes longer per launch, beyond a uniform slowdown: for example with less occupancy or utilization."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import device_ratio
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.general_rules import UTILIZATION_CHANGE, kernel_fact
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, changed_arguments, other_inputs
from tb_perfcompare.comparison.causes.evidence.rule import SIZES, Rule, cause, change_text, entity_confidence
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import beyond_pace, called_as_often, largest
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import LAUNCHES
from tb_perfcompare.comparison.causes.evidence.speed.launch_sizes import launches_clause
from tb_perfcompare.comparison.causes.evidence.speed.rates import rate_clause
from tb_perfcompare.comparison.causes.evidence.speed.registers import compiled_otherwise
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow
from tb_perfcompare.comparison.result.wording import number_text, numbers_text, percent_text, short, times_text
from tb_perfcompare.model.summary.categories import KERNEL

MAIN_SHARE = 0.5
"""Share of the slowdown of the same launches, beyond a uniform slowdown, that the kernel must explain."""

MIN_SHARE = 0.05
"""Share of the category's change that a single kernel must explain."""

BEYOND_PACE = 0.2
"""On a uniformly slower device, least deviation from the pace for a kernel to be slower itself."""

MOST = 0.5
"""Share of a kernel's launches that have to be alike on both sides to tell whether it takes longer."""

_COMPILED = "the kernel's tile or block size and number of warps (constants and autotuning of Triton), compiler options"

_MEASURED = (("dram_active", "DRAM throughput"), ("tensor_active", "tensor utilization"))
_OCCUPANCY = (("achieved_occupancy", 1.0), ("occupancy", 0.01))
"""Occupancy of kernels with its scale to a fraction: measured, else the one that the launch allows."""


def kernel_speed_rules(context: RuleContext) -> Iterator[Cause]:
    """The kernel that makes most of the slowdown of the same launches, beyond a uniform slowdown of the device."""
    pace = device_ratio(context)
    rows = context.entities(KERNEL)
    often = called_as_often(rows)
    beyond = beyond_pace(rows, context.unit, pace)
    left = fsum(beyond[often].tolist())
    slower = np.flatnonzero(often & _beyond(rows, pace))
    if not len(slower) or abs(left) < context.least_us:
        return
    at = largest(rows, slower, beyond * (1 if left > 0 else -1))
    first, delta = rows[at], float(beyond[at])
    exposed = context.exposed(KERNEL)
    least = max(MAIN_SHARE * abs(left), MIN_SHARE * abs(exposed), context.least_us)
    if delta * exposed < 0:  # if other kernels more than make up for it, it is a cause only if it is the larger part
        least = max(least, abs(exposed))
    if delta * left <= 0 or abs(delta) < least:
        return
    sure = entity_confidence(context, KERNEL, first.path[1], int(often.sum()))
    if sure and not _launched_otherwise(context, first.path[1]):
        yield _slower_cause(context, first, delta, sure, paced=pace is not None)


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


def _slower_cause(context: RuleContext, row: LedgerRow, delta: float, sure: str, *, paced: bool) -> Cause:
    name, way = row.path[1], "slower" if delta > 0 else "faster"
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

    def sentence(own: Explains) -> str:
        return (
            f"One kernel is {way}: {short(name)}{below} {change_text(own)} per step ({each} per launch, "
            f"{number_text(row.calls[1])} {'launch' if row.calls[1] == 1 else 'launches'}){why}{apart}."
        )

    return cause(
        context, rule, subject, KERNEL, delta, sentence,
        (Evidence("kernels", name), Evidence("ledger", " / ".join(row.path))),
        name=other_rule, confidence=sure, look_at=look_at, explains={(KERNEL, name): delta},
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
    meaning="one kernel is slower",
    when="The kernel makes half of the change of kernels launched as often, beyond a uniform slowdown, and is "
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
