"""Cost of profiler options that only one side recorded."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.checks.differences import WITH_1_8, recorded_more
from tb_perfcompare.comparison.result.headline import RecordedMore
from tb_perfcompare.model.summary.summary import StepCategory, Summary

NS_PER_CALL = 1_000
"""Nanoseconds that an option adds to a recorded call at most:
docs/method/statistics.md#profiler-options-of-one-side."""

MAX_SHARE = 0.5
"""Share of the host's exposed time that options can cost: all of them together took a third of the shortest steps."""

_OLDEST_NS_PER_CALL, _OLDEST_SHARE = 110_000, 0.95
"""The same of PyTorch 1.8's profiler, which took 64 to 108 µs for each recorded operator, later versions 5 to 9."""

_FREE = frozenset({"with_modules"})
"""Options that record nothing in eager mode."""

_HOST = (StepCategory.RUNTIME, StepCategory.DATALOADER, StepCategory.CPU_EXEC, StepCategory.OTHER)


def one_sided_options(baseline: Summary, candidate: Summary) -> RecordedMore | None:
    """Returns the profiler options that only one side recorded and what they can cost; None without any, or if each
    side recorded one that the other did not."""
    for word, side, other in (("candidate", candidate, baseline), ("baseline", baseline, candidate)):
        options = recorded_more(other, side)
        if options:
            cost_us, step_us = _cost_us(side, options), _per_step(side.steps.total_ns.sum(), side) / 1000
            return RecordedMore(word, tuple(options), cost_us, cost_us / (step_us - cost_us) if cost_us else 0.0)
    return None


def _cost_us(side: Summary, options: list[str]) -> float:
    """Microseconds per step that the options can cost: NS_PER_CALL for each operator, of with_stack also for each
    Python function; at most MAX_SHARE of the exposed host time."""
    if not side.is_split or not len(side.steps):
        return 0.0
    calls = side.owned.calls.sum(axis=1)
    operators, functions = (
        _per_step(calls[side.owned.category == category].sum(), side)
        for category in (StepCategory.CPU_EXEC, StepCategory.OTHER)
    )
    costing = [option for option in options if option not in _FREE]
    cost_ns = sum(
        operators * _OLDEST_NS_PER_CALL if option == WITH_1_8
        else (operators + functions * (option == "with_stack")) * NS_PER_CALL
        for option in costing
    )  # fmt: skip
    exposed_ns = _per_step(side.owned.by_category()[list(_HOST)].sum(), side)
    return min(cost_ns, (_OLDEST_SHARE if WITH_1_8 in options else MAX_SHARE) * exposed_ns) / 1000


def _per_step(amount: np.int64, side: Summary) -> float:
    return int(amount) / len(side.steps)
