"""What calls of a device runtime do, by their names: launch, wait, allocate, free. Every vendor has its own
(model/vendors.py).

Names are those of the runtimes' and drivers' functions, which profilers record as they are. torch_npu writes them
behind the name of their layer, `AscendCL@aclrtMalloc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tb_perfcompare.model.vendors import VENDORS

JOINED = " / "
"""Between the names that two vendors have for one call."""

_LAYER = r"(?:\w+@)?"


def _any_of(patterns: Iterable[tuple[str, ...]]) -> re.Pattern[str]:
    alternatives = "|".join(pattern for own in patterns for pattern in own)
    return re.compile(f"{_LAYER}(?:{alternatives})", re.ASCII)


LAUNCH = _any_of(vendor.launches for vendor in VENDORS)
"""Starts one kernel."""

GRAPH_LAUNCH = _any_of(vendor.graph_launches for vendor in VENDORS)
"""Starts all kernels of a captured graph."""

WAIT = _any_of(vendor.waits for vendor in VENDORS)
"""Returns when the device has done what it was given."""

STREAM_WAIT = re.compile(_LAYER + r"\w*(?:StreamWaitEvent|QueueWaitNotifier)\w*", re.ASCII)
"""Makes a stream wait for what another one has been given so far, whatever the vendor."""

ALLOCATION = _any_of(vendor.allocations for vendor in VENDORS)
"""Takes memory from the driver, which PyTorch's allocator does when it has none left of the size."""

RELEASE = _any_of(vendor.releases for vendor in VENDORS)
"""Gives memory back to the driver, which waits for the device."""


def calls(role: re.Pattern[str], name: str) -> bool:
    """Whether a call of that name has the role (LAUNCH, WAIT, ...); of several vendors' names for one any tells."""
    return any(role.fullmatch(own) for own in name.split(JOINED))
