"""Parses numbers as printed by ncu: with thousands separators, or `n/a`. A decimal comma is an error, never a guess.

ncu formats numbers by the locale of its process: `1,234.50` may be `1.234,50`, and `2,848` is ambiguous.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.sources.storage.text_file import has_python_only_digits

_MISSING = frozenset({"", "n/a", "N/A", "(!) n/a", "nan", "-nan", "NaN", "no data"})
_BLANKS = " '\u2019\u00a0\u202f"
_NUMBER = re.compile(rf"[+-]?(?:\d+|[1-9]\d{{0,2}}(?:[,{_BLANKS}]\d{{3}})+)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_SEPARATORS = str.maketrans("", "", f",{_BLANKS}")
_COMMA_IS_DECIMAL = re.compile(rf"[+-]?(?:\d+|\d{{1,3}}(?:[.{_BLANKS}]\d{{3}})+),\d+|[+-]?\d{{1,3}}(?:\.\d{{3}}){{2,}}")
_FRACTION_OF_THREE = re.compile(r"\d{1,3}\.\d{3}")


class DecimalComma(ValueError):
    """A number is written with a decimal comma."""


def number(cell: str) -> float | None:
    """Parses a number; NaN if not measured, None for a text that is not a number. Raises DecimalComma."""
    text = cell.strip()
    if text in _MISSING:
        return math.nan
    if _NUMBER.fullmatch(text):
        value = float(text.translate(_SEPARATORS))
        return value if math.isfinite(value) else None
    if _COMMA_IS_DECIMAL.fullmatch(text):
        raise DecimalComma(text)
    return None


def whole_number(cell: str) -> float | None:
    """Parses a count of nanoseconds, like `number`.

    It has no fraction, so `2.848` must be 2,848 with a decimal comma.
    """
    value = number(cell)
    if value is not None and value % 1 > 0 and _FRACTION_OF_THREE.fullmatch(cell.strip()):
        raise DecimalComma(cell)
    return value


def numbers(cells: Sequence[str]) -> Floats | None:
    """Parses all cells at once if they are plain numbers; None if they must be parsed one by one."""
    if has_python_only_digits("".join(cells)):
        return None
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
