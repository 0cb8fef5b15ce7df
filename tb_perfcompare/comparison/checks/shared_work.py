"""How much work two sides have in common, told by what is called how often per step."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import TypeVar

SIMILAR_WORK, SOME_WORK = 0.9, 0.5
"""Shared share of calls per step above which the two sides do the same work, and below which they do not."""

Key = TypeVar("Key")


def shared_share(baseline: Mapping[Key, float], candidate: Mapping[Key, float]) -> float:
    """Sum over names of min(calls) over the sum of max(calls), 0 to 1: a Jaccard index of the calls; 1 without any."""
    # sums that do not depend on the order of the names
    least = fsum(min(baseline[key], candidate[key]) for key in baseline.keys() & candidate.keys())
    most = fsum(baseline.values()) + fsum(candidate.values()) - least  # the larger and the smaller are both together
    return least / most if most else 1.0
