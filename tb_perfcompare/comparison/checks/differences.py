"""Differences between the recorded environments of two sides."""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import setting_change
from tb_perfcompare.model.names.names import NO_FIELDS, WRITTEN_ARGUMENTS, WRITTEN_FIELDS
from tb_perfcompare.model.summary.summary import Summary

_OPTIONS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_SINCE_2_0 = {"baseTimeNanoseconds", "trace_id", "host_name", "Concrete Inputs"}
"""Fields of traces that name the options that were on."""

WITH_1_8 = "with PyTorch 1.8"
"""The profiler of PyTorch 1.8, as an option."""


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """Differences of the named settings that both sides recorded: "device memory (MiB) 40960 → 81920"."""
    x, y = dict(a.environment), dict(b.environment)
    return [setting_change(name, x[name], y[name]) for name in names if name in x and name in y and x[name] != y[name]]


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


def recorded_more(a: Summary, b: Summary) -> list[str]:
    """The options of `b` alone; none if others were on for `a` alone, unless PyTorch 1.8, which outweighs all, recorded
    `b`."""
    options = options_alone(a, b)
    return options if WITH_1_8 in options or not options_alone(b, a) else []


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
