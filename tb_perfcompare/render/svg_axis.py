"""Axes of SVG drawings: positions of values, and round numbers for ticks. Positions are percentages, so that a drawing
fills its container without scaling its text."""

from __future__ import annotations

import math

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`, which is greater."""

    low: float
    high: float

    def at(self, value: float) -> str:
        """Position of a value as a CSS percentage; values beyond the axis are at its end."""
        return f"{self.share(value):.2f}%"

    def share(self, value: float) -> float:
        """Position of a value as a number from 0 to 100."""
        return 100 * (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)

    def ticks(self, wanted: float) -> list[tuple[float, str]]:
        """Returns (value, label) of about `wanted` ticks: multiples of 1, 2 or 5 times a power of ten, all labels with
        as many decimals."""
        rough = (self.high - self.low) / wanted
        power = 10.0 ** math.floor(math.log10(rough))
        step = next((factor * power for factor in (1, 2, 5) if factor * power >= rough), 10 * power)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return [(multiple * step, f"{multiple * step:,.{decimals}f}") for multiple in range(first, last + 1)]
