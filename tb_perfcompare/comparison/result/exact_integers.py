"""Integers of any size in columns, and what divides them exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Floats

ExactInts = NDArray[Any]
"""int64, or Python ints where int64 would overflow."""

_EXACT = 1 << 53
"""Integers below this are exact as floats, so that dividing floats gives the same quotients as dividing ints."""


def exact(values: Sequence[int]) -> ExactInts:
    """Converts integers to a column: int64 if 64 bits hold their sum, else Python ints."""
    most = max(max(values, default=0), -min(values, default=0))
    return np.array(values, dtype=np.int64 if most * max(len(values), 1) < 1 << 62 else object)


def half_to_even(above: int, below: int) -> int:
    """above / below rounded half to even, hence symmetric in the sign of `above`; `below` must be positive."""
    whole, rest = divmod(above, below)
    return whole + (2 * rest > below or (2 * rest == below and whole % 2))


def divided(values: ExactInts, by: int) -> Floats:
    """Quotients equal to those of Python's `/` on ints, to the last bit."""
    if values.dtype != object and by < _EXACT and (not len(values) or int(np.abs(values).max()) < _EXACT):
        quotients: Floats = values / by
        return quotients
    return np.array([value / by for value in values.tolist()], dtype=np.float64)
