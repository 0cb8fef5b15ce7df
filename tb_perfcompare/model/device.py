"""Vendors are rows: how each one spells categories, collectives and its name. No other module knows a vendor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    "xpu_sync": Category.SYNC,
    "collective_comm": Category.ANNOTATION,
    "overhead": Category.OVERHEAD,
    "memory": Category.MEMORY_RECORD,
}
"""Lower-cased `cat` of a trace event -> Category; anything else is Category.OTHER and is kept under its own name."""

DEVICE_WAITS: dict[str, frozenset[str]] = {"mtia_ccp_events": frozenset({"event_wait", "event_record"})}
"""Lower-cased `cat` of device work -> names of its events that wait or signal: Category.SYNC, no work."""


def category_of(cat: str, name: str) -> Category:
    """What a complete event with this `cat` and name is."""
    if name.lower() in DEVICE_WAITS.get(cat.lower(), ()):
        return Category.SYNC
    return CATEGORY_OF.get(cat.lower(), Category.OTHER)


FLOW_CATEGORIES = frozenset({"fwdbwd", "forward_backward"})
"""Arrows from a forward operator to its backward; launch arrows (`ac2g`, `async*`) repeat the correlation: skipped."""

MEMORY_EVENT_NAME = "[memory]"


PROCESS_LAYERS: dict[str, Category] = {
    "CANN": Category.RUNTIME,
    "Ascend Hardware": Category.KERNEL,
    "Communication": Category.KERNEL,
    "HCCL": Category.KERNEL,
}
"""Name of a process -> what its events without a `cat` are: torch_npu writes a layer as a process. Which of the tasks
on the device are work: sources/trace/columns/process_layers.py."""

LAYER_COPY = "MEMCPY_ASYNC"
"""Name of a copy in such a layer."""

LAYER_WORK = frozenset({"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AI_CPU", "FFTS_PLUS"})
"""`Task Type` of computing tasks; the others wait, signal or are steps of a collective."""

OPERATOR_ARROWS = frozenset({"async_npu"})
"""Arrows from an operator straight to the device work it caused, for traces without External ids."""


@dataclass(frozen=True, slots=True)
class Vendor:
    """One kind of accelerator.

    kind            key used in answers: cuda, rocm, mlu, mtia, xpu, npu, cpu
    word            what a user calls the device: GPU, MLU
    runtime         raw runtime categories only this vendor writes
    name_marks      substrings of deviceProperties names (lower case)
    api_prefixes    first letters of its host API names
    calls           its host API names -> what another vendor calls the same, without that one's prefix
    kernel_args     argument columns only its kernels carry
    collectives     prefixes of collective annotations and kernels
    collective_kernels  beginnings of names of collective device functions that do not begin with such a prefix
    collective_ranges   beginnings of names of host ranges around a collective, likewise
    memory_types    `Device Type` numbers of its memory events (c10::DeviceType)
    tensor_cores    parts of names of kernels that use tensor cores (matrix cores); () where names do not tell; None
                    where there are none: the share of their time does not apply
    """

    kind: str
    word: str
    runtime: tuple[str, ...] = ()
    name_marks: tuple[str, ...] = ()
    api_prefixes: tuple[str, ...] = ()
    kernel_args: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    collective_kernels: tuple[str, ...] = ()
    collective_ranges: tuple[str, ...] = ()
    memory_types: tuple[int, ...] = ()
    tensor_cores: tuple[str, ...] | None = ()
    calls: Mapping[str, str] = field(default_factory=dict)

    def call_of(self, name: str) -> str | None:
        """A host API name without the vendor's prefix; None for a name that has none."""
        for prefix in self.api_prefixes:
            rest = name.removeprefix(prefix)
            if rest != name and rest[:1].isupper():
                return self.calls.get(name, rest) if prefix == "cu" else rest
        return None

    def role_of(self, name: str) -> str | None:
        """What the call does, in the words of whichever vendor."""
        return self.calls.get(name) or self.call_of(name)


TENSOR_CORES_2021: tuple[str, ...] = (
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "c1688",
)
"""torch-tb-profiler's test of a kernel's name; it knows NVIDIA's architectures up to 2021."""

VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "mlu",
        "MLU",
        runtime=("mlu_runtime",),
        name_marks=("mlu",),
        api_prefixes=("cn",),
        kernel_args=("kernel_type", "dim", "tasktopo"),
        collectives=("cncl",),
        memory_types=(20,),
        tensor_cores=None,
    ),
    Vendor(
        "rocm",
        "GPU",
        name_marks=("amd", "instinct", "radeon"),
        api_prefixes=("hip",),
        # RCCL's kernels keep NCCL's names
        collectives=("rccl",),
        memory_types=(6,),
        # Tensile's MatrixInstruction (hipBLASLt, rocBLAS), composable kernel, rocWMMA
        tensor_cores=("_MI16x16", "_MI32x32", "_MI4x4", "_xdl", "xdlops", "mfma", "wmma"),
        calls={
            "hipGetDevicePropertiesR0600": "GetDeviceProperties",
            "hipMemcpyWithStream": "MemcpyAsync",
            "hipExtLaunchKernel": "LaunchKernel",
        },
    ),
    Vendor(
        "mtia",
        "MTIA",
        runtime=("mtia_runtime",),
        name_marks=("mtia",),
        api_prefixes=("mtia",),
        # The libraries of Meta, Huawei and Habana share this name.
        collectives=("hccl",),
        collective_kernels=("hccl::",),
        memory_types=(19,),
        tensor_cores=None,
    ),
    Vendor(
        "xpu",
        "XPU",
        runtime=("xpu_runtime",),
        name_marks=("intel", "arc"),
        api_prefixes=("ur", "ze"),
        collectives=("xccl", "oneccl"),
        memory_types=(12,),
    ),
    Vendor(
        "npu",
        "NPU",
        name_marks=("ascend",),
        api_prefixes=("acl", "AscendCL@", "Node@", "Runtime@"),
        kernel_args=("task_type",),
        collectives=("hccl", "lccl"),
        collective_kernels=("hcom_",),
        collective_ranges=("Hccl",),
        memory_types=(20,),
    ),
    Vendor(
        "cuda",
        "GPU",
        name_marks=("nvidia", "tesla", "quadro", "geforce"),
        api_prefixes=("cuda", "cu"),
        collectives=("nccl",),
        memory_types=(1,),
        # and what came after 2021: Ampere's cutlass names, Hopper, Blackwell
        tensor_cores=(*TENSOR_CORES_2021, "tensorop", "wgmma", "gmma", "nvjet_", "_mma_", "tcgen05"),
        calls={
            "cuLaunchKernel": "ModuleLaunchKernel",
            "cuLaunchKernelEx": "ExtModuleLaunchKernel",
            "cudaLaunchKernelExC": "ExtModuleLaunchKernel",
        },
    ),
)
"""Checked in this order; the first row with evidence in the trace wins."""

CPU = Vendor("cpu", "CPU", memory_types=(0,))

COLLECTIVE_LIBRARIES: tuple[str, ...] = tuple(
    dict.fromkeys((*(name for v in VENDORS for name in v.collectives), "gloo", "mpi"))
)
"""Prefixes (before `:` in annotations, before a separator in kernel names) that mean communication between ranks."""

COMMUNICATING_KERNELS: tuple[str, ...] = (
    "cross_device_reduce",  # vLLM, SGLang, AITER
    "multimem_all_reduce", "multimem_all_gather", "multimem_reduce_scatter", "multimem_one_shot_all_reduce",  # PyTorch
    "one_shot_all_reduce", "two_shot_all_reduce",  # PyTorch's symmetric memory
    "oneShotAllReduce", "twoShotAllReduce", "allreduce_fusion", "ar_fusion",  # TensorRT-LLM, FlashInfer, AITER
    "userbuffers_",  # Transformer Engine
    "allreduce_prototype",  # QuickReduce on ROCm
    "mscclpp", "deep_ep::", "nvshmem", "rocshmem",
)  # fmt: skip
"""Parts of names of kernels that serving engines and frameworks write for communication between ranks, without a
library of collectives. (Those of a reduction within a block or warp, such as blockAllReduceSum, are none.)"""

COLLECTIVE_KERNELS: tuple[str, ...] = tuple(name for v in VENDORS for name in v.collective_kernels)
COLLECTIVE_RANGES: tuple[str, ...] = tuple(name for v in VENDORS for name in v.collective_ranges)
"""Names that mean the same without such a prefix, by how they begin: of device functions, of host ranges."""

TENSOR_CORES_ANYWHERE: tuple[str, ...] = tuple(mark for v in VENDORS for mark in v.tensor_cores or ())
"""For kernels whose vendor nobody knows."""

OPERATOR_LIBRARIES = ("cudnn", "miopen", "mkldnn", "mkl", "cnnl", "npu", "mps", "xpu", "native", "thnn")
"""Libraries that PyTorch names in operators of which it has one per library (`aten::cudnn_convolution`)."""
