"""Kernels by the innermost operator of both sides around their launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.summary.categories import KERNEL
from tb_perfcompare.model.summary.launch_sites import DeviceWork, place_below
from tb_perfcompare.model.text_numbers import parts_of
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WorkBelow:
    """Work below an operator of both sides: its calls that launch anything (without time), all kernels, and the
    kernels that one-sided operators launch."""

    calls: Amount
    all_kernels: Amount
    kernels: dict[str, Amount]


def kernels_below(context: RuleContext) -> dict[str, WorkBelow]:
    """Innermost common operator -> what runs below it. Empty if a side did not record where kernels were launched."""
    works = context.baseline.work, context.candidate.work
    if works[0] is None or works[1] is None:
        return {}
    one, two = (unique(context.numbers.of(parts_of(work.operators.keys, 3)[0])) for work in (works[0], works[1]))
    if np.array_equal(one, two):
        return {}  # both sides launch everything below an operator of both
    chains = _chains(works[0]), _chains(works[1])
    common = {name for chain in chains[0].values() for name in chain}
    common &= {name for chain in chains[1].values() for name in chain}
    kernels: dict[str, _Sums] = {}
    totals: _Sums = {}
    called: _Sums = {}
    for side, steps in enumerate((len(context.baseline.steps), len(context.candidate.steps))):
        work = works[side]
        assert work is not None
        for (operator, _, _), calls in zip(work.operators.keys, work.operators.totals()[1].tolist(), strict=True):
            _add(called, operator, side, calls / steps, 0.0)
        around = {
            place: (list(dict.fromkeys(operator for operator in chain if operator in common)), chain[0] in common)
            for place, chain in chains[side].items()
        }
        for kernel, place, us, launches in _launched(work):
            operators, is_direct = around.get(place, ([], False))
            for operator in operators:
                _add(totals, operator, side, launches / steps, us / steps)
            if operators and not is_direct:
                _add(kernels.setdefault(operators[0], {}), kernel, side, launches / steps, us / steps)
    return {
        operator: WorkBelow(
            Amount(*called[operator]), Amount(*totals[operator]),
            {kernel: Amount(*amounts) for kernel, amounts in sums.items()},
        )
        for operator, sums in kernels.items()
    }  # fmt: skip


_Sums = dict[str, list[float]]
"""Name -> the fields of its Amount."""


def _add(sums: _Sums, name: str, side: int, calls: float, us: float) -> None:
    amounts = sums.setdefault(name, [0.0, 0.0, 0.0, 0.0])
    amounts[side] += calls
    amounts[2 + side] += us


def _chains(work: DeviceWork) -> Mapping[str, tuple[str, ...]]:
    """Place -> its operators, innermost first."""
    made = {place_below(above, operator, shape): (operator, above) for operator, shape, above in work.operators.keys}
    chains = {}
    for place in made:
        chain, at = [], place
        while at in made:
            operator, at = made[at]
            chain.append(operator)
        chains[place] = tuple(chain)
    return chains


def _launched(work: DeviceWork) -> Iterator[tuple[str, str, float, int]]:
    """Yields (kernel, place, microseconds, launches) of every kernel."""
    for (category, kernel, place), ns, calls in zip(work.work.keys, *work.work.totals(), strict=True):
        if category == KERNEL:
            yield kernel, place, float(ns) / 1000, int(calls)
