"""How long single launches of a row took: counts on a logarithmic scale, the same for every recording."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints, Nanoseconds

PER_OCTAVE = 32
"""Classes from one duration to its double: each is 2.2 % wide."""

DURATION_TABLES = {table: f"{table}_durations" for table in ("kernels", "memcpy", "communication")}
"""Table -> its group by name and class of duration, only in summaries that tell from where rows were called."""


def duration_class(duration_ns: Nanoseconds) -> Ints:
    """(n,) class of each duration; 0 holds those below 1 ns."""
    positive = np.maximum(duration_ns, 1)
    found: Ints = np.floor(PER_OCTAVE * np.log2(positive)).astype(np.int64) + 1
    return np.where(duration_ns < 1, 0, found)


def class_start_ns(number: int) -> float:
    """Where a class begins."""
    return 0.0 if number <= 0 else 2.0 ** ((number - 1) / PER_OCTAVE)
