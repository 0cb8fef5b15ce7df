"""More waits for the device: the host cannot run ahead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.launching import ALGORITHM_SEARCH, GRAPH_CAPTURES, GRAPH_LOST
from tb_perfcompare.comparison.causes.detectors.more_calls import MORE_CALLS
from tb_perfcompare.comparison.causes.detectors.transfers import PAGEABLE_COPIES
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Part
from tb_perfcompare.comparison.causes.evidence.host_time import (
    HOST,
    added_calls,
    call_count_changed,
    idle_text,
    is_same_runtime,
    less_hidden,
    working_calls,
)
from tb_perfcompare.comparison.causes.evidence.known_settings import setting_of_arguments
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.headline import Basis
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time
from tb_perfcompare.comparison.statistics.mean_effect import outlying_steps
from tb_perfcompare.model.api_calls import LAUNCH, WAIT, calls
from tb_perfcompare.model.arrays import Ints, median
from tb_perfcompare.model.summary.categories import (
    CATEGORY_LABELS,
    CPU_EXEC,
    KERNEL,
    MEMCPY,
    OUTSIDE_OPERATORS,
    RUNTIME,
    StepCategory,
)
from tb_perfcompare.model.summary.groups import BUSY, DEVICE_TIMELINE
from tb_perfcompare.model.summary.summary import Summary

MAIN_SHARE = 0.5
"""Decrease of kernel time, as a share of the time that waits would explain, from which shorter kernels are the
likelier cause."""

FEW_STEPS = 0.5
"""Share of the steps that must have waits for these to belong to the training loop."""

ALIKE = 0.05
"""Largest relative difference of additional calls for two operators to have the same."""

OF_WAITS = frozenset({
    *MORE_CALLS.names, *PAGEABLE_COPIES.names, *GRAPH_LOST.names, *GRAPH_CAPTURES.names,
})  # fmt: skip
"""Causes that themselves make the host wait more (less) often. With one of these, waits that cost nothing are not
reported."""

EXPOSED = (*HOST, MEMCPY)
"""Categories that waits expose."""


def wait_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """More (fewer) calls that wait for the device. They explain the host work that they expose (hide), as far as no
    other cause does."""
    # a search for algorithms waits for each kernel
    if not is_same_runtime(context) or not explained.rules.isdisjoint(ALGORITHM_SEARCH.names):
        return
    waits = total(context.called(WAIT).values())
    if not call_count_changed(waits.calls_a, waits.calls_b):
        return
    sign, more, no_longer = (1, "More", "no longer") if waits.more_calls > 0 else (-1, "Less", "now")
    if _only_in_few_steps(context.candidate if sign > 0 else context.baseline):
        return
    left, usual = explained.left(context, EXPOSED), _without_long_steps(context, sign)
    of_waits = explained.rests(context, _exposed_waits(context, sign))
    left[RUNTIME] -= fsum(of_waits.values())
    part = usual * _no_longer_hidden(context, left, waits.more_calls)
    moved = of_categories({category: us * part for category, us in left.items()})
    moved |= {wait: us * usual for wait, us in of_waits.items()}
    delta = fsum(moved.values())
    caller, of_caller = waiting_operator(context, sign)
    subject, evidence = caller or SYNCHRONIZATION.names[0], tuple[Evidence, ...]()
    title, how = f"{more} synchronization with the device", f"the host waits {_times(waits)} times per step"
    if caller == OUTSIDE_OPERATORS:
        how += f" ({_times(of_caller)} outside operators)"
    elif caller:
        how += f" ({_times(of_caller)} under {short(caller)})"
        evidence = (Evidence("operators", caller),)
    if sign * delta < context.least_us:
        known = explained.rules & OF_WAITS or explained.has_most_calls(caller, of_caller.more_calls)
        if not known and _in_usual_step(context, sign):
            paced = context.headline.basis is Basis.PROGRAM and sign * context.headline.verdict.way > 0
            so = "no time is attributed to it" if paced else "no change of the step follows"
            yield cause(context, SYNCHRONIZATION, subject, RUNTIME, None, f"{title}: {how}; {so}.", evidence)
        return
    if sign * context.exposed(KERNEL) <= -MAIN_SHARE * abs(delta):  # kernels that hide less are the likelier cause
        return
    so = f"so host work is {no_longer} hidden behind kernels{idle_text(context, delta) if part >= MAIN_SHARE else ''}"
    longest = max(of_waits, key=lambda wait: (abs(of_waits[wait]), wait), default=("", ""))
    if abs(moved.get(longest, 0.0)) >= MAIN_SHARE * abs(delta):
        so = f"mostly in {longest[1]} itself"
    yield cause(
        context, SYNCHRONIZATION, subject, RUNTIME, delta,
        f"{title}: {signed_time(delta)} per step; {how}, {so}.",
        evidence, explains=moved, look_at=setting_of_arguments(context, caller) if caller else "",
    )  # fmt: skip


def _exposed_waits(context: RuleContext, sign: int) -> dict[Part, float]:
    """Part -> change of the exposed time of the waits and of what is called with them, such as the copy of aten::item,
    in the direction of their number."""
    callers = [name for name, waits in context.callers(WAIT).items() if sign * waits.more_calls > 0]
    called = [
        ((RUNTIME, name), amount.delta_us) for caller in callers
        for name, amount in context.api_calls_of(caller).items() if not calls(LAUNCH, name)
    ] or [
        ((RUNTIME, row.path[1]), row.delta / context.unit) for row in context.entities(RUNTIME)
        if calls(WAIT, row.path[1])
    ]  # fmt: skip
    return {part: us for part, us in total_by_key(called).items() if sign * us > 0}


def _in_usual_step(context: RuleContext, sign: int) -> bool:
    """Whether the usual step has more (fewer) waits, too."""
    before, after = (float(median(_per_step(side))) for side in context.sides)
    return call_count_changed(before, after) and sign * (after - before) > 0


def _no_longer_hidden(context: RuleContext, left: Mapping[str, float], more_waits: float) -> float:
    """Share of what is left of exposed host time that waits expose: all of it if the host would be faster than the
    device without them. Else slower calls are not theirs, nor are additional ones if these, but for those that wait,
    take longer than what the device hid before: then the host has more to do than the waits can expose."""
    sign = 1 if more_waits > 0 else -1
    if _would_be_hidden(context, sign):
        return 1.0
    exposed = sign * (left[CPU_EXEC] + left[RUNTIME])
    hidden, before = sign * less_hidden(context), _hidden_before(context, sign)
    added = sign * added_calls(context, (1 + ALIKE) * abs(more_waits))
    if added > before:
        hidden = min(hidden - added, before)
    return min(max(hidden / exposed, 0.0), 1.0) if exposed > 0 else 1.0


def _hidden_before(context: RuleContext, sign: int) -> float:
    """Host work that the device hides on the side with fewer waits, microseconds per step."""
    side = 0 if sign > 0 else 1
    worked = fsum(amount.us_a if side == 0 else amount.us_b for amount in working_calls(context))
    return worked - fsum(context.exposed_times(category)[side] for category in (CPU_EXEC, RUNTIME))


def _would_be_hidden(context: RuleContext, sign: int) -> bool:
    """Whether, on the side with more waits, the device is busy for longer than the host works: without them, the host
    would run ahead."""
    waits, busy = total(context.called(WAIT).values()), context.amounts(DEVICE_TIMELINE).get((BUSY,), Amount())
    steps = context.ledger.baseline / context.unit, context.ledger.candidate / context.unit
    works, computes = (steps[1] - waits.us_b, busy.us_b) if sign > 0 else (steps[0] - waits.us_a, busy.us_a)
    return works < computes


def _without_long_steps(context: RuleContext, sign: int) -> float:
    """Share of the change of exposed host time that remains without outlying steps. Waits cost time in each step that
    has them; what single long steps add has another cause."""
    every, usual = (
        sign * (_exposed(context.candidate, whole=whole) - _exposed(context.baseline, whole=whole))
        for whole in (True, False)
    )
    return min(max(usual / every, 0.0), 1.0) if every > 0 else 1.0


def _exposed(side: Summary, *, whole: bool) -> float:
    """Mean time in which the step waits for the host, or copies; with all steps, or without outlying ones."""
    owned = side.owned.by_category()
    times = owned[[CATEGORY_LABELS.index(label) for label in EXPOSED]].sum(axis=0)
    return float(times.mean() if whole else np.delete(times, outlying_steps(side.steps.total_ns)).mean())


def _only_in_few_steps(side: Summary) -> bool:
    """Whether the waits are only in few steps, as at a checkpoint."""
    waits = _per_step(side)
    return bool(waits.any()) and bool((waits > 0).mean() < FEW_STEPS)


def _per_step(side: Summary) -> Ints:
    """(steps,) number of waits of the host."""
    owned = side.owned
    rows = [
        at for at, (category, name) in enumerate(zip(owned.category.tolist(), owned.key, strict=True))
        if category == StepCategory.RUNTIME and calls(WAIT, name)
    ]  # fmt: skip
    waits: Ints = owned.calls[rows].sum(axis=0)
    return waits


def _times(amount: Amount) -> str:
    return numbers_text(amount.calls_a, amount.calls_b)


def waiting_operator(context: RuleContext, sign: int) -> tuple[str, Amount]:
    """The operator whose own waits increased (decreased) most, with its waits. Of nested operators the outermost
    with the same additional calls and time: aten::item rather than aten::_local_scalar_dense."""
    callers = context.callers(WAIT)
    inner = max(callers, key=lambda name: (sign * callers[name].more_calls, name), default="")
    if not inner or sign * callers[inner].more_calls <= 0 or inner == OUTSIDE_OPERATORS:
        return inner, callers.get(inner, Amount())
    operators = {key[0]: amount for key, amount in context.amounts("operators", "host_total").items()}
    if inner not in operators:
        return inner, callers[inner]
    own = operators[inner]
    around = [
        name for name, amount in operators.items()
        if abs(amount.more_calls - own.more_calls) <= ALIKE * abs(own.more_calls)
        and sign * amount.delta_us >= sign * own.delta_us
    ]  # fmt: skip
    outer = max(around, key=lambda name: (sign * operators[name].delta_us, name), default=inner)
    return outer, callers[inner]


SYNCHRONIZATION = Rule(
    names=("synchronization",),
    meaning="the host waits for the device more often",
    when="Synchronizing calls run more often, in at least half of the steps. They explain the rest of the host and of "
    "Memcpy, and slower calls that the device would otherwise hide",
    tables=("kernels",),
    look_at=".item(), .cpu(), printing a tensor, branching on a tensor, torch.cuda.synchronize() inside the step",
    confidence="certain: calls are counted",
    find_rest=wait_rules,
    order=2,
)
