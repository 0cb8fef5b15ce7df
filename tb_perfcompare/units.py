"""Units: what a number is, which direction is good. No formatting here (number_text.py and the page do that)."""

from __future__ import annotations

from enum import Enum

from tb_perfcompare.quick_dataclass import dataclass


class Better(str, Enum):
    """Which direction of a column is an improvement."""

    LOWER = "lower"
    HIGHER = "higher"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Unit:
    """`symbol` as written in answers ("us", "count", "fraction", "" for text); `signed` is for deltas."""

    symbol: str


US = Unit("us")
COUNT = Unit("count")
FRACTION = Unit("fraction")
PERCENT = Unit("percent")
NUMBER = Unit("number")
BYTES = Unit("bytes")
TEXT = Unit("")


def us(ns: int) -> float:
    """Integer nanoseconds as microseconds; the shortest decimal of the result is exact for |ns| < 2**50."""
    return ns / 1000
