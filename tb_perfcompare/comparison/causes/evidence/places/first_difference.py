"""The first call in a step that has other inputs, although all calls before it have the same."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key
from tb_perfcompare.comparison.causes.evidence.host_time import MORE_CALLS
from tb_perfcompare.comparison.causes.evidence.inputs import called_otherwise, elements
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.input_shapes import input_elements, shown_shape
from tb_perfcompare.model.names.work_kinds import UNINFORMATIVE, work_kind
from tb_perfcompare.model.summary.groups import CALL_ARGUMENTS, FIRST_CALL
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

_ELEMENTWISE = frozenset(
    f"aten::{name}" for name in ("add", "sub", "rsub", "mul", "div", "pow", "maximum", "minimum", "eq", "ne", "lt",
                                 "le", "gt", "ge", "logical_and", "logical_or")
)  # fmt: skip
"""Operators that broadcast two operands."""

_Call = tuple[str, str]
"""Operator and input shapes."""


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """An operator and its inputs before and after."""

    operator: str
    before: str
    after: str

    @property
    def change(self) -> str:
        """The change of its inputs, with what they are broadcast to if that is larger: "[[8], [8]] → [[8, 1], [8]]
        (broadcast to [8, 8])"."""
        return " → ".join(
            f"{shown_shape(shape)}{_broadcast(shape) if self.operator in _ELEMENTWISE else ''}"
            for shape in (self.before, self.after)
        )


def first_difference(context: RuleContext) -> FirstDifference | None:
    """The first operator of a step whose inputs differ. They are as large on both sides, and layers before it have the
    same inputs and arguments: the data is the same, and what follows works on what this call makes. None if not so."""
    amounts, otherwise = context.amounts("operators_by_shape", "host_total"), context.once(called_otherwise).keys()
    (one, before), (two, after) = (
        _until_different(_in_order(side), amounts, otherwise) for side in context.sides
    )
    if before is None or after is None or before[0] != after[0] or _sizes(before[1]) != _sizes(after[1]):
        return None
    return FirstDifference(*before, after[1]) if any(work_kind(name) for name, _ in one & two) else None


def _in_order(side: Summary) -> list[_Call]:
    """Calls on tensors in the order of a typical step, without views, copies, allocations and fills."""
    group = side.groups.get(CALL_ARGUMENTS)
    if group is None:
        return []
    first: dict[_Call, float] = {}
    for (name, shape, *_), at in zip(group.keys, group.facts[FIRST_CALL].tolist(), strict=True):
        if not math.isnan(at) and name not in UNINFORMATIVE and elements(shape):
            first[name, shape] = min(at, first.get((name, shape), at))
    return sorted(first, key=lambda call: (first[call], call))


def _until_different(
    calls: list[_Call], amounts: Mapping[Key, Amount], otherwise: Set[_Call]
) -> tuple[set[_Call], _Call | None]:
    """Calls that both sides make equally often, up to the first that they do not; that one if only this side makes it.
    Where else another number of calls begins is not known."""
    same = set[_Call]()
    for call in calls:
        amount = amounts.get(call)
        if amount is None:
            continue
        if abs(amount.more_calls) >= MORE_CALLS or call in otherwise:
            return same, None if amount.calls_a and amount.calls_b else call
        same.add(call)
    return same, None


def _sizes(shape: str) -> list[int]:
    """Elements of each operand, in ascending order."""
    return sorted(filter(None, input_elements(shape)))


def _broadcast(shape: str) -> str:
    tensors = [dims for dims in json.loads(shape) if isinstance(dims, list) and dims]
    operands = [tuple(dims) for dims in tensors if all(isinstance(size, int) for size in dims)]
    try:
        whole = np.broadcast_shapes(*operands)
    except ValueError:
        return ""
    return f" (broadcast to {[*whole]})" if math.prod(whole) > max(map(math.prod, operands), default=0) else ""
