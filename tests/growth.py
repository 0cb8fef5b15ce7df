"""How work grows with its size: two sizes within one run, so that a slow or a busy machine changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

LARGER, MOST = 8, 24
"""Eight times the size takes less than 24 times as long: eight in proportion, 64 with the square."""
_TIMES = 3


def grows_no_faster(work: Callable[[], object], larger: Callable[[], object]) -> bool:
    """Whether work of LARGER times the size takes less than MOST times as long; the best of several times each, of
    processor time."""
    return _least_s(larger) < MOST * _least_s(work)


def _least_s(work: Callable[[], object]) -> float:
    took_s = []
    for _ in range(_TIMES):
        start_s = time.process_time()
        work()
        took_s.append(time.process_time() - start_s)
    return min(took_s)
