"""Work that only moves data: kernels on a device; operators if the host does the work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.kernels.compiled_regions import is_compiled_on_one_side
from tb_perfcompare.comparison.causes.detectors.kernels.kernel_speed import launching_operator
from tb_perfcompare.comparison.causes.detectors.more_calls import times_as_often
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import MUCH_MORE, is_same_runtime
from tb_perfcompare.comparison.causes.evidence.inputs import elements
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import moved_inside
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time
from tb_perfcompare.model.input_shapes import shown_shape
from tb_perfcompare.model.names.work_kinds import MOVING
from tb_perfcompare.model.summary.categories import CPU_EXEC, KERNEL

MAIN_SHARE = 0.5
"""Share of the change of copies that must be by count."""

COPYING = ("directcopy", "nchwtonhwc", "nhwctonchw", "catarraybatchedcopy", "copykernel", "transpose", "permute")
"""Parts of names, lower case and without underscores, of kernels that only move data."""


JOINING = frozenset({"aten::cat", "aten::stack"})
JOINED = "what is joined by torch.cat and torch.stack"
"""What to look at if these make most of the copies."""


def device_copy_rules(context: RuleContext) -> Iterator[Cause]:
    """More (fewer) kernels that only move data. Devices of two kinds name them differently."""
    if not is_same_runtime(context):
        return
    kernels = context.entities(KERNEL)
    if not only_moves_data("\n".join(kernels.key)):
        return  # quick test: if none of the parts occurs in all names joined, no name has one
    rows = kernels.picked(np.array([only_moves_data(name) for name in kernels.key], dtype=bool))
    delta = sum(row.delta for row in rows) / context.unit
    counted = fsum(map(context.counted_us, rows))
    before, after = sum(row.calls[0] for row in rows), sum(row.calls[1] for row in rows)
    if (
        abs(counted) < max(context.least_us, MAIN_SHARE * abs(delta))
        or (after > before) != (counted > 0)
        or after == before
    ):
        return
    first = max(rows, key=lambda row: (abs(context.counted_us(row)), row.path))
    operator = launching_operator(context, first.path[1])
    below = f" (under {short(operator)})" if operator else ""

    def sentence(own: Explains) -> str:
        return (
            f"{'More' if counted > 0 else 'Fewer'} on-device copies: {change_text(own)} per step; kernels that only "
            f"move data launch {numbers_text(before, after)} times per step, mostly {short(first.path[1])}{below}."
        )

    yield cause(
        context, LAYOUT_COPIES, first.path[1], KERNEL, counted, sentence, (Evidence("kernels", first.path[1]),),
        explains={(KERNEL, row.path[1]): context.counted_us(row) for row in rows},
        look_at=JOINED if operator in JOINING else "",
        how=f"copy kernels {signed_time(counted)}, {numbers_text(before, after)} launches per step",
    )  # fmt: skip


def only_moves_data(name: str) -> bool:
    """Whether a kernel copies or rearranges data, by its name."""
    plain = name.lower().replace("_", "")
    return any(part in plain for part in COPYING)


def counted_copies(context: RuleContext) -> frozenset[str]:
    """Names of the kernels whose time device_copy_rules explains."""
    return frozenset(name for cause in device_copy_rules(context) for _, name in cause.explains)


def host_copy_rules(context: RuleContext) -> Iterator[Cause]:
    """More (fewer) operators that only move data, in programs without a device."""
    if any(side.device.kind != "cpu" for side in context.sides) or is_compiled_on_one_side(context):
        return  # compiled code makes other copies than eager code, which are not recorded
    moved = _moves(context)
    delta = math.fsum(amount.counted_us for amount in moved.values())
    more = total(moved.values()).more_calls
    grown = math.fsum(abs(amount.delta_us) for amount in moved.values())
    if abs(delta) < max(context.least_us, MAIN_SHARE * grown) or more * delta <= 0:
        return
    first = max(moved, key=lambda key: (moved[key].counted_us * (1 if delta > 0 else -1), key))
    name, calls = first[0], total(amount for key, amount in moved.items() if key[0] == first[0])
    is_main = abs(moved[first].more_calls) >= MAIN_SHARE * abs(calls.more_calls)
    of = f" of {shown_shape(first[1])}" if len(first) > 1 and first[1] and is_main else ""
    of_first = numbers_text(moved[first].calls_a, moved[first].calls_b)

    def sentence(own: Explains) -> str:
        return (
            f"{'More' if delta > 0 else 'Fewer'} copies on the CPU: {change_text(own)} per step in operators that only "
            f"move data; {short(name)} runs {numbers_text(calls.calls_a, calls.calls_b)} times per step"
            f"{f', {of_first}{of}' if of else ''}."
        )

    yield cause(
        context, COPIES_ON_CPU, name, CPU_EXEC, delta, sentence, (Evidence("operators", name),),
        explains=_explained(moved), calls=(counts := _counts(moved, more)), counts=counts,
        look_at=JOINED if name in JOINING else "",
        how=f"{short(name)} {signed_time(delta)}, {numbers_text(calls.calls_a, calls.calls_b)} calls per step",
    )  # fmt: skip


def _explained(moved: Mapping[Key, Amount]) -> dict[Part, float]:
    """Part -> change by count, for each operator over all its shapes."""
    return total_by_key(((CPU_EXEC, key[0]), amount.counted_us) for key, amount in moved.items())


def _counts(moved: Mapping[Key, Amount], more: float) -> dict[str, float]:
    """Operator -> change of its calls per step, if it has the sign of the total."""
    counts = total_by_key((key[0], amount.more_calls) for key, amount in moved.items())
    return {name: calls for name, calls in counts.items() if calls * more > 0}


def _moves(context: RuleContext) -> dict[Key, Amount]:
    """Self time of the operators that move data, by shape, without those that grew as all work did, those that other
    operators call, and those whose time is another category's: below the data loader. By shape, because more calls of
    another shape are not slower calls."""
    table = context.amounts("operators_by_shape", "host_self") or context.amounts("operators", "host_self")
    usual = times_as_often(context)
    exposed = {row.path[1]: row.delta / context.unit for row in context.entities(CPU_EXEC) if row.path[1] in MOVING}
    own = total_by_key((key[0], amount.delta_us) for key, amount in table.items() if key[0] in MOVING)
    elsewhere = {name for name, us in own.items() if abs(exposed.get(name, 0.0)) < MAIN_SHARE * abs(us)}
    elsewhere |= moved_inside(context)
    return {
        key: amount for key, amount in table.items()
        if key[0] in MOVING and key[0] not in elsewhere and not (usual != 1 and _grew(amount, usual))
        and not _moves_nothing_known(key)
    }  # fmt: skip


def _moves_nothing_known(key: Key) -> bool:
    """Whether none of its inputs has a recorded size: a long list of tensors, whose results other operators gather."""
    return len(key) > 1 and key[1] != "" and not elements(key[1])


def _grew(amount: Amount, usual: float) -> bool:
    """Whether it is called `usual` times as often."""
    a, b = amount.calls_a, amount.calls_b
    return a > 0 and b > 0 and abs(math.log(b / a / usual)) <= math.log(1 + MUCH_MORE)


LAYOUT_COPIES = Rule(
    names=("layout_copies",),
    meaning="more kernels that only move data (copies, transposes, layout conversions)",
    when="Kernels that only move data, by name, run more often. At least half of their change is by count",
    tables=("kernels",),
    look_at=".contiguous(), .to(), channels_last on one side only, dtype conversions between layers",
    confidence="certain: launches are counted; copies are recognized by kernel name",
    find=device_copy_rules,
    rank=2,
)
COPIES_ON_CPU = Rule(
    names=("layout_copies",),
    meaning="more operators that only move data",
    when="Without a device: operators that only move data (`aten::copy_`, `clone`, `_to_copy`, `cat`, ...) run more "
    "often, but not because operators around them do. At least half of their change is by count",
    tables=("operators_by_shape",),
    look_at=".contiguous(), .to(), .clone() and channels_last on one side only, dtype conversions between layers",
    confidence="certain: calls are counted",
    find=host_copy_rules,
    rank=4,
    same_work=True,
)
