"""Operators have other input types or shapes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from tb_perfcompare.comparison.causes.detectors.more_calls import calls_alike
from tb_perfcompare.comparison.causes.detectors.workload.difference import OtherWork
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total
from tb_perfcompare.comparison.causes.evidence.inputs import (
    OTHER_SIZE,
    by_first_type,
    by_inputs,
    by_name,
    elements,
    growth,
    have_moved,
    most_alike,
    nearly_as_large,
    one_sided_operands,
    share_of_other_inputs,
    time_share_of_other_inputs,
)
from tb_perfcompare.comparison.causes.evidence.known_settings import setting_of_arguments
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.rates import total_clause
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import percent_text, ratio_text, short
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.input_shapes import input_texts, launched_threads, shown_shape
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.names.work_kinds import UNINFORMATIVE
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import rough

MIN_CONSTANT_SHARE = 0.5
"""Share of the calls that must have shapes found in most steps of their side; below it inputs vary."""

OTHER_TIME = 0.25
"""Share of the operators' self time from which few calls with other inputs count, as for the output layer of a
larger vocabulary (0.41 to 0.98 in recordings of other inputs, at most 0.15 in others)."""

ONE_RATIO = 0.5
"""Share of the operators with other inputs that have to grow as the batch does for it to be another batch size (1.0 in
recordings)."""

MAX_SHAPES = 128
"""Up to this many changed input shapes, two of an operator can be compared. Layers and tokens have some; experts have
new ones in every step."""

_OF_LAYERS = regex(r"aten::(?:\w*conv\w*|linear|addmm)$")
"""Operators with an operand for the data and one for a layer's weights."""

_LAYERS = "the layers of both models: kernel sizes, groups and widths"

_OPERANDS = "masks, biases and other optional operands on both sides"

_DOUBLE = "model.double(), tensors made from NumPy arrays, which are float64, and torch.set_default_dtype()"

_PADDED = "padding of both runs: to a fixed length (padding='max_length'), or to the longest of the batch; bucketing"

_LENGTHS = "sequence lengths, padding and batching of both runs; record more steps or use the same data loader seed"


def other_types(context: RuleContext) -> OtherWork | None:
    """Many calls have other input types; None if not."""
    types = by_first_type(context.amounts("operators_by_type", "host_total"))
    how_many = _how_many(types, by_first_type(_own_times(context, "operators_by_type")))
    if not how_many:
        return None
    example = _example(types, by_first_type(context.amounts("operators_by_type", "device_total")))
    if example is None:
        return None
    name, before, after = example
    is_double = ("double" in before) != ("double" in after)
    return OtherWork(
        name,
        f"{how_many} have different input types, e.g. {short(name)} "
        f"{shown_shape(before)} → {shown_shape(after)}",
        None, Evidence("operators", name), of_types=True,
        look_at=setting_of_arguments(context, argument="dtype") or (_DOUBLE if is_double else ""),
    )  # fmt: skip


def other_shapes(context: RuleContext) -> OtherWork | None:
    """Many calls have other input shapes; None if not, or if sizes vary from step to step and are alike."""
    amounts = by_inputs(context.amounts("operators_by_shape", "host_total"))
    how_many = _how_many(amounts, by_inputs(_own_times(context, "operators_by_shape")))
    if not how_many:
        return None
    example = _example(amounts, by_inputs(context.amounts("operators_by_shape", "device_total")))
    if example is None:
        return None
    name, before, after = example
    moved = {operator: rows for operator, rows in by_name(amounts).items() if have_moved(rows)}
    recurring = [recur(side, moved) for side in context.sides]
    if not all(recurring):
        alone = SIDES[recurring.index(False)] if any(recurring) else ""
        amount = context.headline.amount
        is_chance = not alone and amount is not None and amount.low <= 0 <= amount.high
        return None if is_chance else _other_sizes(moved, name, alone)
    ratio = growth(before, after)
    few_differ = share_of_other_inputs(amounts) <= 1 - SIMILAR_WORK
    if few_differ and nearly_as_large(before, after):
        return None
    each = _per_sample(context, moved, ratio) if _is_another_batch(before, after) else ""
    return OtherWork(
        name,
        f"{how_many} have {_difference(name, before, after, ratio)}{each}{total_clause(context)}",
        ratio, Evidence("operators_by_shape", f"{name} / {after}"),
        look_at=_looked_at(name, before, after), few=few_differ,
    )  # fmt: skip


def _is_another_batch(before: str, after: str) -> bool:
    """Whether nothing but the first dimension of the first operand differs."""
    (first, *rest), (other, *others) = (input_texts(shape) for shape in (before, after))
    return first != other and rest == others and first.count(",") > 0 and first.split(",")[1:] == other.split(",")[1:]


def _per_sample(context: RuleContext, moved: Mapping[str, list[tuple[str, Amount]]], ratio: float) -> str:
    """Clause on the step time per sample of a batch: "; 14 % longer per sample"; "" if the step has no direction, if it
    makes other calls, or if most inputs did not grow by the ratio of the batch."""
    shift = context.headline.shift
    if shift is None or not context.headline.verdict.way or not calls_alike(context):
        return ""
    sides = ([[part for part, one in rows if one.more_calls * way > 0] for way in (-1, 1)] for rows in moved.values())
    ratios = [growth(*most_alike(gone, new)) for gone, new in sides]
    if sum(abs(math.log(one / ratio)) < math.log1p(OTHER_SIZE) for one in ratios) < ONE_RATIO * len(ratios):
        return ""
    change = (1 + shift.estimate) / ratio - 1
    return f"; the typical step takes {rough(abs(change))} {'longer' if change > 0 else 'less time'} per sample"


