"""Kernels by the operators around their launch, where each side launches them through operators of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.causes.pair import NOTHING, Amount, Pair
from tb_perfcompare.model.device_work import DeviceWork
from tb_perfcompare.model.places import place_below

_KERNEL = "Kernel"


@dataclass(slots=True)
class Below:
    """What runs below an operator of both sides: its calls that launch anything (without time), all kernels below, and
    per kernel what operators launch that only one side has."""

    calls: Amount = NOTHING
    every: Amount = NOTHING
    kernels: dict[str, Amount] = field(default_factory=dict)


def kernels_below(pair: Pair) -> dict[str, Below]:
    """Operator that is the innermost common one around some kernels -> what is below it. Empty where a side does not
    tell places."""
    works = pair.baseline.work, pair.candidate.work
    if works[0] is None or works[1] is None:
        return {}
    chains = _chains(works[0]), _chains(works[1])
    common = {name for chain in chains[0].values() for name in chain}
    common &= {name for chain in chains[1].values() for name in chain}
    found: dict[str, Below] = {}
    whole: dict[str, Amount] = {}
    called: dict[str, Amount] = {}
    for side, steps in enumerate((len(pair.baseline.steps), len(pair.candidate.steps))):
        work = works[side]
        assert work is not None
        for (operator, _, _), calls in zip(work.operators.keys, work.operators.totals()[1].tolist(), strict=True):
            called[operator] = called.get(operator, NOTHING) + _one(side, calls / steps, 0.0)
        for kernel, place, us, calls in _launched(work):
            chain = chains[side].get(place, ())
            amount = _one(side, calls / steps, us / steps)
            for operator in {*chain} & common:
                whole[operator] = whole.get(operator, NOTHING) + amount
            above = next((operator for operator in chain if operator in common), "")
            if above and chain[0] not in common:
                kernels = found.setdefault(above, Below()).kernels
                kernels[kernel] = kernels.get(kernel, NOTHING) + amount
    for operator, below in found.items():
        below.calls, below.every = called[operator], whole[operator]
    return found


def _one(side: int, calls: float, us: float) -> Amount:
    return Amount(calls, 0.0, us, 0.0) if side == 0 else Amount(0.0, calls, 0.0, us)


def _chains(work: DeviceWork) -> Mapping[str, tuple[str, ...]]:
    """Place -> its operators, innermost first."""
    made = {place_below(above, operator, shape): (operator, above) for operator, shape, above in work.operators.keys}
    found = {}
    for place in made:
        chain, at = [], place
        while at in made:
            operator, at = made[at]
            chain.append(operator)
        found[place] = tuple(chain)
    return found


def _launched(work: DeviceWork) -> Iterator[tuple[str, str, float, int]]:
    """(kernel, place, microseconds, launches) of every kernel."""
    for (category, kernel, place), ns, calls in zip(work.work.keys, *work.work.totals(), strict=True):
        if category == _KERNEL:
            yield kernel, place, float(ns) / 1000, int(calls)
