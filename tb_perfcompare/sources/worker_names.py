"""Ranks in names of workers."""

from __future__ import annotations

import re

from tb_perfcompare.lazy_regex import regex

_EXPLICIT_RANK = regex(r"(?:rank|worker)[-_]?(\d+)", re.IGNORECASE)

# five or more digits after a host name are a process id: the profiler's default worker name
_TRAILING_RANK = regex(r"(?<!\d)(\d{1,4})$")


def rank_of(worker: str) -> int | None:
    """Rank in a worker's name: `rank-3`, `rank_3`, `worker3`, or up to four digits at the end; None without one."""
    match = _EXPLICIT_RANK.search(worker) or _TRAILING_RANK.search(worker)
    return int(match.group(1)) if match else None


def is_named_after_rank(worker: str) -> bool:
    """Whether a worker's name says "rank" or "worker" and a number; others may end in a process id."""
    return _EXPLICIT_RANK.search(worker) is not None
