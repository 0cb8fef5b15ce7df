"""A point of a history: one run of a series, as it was recorded at one time."""

from __future__ import annotations

import math

from tb_perfcompare.quick_dataclass import dataclass

POINT_SCHEMA = "tb_perfcompare.point/1"
"""Of a point's facts. They stay readable when the summary beside them is of another layout than this version's."""


LATEST_S = 9_999_999_999
"""Ten digits, so that names of files are in the order of time (the year 2286)."""


@dataclass(frozen=True, slots=True)
class PointFacts:
    """What a point says about itself without its summary.

    version    of the tool that recorded it
    label      what the user or the machine called it: a commit, a build number, a host
    at_s       when, in seconds since 1970 (UTC)
    run        what the run was called
    metric     what a step of it is (model/summary/summary.py)
    device     the device that did the work, "" if unknown
    count, admitted  steps that were seen, steps that are compared
    mean_ns, median_ns  of those, None where the run has no times
    quartiles_ns  a quarter of them take at most the first, a quarter at least the second; None also where a version
                  recorded the point that did not keep them
    """

    version: str
    label: str
    at_s: int
    run: str
    metric: str
    device: str
    count: int
    admitted: int
    mean_ns: float | None
    median_ns: float | None
    schema: str = POINT_SCHEMA
    quartiles_ns: tuple[float, float] | None = None

    def misfit(self) -> str:
        """What cannot be, "" if all fits together."""
        if not 0 <= self.at_s <= LATEST_S:
            return f"it was recorded at {self.at_s} s"
        if not 0 <= self.admitted <= self.count:
            return f"it has {self.admitted} of {self.count} steps"
        times = (self.mean_ns, self.median_ns, *(self.quartiles_ns or ()))
        if not all(time is None or (math.isfinite(time) and time > 0) for time in times):
            return "its step time is not a time"
        if self.quartiles_ns and not self.quartiles_ns[0] <= (self.median_ns or 0) <= self.quartiles_ns[1]:
            return "its median lies outside its quartiles"
        return ""
