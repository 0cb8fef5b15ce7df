"""One record per device vendor with all its own spellings. No other module knows a vendor by name.

model/device.py and model/api_calls.py combine the spellings that are looked up for all vendors at once.
"""

from __future__ import annotations

from typing import Any

from tb_perfcompare.model.events import Category
from tb_perfcompare.model.vendor import ProcessLayers, Vendor

TENSOR_CORES_2021: tuple[str, ...] = (
    "h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2", "first_layer_wgrad_kernel",
    "conv1x1", "conv2d_c1_k1", "direct_group", "xmma_implicit_gemm", "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm", "xmma_gemm", "xmma_sparse_gemm", "c1688",
)  # fmt: skip
"""torch-tb-profiler's test of kernel names, for NVIDIA's architectures up to 2021."""

PLAIN_ARITHMETIC = ("_ffma_", "_simt_")
"""Substrings of kernels without tensor cores, whatever else the name contains:
`sm80_xmma_gemm_f32f32_f32f32_..._ffma_...`."""

MLU = Vendor(
    "mlu",
    "MLU",
    name_marks=("mlu",),
    memory_types=(20,),
    categories={
        "mlu_runtime": Category.RUNTIME,
        "mlu_memcpy": Category.MEMCPY,
        "mlu_memset": Category.MEMSET,
        "mlu_notifier": Category.SYNC,
        "mlu_user_annotation": Category.DEVICE_ANNOTATION,
    },
    kernel_args=("kernel_type", "dim", "tasktopo"),
    api_prefixes=("cnrt", "cn"),
    launches=(r"cn(?:rt)?(?:InvokeKernel|LaunchKernel)\w*",),
    graph_launches=(r"cn(?:rt)?TaskTopoEntityInvoke\w*",),
    waits=(
        "cnrtMemcpy",
        r"cnMemcpy(?:HtoD|DtoH|DtoD)?",
        r"cn(?:rt)?(?:QueueSync|SyncDevice|CtxSync|WaitNotifier|NotifierWait)",
    ),
    allocations=(r"cn(?:rt)?(?:Host)?Malloc\w*",),
    releases=(r"cn(?:rt)?Free\w*",),
    calls={
        "cnInvokeKernel": "LaunchKernel",
        "cnrtInvokeKernel": "LaunchKernel",
        "cnrtQueueSync": "StreamSynchronize",
        "cnrtSyncDevice": "DeviceSynchronize",
    },
    operator_libraries=("cnnl",),
    collectives=("cncl",),
    tensor_cores=None,
)

ROCM = Vendor(
    "rocm",
    "GPU",
    aliases=("hip", "DCU"),
    name_marks=("amd", "instinct", "radeon"),
    memory_types=(6,),
    api_prefixes=("hip",),
    launches=(r"hip\w*Launch\w*Kernel\w*",),  # hipExtModuleLaunchKernel
    graph_launches=(r"hipGraphLaunch\w*",),
    # only these copies are sure to be done when they return
    waits=(r"hip\w*Synchroni[sz]e\w*", "hipMemcpy", "hipMemcpyWithStream"),
    allocations=(
        r"hip(?:Ext)?(?:Malloc\w*|HostAlloc|HostMalloc|HostRegister)",
        r"hipMem(?:Create|Map|AddressReserve)\w*",
    ),
    releases=(r"hip(?:Free\w*|HostFree|HostUnregister)", r"hipMem(?:Release|Unmap|AddressFree)\w*"),
    calls={
        "hipGetDevicePropertiesR0600": "GetDeviceProperties",
        "hipMemcpyWithStream": "MemcpyAsync",
        "hipExtLaunchKernel": "LaunchKernel",
    },
    operator_libraries=("miopen",),
    collectives=("rccl",),  # RCCL's kernels keep NCCL's names
    # Tensile's MatrixInstruction (hipBLASLt, rocBLAS), composable kernel, rocWMMA
    tensor_cores=("_MI16x16", "_MI32x32", "_MI4x4", "_xdl", "xdlops", "mfma", "wmma"),
)

MTIA = Vendor(
    "mtia",
    "MTIA",
    name_marks=("mtia",),
    memory_types=(19,),
    categories={"mtia_runtime": Category.RUNTIME, "mtia_ccp_events": Category.KERNEL},
    by_name={"mtia_ccp_events": {"event_(?:wait|record)": Category.SYNC}},
    api_prefixes=("mtia",),
    launches=(r"mtiaLaunchKernel\w*",),
    waits=(r"mtia\w*Synchroni[sz]e\w*",),
    collectives=("hccl",),  # the libraries of Meta, Huawei and Habana share this name
    collective_kernels=("hccl::",),
    tensor_cores=None,
)

