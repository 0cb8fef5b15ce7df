"""Splits the time of a step into time that follows the host's pace and time that follows the device's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.statistics.samples import Samples, mean_per_observation
from tb_perfcompare.model.arrays import Ints, SidePair, each_side
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, EVENT_EDGE, STREAM_EDGE
from tb_perfcompare.model.summary.summary import Summary

Sides = tuple[Summary, Summary]
Samplings = tuple[Samples, Samples]

_APART = StepCategory.COMMUNICATION
"""Category that follows no pace of this machine: it waits for other ranks."""

UNKNOWN = 0.25
"""Largest share of the critical path that may lead through unrecorded time."""

ON_DEVICE = [int(category) for category in (StepCategory.KERNEL, StepCategory.MEMCPY, StepCategory.MEMSET)]
"""Rows of the categories that follow the device's pace."""

ON_HOST = [int(category) for category in StepCategory if category not in (*ON_DEVICE, _APART)]
"""Rows of those that follow the host's."""

_FOLLOWS = {
    **{CATEGORY_LABELS[category]: "device" for category in ON_DEVICE},
    CATEGORY_LABELS[_APART]: "", STREAM_EDGE[1]: "device", EVENT_EDGE[1]: "device",
}  # fmt: skip
"""Category on the critical path -> pace that it follows; categories not listed follow the host's."""


def owned_time(sides: Sides, samples: Samplings, of: str) -> SidePair:
    """Owned time per observation of the categories of the host or the device."""
    chosen = ON_DEVICE if of == "device" else ON_HOST
    return per_observation(samples, [side.owned.by_category()[chosen].sum(axis=0) for side in sides])


def path_time(sides: Sides, samples: Samplings, of: str) -> SidePair:
    """Time per observation on the critical path that follows the given pace; owned time if the path is not known."""
    if not all(map(_knows_its_path, sides)):
        return owned_time(sides, samples, of)
    values = []
    for side in sides:
        path = side.groups[CRITICAL_PATH]
        rows = np.array([_FOLLOWS.get(key[1], "host") == of for key in path.keys], dtype=bool)
        values.append(path.measures_ns["total"][rows].sum(axis=0))
    return per_observation(samples, values)


def _knows_its_path(side: Summary) -> bool:
    """Whether little of the critical path leads through unrecorded host time, where the host may wait for the
    device."""
    path = side.groups.get(CRITICAL_PATH)
    if path is None:
        return False
    nothing = np.array([key[0] == NOTHING_RECORDED for key in path.keys], dtype=bool)
    total = path.measures_ns["total"]
    return bool(total[nothing].sum() <= UNKNOWN * total.sum())


def largest_share(part: SidePair, whole: SidePair) -> float:
    """Share of the whole, on the side where it is larger."""
    return max(float(one.sum() / of.sum()) if of.sum() else 0.0 for one, of in zip(part, whole, strict=True))


def per_observation(samples: Samplings, values: Sequence[Ints]) -> SidePair:
    """Converts values per step to means per observation, over the ranks of the observation."""
    return each_side(lambda row, seen: mean_per_observation(row[None, :], seen)[0], values, samples)
