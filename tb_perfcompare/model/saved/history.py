"""A point of a history: one run of a series, recorded at one time."""

from __future__ import annotations

import math

from tb_perfcompare.quick_dataclass import dataclass

POINT_SCHEMA = "tb_perfcompare.point/1"
"""Schema of a point's metadata, which stays readable even if this version cannot read the summary next to it."""


LATEST_S = 9_999_999_999
"""Latest time in seconds (the year 2286): ten digits, so that file names sort by time."""


@dataclass(frozen=True, slots=True)
class PointFacts:
    """Metadata of a point, readable without its summary.

    version    version of the tool that recorded it
    label      name given by the user or taken from the machine: a commit, a build number, a host
    at_s       time of recording in seconds since 1970 (UTC)
    run        name of the run
    metric     what its steps measure (model/summary/summary.py)
    device     the device that did the work, "" if unknown
    count, admitted  steps recorded, steps compared
    mean_ns, median_ns  of the compared steps, None if the run has no times
    quartiles_ns  lower and upper quartile of the compared steps; None as well in points of versions that omit them
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

    def inconsistency(self) -> str:
        """Describes an impossible value or contradiction, "" if there is none."""
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
