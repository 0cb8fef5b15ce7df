"""Roles of device runtime calls, recognized by name: launch, wait, allocate, free.

Names are those of runtime and driver functions, as profilers record them. torch_npu prefixes the layer,
`AscendCL@aclrtMalloc`. Vendors' names are in model/vendors.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.vendors import VENDORS

JOINED = " / "
"""Separates two vendors' names for the same call."""

_LAYER = r"(?:\w+@)?"


_UNKNOWN = "[a-z]{2,8}"
"""Prefix of an unknown vendor: most runtimes repeat CUDA's names behind their own."""


def _any_of(patterns: Iterable[tuple[str, ...]], *unknown: str) -> re.Pattern[str]:
    alternatives = "|".join([*(pattern for names in patterns for pattern in names), *unknown])
    return regex(f"{_LAYER}(?:{alternatives})", re.ASCII)


LAUNCH = _any_of((vendor.launches for vendor in VENDORS), _UNKNOWN + r"(?:Module)?Launch(?:Cooperative)?Kernel\w*")
"""Launches one kernel."""

GRAPH_LAUNCH = _any_of((vendor.graph_launches for vendor in VENDORS), _UNKNOWN + r"GraphLaunch\w*")
"""Launches all kernels of a captured graph."""

GRAPH_CAPTURE = regex(_LAYER + r"\w*GraphInstantiate\w*", re.ASCII)
"""Makes a captured graph ready for launches; the names of all vendors."""

WAIT = _any_of((vendor.waits for vendor in VENDORS), _UNKNOWN + r"(?:Device|Stream|Event)Synchronize\w*")
"""Returns when the device has finished the work submitted to it."""

EVENT_WAIT = regex(_LAYER + r"\w*EventSynchronize\w*", re.ASCII)
"""Of WAIT, those that wait for one event, as libraries do to time their kernels; the names of all vendors."""

DEVICE_WAIT = regex(_LAYER + r"\w*(?:DeviceSynchronize|SynchronizeDevice|SyncDevice)\w*", re.ASCII)
"""Of WAIT, those that wait for all work of the device; the names of all vendors."""

STREAM_WAIT = regex(_LAYER + r"\w*(?:StreamWaitEvent|QueueWaitNotifier)\w*", re.ASCII)
"""Makes a stream wait for work submitted to another one; the names of all vendors."""

ALLOCATION = _any_of(vendor.allocations for vendor in VENDORS)
"""Allocates driver memory: PyTorch's allocator does so when it has no cached block of the size."""

RELEASE = _any_of(vendor.releases for vendor in VENDORS)
"""Returns memory to the driver, which synchronizes with the device."""


def calls(role: re.Pattern[str], name: str) -> bool:
    """Whether a call with this name has the role (LAUNCH, WAIT, ...). For joined vendor names, any match counts."""
    return any(role.fullmatch(part) for part in name.split(JOINED))
