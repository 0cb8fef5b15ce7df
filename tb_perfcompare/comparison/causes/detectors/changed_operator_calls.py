"""Operators that a program calls more or less often, and the time that these calls account for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from math import fsum

from tb_perfcompare.comparison.causes.detectors.changed_operator_words import Changed
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total
from tb_perfcompare.comparison.causes.evidence.explained import Explained, Part
from tb_perfcompare.comparison.causes.evidence.places.annotations import annotations_around
from tb_perfcompare.comparison.causes.evidence.places.gaps_around import gaps_around, is_of_gaps
from tb_perfcompare.comparison.causes.evidence.places.replacement import MOVED_CALL_RATIO
from tb_perfcompare.comparison.causes.evidence.places.where_called import python_around
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import fastest_calls
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.api_calls import GRAPH_LAUNCH, LAUNCH
from tb_perfcompare.model.api_calls import calls as is_role
from tb_perfcompare.model.summary.categories import CPU_EXEC, KERNEL, OTHER, RUNTIME
from tb_perfcompare.model.summary.summary import Summary

MIN_STEPS_SHARE = 0.5
"""Share of its side's steps that have to call an operator for it to belong to the program."""

LARGER, AS_FAST = 2.0, 1.25
"""Least ratio of the times per call, and largest ratio of the fastest calls, by which additional calls take longer than
those that both sides make."""


def gaps_of_calls(
    context: RuleContext, names: AbstractSet[str], explains: Mapping[Part, float], explained: Explained
) -> dict[Part, float]:
    """Change of the gaps around these operators, or of the Python code, and in the innermost annotation that contains
    most of the time, as far as no other cause explains it."""
    left = explained.left(context, (OTHER,))[OTHER]
    gaps = gaps_around(context, names, explains.values()) or _python(context, names, explains)
    around = {part: min(us, left, key=abs) for part, us in gaps.items() if us * left > 0}
    name = next(iter(annotations_around(context, explains)), "")
    us = fsum(row.delta for row in context.entities(CPU_EXEC) if row.path[1] == name) / context.unit
    is_new = (CPU_EXEC, name) not in explains and not explained.entities(CPU_EXEC, {name: us})
    if is_new and us * fsum(explains.values()) > 0 and is_of_gaps(context, us, explains.values()):
        around[CPU_EXEC, name] = us
    return around


def _python(context: RuleContext, names: AbstractSet[str], explains: Mapping[Part, float]) -> dict[Part, float]:
    """Change of the Python code around the calls of these operators, if functions were recorded."""
    operators = context.amounts("operators", "host_total")
    more = [operators[name,].more_calls for name in names if (name,) in operators]
    us = python_around(context, fsum(more))
    return {(OTHER, ""): us} if is_of_gaps(context, us, explains.values(), map(abs, more)) else {}


def both_recorded(operators: Mapping[Key, Amount]) -> bool:
    """Whether both sides recorded operators at all."""
    amounts = operators.values()
    return any(amount.calls_a for amount in amounts) and any(amount.calls_b for amount in amounts)


def hidden_by_machine(context: RuleContext, changed: Iterable[Changed]) -> list[Changed]:
    """Operators without a device that are called less often while their time grew, or the reverse, if these calls are
    material at the time per call of the side where that is shorter; else none."""
    in_both = [operator for operator in changed if operator.is_in_both and not operator.annotation]
    own = [context.amount("operators", "host_self", operator.name) for operator in in_both]
    against = [one.more_calls * one.delta_us < 0 for one in own]
    saved = fsum(
        one.more_calls * min(one.us_a / one.calls_a, one.us_b / one.calls_b)
        for one, hidden in zip(own, against, strict=True) if hidden
    )  # fmt: skip
    if any(side.device.count for side in context.sides) or abs(saved) < context.least_us:
        return []
    return [operator for operator, hidden in zip(in_both, against, strict=True) if hidden]


def launches_graphs(context: RuleContext) -> bool:
    """Whether graphs are launched: a replayed graph calls no operators, so their counts mean little."""
    graphs = total(context.called(GRAPH_LAUNCH).values())
    return bool(graphs.calls_a or graphs.calls_b)


def in_most_steps(summary: Summary) -> set[str]:
    """Operators that are called in most steps."""
    table = summary.groups.get("operators")
    if table is None:
        return set()
    often = (table.calls > 0).mean(axis=1) >= MIN_STEPS_SHARE
    return {key[0] for key, enough in zip(table.keys, often.tolist(), strict=True) if enough}


