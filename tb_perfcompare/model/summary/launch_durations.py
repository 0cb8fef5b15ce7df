"""Histograms of launch durations per row: counts in logarithmic classes, the same for every recording."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints, Nanoseconds

PER_OCTAVE = 32
"""Classes per doubling of duration: each is 2.2 % wide."""

DURATION_TABLES = {table: f"{table}_durations" for table in ("kernels", "memcpy", "communication")}
"""Table -> its group by name and duration class; only in summaries with call paths."""


def duration_class(duration_ns: Nanoseconds) -> Ints:
    """(n,) class of each duration; class 0 is below 1 ns."""
    positive = np.maximum(duration_ns, 1)
    number: Ints = np.floor(PER_OCTAVE * np.log2(positive)).astype(np.int64) + 1
    return np.where(duration_ns < 1, 0, number)


def class_start_ns(number: int) -> float:
    """Lower bound of a class in nanoseconds."""
    return 0.0 if number <= 0 else 2.0 ** ((number - 1) / PER_OCTAVE)
