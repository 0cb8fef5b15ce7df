"""The memory of this process: what it holds, and an end to what it may take."""

from __future__ import annotations

import os
import sys

_STATM = "/proc/self/statm"
_RESIDENT, _DATA = 1, 5
_LEAST_MORE = 64 * 2**20
"""A task may take so much in any case."""


def held_bytes() -> int:
    """Resident memory; where only its peak is known, that; 0 where nothing is."""
    pages = _pages()
    if pages is not None:
        return pages[_RESIDENT] * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def end_at(most_bytes: int) -> None:
    """Has the system refuse what would make this process hold more than that; 0: no end. Only Linux counts all of a
    process's own memory."""
    pages = _pages()
    if pages is None:
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if not most_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        return
    page = os.sysconf("SC_PAGE_SIZE")
    soft = pages[_DATA] * page + max(most_bytes - pages[_RESIDENT] * page, _LEAST_MORE)
    resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _pages() -> list[int] | None:
    try:
        with open(_STATM, encoding="ascii") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return None
