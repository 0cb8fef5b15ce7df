"""What two sides say differently about their surroundings."""

from __future__ import annotations

from tb_perfcompare.comparison.result.wording import setting_change
from tb_perfcompare.model.summary.summary import Summary

_OPTIONS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_NAMES_OPTIONS = "trace.schema"
"""A trace that has it names the options that were on, and says nothing of the others."""


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """ "device memory (MiB) 40960 → 81920", for every name that both sides know, with different values."""
    x, y = dict(a.environment), dict(b.environment)
    return [setting_change(name, x[name], y[name]) for name in names if name in x and name in y and x[name] != y[name]]


def option_differences(a: Summary, b: Summary, *, known: bool = False) -> list[str]:
    """ "with_stack false → true", for every option of the profiler that costs time and that the sides do not say the
    same of; `known`: that both sides know."""
    sides = dict(a.environment), dict(b.environment)
    off = "false" if all(_NAMES_OPTIONS in side for side in sides) else None
    found = []
    for option in _OPTIONS:
        name = f"profiler.{option}"
        one, two = (side.get(name, off) for side in sides)
        if one != two and not (known and None in (one, two)):
            found.append(setting_change(name, one, two))
    return found
