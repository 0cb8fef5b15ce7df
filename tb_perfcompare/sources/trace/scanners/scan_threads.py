"""How many threads scan one file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError

THREADS = "TB_PERFCOMPARE_THREADS"
"""Environment variable: threads that scan one file that is not packed. Worker processes are given their share."""

MOST_THREADS = 8
"""Unless more are asked for: one thread reads the file and one puts together what they find."""

_MOST_ASKED = 64


def allowed_threads(environment: Mapping[str, str] = os.environ) -> int:
    """What THREADS says, else as many as there are cores, at most MOST_THREADS. Raises PerfCompareError if that is no
    number."""
    given = environment.get(THREADS, "")
    if not given:
        return min(available_cores(), MOST_THREADS)
    if not given.isdecimal() or not 1 <= int(given) <= _MOST_ASKED:
        raise PerfCompareError(
            f"{THREADS} is {given[:80]!r}", hint=f"give a number of threads from 1 to {_MOST_ASKED}"
        )
    return int(given)


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
