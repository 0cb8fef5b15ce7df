"""Which ranks and steps have more calls, and which functions and modules make them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total
from tb_perfcompare.comparison.causes.evidence.general_rules import (
    GrownFunction,
    function_of_calls,
    grown_function,
    python_time,
    recounted_function,
)
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import and_others, many, numbers_text, short
from tb_perfcompare.model.arrays import Flags, unique
from tb_perfcompare.model.names.ranges import OPTIMIZER_STEP, module_class
from tb_perfcompare.model.names.work_kinds import work_kind
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.categories import OTHER
from tb_perfcompare.model.summary.groups import PYTHON_TIME
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import Summary

SOME_STEPS = 0.6
"""Largest share of the steps with additional calls for these to be said to be in some steps."""

MOST_STEPS = 0.5
"""Share of a side's steps that must call a module."""

MAIN_CALLS = 0.5
"""Share of the step's additional operator calls that a finding must be about for the Python function that makes most of
them to be named (0.65 to 1 in recordings)."""

MOSTLY = 0.8
"""Share of all changes of calls that must go one way for a function that makes most of them to be looked for."""

_MAX_NAMED = 3


def where_called(context: RuleContext, changed: Sequence[tuple[str, Amount]]) -> str:
    """Clause on the few ranks or steps that have the additional calls of all these operators: "all on w1", "all in 4
    of 12 steps of the candidate". "" if most have them, or if operators differ."""
    grown = {amount.more_calls > 0 for _, amount in changed}
    if len(grown) != 1:
        return ""
    side = int(grown == {True})
    places = {_where(context, side, name, min(amount.calls_a, amount.calls_b)) for name, amount in changed}
    return places.pop() if len(places) == 1 else ""


def _where(context: RuleContext, side: int, operator: str, usual: float) -> str:
    summary, joined = context.sides[side], context.columns("operators", "host_total").joined
    rows = (joined.at_a, joined.at_b)[side][joined.named(operator)]
    if not len(rows) or rows[0] < 0 or summary.ranks is not None:
        return ""
    more = summary.groups["operators"].calls[rows[0]] > usual + 0.5
    of_captures = job_workers(summary)
    workers = [of_captures[capture] for capture in summary.steps.capture.tolist()]
    every, those = (list(dict.fromkeys(names)) for names in (workers, _workers_with(workers, more)))
    if len(those) < len(every):
        return f"all on {', '.join(those) if len(those) <= _MAX_NAMED else f'{len(those)} of {len(every)} ranks'}"
    on_one = np.array(workers) == every[0]
    steps = int((more & on_one).sum())
    if not 0 < steps <= SOME_STEPS * on_one.sum():
        return ""
    return f"all in {steps} of {many(int(on_one.sum()), 'step')} of the {SIDES[side]}"


def _workers_with(workers: Sequence[str], more: Flags) -> list[str]:
    return [worker for worker, called in zip(workers, more.tolist(), strict=True) if called]


def after_update(side: Summary, names: Collection[str]) -> str:
    """Clause on the optimizer's step after which all of these operators of one side run: averages of weights, metrics,
    logging. "" if not all do, or if they are not called in the first step, whose order is the call tree's. Of what
    modules call, the tree has no such order."""
    tree = side.call_tree
    if tree is None or not _are_called_at_first(side, names) or (tree.kind == FrameKind.MODULE).any():
        return ""
    shown = [tree.names[name] for name in tree.name.tolist()]
    update = max((at for at, name in enumerate(shown) if name.startswith(OPTIMIZER_STEP)), default=len(shown))
    end = update + 1  # frames in it follow it
    while end < len(shown) and tree.parent[end] >= update:
        end += 1
    computes = any(map(work_kind, shown[:end]))  # else the step begins with the update
    first = min((at for at, name in enumerate(shown) if name in names), default=0)
    return f", all after {short(shown[update])}" if computes and first >= end else ""


def _are_called_at_first(side: Summary, names: Collection[str]) -> bool:
    """Whether the first step of each capture calls all of these operators."""
    table, capture = side.groups["operators"], side.steps.capture
    first = [int(np.flatnonzero(capture == one)[0]) for one in unique(capture)]
    called = {key[0] for key, calls in zip(table.keys, table.calls[:, first].tolist(), strict=True) if all(calls)}
    return called.issuperset(names)


def inside_clause(context: RuleContext, own: float) -> str:
    """Clause on the Python function that makes most of all additional (fewer) operator calls of the step, if `own`,
    those of a finding, are such calls; "" without one."""
    function = context.once(function_of_more_calls) if _are_most_calls(context, own) else None
    return "" if function is None else f"; {function.clause}"