def explained_time(
    context: RuleContext, operator: str, own: LedgerRow | None, kernels: Mapping[Key, Amount], calls: Amount
) -> dict[Part, float]:
    """Exposed time, on the host, of launches and of launched kernels, that more or fewer calls account for. Calls with
    another data type launch kernels of other names, so the change of all kernels together is the limit."""
    launched = total(kernels.values())
    counted = _launched_us(launched, calls)
    counted = max(counted, min(_of_shapes(context, operator, calls), launched.delta_us, key=abs), key=abs)
    parts = {kernel: _launched_us(amount, amount) for (kernel, *_), amount in kernels.items()}
    parts = {kernel: us for kernel, us in parts.items() if us * calls.more_calls > 0}
    whole = fsum(parts.values())
    share = min(1.0, counted / whole) if whole * counted > 0 else 0.0
    host: dict[Part, float] = {} if own is None else {(CPU_EXEC, own.path[1]): _host_us(context, own)}
    for name, amount in context.api_calls_of(operator).items():
        if is_role(LAUNCH, name):
            host[RUNTIME, name] = replace(amount, calls_a=calls.calls_a, calls_b=calls.calls_b).counted_us
    shares = _exposed_shares(context, parts) if share else {}
    return host | {(KERNEL, kernel): us * share * shares[kernel] for kernel, us in parts.items() if shares}


def _launched_us(launched: Amount, calls: Amount) -> float:
    """Device time that more or fewer calls account for: by count, or all of the change if most calls are new or gone,
    because the others do not tell how long these take."""
    fewer, more = sorted((calls.calls_a, calls.calls_b))
    if more >= MOVED_CALL_RATIO * fewer:
        return launched.delta_us
    return replace(launched, calls_a=calls.calls_a, calls_b=calls.calls_b).counted_us


def _host_us(context: RuleContext, own: LedgerRow) -> float:
    """Host time that more or fewer calls account for: by count, or all of the change if the side with more calls takes
    LARGER times as long per call, but not in its fastest. Then the additional calls are the longer ones, such as copies
    of whole batches."""
    counted, delta = context.counted_us(own), own.delta / context.unit
    lows = context.once(_fastest).get(own.path[1])
    if counted * delta <= 0 or lows is None or not all((*own.calls, own.baseline, own.candidate)):
        return counted
    ratio, fastest = own.candidate / own.calls[1] / (own.baseline / own.calls[0]), lows[1] / lows[0]
    if own.calls[1] < own.calls[0]:
        ratio, fastest = 1 / ratio, 1 / fastest
    return delta if ratio >= LARGER and fastest <= AS_FAST else counted


def _fastest(context: RuleContext) -> dict[str, tuple[int, int]]:
    return {key[0]: lows for key, lows in fastest_calls(context, "operators").items()}


def _exposed_shares(context: RuleContext, kernels: Collection[str]) -> dict[str, float]:
    """Kernel -> share of the change of its time that is exposed: the rest runs beside work of other streams."""
    exposed = {row.path[1]: row.delta / context.unit for row in context.entities(KERNEL) if row.path[1] in kernels}
    shares = {}
    for kernel in kernels:
        change = context.amount("kernels", "total", kernel).delta_us
        shares[kernel] = min(max(exposed.get(kernel, 0.0) / change, 0.0), 1.0) if change else 1.0
    return shares


def _of_shapes(context: RuleContext, operator: str, calls: Amount) -> float:
    """Device time that more or fewer calls account for, shape by shape: twelve more products of large matrices take
    more than twelve of the usual ones. 0 if some shapes are called more often and others less."""
    shapes = [
        amount
        for amount in context.amounts_of(operator, "operators_by_shape", "device_self").values()
        if amount.more_calls
    ]
    same_way = all(amount.more_calls * calls.more_calls > 0 for amount in shapes)
    return fsum(amount.counted_us for amount in shapes) if same_way else 0.0


def kernels_of(context: RuleContext, operators: Collection[str]) -> dict[str, dict[Key, Amount]]:
    by_operator: dict[str, dict[Key, Amount]] = {}
    for key, amount in context.amounts("kernels_by_operator").items() if operators else ():
        if key[1] in operators:
            by_operator.setdefault(key[1], {})[key] = amount
    return by_operator
