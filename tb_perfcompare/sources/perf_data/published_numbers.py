"""Decimals as the published reports read them: with the float parser of pandas 2 (precise_xstrtod of its C engine).

It adds up at most 17 digits, leading zeros among them, in a double (n = n x 10 + d), leaves further decimals out, and
multiplies or divides once by a power of ten. The last bit then differs from that of the nearest double in some long
decimals, which makes and breaks ties of counters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.model.arrays import Floats

MOST_DIGITS = 17

_EXACT_DIGITS = 15
"""Decimals of no more digits are read alike by everybody, as long as the power of ten is exact."""

_DECIMAL = re.compile(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*")


def published_numbers(texts: Sequence[str], found: Floats) -> Floats:
    """(rows,) the numbers of these texts as pandas 2 reads them; `found` are the nearest doubles, and the answer itself
    where no text is read in another way."""
    out = found
    for row, text in enumerate(texts):
        if len(text) > _EXACT_DIGITS and np.isfinite(found[row]):
            value = published_number(text)
            if value is not None and value != found[row]:
                if out is found:
                    out = found.copy()
                out[row] = value
    return out


def published_number(text: str) -> float | None:
    """One decimal, None for what is none or has a power of ten that no double is."""
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    whole, decimals = match[2], match[3] or ""
    digits = (whole + decimals)[:MOST_DIGITS]
    number = 0.0
    for digit in digits:
        number = number * 10.0 + int(digit)
    power = int(match[4] or 0) + max(len(whole) - MOST_DIGITS, 0) - max(len(digits) - len(whole), 0)
    if abs(power) > 308:
        return None
    number = number * float(f"1e{power}") if power > 0 else number / float(f"1e{-power}")
    return -number if match[1] == "-" else number
