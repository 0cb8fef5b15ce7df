"""How work grows with its size: two sizes within one run, so that a slow or a busy machine changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

LARGER, MOST = 8, 24
"""Eight times the size takes less than 24 times as long: eight in proportion, 64 with the square."""
_TIMES = 3


def grows_no_faster(work: Callable[[], object], larger: Callable[[], object]) -> bool:
    """Whether work of LARGER times the size takes less than MOST times as long; the best of several times each, of
    processor time. The larger is done again only when it was not fast enough."""
    most_s = MOST * min(_took_s(work) for _ in range(_TIMES))
    return any(_took_s(larger) < most_s for _ in range(_TIMES))


def _took_s(work: Callable[[], object]) -> float:
    start_s = time.process_time()
    work()
    return time.process_time() - start_s
