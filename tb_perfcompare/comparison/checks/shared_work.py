"""How much work two sides have in common, told by what is called how often per step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

SIMILAR_WORK, SOME_WORK = 0.9, 0.5
"""Shared share of calls per step above which the two sides do the same work, and below which they do not."""

Key = TypeVar("Key")


def shared_share(baseline: Mapping[Key, float], candidate: Mapping[Key, float]) -> float:
    """Sum over names of min(calls) over the sum of max(calls), 0 to 1: a Jaccard index of the calls; 1 without any."""
    keys = {*baseline, *candidate}
    most = sum(max(baseline.get(key, 0.0), candidate.get(key, 0.0)) for key in keys)
    if not most:
        return 1.0
    return sum(min(baseline.get(key, 0.0), candidate.get(key, 0.0)) for key in keys) / most
