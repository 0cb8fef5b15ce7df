"""Differences between the recorded environments of two sides."""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import setting_change
from tb_perfcompare.model.names.names import NO_FIELDS, WRITTEN_ARGUMENTS
from tb_perfcompare.model.summary.summary import Summary

_OPTIONS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_NAMES_OPTIONS = "trace.schema"
"""Setting of traces that name only the options that were on, so that options not named are off."""


WITH_1_8 = "with PyTorch 1.8"
"""The profiler of PyTorch 1.8, as an option."""


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """Differences of the named settings that both sides recorded: "device memory (MiB) 40960 → 81920"."""
    x, y = dict(a.environment), dict(b.environment)
    return [setting_change(name, x[name], y[name]) for name in names if name in x and name in y and x[name] != y[name]]


def option_differences(a: Summary, b: Summary, *, known: bool = False) -> list[str]:
    """Differences of the profiler options that cost time: "with_stack false → true". `known`: only options that both
    sides recorded."""
    sides = dict(a.environment), dict(b.environment)
    off = "false" if all(_NAMES_OPTIONS in side for side in sides) else None
    differences = []
    for option in _OPTIONS:
        name = f"profiler.{option}"
        one, two = (side.get(name, off) for side in sides)
        if one != two and not (known and None in (one, two)):
            differences.append(setting_change(name, one, two))
    oldest = [_is_of_1_8(side) for side in (a, b)]
    if oldest[0] != oldest[1]:
        differences.append(f"profiler of PyTorch {'1.8 → later' if oldest[0] else 'later → 1.8'}")
    return differences


def recorded_more(a: Summary, b: Summary) -> list[str]:
    """Profiler options that cost time and were on for `b` alone, PyTorch 1.8 first; none if others were on for `a`
    alone."""
    on = [
        {option for option in _OPTIONS if dict(side.environment).get(f"profiler.{option}") == "true"} for side in (a, b)
    ]
    oldest = [_is_of_1_8(side) for side in (a, b)]
    more = [] if on[0] - on[1] else [option for option in _OPTIONS if option in on[1] - on[0]]
    if oldest[0] != oldest[1]:
        return [WITH_1_8, *more] if oldest[1] else []
    return more


def _is_of_1_8(side: Summary) -> bool:
    return dict(side.environment).get(WRITTEN_ARGUMENTS) == NO_FIELDS
