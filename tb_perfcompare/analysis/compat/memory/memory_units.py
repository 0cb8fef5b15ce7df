"""Units of the memory answers, and how sizes and labels are written in them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tb_perfcompare.errors import SelectionError

_MEMORY_FACTORS = {"B": 1.0, "KB": 1 / 1024, "MB": 1 / 1024**2, "GB": 1 / 1024**3}
_TIME_FACTORS = {"us": 1.0, "ms": 0.001, "s": 0.000001}
_SMALLEST_WITH_CENTS = 0.01


@dataclass(frozen=True, slots=True)
class MemoryUnits:
    """Units of an answer and what one byte or microsecond is in them."""

    memory: str
    time: str
    memory_factor: float
    time_factor: float


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Records from `low` to `high`, both included, microseconds as in the trace."""

    low: float = -math.inf
    high: float = math.inf


def memory_units(memory: str, time: str = "ms") -> MemoryUnits:
    """Units by name (B, K, KB, M, MB, G, GB; us, ms, s); SelectionError for others."""
    memory = memory if memory.endswith("B") else f"{memory}B"
    if memory not in _MEMORY_FACTORS or time not in _TIME_FACTORS:
        known = ", ".join([*_MEMORY_FACTORS, *_TIME_FACTORS])
        raise SelectionError(f"unknown unit {memory!r} or {time!r} for a memory view", hint=f"there are: {known}")
    return MemoryUnits(memory, time, _MEMORY_FACTORS[memory], _TIME_FACTORS[time])


def shown_size(value: float) -> float:
    """Two decimals, or one significant digit for what would vanish."""
    if value == 0 or abs(value) >= _SMALLEST_WITH_CENTS:
        return round(value, 2)
    return float(f"{value:.0e}")


def default_device(labels: Iterable[str]) -> str:
    """First accelerator by label, else the CPU."""
    return next((label for label in sorted(labels) if label != "CPU"), "CPU")
