"""Uniform slowdown: all of the same work is slower or faster (clocks, contention, another machine)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.causes.detectors.machine.recording import costlier_to_record
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import are_inputs_unknown, machine_or_threads, working_calls
from tb_perfcompare.comparison.causes.evidence.inputs import called_otherwise, changed_arguments
from tb_perfcompare.comparison.causes.evidence.rule import SIZES, Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import paced
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import BY_SHAPE, fastest_own_calls, table_of_calls
from tb_perfcompare.comparison.causes.evidence.speed.launch_sizes import typical_growth
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import STATUSES
from tb_perfcompare.comparison.result.wording import numbers_text, ratio_text
from tb_perfcompare.comparison.statistics.uniform_ratio import uneven_ratios, uniform_ratio, weighted_quartiles
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.summary.categories import CPU_EXEC, DATA_LOADER, KERNEL, OTHER, RUNTIME, StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable

KERNELS_FLAT = 0.03
"""Largest relative change of the kernels' total time for it to count as unchanged."""

MAIN_SHARE = 0.5
"""Share of a category's change that the pace must explain."""

NEARLY_SAME_RATIO = 0.85
"""Ratio from which two times are nearly the same."""

_WORK, _BESIDE = (CPU_EXEC, RUNTIME), (DATA_LOADER, OTHER)
_CLOCKS = ("freq", "clock")
_UNEVEN = "in this direction in nearly all of the operators' time"


def pace_rules(context: RuleContext) -> Iterator[Cause]:
    """The device, or the host, is uniformly slower, on most ranks."""
    if context.job is None or context.job.changed_alike(StepCategory.KERNEL):
        yield from _device_pace(context)
    if context.job is None or context.job.changed_alike(StepCategory.CPU_EXEC):
        yield from _host_pace(context)


def _device_pace(context: RuleContext) -> Iterator[Cause]:
    device = device_ratio(context)
    if device is None:
        return
    explained = _spread(context, KERNEL, device)
    exposed = math.fsum(explained.values())
    if abs(exposed) < context.least_us or exposed * context.exposed(KERNEL) <= 0 or not context.is_clear(KERNEL):
        return
    if abs(exposed) < MAIN_SHARE * abs(context.exposed(KERNEL)):
        return
    way = "slower" if device > 1 else "faster"
    clock = _clock(context, device)

    def sentence(own: Explains) -> str:
        return (
            f"The {context.candidate.device.word} runs {way} across the board: {change_text(own)} per step; kernels "
            f"{ratio_text(device)} per launch{clock or ' (clock, power, thermal, sharing)'}."
        )

    yield cause(
        context, DEVICE_PACE, "kernels", KERNEL, exposed, sentence, (Evidence("kernels", ""),), explains=explained
    )


def _host_pace(context: RuleContext) -> Iterator[Cause]:
    host, uneven = host_ratio(context), _uneven_ratios(context)
    confidence = ""
    if host is not None:
        explained, ratios, middle = _explained_by_host_pace(context, host), ratio_text(host), host
    elif uneven is not None:
        explained, ratios = _slower_rows(context, uneven[0]), f"most {ratio_text(uneven[0])} to {ratio_text(uneven[1])}"
        middle, confidence = math.sqrt(uneven[0] * uneven[1]), _UNEVEN
    else:
        return
    exposed = math.fsum(explained.values())
    # recording more is the likelier cause
    if not _minima_follow(context, middle) or costlier_to_record(context, exposed):
        return
    if abs(exposed) < context.least_us or not context.is_clear(*{category for category, _ in explained}):
        return
    way = "slower" if exposed > 0 else "faster"

    def sentence(own: Explains) -> str:
        return (
            f"Operators run {way} on the CPU across the board: {change_text(own)} per step; {ratios} per call"
            f"{_clock(context, middle, HOST) or machine_or_threads(context)}."
        )

    yield cause(
        context, HOST_PACE, "operators", CPU_EXEC, exposed, sentence, (Evidence("operators", ""),), explains=explained,
        confidence=confidence, look_at=f"{SIZES}, {HOST_PACE.look_at}" if are_inputs_unknown(context) else "",
    )  # fmt: skip


