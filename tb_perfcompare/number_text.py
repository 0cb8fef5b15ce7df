"""Formats numbers for people, the same in every face: three significant digits, a suitable unit, signs on differences.

frontend/src/ui/format.ts formats the page's numbers alike; tests/number_text.json checks both. The true minus sign
appears only in text for people; JSON and CSV carry plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from tb_perfcompare.quick_dataclass import dataclass

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"  # not measured, or absent on this side; never zero
TIMES_FROM = 10.0
"""Changes of at least this fraction are written as multiples (×46,000) instead of percentages."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A display unit: `factor` of these units make one base unit (microsecond, byte)."""

    symbol: str
    factor: float


NANOSECONDS = Scale("ns", 1e3)
MICROSECONDS = Scale("µs", 1.0)
MILLISECONDS = Scale("ms", 1e-3)
SECONDS = Scale("s", 1e-6)
TIME_SCALES = (SECONDS, MILLISECONDS, MICROSECONDS, NANOSECONDS)
UNIT_TEXT = {"us": MICROSECONDS.symbol}
"""Unit in tables and JSON -> unit as displayed, if different."""

BYTE_SCALES = (Scale("GiB", 2.0**-30), Scale("MiB", 2.0**-20), Scale("KiB", 2.0**-10), Scale("B", 1.0))


def time_scale(largest_us: float) -> Scale:
    """The unit in which a time reads between 1 and 1000; seconds for anything longer."""
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


def number(value: float, *, signed: bool = False, most: int = 3) -> str:
    """Three significant digits, at most `most` decimals, thousands grouped: 1,234  123  12.3  1.23  0.123  0.012.

    A nonzero value too small to show is "<0.001", with a sign "+0.000" or "−0.000": "0" always means zero.
    """
    if not math.isfinite(value):
        return ABSENT
    size = abs(value)
    if size == 0:
        return "0"
    least = 10.0**-most
    if size <= least / 2:
        return _signed(f"{0:.{most}f}", value, signed) if signed or value < 0 else f"<{least:.{most}f}"
    decimals = max(0, min(most, 2 - math.floor(math.log10(size))))
    if decimals and round(size, decimals) >= 10.0 ** (3 - decimals):
        decimals -= 1  # 9.996 rounds to 10.0, not to 10.00
    return _signed(f"{size:,.{decimals}f}", value, signed)


def count(value: float, *, signed: bool = False) -> str:
    """A count: exact if it is an integer (means per step may not be), and never "3.00"."""
    if math.isfinite(value) and float(value).is_integer():
        return _signed(f"{abs(int(value)):,}", value, signed)
    return number(value, signed=signed).removesuffix(".00").removesuffix(".0")


def many(value: float, noun: str, nouns: str = "") -> str:
    """ "1 kernel", "3 kernels", "2.50 calls"; `nouns` is the plural unless it is formed with -s."""
    return f"{count(value)} {noun if value == 1 else nouns or f'{noun}s'}"


def listed(texts: Iterable[str], most: int, between: str = ", ") -> str:
    """The first `most` texts and the number of the others: "a, b and 3 more"."""
    given = list(texts)
    more = f" and {len(given) - most:,} more" if len(given) > most else ""
    return between.join(given[:most]) + more


def time(value_us: float, *, signed: bool = False) -> str:
    """A time in a suitable unit: "12.3 ms"."""
    scale = time_scale(abs(value_us))
    return f"{number(value_us * scale.factor, signed=signed)} {scale.symbol}"


def size(value_bytes: float, *, signed: bool = False) -> str:
    """Bytes in a suitable binary unit: "1.11 MiB"."""
    scale = byte_scale(abs(value_bytes))
    return f"{number(value_bytes * scale.factor, signed=signed)} {scale.symbol}"


def rate(bytes_s: float, *, signed: bool = False) -> str:
    """Bytes per second in decimal units, as bandwidths are given: "1.50 TB/s"."""
    return _decimal(bytes_s, "B/s", signed)


def operations(flops: float, *, signed: bool = False) -> str:
    """Floating-point operations: "1.50 TFLOP"."""
    return _decimal(flops, "FLOP", signed)


def operation_rate(flops_s: float, *, signed: bool = False) -> str:
    """Floating-point operations per second: "1.50 TFLOP/s"."""
    return _decimal(flops_s, "FLOP/s", signed)


def _decimal(value: float, unit: str, signed: bool) -> str:
    power = next((power for power in (4, 3, 2, 1) if abs(value) >= 0.9995 * 1000.0**power), 0)
    return f"{number(value / 1000.0**power, signed=signed)} {('', 'k', 'M', 'G', 'T')[power]}{unit}"


