"""What torch-tb-profiler sees in an event, and which event spellings it knows."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Type of a retained event."""

    UNKNOWN = -1  # not retained
    TRACE = 0
    OPERATOR = 1
    ANNOTATION = 2
    STEP = 3
    RUNTIME = 4
    KERNEL = 5
    MEMCPY = 6
    MEMSET = 7
    PYTHON = 8
    PYTHON_FUNCTION = 9
    MODULE = 10
    LIGHTNING_MODULE = 11
    LIGHTNING_PROFILE = 12
    MEMORY = 13
    MEMORY_RECORD = 14


class NodeKind(IntEnum):
    """Role of a host event in the call tree."""

    ROOT = 0
    OP = 1
    STEP = 2
    LOADER = 3
    OPTIMIZER = 4
    MODULE = 5
    LIGHTNING_MODULE = 6
    BACKWARD = 7


DEVICE_KINDS = (Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET)
"""Work on a device."""

HOST_KINDS = (
    Kind.OPERATOR,
    Kind.PYTHON,
    Kind.STEP,
    Kind.MODULE,
    Kind.LIGHTNING_MODULE,
    Kind.ANNOTATION,
)
"""What can become a node of a thread's call tree."""

COMMON_SPELLINGS: dict[str, Kind] = {
    "trace": Kind.TRACE,
    "operator": Kind.OPERATOR,
    "cpu_op": Kind.OPERATOR,
    "runtime": Kind.RUNTIME,
    "kernel": Kind.KERNEL,
    "memcpy": Kind.MEMCPY,
    "gpu_memcpy": Kind.MEMCPY,
    "memset": Kind.MEMSET,
    "gpu_memset": Kind.MEMSET,
    "python": Kind.PYTHON,
    "python_function": Kind.PYTHON_FUNCTION,
    "user_annotation": Kind.ANNOTATION,
    "gpu_user_annotation": Kind.ANNOTATION,
    "memory": Kind.MEMORY_RECORD,
}
"""Lower-cased `cat` of complete events every variant knows; anything else a variant does not list is ignored."""

STEP_PREFIX = "ProfilerStep#"
BACKWARD_PREFIX = "autograd::engine::evaluate_function:"
ACCUMULATE_GRAD = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
DATA_PARALLEL = "DataParallel.forward"
DISTRIBUTED_DATA_PARALLEL = "DistributedDataParallel.forward"
ROOT_NAME = "CallTreeRoot"

TYPE_NAMES: dict[int, str] = {
    Kind.OPERATOR: "Operator",
    Kind.ANNOTATION: "user_annotation",
    Kind.STEP: "ProfilerStep",
    Kind.PYTHON: "Python",
    Kind.MODULE: "Module",
    Kind.LIGHTNING_MODULE: "pl_module",
    Kind.LIGHTNING_PROFILE: "pl_profile",
}
"""How the `tree` route writes the type of a node."""


def is_loader(name: str) -> bool:
    """True for the span in which a data loader or data pipe hands over a batch."""
    return (name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__")) or name.startswith(
        "enumerate(DataPipe)#"
    )


def step_label(name: str) -> str | None:
    """Label of a step marker's name (the integer between the first two `#`, canonical), None if it is none."""
    parts = name.split("#")
    try:
        return str(int(parts[1]))
    except (IndexError, ValueError):
        return None
