"""All vendors' spellings combined: event categories, collectives, libraries. Each vendor's own: model/vendors.py."""

from __future__ import annotations

from functools import lru_cache

from tb_perfcompare.lazy_regex import regex
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
"""Categories that Kineto writes for any device; most back ends use CUDA's spelling."""

CATEGORY_OF = _KINETO | {text: category for vendor in VENDORS for text, category in vendor.categories.items()}
"""Lower-case `cat` of a trace event -> Category."""

_AS_KINETO_NAMES: dict[str, Category] = {
    "_runtime": Category.RUNTIME,
    "_driver": Category.DRIVER,
    "_memcpy": Category.MEMCPY,
    "_memset": Category.MEMSET,
    "_sync": Category.SYNC,
    "_user_annotation": Category.DEVICE_ANNOTATION,
}
"""Endings of categories by which Kineto's forks for further devices tell what they write: `gcu_runtime`."""

BY_NAME = {
    text: {regex(pattern): kind for pattern, kind in patterns.items()}
    for vendor in VENDORS for text, patterns in vendor.by_name.items()
}  # fmt: skip
"""Lower-case `cat` -> pattern of lower-case names -> Category of its events with such a name."""


def category_of(cat: str, name: str) -> Category:
    """Category of a complete event from its `cat` and name. An unknown `cat` is Category.OTHER, which keeps its own
    name, unless it ends as Kineto's do."""
    cat = cat.lower()
    for pattern, kind in BY_NAME.get(cat, {}).items():
        if pattern.fullmatch(name.lower()):
            return kind
    known = CATEGORY_OF.get(cat)
    if known is None:
        known = next((kind for ending, kind in _AS_KINETO_NAMES.items() if cat.endswith(ending)), Category.OTHER)
    return known


FLOW_CATEGORIES = frozenset({"fwdbwd", "forward_backward"})
"""Arrows from forward to backward operators. Launch arrows (`ac2g`, `async*`) only repeat the correlation: skipped."""

MEMORY_EVENT_NAME = "[memory]"

_LISTED = tuple(dict.fromkeys(word for vendor in VENDORS for word in (vendor.kind, vendor.word.lower())))
"""Words for devices in PyTorch's EventList.export_chrome_trace: its events are of "CPU functions", "CUDA functions"."""

PROCESS_LAYERS = {
    **{text: category for vendor in VENDORS for text, category in vendor.layers.categories.items()},
    "CPU functions": Category.OPERATOR,
    **{f"{word.upper()} functions": Category.KERNEL for word in _LISTED},
}
COLLECTIVE_LAYERS = frozenset(text for vendor in VENDORS for text in vendor.layers.collectives)
LAYER_COPIES = frozenset(vendor.layers.copy for vendor in VENDORS if vendor.layers.copy)
LAYER_WORK = frozenset(text for vendor in VENDORS for text in vendor.layers.work)
OPERATOR_ARROWS = frozenset(
    (*(text for vendor in VENDORS for text in vendor.layers.arrows), *(f"cpu_to_{word}" for word in _LISTED))
)
"""For traces whose layers are processes: see ProcessLayers in model/vendor.py."""

DEVICE_WORDS = frozenset(word.lower() for vendor in VENDORS for word in (vendor.word, *vendor.aliases)) | {"tpu"}
"""Lower-case words for a device in counter names and function types."""

DEVICE_LIBRARIES = tuple(dict.fromkeys(name for vendor in VENDORS for name in vendor.collectives))
COLLECTIVE_LIBRARIES = (*DEVICE_LIBRARIES, "gloo", "mpi")
"""Prefixes (before `:` in annotations, before a separator in kernel names) of communication between ranks."""

COMMUNICATING_KERNELS: tuple[str, ...] = (
    "cross_device_reduce",  # vLLM, SGLang, AITER
    "multimem_", "symmetric_memory::", "symm_mem",  # PyTorch
    "ar_fusion",  # TensorRT-LLM, AITER
    "userbuffers_",  # Transformer Engine
    "mori::",  # AMD
    "mscclpp", "deep_ep", "pplx", "nvshmem", "barrier_on_stream", "rocshmem",
)  # fmt: skip
"""Substrings of communication kernels that serving engines and frameworks implement without a collective library."""

COLLECTIVE_OPERATIONS = (
    "[aA]ll_?[rR]educe", "[aA]ll_?[gG]ather", "[rR]educe_?[sS]catter", "[aA]ll_?(?:[tT]o|2)_?[aA]ll",
)  # fmt: skip
"""Patterns of collective operations in the names of such kernels."""

OPERATION_MARKS = ("educe", "ather", "scatter", "all")
"""Every match of COLLECTIVE_OPERATIONS, in lower case, contains one of these: a fast first test."""

WITHIN_A_DEVICE = ("block", "warp", "wave", "group", "triton_(?:poi|red|per|tem)_", "gemm", "matmul")
"""Substrings that rule such a kernel out: reductions within a block or warp, code a compiler fused next to the
collective, and matrix products that send their result on."""

COLLECTIVE_KERNELS = tuple(name for vendor in VENDORS for name in vendor.collective_kernels)
COLLECTIVE_RANGES = tuple(name for vendor in VENDORS for name in vendor.collective_ranges)
"""Name prefixes of collectives without a library prefix: of device functions, of host ranges."""

@lru_cache(maxsize=1 << 14)
def uses_tensor_cores(name: str, marks: tuple[str, ...]) -> bool:
    """Whether the kernel's name indicates tensor cores. Cached: tables and metrics ask for the same names."""
    return any(map(name.__contains__, marks)) and not any(map(name.__contains__, PLAIN_ARITHMETIC))


TENSOR_CORES_ANYWHERE = tuple(mark for vendor in VENDORS for mark in vendor.tensor_cores or ())
"""Marks of all vendors, for kernels of an unknown vendor."""

OPERATOR_LIBRARIES = (
    *(name for vendor in VENDORS for name in vendor.operator_libraries), "mkldnn", "mkl", "mps", "native", "thnn",
)  # fmt: skip
"""Libraries in the names of operators that PyTorch has once per library (`aten::cudnn_convolution`)."""
