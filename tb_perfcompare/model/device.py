"""Vendors are rows: how each one spells categories, collectives and its name. No other module knows a vendor."""

from __future__ import annotations

from dataclasses import dataclass

from tb_perfcompare.model.events import Category

CATEGORY_OF: dict[str, Category] = {
    "operator": Category.OPERATOR,
    "cpu_op": Category.OPERATOR,
    "user_annotation": Category.ANNOTATION,
    "mlu_user_annotation": Category.DEVICE_ANNOTATION,
    "gpu_user_annotation": Category.DEVICE_ANNOTATION,
    "runtime": Category.RUNTIME,
    "cuda_runtime": Category.RUNTIME,
    "privateuse1_runtime": Category.RUNTIME,
    "mlu_runtime": Category.RUNTIME,
    "mtia_runtime": Category.RUNTIME,
    "glow_runtime": Category.RUNTIME,
    "xpu_runtime": Category.RUNTIME,
    "cuda_driver": Category.DRIVER,
    "privateuse1_driver": Category.DRIVER,
    "xpu_driver": Category.DRIVER,
    "kernel": Category.KERNEL,
    "mtia_ccp_events": Category.KERNEL,
    "memcpy": Category.MEMCPY,
    "gpu_memcpy": Category.MEMCPY,
    "mlu_memcpy": Category.MEMCPY,
    "memset": Category.MEMSET,
    "gpu_memset": Category.MEMSET,
    "mlu_memset": Category.MEMSET,
    "python": Category.PYTHON,
    "python_function": Category.PYTHON_FUNCTION,
    "trace": Category.TRACE,
    "cuda_sync": Category.SYNC,
    "cuda_event": Category.SYNC,
    "overhead": Category.OVERHEAD,
    "memory": Category.MEMORY_RECORD,
}
"""Lower-cased `cat` of a trace event -> Category; anything else is Category.OTHER and is kept under its own name."""

FLOW_CATEGORIES = frozenset({"fwdbwd", "forward_backward"})
"""Arrows from a forward operator to its backward; launch arrows (`ac2g`, `async*`) repeat the correlation: skipped."""

MEMORY_EVENT_NAME = "[memory]"


@dataclass(frozen=True, slots=True)
class Vendor:
    """One kind of accelerator.

    kind            key used in answers: cuda, rocm, mlu, mtia, xpu, npu, cpu
    word            what a user calls the device: GPU, MLU
    runtime         raw runtime categories only this vendor writes
    name_marks      substrings of deviceProperties names (lower case)
    api_prefixes    first letters of its host API names
    kernel_args     argument columns only its kernels carry
    collectives     prefixes of collective annotations and kernels
    memory_types    `Device Type` numbers of its memory events
    tensor_cores    False: it has none and "share of tensor-core time" does not apply; None: decided by kernel names
    """

    kind: str
    word: str
    runtime: tuple[str, ...] = ()
    name_marks: tuple[str, ...] = ()
    api_prefixes: tuple[str, ...] = ()
    kernel_args: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    memory_types: tuple[int, ...] = ()
    tensor_cores: bool | None = None


VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "mlu", "MLU", ("mlu_runtime",), ("mlu",), ("cn",), ("kernel_type", "dim", "tasktopo"), ("cncl",), (20,), False
    ),
    Vendor("rocm", "GPU", (), ("amd", "instinct", "radeon"), ("hip",), (), ("rccl",), (6,)),
    Vendor("mtia", "MTIA", ("mtia_runtime",), ("mtia",), ("mtia",), (), ("hccl",), (), False),
    Vendor("xpu", "XPU", ("xpu_runtime",), ("intel", "arc"), ("ur", "ze"), (), ("xccl", "oneccl"), (12,)),
    Vendor("cuda", "GPU", (), ("nvidia", "tesla", "quadro", "geforce"), ("cuda", "cu"), (), ("nccl",), (1,)),
)
"""Checked in this order; the first row with evidence in the trace wins."""

CPU = Vendor("cpu", "CPU", memory_types=(0,))

COLLECTIVE_LIBRARIES: tuple[str, ...] = (*(name for v in VENDORS for name in v.collectives), "gloo", "mpi")
"""Prefixes (before `:` in annotations, before a separator in kernel names) that mean communication between ranks."""