def _difference(operator: str, before: str, after: str, ratio: float) -> str:
    """How the inputs differ, by an example: an operand that only one side has, or shapes."""
    gone, new = one_sided_operands(before, after)
    if gone or new:
        operands = f"a new operand {new}" if new else f"lost the operand {gone}"
        return f"{operands}, e.g. {short(operator)}"
    shapes = f"{shown_shape(before)} → {shown_shape(after)}"
    return f"different input shapes, e.g. {short(operator)} {shapes} (elements {ratio_text(ratio)})"


def _looked_at(operator: str, before: str, after: str) -> str:
    if any(one_sided_operands(before, after)):
        return _OPERANDS
    return _LAYERS if _of_another_layer(operator, before, after) else ""


def _of_another_layer(operator: str, before: str, after: str) -> bool:
    """Whether an operator of layers has other weights: other data alone leaves these as they are."""
    if not _OF_LAYERS.match(operator):
        return False
    operands = [[text for text in input_texts(shape) if text.count(",")] for shape in (before, after)]
    return all(operands) and operands[0][1:] != operands[1][1:]


def _own_times(context: RuleContext, table: str) -> Mapping[Key, Amount]:
    """Self times of operators: on the device if it works for them, else on the host."""
    device = context.amounts(table, "device_self")
    on_device = any(amount.us_a or amount.us_b for amount in device.values())
    return device if on_device else context.amounts(table, "host_self")


def _how_many(calls: Mapping[Key, Amount], times: Mapping[Key, Amount]) -> str:
    """Extent of other inputs: "23.0 % of operator calls", or "calls with 59.0 % of the operators' time"; "" for few."""
    other = share_of_other_inputs(calls)
    if other > 1 - SIMILAR_WORK:
        return f"{percent_text(other)} of operator calls"
    other = time_share_of_other_inputs(times)
    return f"calls with {percent_text(other)} of the operators' time" if other > OTHER_TIME else ""


def _other_sizes(moved: Mapping[str, list[tuple[str, Amount]]], name: str, alone: str) -> OtherWork | None:
    """Other work by mean size, for shapes that vary from step to step and are never the same on two sides; None if
    their sizes are alike. `alone`: the only side whose shapes vary, "" if those of both do."""
    before = after = 0.0
    for parts in moved.values():
        calls = total(amount for _, amount in parts)
        if not (calls.calls_a and calls.calls_b):
            continue
        each = min(calls.calls_a, calls.calls_b)  # calls that both sides have, with the mean size on each
        before += each * sum(elements(shape) * amount.calls_a for shape, amount in parts) / calls.calls_a
        after += each * sum(elements(shape) * amount.calls_b for shape, amount in parts) / calls.calls_b
    if max(before, after) < (1 + OTHER_SIZE) * min(before, after):
        return None
    how = f"input shapes vary between steps{f' of the {alone} alone' if alone else ''}"
    confidence = "certain: the shapes are recorded"
    return OtherWork(
        name, f"{how}, mean elements {ratio_text(after / before)}",
        after / before, Evidence("operators_by_shape", name),
        confidence=confidence if alone else f"{confidence}; with few steps, inputs may differ by chance",
        look_at=_PADDED if alone else _LENGTHS, by_chance=not alone,
    )  # fmt: skip


def recur(summary: Summary, names: Collection[str], table: str = "operators_by_shape") -> bool:
    """Whether most calls of these operators have shapes (launches) that recur in at least half of the steps. Only
    `names` count, because optimizers work on parameters, whose size does not depend on the inputs."""
    group, size_of = summary.groups[table], elements if table == "operators_by_shape" else launched_threads
    calls = group.calls[[row for row, key in enumerate(group.keys) if key[0] in names and size_of(key[1])]]
    usual = (calls > 0).mean(axis=1) >= 0.5
    return float(calls[usual].sum()) >= MIN_CONSTANT_SHARE * float(calls.sum())


def _example(parts: Mapping[Key, Amount], device: Mapping[Key, Amount]) -> tuple[str, str, str] | None:
    """(operator, inputs before, inputs after) of the operator with the most device time, else host time, among those
    whose inputs changed; operators of layers before others, as those of optimizers work on parameters of any size.
    Copies and casts come after them, and last come operators whose inputs are new in every call, such as those of
    experts: no two of these show how sizes changed."""
    best: tuple[tuple[bool, bool, bool, bool, float, float, str], list[str], list[str]] | None = None
    for name, rows in by_name(parts).items():
        gone = [part for part, amount in rows if amount.more_calls < 0]
        new = [part for part, amount in rows if amount.more_calls > 0]
        if not gone or not new:
            continue
        on_device = total(device.get((name, part), Amount()) for part, _ in rows)
        on_host = total(amount for _, amount in rows)
        us = on_device.us_a + on_device.us_b, on_host.us_a + on_host.us_b
        varies = max(len(gone), len(new)) > MAX_SHAPES
        of_layers = _OF_LAYERS.match(name) is not None
        weight = (not is_backward(name), not varies, name not in UNINFORMATIVE, of_layers, *us, name)
        if best is None or weight > best[0]:
            best = (weight, gone, new)
    return None if best is None else (best[0][-1], *most_alike(best[1], best[2]))
