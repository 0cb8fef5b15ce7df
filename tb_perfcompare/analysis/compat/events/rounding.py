"""Rounding as the answers do it: Python's, half to even, decimals rounded correctly (numpy's can be off by a digit)."""

from __future__ import annotations

from typing import Any


def whole(value: Any) -> int:
    """Nearest integer, half to even."""
    rounded: int = round(value)
    return rounded


def percent(value: Any, total: Any) -> Any:
    """100 * value / total with two digits; 0.0 of nothing."""
    return round(100 * value / total, 2) if total else 0.0


def ratio_percent(value: Any, total: Any) -> Any:
    """Share as the operator table writes it: an integer 0 where nothing was measured."""
    return round(100 * (value / total), 2) if total > 0 else 0