def _uneven_ratios(context: RuleContext) -> tuple[float, float] | None:
    """Smaller and larger ratio of most operators' own time, without a device; None without input shapes, as larger
    inputs change times as unevenly."""
    if any(side.device.count or BY_SHAPE not in side.groups for side in context.sides):
        return None
    return uneven_ratios(*_own_times(context, without=context.once(_called_otherwise)), context.numbers)


def _slower_rows(context: RuleContext, ratio: float) -> dict[Part, float]:
    """Part -> change of the time of the same calls with the same arguments, in the direction of the ratio."""
    rows = {
        row.path[:2]: row.rate_effect / context.unit for row in context.entities(CPU_EXEC)
        if row.status == "both" and row.path[1] not in context.once(_called_otherwise)
    }  # fmt: skip
    return {(category, name): us for (category, name), us in rows.items() if us * math.log(ratio) > 0}


def _explained_by_host_pace(context: RuleContext, ratio: float) -> dict[Part, float]:
    """Part -> change explained by the host's pace. Operators and API calls are limited together, by the growth of
    both including hidden time, because exposed time shifts between them. Every other category follows the pace on
    its own, or not at all."""
    slower = math.fsum(_per_call(amount).paced_us(ratio) for amount in working_calls(context))
    rows = {
        (row.path[0], row.path[1]): row.rate_effect / context.unit
        for label in _WORK
        for row in context.entities(label)
        if row.status == "both"
    }
    together = math.fsum(rows.values())
    explained: dict[Part, float] = {}
    if together * slower > 0 and abs(slower) >= MAIN_SHARE * abs(together):
        explained = _divided_among_parts(context, math.copysign(min(abs(slower), abs(together)), slower))
    for label in _BESIDE:
        times = context.exposed_times(label)
        by_pace = Amount(1, 1, *times).paced_us(ratio)
        if by_pace * context.exposed(label) > 0 and abs(by_pace) >= MAIN_SHARE * abs(context.exposed(label)):
            explained[label, ""] = math.copysign(min(abs(by_pace), abs(context.exposed(label))), by_pace)
    return explained


def _per_call(amount: Amount) -> Amount:
    """Amounts as if both sides called it as often."""
    if not (amount.calls_a and amount.calls_b):
        return NOTHING
    often = (amount.calls_a + amount.calls_b) / 2
    return Amount(often, often, often * amount.us_a / amount.calls_a, often * amount.us_b / amount.calls_b)


def _divided_among_parts(context: RuleContext, us: float) -> dict[Part, float]:
    """Part -> share of this time: divided among categories by their change in that direction, and within each among
    the entities of both sides by their time."""
    moved = {label: context.exposed(label) for label in _WORK if context.exposed(label) * us > 0}
    explained: dict[Part, float] = {}
    for label, exposed in moved.items():
        rows = [row for row in context.entities(label) if row.status == "both"]
        whole = sum(row.baseline + row.candidate for row in rows)
        for row in rows if whole else ():
            share = exposed / math.fsum(moved.values()) * (row.baseline + row.candidate) / whole
            explained[label, row.path[1]] = us * share
    return explained


def _minima_follow(context: RuleContext, ratio: float) -> bool:
    """Whether the fastest calls slowed as well, which they do not under contention."""
    table = table_of_calls(context)
    fastest = fastest_own_calls(context, table)
    if not fastest:
        return True
    operators = context.amounts(table, "host_self")
    ratios = np.log([b / a for a, b in fastest.values()])
    weights = np.array([operators[key].us_a + operators[key].us_b for key in fastest])
    middle = weighted_quartiles(ratios, weights)[1]
    return middle / math.log(ratio) >= MAIN_SHARE


def _spread(context: RuleContext, category: str, ratio: float) -> dict[Part, float]:
    """Part -> change explained by the pace, for entities of both sides; scaled to the category's change if their sum
    is within a few percent of it."""
    rows = context.entities(category)
    both = np.flatnonzero(rows.status == STATUSES.index("both"))
    by_pace = paced(rows, context.unit, ratio)[both]
    together, exposed = math.fsum(by_pace.tolist()), context.exposed(category)
    # a difference of a few percent is attributed to the pace
    scale = (
        exposed / together
        if together * exposed > 0 and NEARLY_SAME_RATIO <= exposed / together <= 1 / NEARLY_SAME_RATIO
        else 1.0
    )
    names = map(rows.key.__getitem__, both.tolist())
    return {(category, name): us for name, us in zip(names, (by_pace * scale).tolist(), strict=True)}