def quantity(value: float, unit: str) -> str:
    """A value with a unit as named in tables and JSON: "1.11 MiB" for bytes, "1,410 MHz"."""
    formatter = {
        "us": time, "bytes": size, "bytes/s": rate, "FLOP": operations, "FLOP/s": operation_rate,
    }.get(unit)  # fmt: skip
    return formatter(value) if formatter else f"{count(value)} {unit}"


def percent(fraction: float, *, signed: bool = False, share: bool = False) -> str:
    """0.0531 -> "5.31 %".

    `signed` without `share` means a change: from +1,000 % it is written as a multiple, "×46,000".
    """
    if signed and not share and TIMES_FROM <= fraction < math.inf:
        return ratio(1 + fraction)
    text = number(fraction * 100, signed=signed, most=2)
    return text if text == ABSENT else f"{text} %"


def change_and_ends(change: float, low: float, high: float) -> tuple[str, str, str]:
    """A change and both ends of its interval: ("+19.4 %", "+18.0 %", "+20.1 %"), or all as multiples, ("×14.7",
    "×5.97", "×41.4")."""
    if TIMES_FROM <= high < math.inf:
        return ratio(1 + change), ratio(1 + low), ratio(1 + high)
    return percent(change, signed=True), percent(low, signed=True), percent(high, signed=True)


def change_ends(low: float, high: float) -> tuple[str, str]:
    """Both ends of a change's interval."""
    return change_and_ends(low, low, high)[1:]


def points(difference: float) -> str:
    """A difference between two shares, in percentage points: 0.0531 -> "+5.31 pp"."""
    text = number(difference * 100, signed=True, most=2)
    return text if text == ABSENT else f"{text} pp"


def rough(fraction: float, *, signed: bool = False) -> str:
    """A percentage for headlines, with two significant digits: "18 %", "2.6 %", "154 %", "×12"."""
    if signed and TIMES_FROM <= fraction < math.inf:
        return f"×{1 + fraction:,.0f}"
    text = _rough(abs(100 * fraction))
    if text == "0" and fraction:
        text = "0.00" if signed or fraction < 0 else "<0.01"
    return f"{_signed(text, fraction, signed)} %"


def rough_within(change: float, high: float) -> str:
    """A change for headlines, written as a range up to `high` is: "+18 %", "×4.2"."""
    return f"×{_rough(1 + change)}" if TIMES_FROM <= high < math.inf else rough(change, signed=True)


def rough_range(low: float, high: float, *, signed: bool = False) -> str:
    """A range for headlines: "15 to 21 %", "−4.4 to +8.9 %", "×5.2 to ×14"."""
    if signed and TIMES_FROM <= high < math.inf:
        least = "<×0.01" if low < -0.995 else f"×{_rough(1 + low)}"
        return f"{least} to ×{_rough(1 + high)}"
    start, end = rough(low, signed=signed), rough(high, signed=signed)
    return f"{start.removesuffix(' %') if end.endswith('%') else start} to {end}"


def times(factor: float) -> str:
    """ "1.3 times", "twice", "46,099 times", before "as long"."""
    return "twice" if (text := times_more(factor)) == "2 times" else text


def times_more(factor: float) -> str:
    """ "1.3 times", "2 times", "46,099 times", before "slower" or "larger"."""
    return f"{_rough(factor, 1)} times"


def of_the_change(share: float) -> str:
    """ "74.1 % of the change", "−12.0 % of the change" if it is against it."""
    return f"{percent(share)} of the change"


def ratio(value: float) -> str:
    """ "×1.30", "<×0.001"."""
    return f"×{number(value)}".replace("×<", "<×")


def setting(fraction: float) -> str:
    """A percentage with the digits the user wrote: "1 %", "95 %", "0.5 %"."""
    return f"{100 * fraction:g} %"


def whole_percent(fraction: float) -> str:
    """A confidence level in whole percent, not rounded up: "95 %"."""
    return f"{math.floor(100 * fraction + 1e-9)} %"


def p_value(p: float) -> str:
    """Two significant digits; below 0.001 only the bound "<0.001", never "0"."""
    return "<0.001" if p < 0.001 else f"{p:.4f}" if p < 0.01 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def p_text(p: float) -> str:
    """ "p = 0.031", "p < 0.001"."""
    return f"p = {p_value(p)}".replace("= <", "< ")


def _rough(value: float, most: int = 2) -> str:
    decimals = 0 if value >= 9.95 else 1 if value >= 0.95 else most
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def _scale(largest: float, scales: tuple[Scale, ...], zero: Scale) -> Scale:
    largest = abs(largest)
    if largest == 0 or not math.isfinite(largest):
        return zero
    for scale in scales:
        if largest * scale.factor >= 0.9995:  # shown as 1.00 rather than as 1,000 of the smaller unit
            return scale
    return scales[-1]


def _signed(text: str, value: float, signed: bool) -> str:
    if value < 0:
        return MINUS + text
    return f"+{text}" if signed and value > 0 else text
