"""Numbers as people read them: three significant digits, one unit per column, signs on differences.

The true minus sign stands in text for people only; JSON and CSV carry plain numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"  # not measured, or absent on this side; never zero
UNCLEAR = "~"  # measured, but the data cannot tell

MARKS = {"both": "", "added": "new", "removed": "gone"}
"""Status of a row -> its mark."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit to draw in: `factor` units make one base unit (microsecond, byte)."""

    symbol: str
    factor: float


NANOSECONDS = Scale("ns", 1e3)
MICROSECONDS = Scale("µs", 1.0)
MILLISECONDS = Scale("ms", 1e-3)
SECONDS = Scale("s", 1e-6)
TIME_SCALES = (SECONDS, MILLISECONDS, MICROSECONDS, NANOSECONDS)
BYTE_SCALES = (Scale("GiB", 2.0**-30), Scale("MiB", 2.0**-20), Scale("KiB", 2.0**-10), Scale("B", 1.0))


def time_scale(largest_us: float) -> Scale:
    """The unit in which a time of this size reads between 1 and 1000; seconds above."""
    return _scale(largest_us, TIME_SCALES, zero=MICROSECONDS)


def table_scale(largest_us: float) -> Scale:
    """The finest unit in which the largest time of a table stays below 10,000, so that small rows keep their digits."""
    for scale in reversed(TIME_SCALES):
        if abs(largest_us) * scale.factor < 9999.5:
            return scale if largest_us else MICROSECONDS
    return SECONDS


def byte_scale(largest_bytes: float) -> Scale:
    """The binary unit in which a size reads between 1 and 1024."""
    return _scale(largest_bytes, BYTE_SCALES, zero=BYTE_SCALES[-1])


def number(value: float, *, signed: bool = False) -> str:
    """Three significant digits, at most three decimals, thousands grouped: 1,234  123  12.3  1.23  0.123  0.012.

    What is not zero but too small to show is "<0.001", so that "0" always means zero."""
    if not math.isfinite(value):
        return ABSENT
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.0005:
        return "<0.001" if value > 0 else f">{MINUS}0.001"
    decimals = max(0, min(3, 2 - math.floor(math.log10(size))))
    if decimals and round(size, decimals) >= 10.0 ** (3 - decimals):
        decimals -= 1  # 9.996 rounds to 10.0, not to 10.00
    return _signed(f"{size:,.{decimals}f}", value, signed)


def count(value: float, *, signed: bool = False) -> str:
    """A number of things: exact when it is whole (means per step may not be)."""
    if math.isfinite(value) and float(value).is_integer():
        return _signed(f"{abs(int(value)):,}", value, signed)
    return number(value, signed=signed)


def time(value_us: float, *, signed: bool = False) -> str:
    """A time with the unit that suits it: "12.3 ms"."""
    scale = time_scale(abs(value_us))
    return f"{number(value_us * scale.factor, signed=signed)} {scale.symbol}"


def percent(fraction: float, *, signed: bool = False) -> str:
    """0.0531 -> "5.31 %"."""
    return f"{number(fraction * 100, signed=signed)} %"


def p_value(p: float) -> str:
    """Never "0": below a thousandth only the bound is said."""
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _scale(size: float, scales: tuple[Scale, ...], zero: Scale) -> Scale:
    size = abs(size)
    if size == 0 or not math.isfinite(size):
        return zero
    for scale in scales:
        if size * scale.factor >= 0.9995:  # shown as 1.00 rather than as 1,000 of the smaller unit
            return scale
    return scales[-1]


def _signed(text: str, value: float, signed: bool) -> str:
    if value < 0:
        return MINUS + text
    return f"+{text}" if signed and value > 0 else text