def device_ratio(context: RuleContext) -> float | None:
    """Uniform ratio of candidate to baseline time per launch of the same kernels; None if they did not change
    uniformly: by the quartiles of their time, and by the typical kernel where the pace of the device is known. None if
    launches grew so, too: then the kernels have more to do."""
    before, after = (side.groups.get("kernels") for side in context.sides)
    ratio = uniform_ratio(before, after, context.numbers)
    if ratio is None or typical_growth(context) / math.log(ratio) >= MAIN_SHARE:
        return None
    pace = next((pace for pace in context.headline.paces if pace.of == "device" and not pace.unusable), None)
    if pace is None:
        return ratio
    return ratio if math.log1p(pace.typical) / math.log(ratio) >= MAIN_SHARE else None


def kernels_flat(context: RuleContext) -> bool:
    """Whether all kernels together take the same time on both sides."""
    kernels = context.columns("kernels")
    a, b = math.fsum(kernels.us_a.tolist()), math.fsum(kernels.us_b.tolist())
    return bool(abs(b - a) <= KERNELS_FLAT * max(a, b))


def host_ratio(context: RuleContext) -> float | None:
    """Uniform ratio over the operators' own host time, None if there is none."""
    return uniform_ratio(*_own_times(context), context.numbers)


def _called_otherwise(context: RuleContext) -> frozenset[str]:
    """Operators whose time changed mostly in calls with other arguments: whatever the machine does, they do other
    work."""
    names = {name for name, _ in context.once(called_otherwise)}
    return frozenset(name for name in names if changed_arguments(context, name) is not None)


def _own_times(
    context: RuleContext, without: frozenset[str] = frozenset()
) -> tuple[GroupTable | None, GroupTable | None]:
    """Operators with their own host time, scaled as if both sides had as many steps, so that they have the same
    weight; those named `without` have none."""
    steps = math.lcm(*context.steps)

    def own(summary: Summary) -> GroupTable | None:
        table = summary.groups.get("operators")
        if table is None or "host_self" not in table.measures_ns:
            return None
        counts = np.array([key[0] not in without for key in table.keys], dtype=np.int64)[:, None]
        factor = steps // len(summary.steps) * counts
        time = table.measures_ns["host_self"].sum(axis=1, keepdims=True) * factor
        calls = table.calls.sum(axis=1, keepdims=True) * factor
        return GroupTable(table.key_columns, table.keys, table.names, calls, {"total": time})

    return each_side(own, context.sides)


def _clock(context: RuleContext, ratio: float, device: str = "") -> str:
    """Clause on a clock counter that moved the other way: "; gpu_clock of GPU 0 1,410 → 1,128 MHz (×0.80)"; ""
    without one."""
    for change in context.counters:
        name = change.counter.lower()
        if not any(word in name for word in _CLOCKS) or (change.device == HOST) != (device == HOST):
            continue
        x, y = change.baseline, change.candidate
        if x is None or y is None or x.mean is None or y.mean is None or not x.mean or not y.mean:
            continue
        if (y.mean < x.mean) == (ratio > 1):
            return (
                f"; {change.counter} of {change.device} {numbers_text(x.mean, y.mean)}"
                f"{f' {change.unit}' if change.unit else ''} ({ratio_text(y.mean / x.mean)})"
            )
    return ""


DEVICE_PACE = Rule(
    names=("device_pace",),
    meaning="the device runs slower across the board",
    when="Most kernels changed by one ratio per launch, which explains half of the change of kernel time. The "
    "sentence names a clock counter that moved in the opposite direction",
    tables=("kernels",),
    look_at="clocks, power and temperature limits, other jobs on the device, the device model",
    confidence="the same ratio in at least half of the kernel time",
    find=pace_rules,
    rank=3,
    same_work=True,
)
HOST_PACE = Rule(
    names=("host_pace",),
    meaning="the host runs slower across the board",
    when="Most operators, and their fastest calls, changed by one ratio per call (without a device, with recorded "
    "shapes: in one direction). Not if more recording options may be the cause",
    tables=("operators",),
    look_at="CPU clock and governor, other processes, number of threads (torch.set_num_threads, OMP_NUM_THREADS) and "
    "their placement, the CPU model and its instruction set",
    confidence="the same ratio in at least half of the operators' time",
    find=pace_rules,
    rank=4,
    same_work=True,
    of_library=True,
)