XPU = Vendor(
    "xpu",
    "XPU",
    name_marks=("intel", "arc"),
    memory_types=(12,),
    categories={"xpu_runtime": Category.RUNTIME, "xpu_driver": Category.DRIVER, "xpu_sync": Category.SYNC},
    by_name={"kernel": {"metrics: .*": Category.SYNC}},  # the scope profiler's second row of each kernel
    api_prefixes=("ur", "ze", "piext", "pi"),  # pi: torch 2.4 and 2.5
    launches=(
        r"urEnqueue(?:Cooperative)?KernelLaunch\w*",
        r"ze\w*AppendLaunch\w*Kernel\w*",
        r"pi(?:ext)?EnqueueKernelLaunch\w*",
    ),
    graph_launches=(r"ur(?:EnqueueCommandBuffer|CommandBufferEnqueue)Exp",),
    waits=(r"ze\w*Synchroni[sz]e\w*", "urQueueFinish", "urEventWait", "piQueueFinish", "piEventsWait"),
    allocations=(r"(?:ur|piext)USM(?:Device|Host|Shared)Alloc", r"zeMemAlloc(?:Device|Host|Shared)"),
    releases=("urUSMFree", "zeMemFree", "piextUSMFree"),
    calls={
        "urEnqueueKernelLaunch": "LaunchKernel",
        "urEnqueueUSMMemcpy": "MemcpyAsync",
        "urEnqueueUSMFill": "MemsetAsync",
        "urQueueFinish": "StreamSynchronize",
        "urEventWait": "EventSynchronize",
        "urUSMDeviceAlloc": "Malloc",
        "urUSMFree": "Free",
        "piEnqueueKernelLaunch": "LaunchKernel",
        "piextUSMEnqueueMemcpy": "MemcpyAsync",
        "piextUSMEnqueueMemset": "MemsetAsync",
        "piQueueFinish": "StreamSynchronize",
        "piEventsWait": "EventSynchronize",
        "piextUSMDeviceAlloc": "Malloc",
        "piextUSMFree": "Free",
    },
    operator_libraries=("xpu",),
    collectives=("xccl", "oneccl"),
)

NPU = Vendor(
    "npu",
    "NPU",
    name_marks=("ascend",),
    memory_types=(20,),
    kernel_args=("task_type",),
    layers=ProcessLayers(
        categories={
            "CANN": Category.RUNTIME,
            "Ascend Hardware": Category.KERNEL,
            "Communication": Category.KERNEL,
            "HCCL": Category.KERNEL,
        },
        collectives=("Communication", "HCCL"),
        copy="MEMCPY_ASYNC",
        work=frozenset({"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AI_CPU", "FFTS_PLUS"}),
        arrows=frozenset({"async_npu"}),
    ),
    api_prefixes=("acl", "AscendCL@", "Node@", "Runtime@"),
    launches=(r"aclrtLaunchKernel\w*", "Node@launch"),
    waits=(r"aclrt\w*Synchroni[sz]e\w*", "aclrtMemcpy"),
    allocations=(r"aclrtMalloc\w*",),
    releases=(r"aclrtFree\w*",),
    calls={
        "Node@launch": "LaunchKernel",
        "AscendCL@aclrtMalloc": "Malloc",
        "AscendCL@aclrtFree": "Free",
        "AscendCL@aclrtMemcpyAsync": "MemcpyAsync",
        "AscendCL@aclrtSynchronizeStream": "StreamSynchronize",
        "AscendCL@aclrtSynchronizeDevice": "DeviceSynchronize",
    },
    operator_libraries=("npu",),
    collectives=("hccl", "lccl"),
    collective_kernels=("hcom_",),
    collective_ranges=("Hccl",),
)

HPU = Vendor(
    "hpu",
    "HPU",
    name_marks=("gaudi", "habana"),
    memory_types=(15,),
    categories={"hpu_op": Category.KERNEL},  # matrix engine and copies; the vector engines' work is `kernel`
    by_name={"hpu_op": {".*(?:dma|memcpy).*": Category.MEMCPY}},
    of_both="hpu_op",
    api_prefixes=("syn",),
    launches=(r"synLaunch\w*",),
    waits=(r"syn\w*Synchroni[sz]e\w*",),
    allocations=(r"syn(?:Device|Host)Malloc",),
    releases=(r"syn(?:Device|Host)Free",),
    collectives=("hccl",),
)

