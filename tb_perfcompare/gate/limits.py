"""Limits on how much longer something may take: "3%", "+3%", "250us", "1.5 ms"."""

from __future__ import annotations

import re

from tb_perfcompare import number_text
from tb_perfcompare.errors import PerfCompareError, choices
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.quick_dataclass import dataclass

_LIMIT = regex(r"\s*\+?\s*(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})\s*(%|ns|us|µs|μs|ms|s)\s*", re.ASCII)
_US = {"ns": 1e-3, "us": 1.0, "µs": 1.0, "μs": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(frozen=True, slots=True)
class Limit:
    """Either a fraction of the baseline's time or a time in microseconds per step; zero allows no growth."""

    fraction: float | None = None
    us: float | None = None

    @property
    def text(self) -> str:
        """The limit for messages, such as "3 %" or "250 µs"."""
        return number_text.setting(self.fraction) if self.fraction is not None else number_text.time(self.us or 0.0)

    def allowed_us(self, baseline_us: float) -> float:
        """Allowed growth in microseconds, for a baseline time in microseconds."""
        return self.fraction * baseline_us if self.fraction is not None else self.us or 0.0


def is_limit(text: str) -> bool:
    return _LIMIT.fullmatch(text) is not None


def parse_limit(text: str) -> Limit:
    """Parses a percentage or a time. Raises PerfCompareError for anything else and for negative numbers."""
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise PerfCompareError(f"{text!r} is not a limit", hint="give a percentage or a time, such as 3% or 1.5ms")
    value, unit = float(match[1]), match[2]
    return Limit(fraction=value / 100) if unit == "%" else Limit(us=value * _US[unit])


def parse_budget(text: str) -> tuple[str, Limit]:
    """Parses "Communication=+5%" into (category, limit), ignoring case. Raises PerfCompareError."""
    name, equals, limit = text.rpartition("=")
    labels = {label.lower(): label for label in CATEGORY_LABELS}
    category = labels.get(name.strip().lower())
    if equals and category is None:
        raise PerfCompareError(f"there is no category {name.strip()!r}", hint=choices(name.strip(), CATEGORY_LABELS))
    if category is None:
        hint = f"give CATEGORY=LIMIT such as Communication=+5%; categories are {', '.join(CATEGORY_LABELS)}"
        raise PerfCompareError(f"{text!r} is not a budget", hint=hint)
    return category, parse_limit(limit)
