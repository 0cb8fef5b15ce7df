"""Units: what a number measures, which direction is good. Formatting is in number_text.py and in the page."""

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
    """`symbol` as written in answers: "us", "count", "fraction", "" for text."""

    symbol: str


US = Unit("us")
COUNT = Unit("count")
FRACTION = Unit("fraction")
PERCENT = Unit("percent")
NUMBER = Unit("number")
BYTES = Unit("bytes")
TEXT = Unit("")
