"""The clock of a trace against the time of day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LIKE_AN_EPOCH_NS = 10**18
"""Times from here on (September 2001) count from 1970; a relative clock that far is a machine that ran for 30 years."""


def clock_zero_ns(properties: Mapping[str, Any], time_ns: int) -> int | None:
    """Nanoseconds since 1970 at zero of the trace's clock, None when the trace does not tell.

    properties  of the trace: newer ones write times from `baseTimeNanoseconds` on, older ones from 1970 on
    time_ns     a time of the trace
    """
    if time_ns >= _LIKE_AN_EPOCH_NS:
        return 0
    base = properties.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and not isinstance(base, bool) and 0 < base < 2**63 - 2 * 10**18 else None