AIU = Vendor(
    "aiu",
    "AIU",
    name_marks=("spyre", "aiu"),
    memory_types=(20,),
    categories={"aiu": Category.KERNEL, "privateuse1": Category.KERNEL},
    api_prefixes=("aiu",),
    launches=(r"aiuLaunch\w*",),
    waits=("aiuScheduleWait",),
    allocations=("aiuMalloc",),
)


def _named_as_cuda(kind: str, word: str, runtime: str, driver: str = "", **others: Any) -> Vendor:
    """A vendor whose functions have CUDA's names behind prefixes of its own: cudaLaunchKernel, musaLaunchKernel;
    cuMemAlloc, muMemAlloc. `runtime` is the prefix of the runtime, `driver` that of the driver, if it has one."""
    any_of = f"(?:{runtime}|{driver})" if driver else runtime
    allocations: tuple[str, ...] = (rf"{runtime}(?:Malloc\w*|HostAlloc|HostMalloc|HostRegister)",)
    releases: tuple[str, ...] = (rf"{runtime}(?:Free\w*|HostFree|HostUnregister)",)
    calls = {f"{runtime}LaunchKernelExC": "ExtModuleLaunchKernel"}
    if driver:
        allocations += (rf"{driver}Mem(?:Alloc|Create|Map|HostAlloc|AddressReserve)\w*",)
        releases += (rf"{driver}Mem(?:Free|Release|Unmap|AddressFree)\w*",)
        calls |= {f"{driver}LaunchKernel": "ModuleLaunchKernel", f"{driver}LaunchKernelEx": "ExtModuleLaunchKernel"}
    return Vendor(
        kind,
        word,
        api_prefixes=(runtime, driver) if driver else (runtime,),
        driver_prefix=driver,
        launches=(rf"{any_of}\w*Launch\w*Kernel\w*",),  # cudaLaunchKernelExC, cuLaunchKernel
        graph_launches=(rf"{any_of}GraphLaunch\w*",),
        waits=(rf"{any_of}\w*Synchroni[sz]e\w*", f"{runtime}Memcpy"),
        allocations=allocations,
        releases=releases,
        calls=calls,
        **others,
    )


MUSA = _named_as_cuda(
    "musa",
    "GPU",
    "musa",
    "mu",
    aliases=("musa",),
    name_marks=("mtt ", "moore threads", "mthreads"),
    memory_types=(20,),
    categories={"musa_runtime": Category.RUNTIME, "musa_driver": Category.DRIVER},  # newer: privateuse1_*
    operator_libraries=("mudnn",),
    collectives=("mccl",),
)

MACA = _named_as_cuda(
    "maca",
    "GPU",
    "mc",
    aliases=("maca",),
    name_marks=("metax",),
    memory_types=(1,),  # takes CUDA's place in PyTorch
    collectives=("mccl",),
)

GCU = _named_as_cuda(
    "gcu",
    "GCU",
    "tops",
    name_marks=("enflame", "gcu"),
    memory_types=(20,),
    categories={
        "gcu_runtime": Category.RUNTIME,
        "gcu_driver": Category.DRIVER,
        "gcu_memcpy": Category.MEMCPY,
        "gcu_memset": Category.MEMSET,
        "gcu_user_annotation": Category.DEVICE_ANNOTATION,
    },
    collectives=("eccl",),
)

CUDA = _named_as_cuda(
    "cuda",
    "GPU",
    "cuda",
    "cu",
    aliases=("cuda",),
    name_marks=("nvidia", "tesla", "quadro", "geforce"),
    memory_types=(1,),
    operator_libraries=("cudnn",),
    collectives=("nccl",),
    # additions after 2021: Ampere's cutlass names, Hopper, Blackwell; cuDNN's type names; attention
    tensor_cores=(
        *TENSOR_CORES_2021, "tensorop", "TensorOp", "tensor16x8x", "wgmma", "gmma", "nvjet_", "_mma_", "_wmma_",
        "tcgen05", "tf32f32_", "f16f32_f", "flash_fwd", "flash_bwd_d", "fmha_cutlassF_f16", "fmha_cutlassF_bf16",
        "fmha_cutlassB_f16", "fmha_cutlassB_bf16",
    ),
)

VENDORS: tuple[Vendor, ...] = (MLU, ROCM, MTIA, XPU, NPU, HPU, AIU, MUSA, MACA, GCU, CUDA)
"""Checked in this order; the first with evidence in the trace wins."""

CPU = Vendor("cpu", "CPU", memory_types=(0,))
