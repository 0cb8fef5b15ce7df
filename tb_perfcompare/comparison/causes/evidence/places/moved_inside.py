"""Calls inside others: copies that are part of operators, operators that others call, code that moved into a range."""

from __future__ import annotations

from collections.abc import Collection
from math import fsum

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total_by_key
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.names.work_kinds import MOVING, MOVING_CALLERS
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.categories import CPU_EXEC

MAIN_SHARE = 0.5
"""Share of an operator's additional (fewer) calls that must be inside others; largest share of a range's additional
calls that the step may have more of for code to have moved."""


def moved_inside(context: RuleContext) -> set[str]:
    """Operators that move data, most of whose additional (fewer) calls are inside operators that do more than that and
    that run more (less) often themselves."""
    tree = context.tree
    changed = {
        key[0]: amount.more_calls for key, amount in context.amounts("operators", "host_total").items()
        if call_count_changed(amount.calls_a, amount.calls_b)
    }  # fmt: skip
    if tree is None:
        return set()
    inside: list[tuple[str, float]] = []
    around: list[float] = []  # for each depth, the change of calls of the outermost such operator, 0 without any
    for frame in tree.frames:
        del around[frame.depth :]
        more = around[-1] if around else 0.0
        kind, _, name = frame.key
        own = frame.calls[1] - frame.calls[0]
        if kind == FrameKind.OPERATOR and name in MOVING and own * more > 0:
            inside.append((name, own))
        around.append(more or (changed.get(name, 0.0) if kind == FrameKind.OPERATOR and _does_more(name) else 0.0))
    # an operator called as often has no additional calls elsewhere: what came inside one is gone inside another
    return {
        name for name, calls in total_by_key(inside).items()
        if name not in changed or calls / changed[name] >= MAIN_SHARE
    }  # fmt: skip


def called_by_others(context: RuleContext, changed: Collection[str]) -> set[str]:
    """The operators among these whose additional calls are all made by others of these; none without a call tree."""
    inside, alone = set[str](), set[str]()
    around: list[bool] = []
    for frame in () if context.tree is None else context.tree.frames:
        del around[frame.depth :]
        kind, _, name = frame.key
        is_within = bool(around) and around[-1]
        is_changed = kind == FrameKind.OPERATOR and name in changed and call_count_changed(*frame.calls)
        if is_changed:
            (inside if is_within else alone).add(name)
        around.append(is_within or (is_changed and "Backward" not in name))  # autograd's functions only call operators
    return inside - alone


def operators_of_loader(context: RuleContext) -> dict[str, Amount]:
    """Operator -> its calls and its own time in the data loader of the main process: all but what CPU Exec owns. Empty
    with a device, which hides a part."""
    if any(side.device.count for side in context.sides):
        return {}
    rows = context.entities(CPU_EXEC)
    owned = dict(zip(rows.key, zip(rows.baseline.tolist(), rows.candidate.tolist(), strict=True), strict=True))
    operators = {}
    for (name, *_), own in context.amounts("operators", "host_self").items():
        before, after = owned.get(name, (0, 0))
        us = own.us_a - before / context.unit, own.us_b - after / context.unit
        operators[name] = Amount(own.calls_a, own.calls_b, *us)
    return operators


def moved_into_ranges(context: RuleContext) -> dict[str, float]:
    """Annotated range -> operator calls per step in it that the other side makes elsewhere in its step (negative: that
    moved out), such as those of a closure that the optimizer's step calls: the range's own time is of other code."""
    operators = {name: amount for (name, *_), amount in context.amounts("operators", "host_total").items()}
    held: dict[str, tuple[float, float]] = {}
    around: list[str] = []
    for frame in () if context.tree is None else context.tree.frames:
        del around[frame.depth :]
        kind, _, name = frame.key
        for outer in {*filter(None, around)} if name in operators else ():
            before, after = held.get(outer, (0.0, 0.0))
            held[outer] = before + frame.calls[0], after + frame.calls[1]
        around.append(name if kind == FrameKind.OPERATOR and name not in operators else "")
    more = abs(fsum(amount.more_calls for amount in operators.values()))
    return {
        name: two - one for name, (one, two) in held.items()
        if call_count_changed(one, two) and more <= MAIN_SHARE * abs(two - one)
    }  # fmt: skip


def _does_more(name: str) -> bool:
    """Whether an operator does more than move data. Autograd's functions only call operators."""
    return name not in MOVING | MOVING_CALLERS and "Backward" not in name
