"""One operator is slower on the host, beyond a uniform slowdown."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.machine.recording import costlier_to_record
from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import host_ratio
from tb_perfcompare.comparison.causes.detectors.more_calls import calls_alike
from tb_perfcompare.comparison.causes.detectors.replaced_calls import with_replaced_calls
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount
from tb_perfcompare.comparison.causes.evidence.explained import Cause
from tb_perfcompare.comparison.causes.evidence.general_rules import FUNCTIONS, GrownFunction, grown_function, has_stacks
from tb_perfcompare.comparison.causes.evidence.host_time import exposed_growth
from tb_perfcompare.comparison.causes.evidence.inputs import changed_arguments, other_inputs
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import moved_into_ranges
from tb_perfcompare.comparison.causes.evidence.places.recomputed import recomputed
from tb_perfcompare.comparison.causes.evidence.rule import (
    Rule,
    category_confidence,
    cause,
    change_text,
    entity_confidence,
)
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import (
    SAME_CALLS,
    beyond_pace,
    called_as_often,
    largest,
)
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import INTERRUPTED, fastest_calls
from tb_perfcompare.comparison.causes.evidence.speed.rates import rate_clause
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow
from tb_perfcompare.comparison.result.wording import ratio_text, short, times_text
from tb_perfcompare.model.environment import channels_last
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.summary.categories import CPU_EXEC
from tb_perfcompare.quick_dataclass import dataclass

MAIN_SHARE = 0.5
"""Share of the growth of the same calls' exposed time, beyond a uniform slowdown, that the operator must explain,
half of it in its own time."""

MIN_SHARE = 0.05
"""Share of CPU Exec's change that a single operator must explain."""

IN_RANGE, NAMES_FUNCTIONS = (
    "the Python code in this range, such as a callback, hook or metric", "; with_stack=True names its functions",
)  # fmt: skip
"""What to look at if an annotated range is slower, which is not an operator and has no inputs; if functions were not
recorded."""

FASTEST = 1.05
"""Ratio of the fastest calls from which an operator is slower, and not just interrupted."""


@dataclass(frozen=True, slots=True)
class _Slower:
    """The operator, or annotated range, whose time changed most.

    delta_us    change of its exposed time beyond `pace`, the host's ratio
    own         its own time; NOTHING for a range
    spent       the time of its calls; of a range, whose calls contain others, the exposed time of its own
    grown_us    how far its own time grew
    confidence  "" if it is not significant
    """

    name: str
    delta_us: float
    pace: float
    own: Amount
    spent: Amount
    grown_us: float
    confidence: str


def slower_operator_rules(context: RuleContext) -> Iterator[Cause]:
    """The operator that makes most of CPU Exec's change beyond a uniform slowdown of the host."""
    slower = _slower(context)
    if slower is None or not slower.confidence:
        return
    if not _all_calls_moved(context, slower.name, slower=slower.grown_us > 0):
        return
    name, is_range = slower.name, slower.own is NOTHING
    explained = exposed_growth(context, {(CPU_EXEC, name): slower.delta_us}, slower.grown_us)
    delta = math.fsum(explained.values())
    given, layout = other_inputs(context, name), layout_clause(context, name)
    called = None if given is not None or layout else changed_arguments(context, name)
    changed = given or called
    function = grown_function(*context.sides, slower.delta_us, name) if is_range else None
    clauses = [
        f" on top of {ratio_text(slower.pace)} for all operators" if slower.pace != 1 else "",
        f", {changed.clause}" if changed is not None else "",
        _rates(context, name, other_arguments=called is not None) if given is None else "",
        layout,
        f"; {function.clause}" if function is not None else "",
    ]
    yield cause(
        context, OPERATOR_SLOWER, name, CPU_EXEC, delta,
        lambda own: f"{what_is_slower(delta > 0, is_range=is_range)}: {short(name)} {change_text(own)} per step"
        f"{_per_call(slower.spent)}{''.join(clauses)}.",
        (Evidence("ledger", f"{CPU_EXEC} / {name}") if is_range else Evidence("operators", name),),
        name="" if given is None else given.rule, confidence=slower.confidence,
        look_at=look_at_range(context, function) if is_range else "" if called is None else called.look_at,
        explains=explained,
    )  # fmt: skip


def _slower(context: RuleContext) -> _Slower | None:
    """The operator that alone makes most of the change. With a device, if there is none, the one that makes most of
    the slowdown of all operators. None if there is neither."""
    exposed, rows = context.exposed(CPU_EXEC), context.entities(CPU_EXEC)
    often = _called_as_often(context, rows, exposed)
    if abs(exposed) < context.least_us or not often.any():
        return None
    pace = host_ratio(context) or 1.0
    beyond = beyond_pace(rows, context.unit, pace)
    left = math.fsum(beyond[often].tolist())
    at = largest(rows, np.flatnonzero(often), beyond * (1 if left > 0 else -1))
    delta, name = float(beyond[at]), rows.key[at]
    own = context.amount("operators", "host_self", name)
    # exposed time also grows if the device or API calls hide less, without the operator itself being slower
    spent = own if own.calls_a else context.own_times(CPU_EXEC).get(name, NOTHING)
    least = max(MAIN_SHARE * abs(left), MIN_SHARE * abs(exposed), context.least_us)
    makes_most = delta * left > 0 and abs(delta) >= least
    if makes_most and spent.rate_us * math.copysign(1, delta) >= MAIN_SHARE * abs(delta):
        sure = entity_confidence(context, CPU_EXEC, name, int(often.sum()))
        spent = _exposed(rows[at], context.unit) if own is NOTHING else spent
        return _Slower(name, delta, pace, own, spent, max(own.rate_us, delta, key=abs), sure)
    behind = _behind_the_device(context, exposed, pace)
    if behind not in rows.key:
        return None
    own = context.amount("operators", "host_self", behind)
    sure = category_confidence(context, CPU_EXEC) if context.is_clear(CPU_EXEC) else ""
    return _Slower(behind, float(beyond[rows.key.index(behind)]), pace, own, own, own.rate_us, sure)


