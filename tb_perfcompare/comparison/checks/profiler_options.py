"""Profiler options of the two sides: where they differ, and what those of one side can cost."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.result.headline import RecordedMore
from tb_perfcompare.comparison.result.wording import setting_change
from tb_perfcompare.model.environment import NO_FIELDS, WRITTEN_ARGUMENTS, WRITTEN_FIELDS
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.summary import Summary

_OPTIONS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_SINCE_2_0 = {"baseTimeNanoseconds", "trace_id", "host_name", "Concrete Inputs"}
"""Fields of traces that name the options that were on."""

WITH_1_8 = "with PyTorch 1.8"
"""The profiler of PyTorch 1.8, as an option."""

NS_PER_CALL = 1_000
"""Nanoseconds that an option adds to a recorded call at most. Measured in µs: `record_shapes` 0.2 to 0.9, `with_flops`
0.8 to 0.9, `profile_memory` 0 to 0.5, `with_stack` 0.04 to 0.4 (torch 2.14; CPU time of the shortest of 48 steps; four
programs of 2,400 to 5,400 operators; options alternated)."""

MAX_SHARE = 0.5
"""Share of the host's exposed time that options can cost: all of them together took at most 34 % of the shortest
steps."""

_OLDEST_NS_PER_CALL, _OLDEST_SHARE = 110_000, 0.95
"""The same of PyTorch 1.8's profiler, which took 64 to 108 µs for each recorded operator, versions 1.11 to 2.14 5 to 9
(steps with and without the profiler; four CPU programs, five with later versions)."""

_FREE = frozenset({"with_modules"})
"""Options that record nothing in eager mode."""

_HOST = (StepCategory.RUNTIME, StepCategory.DATALOADER, StepCategory.CPU_EXEC, StepCategory.OTHER)


def option_differences(a: Summary, b: Summary) -> list[str]:
    """Differences of the profiler options that cost time, as far as both sides are known: "with_stack false → true"."""
    states = [(f"profiler.{option}", _state(a, option), _state(b, option)) for option in _OPTIONS]
    differing = [setting_change(*state) for state in states if None not in state and state[1] != state[2]]
    oldest = [_is_of_1_8(side) for side in (a, b)]
    if oldest[0] != oldest[1]:
        differing.append(f"profiler of PyTorch {'1.8 → later' if oldest[0] else 'later → 1.8'}")
    return differing


def options_alone(a: Summary, b: Summary) -> list[str]:
    """Profiler options that cost time and were on for `b` and off for `a`, PyTorch 1.8 first."""
    oldest = [WITH_1_8] if _is_of_1_8(b) and not _is_of_1_8(a) else []
    return oldest + [option for option in _OPTIONS if (_state(a, option), _state(b, option)) == ("false", "true")]


def _state(side: Summary, option: str) -> str | None:
    """Returns "true", "false", or None if unknown. Traces name only the options that were on, those of PyTorch 1.13 and
    older none, whose events show some; without shapes there are no others that cost anything."""
    settings = dict(side.environment)
    fields = ", ".join(settings.get(name, "") for name in (WRITTEN_FIELDS, WRITTEN_ARGUMENTS))
    names_them = _SINCE_2_0 & set(fields.split(", ")) or (
        WRITTEN_FIELDS in settings and WRITTEN_ARGUMENTS not in settings
    )
    return settings.get(f"profiler.{option}", "false" if names_them else None)


def _is_of_1_8(side: Summary) -> bool:
    return dict(side.environment).get(WRITTEN_ARGUMENTS) == NO_FIELDS


def one_sided_options(baseline: Summary, candidate: Summary) -> RecordedMore | None:
    """Returns the profiler options that only one side recorded and what they can cost; None without any, or if each
    side recorded one that the other did not."""
    for word, side, other in (("candidate", candidate, baseline), ("baseline", baseline, candidate)):
        options = options_alone(other, side)
        if WITH_1_8 in options or (options and not options_alone(side, other)):  # that profiler outweighs all options
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
