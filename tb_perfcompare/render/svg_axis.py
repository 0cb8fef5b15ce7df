"""Where values lie along an axis of a drawing, and round numbers on it. Places are percentages, so that a drawing is as
wide as its room and its letters stay as large as the others."""

from __future__ import annotations

import math

from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to the greater `high`."""

    low: float
    high: float

    def at(self, value: float) -> str:
        """Its place; a value beyond the axis lies at its end."""
        return f"{self.share(value):.2f}%"

    def share(self, value: float) -> float:
        """The same as a number, 0 to 100."""
        return 100 * (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)

    def ticks(self, wanted: int) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten, about `wanted` of them."""
        rough = (self.high - self.low) / wanted
        power = 10.0 ** math.floor(math.log10(rough))
        step = next((factor * power for factor in (1, 2, 5) if factor * power >= rough), 10 * power)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [place * step for place in range(first, last + 1)]