def python_around(context: RuleContext, own: float) -> float:
    """Change of the Python code around such calls, outside of ranges, microseconds per step: in the function that makes
    them, if it is called another number of times or also makes most of the change of Python code; else in functions
    that only one side calls and that call operators. 0 without any, or if it changed the other way."""
    if any(PYTHON_TIME not in side.groups for side in context.sides) or not _are_most_calls(context, own):
        return 0.0
    name, function = recounted_function(*context.sides, _step(context).more_calls), context.once(function_of_more_calls)
    if not name and function is not None:
        grown = grown_function(*context.sides, context.exposed(OTHER))
        name = function.name if grown is not None and grown.name == function.name else ""
    before, after = (python_time(side, "") for side in context.sides)
    if name:
        us = fsum(sign * one.us for sign, side in ((1, after), (-1, before)) if (one := side.get(name)) is not None)
    else:
        callers = {name for one, other in ((before, after), (after, before))
                   for name, time in one.items() if time.operators and name not in other}  # fmt: skip
        us = fsum(row.delta for row in context.entities(OTHER) if row.path[1] in callers) / context.unit
    return us if us * own > 0 else 0.0


def _are_most_calls(context: RuleContext, own: float) -> bool:
    """Whether so many calls are most of the step's additional (fewer) operator calls, which go one way."""
    more = _step(context).more_calls
    every = context.amounts("operators", "host_total").values()
    mixed = abs(more) < MOSTLY * fsum(abs(one.more_calls) for one in every)
    return not mixed and own * more > MAIN_CALLS * more * more


def _step(context: RuleContext) -> Amount:
    return total(context.amounts("operators", "host_total").values())


def function_of_more_calls(context: RuleContext) -> GrownFunction | None:
    """The Python function that makes most of the step's additional (fewer) operator calls."""
    step = _step(context)
    return function_of_calls(*context.sides, (step.calls_a, step.calls_b))


def modules_clause(context: RuleContext, more: float) -> str:
    """Clause on the nn.Modules that only the side with more calls has, largest first: "; nn.Modules that only the
    candidate calls: Sequential, 2 Conv2d, ReLU"; or on the largest that it calls more often: "; nn.Module Sequential_0
    1 → 16 calls per step". "" if there are none, or if a side recorded no modules. A module's number depends on those
    before it, so modules are counted by class."""
    word, one, other = ("candidate", context.candidate, context.baseline) if more > 0 else (
        "baseline", context.baseline, context.candidate)  # fmt: skip
    has, has_not = _modules(one), _modules(other)
    if not has or not has_not:
        return ""
    further = {name: number - has_not.get(name, (0, 0.0))[0] for name, (number, _) in has.items()}
    classes = sorted((name for name in further if further[name] > 0), key=lambda name: (-has[name][1], name))
    named = [f"{further[name]} {name}" if further[name] > 1 else name for name in classes]
    if not named:
        return _recalled_module(context, more)
    first = ", ".join(named[:_MAX_NAMED])
    return f"; nn.Modules that only the {word} calls: {first}{and_others(len(named) - _MAX_NAMED)}"


def _recalled_module(context: RuleContext, more: float) -> str:
    recalled = {
        name: amount for (name, *_), amount in context.amounts("modules", "host_total").items()
        if amount.calls_a and amount.calls_b and amount.more_calls * more > 0
        and call_count_changed(amount.calls_a, amount.calls_b)
    }  # fmt: skip
    if not recalled:
        return ""
    name = max(recalled, key=lambda name: (recalled[name].us_a + recalled[name].us_b, name))
    return f"; nn.Module {name} {numbers_text(recalled[name].calls_a, recalled[name].calls_b)} calls per step"


def _modules(summary: Summary) -> dict[str, tuple[int, float]]:
    """Class of modules -> (how many most steps call, time of the largest)."""
    table = summary.groups.get("modules")
    if table is None:
        return {}
    often = (table.calls > 0).mean(axis=1) >= MOST_STEPS
    time = table.measures_ns["host_total"].sum(axis=1)
    classes: dict[str, tuple[int, float]] = {}
    for key, enough, ns in zip(table.keys, often.tolist(), time.tolist(), strict=True):
        if enough:
            name = module_class(key[0])
            number, largest = classes.get(name, (0, 0.0))
            classes[name] = number + 1, max(largest, ns)
    return classes
