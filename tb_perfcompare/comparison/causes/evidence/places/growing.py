"""Calls and inputs that grow from step to step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import number_text, numbers_text, short
from tb_perfcompare.model.arrays import CaptureIndex, Floats, Ints, median, unique
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

FEWEST_STEPS, GROWING_STEPS = 6, 0.85
"""Fewest steps of a capture, and share of them that must call an operator more often than the step before, for its
calls to grow from step to step. Of steps with random numbers of calls, half do."""

KEPT_SHARE = 0.5
"""Share of all increases by which the last step of a capture must exceed the first: calls that grow with the tokens of
a sequence fall back with the next one."""

MAIN_SHARE = 0.5
"""Share of the additional calls that must grow."""

KEPT = (
    "what is kept from step to step: lists, states, sequences and caches that grow; losses summed without .item() or "
    ".detach(), retain_graph=True"
)
"""What to look at if calls grow from step to step."""

GROWN_INPUTS = f"{KEPT}; a schedule of lengths or sizes (curriculum)"
"""What to look at if inputs grow from step to step."""


@dataclass(frozen=True, slots=True)
class Growth:
    """An operator's fewest and most calls in a step, and how many more each step makes than the one before: 0 if not
    always as many."""

    calls: tuple[float, float]
    each: float


def growing_clause(context: RuleContext, changed: Mapping[str, Amount], order: Sequence[str]) -> str:
    """Clause on the first operator in `order` whose calls grow from step to step, if such ones make most of the
    additional calls: "calls grow from step to step, e.g. aten::mm 44 → 165 in the candidate, 11 in the baseline; 11
    more in each step". "" if not."""
    more = fsum(amount.more_calls for amount in changed.values())
    side = int(more > 0)
    grown = context.once(_grown)
    growing = {name: grown[side][name] for name in changed if name in grown[side]}
    if abs(fsum(changed[name].more_calls for name in growing)) <= MAIN_SHARE * abs(more):
        return ""
    name = next((name for name in order if name in growing), "")
    if not name:
        return ""
    one, before = growing[name], grown[1 - side].get(name)
    usual = min(changed[name].calls_a, changed[name].calls_b)
    before_text = number_text(usual) if before is None else numbers_text(*before.calls)
    each = f"; {number_text(one.each)} more in each step" if one.each else ""
    return (
        f"calls grow from step to step, e.g. {short(name)} {numbers_text(*one.calls)} in the {SIDES[side]}, "
        f"{before_text} in the {SIDES[1 - side]}{each}"
    )


def _grown(context: RuleContext) -> tuple[dict[str, Growth], dict[str, Growth]]:
    return _growing(context.baseline), _growing(context.candidate)


def _growing(summary: Summary) -> dict[str, Growth]:
    """Operators whose calls grow in each capture."""
    table, capture = summary.groups.get("operators"), summary.steps.capture
    if table is None:
        return {}
    growing = {}
    for row in _growing_rows(table.calls, capture):
        each = np.concatenate([np.diff(table.calls[row, capture == one]) for one in unique(capture)])
        usual, calls = median(each), table.calls[row]
        same = bool((each == usual).mean() >= GROWING_STEPS)
        growing[table.keys[row][0]] = Growth((float(calls.min()), float(calls.max())), usual if same else 0.0)
    return growing


def growing_inputs(context: RuleContext) -> str:
    """Clause on the operator with the largest inputs that grow from step to step on one side only, of the forward pass
    if one is: "inputs grow from step to step, e.g. aten::cat 1,024 → 15,360 elements in the candidate"; "" if there is
    none."""
    sides = [_growing_sizes(side) for side in context.sides]
    found = [
        (not is_backward(name), sizes[1], name, side)
        for side, growing in enumerate(sides)
        for name, sizes in growing.items()
        if name not in sides[1 - side]
    ]
    if not found:
        return ""
    *_, name, side = max(found)
    sizes = numbers_text(*sides[side][name])
    return f"inputs grow from step to step, e.g. {short(name)} {sizes} elements in the {SIDES[side]}"


def _growing_sizes(summary: Summary) -> dict[str, tuple[float, float]]:
    """Operator -> fewest and most input elements of a call, by step, if they grow in each capture."""
    table, capture = summary.groups.get("operators_by_shape"), summary.steps.capture
    if table is None:
        return {}
    number: dict[str, int] = {}
    of_row = np.array([number.setdefault(key[0], len(number)) for key in table.keys], dtype=np.int64)
    elements = np.array([fsum(input_elements(key[1])) for key in table.keys])
    calls, sizes = np.zeros((2, len(number), len(capture)))
    np.add.at(calls, of_row, table.calls)
    np.add.at(sizes, of_row, elements[:, None] * table.calls)
    sizes = np.divide(sizes, calls, out=np.full_like(sizes, np.nan), where=calls > 0)
    names = list(number)
    return {
        names[row]: (float(np.nanmin(sizes[row])), float(np.nanmax(sizes[row])))
        for row in _growing_rows(sizes, capture)
    }


def _growing_rows(by_step: Ints | Floats, capture: CaptureIndex) -> list[int]:
    """Rows of (rows, steps) whose values grow from step to step in each capture; none if a capture is too short."""
    more = [np.diff(by_step[:, capture == one], axis=1) for one in unique(capture)]
    if any(each.shape[1] + 1 < FEWEST_STEPS for each in more):
        return []
    rise = [(each > 0).mean(axis=1) >= GROWING_STEPS for each in more]
    stay = [each.sum(axis=1) > KEPT_SHARE * np.maximum(each, 0).sum(axis=1) for each in more]
    return np.flatnonzero(np.logical_and.reduce([*rise, *stay])).tolist()
