"""Number of threads that scan one file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tb_perfcompare.errors import PerfCompareError

THREADS = "TB_PERFCOMPARE_THREADS"
"""Environment variable: threads that scan one uncompressed file. Worker processes are given their share."""

MAX_THREADS = 8
"""Default maximum: one thread reads the file and merges the others' results, so more threads do not help."""

_MAX_ASKED = 64


def allowed_threads(environment: Mapping[str, str] = os.environ) -> int:
    """The value of THREADS; by default the number of cores, at most MAX_THREADS.

    Raises PerfCompareError if invalid.
    """
    given = environment.get(THREADS, "")
    if not given:
        return min(available_cores(), MAX_THREADS)
    if not given.isdecimal() or not 1 <= int(given) <= _MAX_ASKED:
        raise PerfCompareError(
            f"{THREADS} is {given[:80]!r}", hint=f"give a number of threads from 1 to {_MAX_ASKED}"
        )
    return int(given)


def available_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
