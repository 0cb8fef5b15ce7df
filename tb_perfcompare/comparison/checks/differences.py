"""Differences between the recorded environments of two sides."""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import setting_change
from tb_perfcompare.model.names.names import NO_FIELDS, WRITTEN_ARGUMENTS, WRITTEN_FIELDS
from tb_perfcompare.model.summary.summary import Summary

_OPTIONS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_IS_TRACE = "trace.schema"


WITH_1_8 = "with PyTorch 1.8"
"""The profiler of PyTorch 1.8, as an option."""


_SINCE_2_0 = ("baseTimeNanoseconds", "trace_id", "host_name", "Concrete Inputs")
"""Fields of traces that name the options that were on."""


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """Differences of the named settings that both sides recorded: "device memory (MiB) 40960 → 81920"."""
    x, y = dict(a.environment), dict(b.environment)
    return [setting_change(name, x[name], y[name]) for name in names if name in x and name in y and x[name] != y[name]]


def option_differences(a: Summary, b: Summary, *, known: bool = False) -> list[str]:
    """Differences of the profiler options that cost time: "with_stack false → true". `known`: only options that both
    sides recorded."""
    traces = all(_IS_TRACE in dict(side.environment) for side in (a, b))
    differences = []
    for option in _OPTIONS:
        one, two = (_state(side, option, traces) for side in (a, b))
        if one != two and not ((known or traces) and None in (one, two)):
            differences.append(setting_change(f"profiler.{option}", one, two))
    oldest = [_is_of_1_8(side) for side in (a, b)]
    if oldest[0] != oldest[1]:
        differences.append(f"profiler of PyTorch {'1.8 → later' if oldest[0] else 'later → 1.8'}")
    return differences


def recorded_more(a: Summary, b: Summary) -> list[str]:
    """Profiler options that cost time and were on for `b` alone, PyTorch 1.8 first; none if others were on for `a`
    alone."""
    only = [[option for option in _OPTIONS if _is_on_alone(option, *sides)] for sides in ((b, a), (a, b))]
    oldest = [_is_of_1_8(side) for side in (a, b)]
    more = [] if only[0] else only[1]
    if oldest[0] != oldest[1]:
        return [WITH_1_8, *more] if oldest[1] else []
    return more


def more_options(a: Summary, b: Summary) -> int:
    """Number of profiler options that were on for `b` alone, less those that were on for `a` alone."""
    return sum(_is_on_alone(option, a, b) - _is_on_alone(option, b, a) for option in _OPTIONS)


def _is_on_alone(option: str, off: Summary, on: Summary) -> bool:
    """Whether an option was on for the side `on`, and not for the other, as far as that is known."""
    traces = _IS_TRACE in dict(off.environment)
    return _state(on, option, traces=False) == "true" and not (traces and _state(off, option, traces) != "false")


def _state(side: Summary, option: str, traces: bool) -> str | None:
    """"true", "false", or None if unknown. Traces name only the options that were on, those of PyTorch 1.13 and older
    none, whose events show some."""
    settings = dict(side.environment)
    fields = f"{settings.get(WRITTEN_FIELDS, '')}, {settings.get(WRITTEN_ARGUMENTS, '')}"
    names_them = any(field in fields for field in _SINCE_2_0) or WRITTEN_FIELDS not in settings
    return settings.get(f"profiler.{option}", "false" if traces and names_them else None)


def _is_of_1_8(side: Summary) -> bool:
    return dict(side.environment).get(WRITTEN_ARGUMENTS) == NO_FIELDS