def _called_as_often(context: RuleContext, rows: EntityRows, exposed: float) -> NDArray[np.bool_]:
    """(n,) rows called as often on both sides, without calls inside replaced ones. If activations are recomputed,
    without autograd's functions, which then contain the Python code of the checkpoint."""
    often = called_as_often(rows)
    if costlier_to_record(context, exposed) or not calls_alike(context):
        # an annotated range is Python code, which recording slows down, and grows with what it calls; operators do not
        own = context.columns("operators", "host_self").joined
        often &= np.isin(context.numbers.of(rows.key), own.parts[0])
    if inner := context.once(with_replaced_calls) | context.once(moved_into_ranges).keys():
        often &= np.array([key not in inner for key in rows.key], dtype=bool)
    if context.once(recomputed):
        often &= np.array([not is_backward(key) for key in rows.key], dtype=bool)
    return often


def look_at_range(context: RuleContext, function: GrownFunction | None) -> str:
    """What to look at if an annotated range is slower, by the function in it that makes most of that, if known."""
    if function is not None:
        return FUNCTIONS
    return IN_RANGE if all(map(has_stacks, context.sides)) else f"{IN_RANGE}{NAMES_FUNCTIONS}"


def _exposed(row: LedgerRow, unit: int) -> Amount:
    """Calls and exposed time of an entity."""
    return Amount(*row.calls, row.baseline / unit, row.candidate / unit)


def _per_call(spent: Amount) -> str:
    if not (spent.calls_a and spent.calls_b):
        return ""
    return f" ({times_text(spent.us_a / spent.calls_a, spent.us_b / spent.calls_b)} per call)"


def what_is_slower(slower: bool, *, is_range: bool) -> str:
    """What is slower: an operator, or the program's own code in a range that it or a library annotated."""
    change = "slower" if slower else "faster"
    return f"Code in one annotated range, outside operators, is {change}" if is_range else (
        f"One operator is {change} on the CPU"
    )  # fmt: skip


def _behind_the_device(context: RuleContext, exposed: float, pace: float) -> str:
    """The operator that makes most of the slowdown of all operators called as often, "" if none does. If the device
    hides a part of each, growing exposed time may belong to what runs after the slower operator."""
    if not all(side.device.count for side in context.sides):
        return ""
    slower = {
        key[0]: amount.rate_us - (pace - 1) / (pace + 1) * (amount.us_a + amount.us_b)
        for key, amount in context.amounts("operators", "host_self").items()
        if abs(amount.more_calls) <= SAME_CALLS * min(amount.calls_a, amount.calls_b)
        and not (is_backward(key[0]) and context.once(recomputed))
    }
    name = max(slower, key=lambda operator: (slower[operator] * math.copysign(1, exposed), operator), default="")
    most = slower.get(name, 0.0)
    enough = abs(most) >= max(MAIN_SHARE * abs(math.fsum(slower.values())), MAIN_SHARE * abs(exposed), context.least_us)
    return name if enough and most * exposed > 0 else ""


def _rates(context: RuleContext, operator: str, *, other_arguments: bool) -> str:
    """Clause about the rate at which the operator works; "" if a device does its work, because host time means
    nothing then."""
    on_device = any(side.device.count for side in context.sides)
    return "" if on_device else rate_clause(context, operator, other_arguments=other_arguments)


def layout_clause(context: RuleContext, operator: str) -> str:
    """Clause about the layout of its inputs, "" if both sides have the same."""
    before, after = (operator in channels_last(side.environment) for side in context.sides)
    return "" if before == after else f"; its inputs are {'now' if after else 'no longer'} in channels_last layout"


def _all_calls_moved(context: RuleContext, operator: str, *, slower: bool) -> bool:
    """Whether the fastest call changed too, by more than interruptions explain, for the inputs whose time changed most
    if inputs were recorded."""
    sign = 1 if slower else -1
    for table in ("operators_by_shape", "operators"):
        fastest = {key: ends for key, ends in fastest_calls(context, table).items() if key[0] == operator}
        if fastest:
            own = context.amounts(table, "host_self")
            key = max(fastest, key=lambda key: own[key].delta_us * sign)
            whole = context.amounts(table, "host_total").get(key, NOTHING)
            means = (whole.us_b / whole.calls_b) / (whole.us_a / whole.calls_a) if whole.us_a and whole.us_b else 1.0
            low_a, low_b = fastest[key]
            return math.log(low_b / low_a) * sign >= max(math.log(FASTEST), INTERRUPTED * math.log(means) * sign)
    return True


OPERATOR_SLOWER = Rule(
    names=("operator_slower", "operator_faster"),
    meaning="one operator is slower on the host",
    when="As `kernel_slower`, for CPU Exec. Half of the change is the operator's own time, and its fastest call "
    "changed by 5 %",
    tables=("operators",),
    look_at="the number of threads, other load on its cores, its implementation, the memory layout of its inputs",
    find=slower_operator_rules,
    rank=5,
    same_work=True,
    of_library=True,
    of_inputs=True,
)
