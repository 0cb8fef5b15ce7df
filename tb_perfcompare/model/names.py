"""When two names mean the same thing: what joins the rows of two runs. Raw names are kept for display."""

from __future__ import annotations

import re

from tb_perfcompare.model.device import COLLECTIVE_LIBRARIES

STEP_PREFIX = "ProfilerStep#"
_LOADER_PREFIX = "enumerate(DataLoader)#"
_LOADER_SUFFIX = ".__next__"
_PIPE_PREFIX = "enumerate(DataPipe)#"

_COLLECTIVE_ANNOTATION = re.compile(rf"(?:{'|'.join(COLLECTIVE_LIBRARIES)}):\w", re.IGNORECASE)
_COLLECTIVE_KERNEL = re.compile(
    rf"(?:^|[\s:(])(?:{'|'.join(lib for lib in COLLECTIVE_LIBRARIES if lib not in ('gloo', 'mpi'))})"
    r"(?:DevKernel|Kernel|_|[A-Z])"
    r"|^(?:mscclKernel|msccl_)",
)


def is_step(name: str) -> bool:
    """A step marker of torch.profiler's schedule."""
    return name.startswith(STEP_PREFIX)


def step_label(name: str) -> str:
    """The text after `ProfilerStep#`, normally a number."""
    return name[len(STEP_PREFIX) :].strip()


def is_loader(name: str) -> bool:
    """The main process waiting for the next batch (torch-tb-profiler's test)."""
    return (name.startswith(_LOADER_PREFIX) and name.endswith(_LOADER_SUFFIX)) or name.startswith(_PIPE_PREFIX)


def is_optimizer(name: str) -> bool:
    """An optimizer step annotation or its operators."""
    return name.startswith("Optimizer.")


def is_collective_annotation(name: str) -> bool:
    """A host range that stands for a collective, such as `nccl:all_reduce` or `gloo:barrier`."""
    return _COLLECTIVE_ANNOTATION.match(name) is not None


def is_collective_kernel(name: str) -> bool:
    """A device function of a collective library, such as `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`.

    CNCL's helpers (`cncl::d2d_tnc`) move data within the device and are kernels, as the MLU profiler has them.
    """
    return _COLLECTIVE_KERNEL.search(name) is not None


def operator_key(name: str) -> str:
    """What joins host events: iterator classes of a DataLoader differ with num_workers but do the same job."""
    if name.startswith(_LOADER_PREFIX) and name.endswith(_LOADER_SUFFIX):
        return "enumerate(DataLoader).__next__"
    if is_step(name):
        return "ProfilerStep"
    return name


def kernel_key(name: str) -> str:
    """What joins kernels: the name itself, blanks squeezed (demanglers differ in them)."""
    return " ".join(name.split())
