"""Names of collectives: ranges and operators of the host, kernels of a device."""

from __future__ import annotations

import re

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device import (
    COLLECTIVE_KERNELS,
    COLLECTIVE_LIBRARIES,
    COLLECTIVE_OPERATIONS,
    COLLECTIVE_RANGES,
    COMMUNICATING_KERNELS,
    DEVICE_LIBRARIES,
    OPERATION_MARKS,
    WITHIN_A_DEVICE,
)

_COLLECTIVE_ANNOTATION = regex(
    rf"(?i:(?:{'|'.join(COLLECTIVE_LIBRARIES)})::?\w)|(?:{'|'.join(COLLECTIVE_RANGES)})[A-Z]"
)
_COLLECTIVE_KERNEL = regex(
    rf"(?:^|[\s:(])(?:{'|'.join(DEVICE_LIBRARIES)})(?:DevKernel|Kernel|_|[A-Z])"
    rf"|^(?:void )?(?:{'|'.join(map(re.escape, COLLECTIVE_KERNELS))}|mscclKernel|msccl_)"
    rf"|(?<![A-Za-z])(?:{'|'.join(map(re.escape, COMMUNICATING_KERNELS))})",
)
_OPERATION = regex(rf"(?:{'|'.join(COLLECTIVE_OPERATIONS)})(?![a-z])")
_WITHIN = regex("|".join(WITHIN_A_DEVICE), re.IGNORECASE)
_ARGUMENTS = regex(r"[<(](?!anonymous )")

_KERNEL_MARKS = (*DEVICE_LIBRARIES, *COLLECTIVE_KERNELS, *COMMUNICATING_KERNELS, "msccl", *OPERATION_MARKS)
_COLLECTIVE_MARKS = tuple(dict.fromkeys("ccl" if "ccl" in mark else mark for mark in _KERNEL_MARKS))
"""Every name of a collective kernel contains one of these in lower case. Checking for them takes a tenth of the
time."""


def is_collective_annotation(name: str) -> bool:
    """Whether a host range is of a collective, such as `nccl:all_reduce`, `gloo:barrier` or `HcclAllreduce`."""
    return _COLLECTIVE_ANNOTATION.match(name) is not None


def is_collective_kernel(name: str) -> bool:
    """Whether a device function implements a collective.

    It is of a collective library: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`, `hcom_allReduce_`; or of an engine:
    `vllm::cross_device_reduce_1stage`, `twoShotAllReduceKernel`. CNCL's helpers (`cncl::d2d_tnc`) move data within the
    device and count as kernels, as in the MLU profiler.
    """
    lower = name.lower()
    if not any(map(lower.__contains__, _COLLECTIVE_MARKS)):
        return False
    if _COLLECTIVE_KERNEL.search(name) is not None:
        return True
    function = _ARGUMENTS.split(name, maxsplit=1)[0]
    return _OPERATION.search(function) is not None and _WITHIN.search(function) is None


def is_collective_operator(name: str) -> bool:
    """Whether an operator calls collectives: `c10d::allreduce_`, `_c10d_functional::wait_tensor`,
    `vllm::all_reduce`."""
    return name.startswith(("c10d::", "c10d_functional::", "_c10d_functional::")) or (
        "::" in name and _OPERATION.search(name) is not None
    )
