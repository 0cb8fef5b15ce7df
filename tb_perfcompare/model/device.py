"""What all vendors spell, together: categories of events, collectives, libraries. Each one's own: model/vendors.py."""

from __future__ import annotations

from functools import lru_cache

from tb_perfcompare.model.events import Category
from tb_perfcompare.model.vendors import PLAIN_ARITHMETIC, VENDORS

_KINETO: dict[str, Category] = {
    "operator": Category.OPERATOR,
    "cpu_op": Category.OPERATOR,
    "user_annotation": Category.ANNOTATION,
    "gpu_user_annotation": Category.DEVICE_ANNOTATION,
    "runtime": Category.RUNTIME,
    "cuda_runtime": Category.RUNTIME,
    "privateuse1_runtime": Category.RUNTIME,
    "glow_runtime": Category.RUNTIME,
    "cuda_driver": Category.DRIVER,
    "privateuse1_driver": Category.DRIVER,
    "kernel": Category.KERNEL,
    "memcpy": Category.MEMCPY,
    "gpu_memcpy": Category.MEMCPY,
    "memset": Category.MEMSET,
    "gpu_memset": Category.MEMSET,
    "python": Category.PYTHON,
    "python_function": Category.PYTHON_FUNCTION,
    "trace": Category.TRACE,
    "cuda_sync": Category.SYNC,
    "cuda_event": Category.SYNC,
    "collective_comm": Category.ANNOTATION,
    "overhead": Category.OVERHEAD,
    "memory": Category.MEMORY_RECORD,
}
"""What Kineto writes whatever the device; most back ends borrow CUDA's spelling."""

CATEGORY_OF = _KINETO | {text: category for vendor in VENDORS for text, category in vendor.categories.items()}
"""Lower-cased `cat` of a trace event -> Category; anything else is Category.OTHER and is kept under its own name."""

DEVICE_WAITS = {text: names for vendor in VENDORS for text, names in vendor.device_waits.items()}
"""Lower-cased `cat` of device work -> names of its events that wait or signal: Category.SYNC, no work."""


def category_of(cat: str, name: str) -> Category:
    """What a complete event with this `cat` and name is."""
    if name.lower() in DEVICE_WAITS.get(cat.lower(), ()):
        return Category.SYNC
    return CATEGORY_OF.get(cat.lower(), Category.OTHER)


FLOW_CATEGORIES = frozenset({"fwdbwd", "forward_backward"})
"""Arrows from a forward operator to its backward; launch arrows (`ac2g`, `async*`) repeat the correlation: skipped."""

MEMORY_EVENT_NAME = "[memory]"

PROCESS_LAYERS = {text: category for vendor in VENDORS for text, category in vendor.layers.categories.items()}
COLLECTIVE_LAYERS = frozenset(text for vendor in VENDORS for text in vendor.layers.collectives)
LAYER_COPIES = frozenset(vendor.layers.copy for vendor in VENDORS if vendor.layers.copy)
LAYER_WORK = frozenset(text for vendor in VENDORS for text in vendor.layers.work)
OPERATOR_ARROWS = frozenset(text for vendor in VENDORS for text in vendor.layers.arrows)
"""Of traces whose layers are processes: ProcessLayers in model/vendors.py."""

DEVICE_WORDS = frozenset(word.lower() for vendor in VENDORS for word in (vendor.word, *vendor.aliases)) | {"tpu"}
"""What names of counters and types of functions call a device, in lower case."""

DEVICE_LIBRARIES = tuple(dict.fromkeys(name for vendor in VENDORS for name in vendor.collectives))
COLLECTIVE_LIBRARIES = (*DEVICE_LIBRARIES, "gloo", "mpi")
"""Prefixes (before `:` in annotations, before a separator in kernel names) that mean communication between ranks."""

COMMUNICATING_KERNELS: tuple[str, ...] = (
    "cross_device_reduce",  # vLLM, SGLang, AITER
    "multimem_", "symmetric_memory::", "symm_mem",  # PyTorch
    "ar_fusion",  # TensorRT-LLM, AITER
    "userbuffers_",  # Transformer Engine
    "mori::",  # AMD
    "mscclpp", "deep_ep", "pplx", "nvshmem", "barrier_on_stream", "rocshmem",
)  # fmt: skip
"""Parts of names of kernels that serving engines and frameworks write for communication between ranks, without a
library of collectives."""

COLLECTIVE_OPERATIONS = (
    "[aA]ll_?[rR]educe", "[aA]ll_?[gG]ather", "[rR]educe_?[sS]catter", "[aA]ll_?(?:[tT]o|2)_?[aA]ll",
)  # fmt: skip
"""Patterns of operations, one of which names what such a kernel does."""

OPERATION_MARKS = ("educe", "ather", "scatter", "all")
"""One of these is, in lower case, in all that they match."""

WITHIN_A_DEVICE = ("block", "warp", "wave", "group", "triton_(?:poi|red|per|tem)_", "gemm", "matmul")
"""What such a name is none with: reductions within a block or warp, what a compiler fused beside the collective, and
products that send their result on."""

COLLECTIVE_KERNELS = tuple(name for vendor in VENDORS for name in vendor.collective_kernels)
COLLECTIVE_RANGES = tuple(name for vendor in VENDORS for name in vendor.collective_ranges)
"""Names that mean the same without such a prefix, by how they begin: of device functions, of host ranges."""

@lru_cache(maxsize=1 << 14)
def uses_tensor_cores(name: str, marks: tuple[str, ...]) -> bool:
    """Whether the name of a kernel says so. Tables and figures ask for the same ones."""
    return any(map(name.__contains__, marks)) and not any(map(name.__contains__, PLAIN_ARITHMETIC))


TENSOR_CORES_ANYWHERE = tuple(mark for vendor in VENDORS for mark in vendor.tensor_cores or ())
"""For kernels whose vendor nobody knows."""

OPERATOR_LIBRARIES = (
    *(name for vendor in VENDORS for name in vendor.operator_libraries), "mkldnn", "mkl", "mps", "native", "thnn",
)  # fmt: skip
"""Libraries that PyTorch names in operators of which it has one per library (`aten::cudnn_convolution`)."""
