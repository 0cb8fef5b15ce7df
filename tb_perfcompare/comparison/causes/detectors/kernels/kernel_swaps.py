"""Operators called as often that launch different kernels."""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount, total
from tb_perfcompare.comparison.causes.evidence.places.kernels_by_enclosing_operator import kernels_below
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import SAME_CALLS
from tb_perfcompare.model.arrays import are_in
from tb_perfcompare.model.names.compiled_names import is_generated
from tb_perfcompare.model.summary.categories import KERNEL
from tb_perfcompare.quick_dataclass import dataclass

MAIN_SHARE = 0.5
"""Share of an operator's kernel time that must be in different kernels, on both sides."""


@dataclass(frozen=True, slots=True)
class KernelSwap:
    """Kernels of one operator that are gone, those that are new, and the sum of all."""

    operator: str
    gone: Mapping[str, Amount]
    new: Mapping[str, Amount]
    all_kernels: Amount

    @property
    def before(self) -> Amount:
        """All that are gone."""
        return total(self.gone.values())

    @property
    def after(self) -> Amount:
        """All that are new."""
        return total(self.new.values())

    @property
    def delta_us(self) -> float:
        """Change of all kernels of the operator, because one may gain what another loses."""
        return self.all_kernels.delta_us

    @property
    def is_generated(self) -> bool:
        """Whether a compiler generated any of them."""
        return any(is_generated(name) for name in (*self.gone, *self.new))

    @property
    def explains(self) -> dict[tuple[str, str], float]:
        """Part -> change of each kernel."""
        return {(KERNEL, name): amount.delta_us for name, amount in (*self.gone.items(), *self.new.items())}


def kernel_swaps(context: RuleContext, copies: Set[str]) -> list[KernelSwap]:
    """Swaps of kernels that an operator launches itself, `copies` left out, and of those launched below it."""
    direct = _direct_swaps(context, copies)
    return [*direct, *_swaps_below(context, copies | {name for swap in direct for name in (*swap.gone, *swap.new)})]


def _direct_swaps(context: RuleContext, copies: Set[str]) -> list[KernelSwap]:
    """Operators called as often that launch different kernels themselves, `copies` left out; largest change first. A
    kernel that some of their calls still launch was replaced in the others if one side alone has the new (old) ones,
    launched as often as that kernel is less (more)."""
    columns = context.columns("kernels_by_operator")
    if not len(columns.joined):
        return []
    operators = columns.joined.parts[1]
    less, more = columns.calls_b < columns.calls_a, columns.calls_a < columns.calls_b
    one_sided = operators[(less & (columns.us_b == 0)) | (more & (columns.us_a == 0))]
    both_ways = are_in(operators, operators[less]) & are_in(operators, operators[more])
    rows = np.flatnonzero(both_ways & are_in(operators, one_sided))
    by_operator: dict[str, dict[str, Amount]] = {}
    for (kernel, operator), amount in columns.of_rows(rows).items():
        if kernel not in copies:
            by_operator.setdefault(operator, {})[kernel] = amount
    swaps = []
    called = context.amounts("operators", "host_total") if by_operator else {}
    for operator, kernels in by_operator.items():
        if not _equally_often(called.get((operator,), NOTHING)):
            continue
        gone = {name: amount for name, amount in kernels.items() if amount.calls_b < amount.calls_a and not amount.us_b}
        new = {name: amount for name, amount in kernels.items() if amount.calls_a < amount.calls_b and not amount.us_a}
        swap = KernelSwap(operator, gone, new, total(kernels.values()))
        if gone and new and _holds_most(swap, swap.all_kernels):
            swaps.append(swap)
        elif (in_part := _swap_in_part(operator, kernels)) is not None:
            swaps.append(in_part)
    swaps.sort(key=lambda swap: (-abs(swap.delta_us), swap.operator))
    return swaps


def _swap_in_part(operator: str, kernels: Mapping[str, Amount]) -> KernelSwap | None:
    """The swap in some of the operator's calls, if there is one."""
    gone = {
        name: Amount(amount.calls_a - amount.calls_b, 0.0, amount.us_a - amount.us_b, 0.0)
        for name, amount in kernels.items() if amount.calls_b < amount.calls_a and amount.us_b < amount.us_a
    }
    new = {
        name: Amount(0.0, amount.calls_b - amount.calls_a, 0.0, amount.us_b - amount.us_a)
        for name, amount in kernels.items() if amount.calls_a < amount.calls_b and amount.us_a < amount.us_b
    }
    swap = KernelSwap(operator, gone, new, total((*gone.values(), *new.values())))
    one_sided = not any(kernels[name].us_b for name in gone) or not any(kernels[name].us_a for name in new)
    return swap if gone and new and one_sided and _equally_often(swap.all_kernels) else None


def _swaps_below(context: RuleContext, named: Set[str]) -> list[KernelSwap]:
    """Operators called as often whose kernels are launched by operators below them: one side's kernels against the
    other's, below the innermost operator that both sides have."""
    swaps = []
    for operator, below in kernels_below(context).items():
        if not _equally_often(below.calls):
            continue
        gone = {name: amount for name, amount in below.kernels.items() if not amount.calls_b and name not in named}
        new = {name: amount for name, amount in below.kernels.items() if not amount.calls_a and name not in named}
        swap = KernelSwap(operator, gone, new, total((*gone.values(), *new.values())))
        if gone and new and _holds_most(swap, below.all_kernels):
            swaps.append(swap)
    return swaps


def _equally_often(calls: Amount) -> bool:
    most = max(calls.calls_a, calls.calls_b)
    return most > 0 and abs(calls.more_calls) <= SAME_CALLS * most


def _holds_most(swap: KernelSwap, every: Amount) -> bool:
    return swap.before.us_a >= MAIN_SHARE * every.us_a and swap.after.us_b >= MAIN_SHARE * every.us_b
