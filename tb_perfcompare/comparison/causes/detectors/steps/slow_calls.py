"""Some calls of an operator take many times as long as its others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.steps.excess import LEADING, MAIN_SHARE, MAX_P, MIN_SLOW_RATIO
from tb_perfcompare.comparison.causes.detectors.steps.slow_steps import find_slow_steps
from tb_perfcompare.comparison.causes.detectors.steps.warm_up import find_warm_up
from tb_perfcompare.comparison.causes.evidence.explained import Cause
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import short, signed_time, time_text
from tb_perfcompare.comparison.statistics.mean_effect import fisher_p
from tb_perfcompare.model.arrays import Floats, median, sample_quantile
from tb_perfcompare.model.summary.categories import CPU_EXEC, StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

SLOW_CALL = 10
"""Ratio of an operator's time per call in a step to its usual one from which calls in that step are slow. What other
load adds to a call is less, or is spread over many operators."""

LEAST_SLOW = 0.01
"""Least share of the median step that an operator with slow calls takes in its longest step."""

MIN_SLOW_STEPS = 3
"""Least number of steps with slow calls of an operator ..."""

FEW_OPERATORS, MOSTLY = 4, 0.9
"""... and share of what slow calls add that this many operators make: another process interrupts now this operator, now
that one. Nested operators and both passes count as several."""


@dataclass(frozen=True, slots=True, eq=False)
class _SlowCalls:
    """Steps in which an operator's calls are slow, by how much each of these steps waits longer for them, the time per
    call there and elsewhere, and what this adds to the mean step."""

    steps: NDArray[np.int64]
    longer_us: Floats
    slow_us: float
    usual_us: float
    excess_us: float


def slow_call_rules(context: RuleContext) -> Iterator[Cause]:
    """Some calls of an operator take many times as long as others, in many steps: each new input shape makes a library
    choose, compile or load something. Without a device, other load does the same. Not if a warm-up or slow steps make
    the change."""
    if abs(context.delta_us) < context.least_us or not all(side.device.count for side in context.sides):
        return
    if context.once(find_warm_up) is not None or context.once(find_slow_steps) is not None:
        return
    sides = [(word, side, _calls_with_slow_ones(side)) for word, side in zip(SIDES, context.sides, strict=True)]
    before, after = (math.fsum(slow.excess_us for slow in calls.values()) for _, _, calls in sides)
    delta = after - before
    if abs(delta) < max(context.least_us, MAIN_SHARE * abs(context.delta_us)) or delta * context.delta_us <= 0:
        return
    (_, others, other), (word, summary, side) = sides if delta > 0 else sides[::-1]
    counts = [(len(_made_slow(of, calls)), len(of.steps)) for of, calls in ((summary, side), (others, other))]
    if fisher_p(*counts) > MAX_P:
        return
    excess = {name: slow.excess_us - (other[name].excess_us if name in other else 0.0) for name, slow in side.items()}
    excess = {name: us for name, us in excess.items() if us > 0}
    whole = math.fsum(excess.values())
    names = sorted(excess, key=lambda name: (-excess[name], name))[:FEW_OPERATORS]
    if math.fsum(excess[name] for name in names) < MOSTLY * whole:
        return
    first, *rest = (name for name in names if excess[name] > (1 - MOSTLY) * whole)
    slow = side[first]
    also = f"; also {', '.join(map(short, rest))}" if rest else ""
    sentence = (
        f"Some calls are far slower in the {word}: {signed_time(delta)} per step; "
        f"in {len(slow.steps)} of {len(summary.steps)} steps {short(first)} takes {time_text(slow.slow_us)} per call, "
        f"in the others {time_text(slow.usual_us)}{also}."
    )
    is_operator = (first,) in context.amounts("operators", "host_total")
    yield cause(
        context, SLOW_CALLS, first, CPU_EXEC, delta, sentence,
        (Evidence("operators", first) if is_operator else Evidence("ledger", f"{CPU_EXEC} / {first}"),),
        explains={(CPU_EXEC, name): us * (delta / whole) for name, us in excess.items()},
    )  # fmt: skip


def _made_slow(summary: Summary, calls: Mapping[str, _SlowCalls]) -> NDArray[np.int64]:
    """Steps that slow calls make MIN_SLOW_RATIO times as long as the median one."""
    longer = np.zeros(len(summary.steps))
    for slow in calls.values():
        longer[slow.steps] += slow.longer_us
    return np.flatnonzero(longer > (MIN_SLOW_RATIO - 1) * float(median(summary.steps.total_ns)) / 1000)


def _calls_with_slow_ones(summary: Summary) -> dict[str, _SlowCalls]:
    owned, found = summary.owned, {}
    matters = owned.plain_ns.max(axis=1, initial=0) >= LEAST_SLOW * float(median(summary.steps.total_ns))
    often = (owned.calls > 0).mean(axis=1) >= MAIN_SHARE
    for row in np.flatnonzero((owned.category == StepCategory.CPU_EXEC) & matters & often).tolist():
        calls, time = owned.calls[row], owned.plain_ns[row] / 1000  # hidden or not
        called = np.flatnonzero(calls)
        each = time[called] / calls[called]
        if each.max() <= SLOW_CALL * each.min():
            continue
        usual = sample_quantile(each, LEADING)
        steps = called[each > SLOW_CALL * usual]
        if usual <= 0 or not MIN_SLOW_STEPS <= len(steps) <= len(called) * (1 - LEADING):
            continue
        exposed = owned.time_ns[row] / 1000
        longer = exposed[steps] - float(median(exposed[np.setdiff1d(called, steps, assume_unique=True)]))
        slow = float(time[steps].sum() / calls[steps].sum())
        found[owned.key[row]] = _SlowCalls(steps, longer, slow, usual, float(longer.sum()) / len(summary.steps))
    return found


SLOW_CALLS = Rule(
    names=("slow_calls",),
    meaning="some calls of an operator take many times as long as others",
    when=f"An operator takes {SLOW_CALL} times its usual time per call in at least {MIN_SLOW_STEPS} steps, at most "
    "three quarters. One side has more such steps (p ≤ 0.01), and few operators in them make half of the change. "
    "Only with a device",
    look_at="what is chosen, compiled or loaded for each new input shape: plans of cuDNN, "
    "torch.backends.cudnn.benchmark, torch.compile, Triton; pad or bucket the inputs",
    confidence="in many steps",
    find=slow_call_rules,
    rank=1,
    of_means=False,
)
