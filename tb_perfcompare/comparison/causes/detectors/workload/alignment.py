"""Sizes that are no longer multiples of 8: kernels pad them, or read one element at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.inputs import by_inputs, by_name, elements, have_moved, most_alike
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text, ratio_text, short, times_text
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.input_shapes import input_sizes, shown_shape
from tb_perfcompare.model.names.work_kinds import PRODUCT, work_kind
from tb_perfcompare.model.summary.categories import KERNEL, MEMSET

MULTIPLE = 8
"""Alignment in elements: a kernel accesses this many two-byte elements at once."""

SMALL = 16
"""Sizes below this, such as channels of a filter or an image, are seldom aligned and are ignored."""

MIN_ALIGNED, MAX_UNALIGNED = 0.8, 0.5
"""Least share of aligned calls for an aligned operator, and largest share for an unaligned one."""

MAX_ELEMENT_CHANGE = 0.07
"""Largest relative change of the number of elements; beyond it the work differs."""

MIN_TIME_RATIO = 3.0
"""The time changes at least this many times as much as the elements, as logarithms, ..."""

CHANGED = 0.05
"""... and by at least this share."""

MAIN_SHARE = 0.5
"""Share of the change that must be in operators that compute in blocks: a lookup of rows needs no multiples."""

_IN_BLOCKS = regex("conv|attention|attn|fmha")

PADDING = "padding"
"""Part of the name of kernels that only pad."""

_Rows = Sequence[tuple[str, Amount]]


def alignment_rules(context: RuleContext) -> Iterator[Cause]:
    """Operators on nearly the same number of elements, whose sizes were multiples of 8 on one side only."""
    on_device = {category: context.exposed(category) for category in (KERNEL, MEMSET)}
    exposed = math.fsum(on_device.values())
    if abs(exposed) < context.least_us:
        return
    moved = {
        name: rows
        for name, rows in by_name(by_inputs(context.amounts("operators_by_shape", "device_self"))).items()
        if have_moved(rows) and _lost(rows) * exposed > 0
    }
    times = {operator: total(amount for _, amount in rows) for operator, rows in moved.items()}
    every = total(times.values())
    delta = math.copysign(min(abs(every.delta_us), abs(exposed)), exposed)
    if not every.us_a or not every.us_b or abs(delta) < context.least_us:
        return
    growth = _elements(moved.values(), 1) / _elements(moved.values(), 0)
    if not _takes_longer(growth, every.us_b / every.us_a, sign=1 if exposed > 0 else -1):
        return
    in_blocks = math.fsum(amount.delta_us for operator, amount in times.items() if _computes_in_blocks(operator))
    if abs(in_blocks) < MAIN_SHARE * abs(every.delta_us):
        return
    name = max(times, key=lambda name: (not name.startswith("autograd::"), abs(times[name].delta_us), name))
    gone, new = ([part for part, amount in moved[name] if amount.more_calls * sign > 0] for sign in (-1, 1))
    before, after = most_alike(gone, new)
    pads = total(amount for key, amount in context.amounts("kernels").items() if PADDING in key[0].lower())
    padded = f"; padding kernels launch {numbers_text(pads.calls_a, pads.calls_b)} times" if pads.more_calls else ""

    def sentence(own: Explains) -> str:
        return (
            f"Sizes are {'no longer' if delta > 0 else 'now'} multiples of {MULTIPLE}: {change_text(own)} per step; "
            f"{short(name)} {times_text(times[name].us_a, times[name].us_b)}, e.g. {shown_shape(before)} → "
            f"{shown_shape(after)}{padded}; elements {ratio_text(growth)}."
        )

    yield cause(
        context, ALIGNMENT, name, KERNEL, delta, sentence, (Evidence("operators_by_shape", f"{name} / {after}"),),
        explains=of_categories({category: us * delta / exposed for category, us in on_device.items()}),
    )  # fmt: skip


def _takes_longer(elements_ratio: float, time_ratio: float, sign: int) -> bool:
    """Whether operators take longer (shorter) by much more than their number of elements grew (shrank)."""
    growth, change = abs(math.log(elements_ratio)), sign * math.log(time_ratio)
    return growth <= math.log1p(MAX_ELEMENT_CHANGE) and change >= max(math.log1p(CHANGED), MIN_TIME_RATIO * growth)


def _computes_in_blocks(operator: str) -> bool:
    return work_kind(operator) == PRODUCT or _IN_BLOCKS.search(operator.lower()) is not None


def _lost(rows: _Rows) -> int:
    """1 if the removed calls were aligned and the added ones are not, -1 the other way round, else 0."""
    went, came = (
        _aligned([(part, abs(amount.more_calls)) for part, amount in rows if amount.more_calls * sign > 0])
        for sign in (-1, 1)
    )
    if went >= MIN_ALIGNED and came <= MAX_UNALIGNED:
        return 1
    return -1 if came >= MIN_ALIGNED and went <= MAX_UNALIGNED else 0


def _aligned(calls: Sequence[tuple[str, float]]) -> float:
    """Share of the calls whose sizes, without small ones, are all multiples of 8."""
    every = math.fsum(count for _, count in calls)
    aligned = math.fsum(
        count for part, count in calls
        if all(size % MULTIPLE == 0 for size in input_sizes(part) if size >= SMALL)
    )  # fmt: skip
    return aligned / every


def _elements(operators: Iterable[_Rows], side: int) -> float:
    return math.fsum(
        elements(part) * (amount.calls_b if side else amount.calls_a) for rows in operators for part, amount in rows
    )


ALIGNMENT = Rule(
    names=("alignment_lost", "alignment_gained"),
    meaning="sizes are no longer multiples of 8, so that kernels pad or read single elements",
    when="On a device, operators whose sizes were multiples of 8 on one side only take longer: by 5 %, and by three "
    "times the growth of their elements",
    tables=("kernels",),
    look_at="widths, channels and vocabulary: round them up to multiples of 8, better 64",
    look_at_gain="which sizes of the model were rounded",
    confidence="likely: the sizes are recorded; that they cost the time is inferred from the time of these operators",
    find=alignment_rules,
    rank=1,
)
