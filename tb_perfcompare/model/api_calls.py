"""What calls of a device runtime do, told by their names: launch, wait, allocate, give back. Every vendor has its own.

Names are those of the runtimes' and drivers' functions, which profilers record as they are. torch_npu writes them
behind the name of their layer, `AscendCL@aclrtMalloc`.
"""

from __future__ import annotations

import re

JOINED = " / "
"""Between the names that two vendors have for one call."""

_LAYER = r"(?:\w+@)?"

_LAUNCHES = (
    r"(?:cuda|cu|hip)\w*Launch\w*Kernel\w*",  # cudaLaunchKernelExC, cuLaunchKernel, hipExtModuleLaunchKernel
    r"cn(?:rt)?(?:InvokeKernel|LaunchKernel)\w*",
    r"urEnqueue(?:Cooperative)?KernelLaunch\w*",
    r"ze\w*AppendLaunch\w*Kernel\w*",
    r"mtiaLaunchKernel\w*",
    r"aclrtLaunchKernel\w*",
    r"Node@launch",
)
_GRAPH_LAUNCHES = (r"(?:cuda|cu|hip)GraphLaunch\w*", r"cn(?:rt)?TaskTopoEntityInvoke\w*")
_WAITS = (
    r"(?:cuda|cu|hip|ze|mtia|aclrt)\w*Synchroni[sz]e\w*",
    # copies that return when they are done; those of other names may be done later
    r"(?:cuda|hip|cnrt|aclrt)Memcpy",
    r"hipMemcpyWithStream",
    r"cnMemcpy(?:HtoD|DtoH|DtoD)?",
    r"cn(?:rt)?(?:QueueSync|SyncDevice|CtxSync|WaitNotifier|NotifierWait)",
    r"urQueueFinish|urEventWait",
)
_ALLOCATIONS = (
    r"(?:cuda|hip)(?:Ext)?(?:Malloc\w*|HostAlloc|HostMalloc|HostRegister)",
    r"cuMem(?:Alloc|Create|Map|HostAlloc|AddressReserve)\w*",
    r"hipMem(?:Create|Map|AddressReserve)\w*",
    r"cn(?:rt)?(?:Host)?Malloc\w*",
    r"urUSM(?:Device|Host|Shared)Alloc",
    r"zeMemAlloc(?:Device|Host|Shared)",
    r"aclrtMalloc\w*",
)
_RELEASES = (
    r"(?:cuda|hip)(?:Free\w*|HostFree|HostUnregister)",
    r"cuMem(?:Free|Release|Unmap|AddressFree)\w*",
    r"hipMem(?:Release|Unmap|AddressFree)\w*",
    r"cn(?:rt)?Free\w*",
    r"urUSMFree",
    r"zeMemFree",
    r"aclrtFree\w*",
)


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"{_LAYER}(?:{'|'.join(patterns)})", re.ASCII)


LAUNCH = _any_of(_LAUNCHES)
"""Starts one kernel."""

GRAPH_LAUNCH = _any_of(_GRAPH_LAUNCHES)
"""Starts all kernels of a captured graph."""

WAIT = _any_of(_WAITS)
"""Returns when the device has done what it was given."""

ALLOCATION = _any_of(_ALLOCATIONS)
"""Takes memory from the driver, which PyTorch's allocator does when it has none left of the size."""

RELEASE = _any_of(_RELEASES)
"""Gives memory back to the driver, which waits for the device."""


def calls(role: re.Pattern[str], name: str) -> bool:
    """Whether a call of that name has the role (LAUNCH, WAIT, ...); of several vendors' names for one any tells."""
    return any(role.fullmatch(own) for own in name.split(JOINED))
