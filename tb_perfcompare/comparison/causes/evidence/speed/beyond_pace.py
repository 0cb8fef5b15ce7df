"""Excess of the entities of a category over the common pace, as columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.exact_integers import divided
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, EntityRows
from tb_perfcompare.model.arrays import Floats

SAME_CALLS = 0.1
"""Largest relative change of the number of calls for an operator or a kernel to count as called as often."""


def called_as_often(rows: EntityRows) -> NDArray[np.bool_]:
    """(n,) whether both sides have a row and call it as often."""
    before, after = rows.calls
    both = rows.status == STATUSES.index("both")
    found: NDArray[np.bool_] = both & (np.abs(after - before) <= SAME_CALLS * np.maximum(before, after))
    return found


def beyond_pace(rows: EntityRows, unit: int, pace: float | None) -> Floats:
    """(n,) microseconds per step by which the same calls take longer, beyond the pace."""
    slower = divided(rows.rate_effect, unit)
    return slower if pace is None else slower - paced(rows, unit, pace)


def paced(rows: EntityRows, unit: int, ratio: float) -> Floats:
    """(n,) change of work that takes `ratio` times as long, microseconds per step; 0 if a side has none."""
    before, after = divided(rows.baseline, unit), divided(rows.candidate, unit)
    there = (before != 0) & (after != 0)
    return np.where(there, (ratio - 1) / (ratio + 1) * (before + after), 0.0)


def largest(rows: EntityRows, some: NDArray[np.int64], size: Floats) -> int:
    """Number of the row with the largest size; of equal ones the last by name."""
    of_some = size[some]
    most = some[of_some == of_some.max()].tolist()
    return int(max(most, key=lambda at: rows.key[at]))
