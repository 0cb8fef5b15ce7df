"""Every vendor of model/vendors.py on a minimal trace: device word, collectives, nested calls, tensor cores."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from tb_perfcompare.analysis.compat import answer
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.analysis.trace.vendor import find_vendor
from tb_perfcompare.model.api_calls import LAUNCH, WAIT, calls
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import DeviceMetric, Summary
from tb_perfcompare.model.vendors import VENDORS as ROWS
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.analysis.summaries import categories_us, operator_us, recording, summary
from tests.build import VENDORS, TraceBuilder
from tests.compat.reading import read

KINETO = ("cuda", "rocm", "mlu", "mtia", "xpu", "musa", "maca", "gcu")
"""Vendors whose traces Kineto writes; torch_npu's are in tests/sources/trace/test_process_layers.py."""
ROW = {row.kind: row for row in ROWS}


def test_a_new_vendor_needs_one_record() -> None:
    """Added in a new process, before the tables of all vendors are built."""
    command = [sys.executable, "-m", "tests.analysis.trace.made_up_vendor"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(done.stdout) == {
        "device": ["acme", "APU", 1],
        "us": {"Kernel": 20, "Communication": 10, "Runtime": 5, "CPU Exec": 5, "Other": 60},
        "tensor_core_share": pytest.approx(2 / 3),
        "launches": ["acmeSubmit", "acmeSubmitBatch"],
        "waits": ["acmeJoin"],
        "device of a counter": 3,
        "operator without library": "aten::convolution",
    }


def test_an_unknown_vendor_that_writes_as_kineto_does_needs_none() -> None:
    trace = TraceBuilder(vendor="cuda")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.kernel("gemm", 30, 50, launch=(12, 14))
    trace.call("zedStreamSynchronize", 70, 90, cat="zed_driver")
    text = trace.encode().replace(b"cuda_runtime", b"zed_runtime").replace(b"cudaLaunch", b"zedLaunch")
    drawn = summarize(read_trace(BytesIO(text), name="a.pt.trace.json"), Origin("a", "a", "worker0", "1"))
    assert operator_us(drawn, "aten::mm", "device_self") == 20
    assert categories_us(drawn)["Runtime"] == 2 + 20
    assert calls(LAUNCH, "zedLaunchKernel")
    assert calls(WAIT, "zedStreamSynchronize")
    assert not calls(WAIT, "zedStreamWaitEvent")


def tensor_core_share(of: Summary) -> DeviceMetric:
    (metric,) = [metric for metric in of.device_metrics if metric.name == "tensor_core_share"]
    return metric


def one_kernel(vendor: str, name: str = "gemm") -> TraceBuilder:
    trace = TraceBuilder(vendor=vendor)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.kernel(name, 30, 50, launch=(12, 14))
    return trace


@pytest.mark.parametrize(
    ("vendor", "word"),
    [("cuda", "GPU"), ("rocm", "GPU"), ("mlu", "MLU"), ("mtia", "MTIA"), ("xpu", "XPU"), ("musa", "GPU"),
     ("maca", "GPU"), ("gcu", "GCU"), ("aiu", "AIU")],
)  # fmt: skip
def test_a_device_has_the_word_of_its_vendor(vendor: str, word: str) -> None:
    drawn = summary(one_kernel(vendor))
    assert (drawn.device.kind, drawn.device.word, drawn.device.count) == (vendor, word, 1)
    assert {metric.device for metric in drawn.device_metrics} == {f"{word} 0"}
    assert operator_us(drawn, "aten::mm", "device_self") == 20


@pytest.mark.parametrize("vendor", [*KINETO, "aiu"])
def test_without_a_device_name_categories_or_calls_identify_the_vendor(vendor: str) -> None:
    trace = one_kernel(vendor)
    named = recording(trace)
    others = {name: value for name, value in named.properties.items() if name != "deviceProperties"}
    assert find_vendor(replace(named, properties=others)).kind == vendor


NESTED_CALLS = {
    "cuda": ("cudaLaunchKernel", "cuLaunchKernel"),
    "rocm": ("hipLaunchKernel", "hipModuleLaunchKernel"),
    "mlu": ("cnnlOpTensor", "cnInvokeKernel"),
    "mtia": ("mtiaLaunchKernel", "mtiaEnqueue"),
    "xpu": ("urEnqueueKernelLaunch", "zeCommandListAppendLaunchKernel"),
    "musa": ("musaLaunchKernelExC", "muLaunchKernel"),
    "maca": ("mcLaunchKernelExC", "mcModuleLaunchKernel"),
    "gcu": ("topsLaunchKernelExC", "topsModuleLaunchKernel"),
}


@pytest.mark.parametrize("vendor", KINETO)
def test_self_time_subtracts_the_outermost_of_nested_calls(vendor: str) -> None:
    outer, inner = NESTED_CALLS[vendor]
    driver = {"cuda": "cuda_driver", "xpu": "xpu_driver"}.get(vendor)
    trace = TraceBuilder(vendor=vendor)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.call(outer, 20, 50)
    trace.call(inner, 25, 45, cat=driver)
    drawn = summary(trace)
    assert operator_us(drawn, "aten::mm", "host_self") == 20
    assert operator_us(drawn, "aten::mm", "host_api") == 30
    assert categories_us(drawn)["Runtime"] == 30


COLLECTIVE_KERNELS = {
    "cuda": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "rocm": "ncclDevKernel_Generic(ncclDevComm*, unsigned long, ncclWork*)",
    "mlu": "cnclAllReduceRing",
    "mtia": "hccl::all_reduce",
    "xpu": "oneccl_reduce_base<float, 2, 16, 1, 1, 2>",
    "musa": "mcclKernel_AllReduce_RING_LL_Sum_float(mcclDevComm*, unsigned long, mcclWork*)",
    "maca": "mcclKernel_AllReduce_RING_LL_Sum_float(mcclDevComm*, unsigned long, mcclWork*)",
    "gcu": "ecclKernel_AllReduce",
}


@pytest.mark.parametrize("vendor", KINETO)
def test_kernels_of_the_collective_library_are_communication(vendor: str) -> None:
    assert categories_us(summary(one_kernel(vendor, COLLECTIVE_KERNELS[vendor])))["Communication"] == 20


@pytest.mark.parametrize(
    "name",
    [
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, vllm::Signal*, int)",
        "void sglang::cross_device_reduce_2stage<half, 8>(sglang::RankData*, int)",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)",
        "multimem_one_shot_all_reduce_kernel<float, 16>(float*, float*)",
        "void c10d::symmetric_memory::two_shot_all_reduce_kernel_inplace<float, 16, 8>(float**, unsigned long)",
        "void tensorrt_llm::kernels::twoShotAllReduceKernel<__nv_bfloat16, 8, true>(tensorrt_llm::AllReduceParams)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<half, 8, true>(int)",
        "void aiter::ar_fusion_1stage<__hip_bfloat16, 8>(aiter::RankData*, int)",
        "quickreduce::allreduce_prototype_twoshot(half const*, half*, unsigned int)",
        "rccl_main_kernel(ncclDevComm*)",
        "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)",
        "_ZN7deep_ep9intranode8dispatchILi8ELi768EEEvP4int4",
        "void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8, half>(half*)",
        "void all_reduce_two_shot_kernel<half>(half*)",
        "allgather_push_kernel",
        "void all2all_kernel<float>(float*)",
        "c10d::symmetric_memory::barrier_kernel(unsigned int**, unsigned int*, int)",
        "void nvshmemi_alltoall_kernel<float>(float*)",
        "void c10d::symmetric_memory::one_shot_all_reduce_kernel<float, 16, 8>(float**, float*, unsigned long)",
        "void symm_mem::lamport_kernel<half>(half*)",
        "void deep_ep::internode_ll::combine<7168, 9>(void*, float*)",
        "void flashinfer::trtllm_alltoall::moeAllToAllKernel<half>(half*)",
        "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(mori::moe::EpDispatchCombineArgs<__hip_bfloat16>)",
        "ncclSymDevKernel_AllReduce_AGxLLMC_R_bf16(ncclSymDevArgs)",
    ],
)
def test_collective_kernels_of_engines_are_communication(name: str) -> None:
    assert categories_us(summary(one_kernel("cuda", name)))["Communication"] == 20


@pytest.mark.parametrize(
    "name",
    [
        "void softmax<float, blockAllReduceSum>(float*)", "fused_linear_fusion_kernel",
        "NormWarpAllReduce<half>(half*)", "triton_poi_fused_all_gather_copy_in_add_0",
        "kernel_consumer_all_gather_gemm", "mm_all_gathered_weights",
        "void at::native::vectorized_gather_kernel<16, long>(char*, char*)",
    ],
)  # fmt: skip
def test_reductions_within_a_device_are_kernels(name: str) -> None:
    assert categories_us(summary(one_kernel("cuda", name)))["Kernel"] == 20


def test_waits_on_an_mtia_device_are_not_work(tmp_path: Path) -> None:
    trace = one_kernel("mtia")
    trace.kernel("event_wait", 50, 90, launch=(15, 17))
    read = read_trace(str(trace.write(tmp_path / "worker0.1.pt.trace.json")))
    for recorded in (read, recording(trace)):
        of = summarize(recorded, Origin("drawn", "drawn", "worker0", "1", 0))
        assert categories_us(of).get("Kernel") == 20
        assert of.steps.launches.tolist() == [1]


HOST, ENGINES = 3, 1


def test_what_a_gaudi_process_holds_is_told_by_its_vector_engines(tmp_path: Path) -> None:
    """Its calls, its matrix engine and its copies have one category."""
    events = [
        ("hpu_meta_op", "process_name", ENGINES, -1000, -1000), ("cpu_op", "aten::mm", HOST, 0, 100),
        ("hpu_op", "synLaunch", HOST, 0, 10), ("hpu_op", "compile", HOST, 10, 30),
        ("kernel", "relu_f32", ENGINES, 30, 40), ("hpu_op", "GEMM", ENGINES, 40, 70),
        ("hpu_op", "DmaUp", ENGINES, 70, 75),
    ]  # fmt: skip
    rows = [
        {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": cat, "ts": 5000 + start, "dur": end - start}
        for cat, name, pid, start, end in events
    ]
    path = tmp_path / "worker0.1.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": rows}))
    of = summarize(read_trace(path), Origin("drawn", "drawn", "worker0", "1", 0))
    assert of.device.word == "HPU"
    assert categories_us(of) == {"Kernel": 40, "Memcpy": 5, "Runtime": 30, "CPU Exec": 25}


def test_the_rows_of_intels_scope_profiler_add_no_time() -> None:
    trace = one_kernel("xpu")
    trace.kernel("metrics: gemm", 55, 75)
    of = summary(trace)
    assert categories_us(of)["Kernel"] == 20
    assert of.steps.launches.tolist() == [1]
    cuda = one_kernel("cuda")
    cuda.kernel("metrics: gemm", 55, 75)
    assert categories_us(summary(cuda))["Kernel"] == 40


@pytest.mark.parametrize("cat", ["mlu_notifier", "gcu_sync", "musa_sync"])
def test_waits_on_a_device_are_no_work(cat: str) -> None:
    trace = one_kernel("cuda")
    trace.op("WaitNotifier", 55, 75, cat=cat)
    assert Category.SYNC in recording(trace).events.category


def test_cncl_copies_within_a_device_are_kernels() -> None:
    assert categories_us(summary(one_kernel("mlu", "cncl::d2d_tnc")))["Kernel"] == 20


@pytest.mark.parametrize(
    ("vendor", "name"),
    [
        ("cuda", "nccl:all_reduce"), ("rocm", "rccl:all_gather"), ("mlu", "cncl:AlltoAllv"), ("mtia", "hccl:reduce"),
        ("xpu", "xccl:all_reduce"), ("cuda", "gloo:barrier"),
    ],
)  # fmt: skip
def test_the_host_range_of_a_collective_is_communication(vendor: str, name: str) -> None:
    trace = TraceBuilder(vendor=vendor)
    trace.step(1, 0, 100)
    trace.annotation(name, 10, 40)
    assert categories_us(summary(trace)) == {"Communication": 30, "Other": 70}


def test_the_collective_category_of_intel_is_communication() -> None:
    trace = TraceBuilder(vendor="xpu")
    trace.step(1, 0, 100)
    trace.op("xccl::allreduce", 10, 40, cat="collective_comm")
    assert categories_us(summary(trace)) == {"Communication": 30, "Other": 70}


@pytest.mark.parametrize(
    ("vendor", "kernel", "share"),
    [
        ("cuda", "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", 1.0),
        ("cuda", "ampere_sgemm_128x64_tn", 0.0),
        ("rocm", "Cijk_Alik_Bljk_BBS_BH_Bias_UserArgs_MT256x128x64_MI16x16x1_SN_LDSB1", 1.0),
        ("rocm", "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_TT4_4_WG16_16_1", 0.0),
        ("rocm", "miopenSp3AsmConv1x1_fp16", 0.0),
    ],
)
def test_kernels_on_matrix_cores_are_recognized_by_name(vendor: str, kernel: str, share: float) -> None:
    drawn = summary(one_kernel(vendor, kernel))
    assert tensor_core_share(drawn).value == share
    assert drawn.groups["kernels"].facts["tensor_cores"].tolist() == [share]


@pytest.mark.parametrize(
    ("vendor", "reason"),
    [("mlu", "not applicable: the device has none"), ("mtia", "not applicable: the device has none"),
     ("xpu", "this device's kernel names do not show it")],
)  # fmt: skip
def test_unknown_use_of_tensor_cores_is_absent(vendor: str, reason: str) -> None:
    drawn = summary(one_kernel(vendor, "h884gemm"))
    assert (tensor_core_share(drawn).value, tensor_core_share(drawn).reason) == (None, reason)
    assert "tensor_cores" not in drawn.groups["kernels"].facts


@pytest.mark.parametrize("vendor", [*KINETO, "aiu"])
def test_memory_events_have_the_device_type_of_the_vendor(vendor: str) -> None:
    """c10::DeviceType: CUDA 1, HIP 6, XPU 12, MTIA 19, PrivateUse1 20."""
    assert VENDORS[vendor].memory_type in ROW[vendor].memory_types


@pytest.mark.parametrize(
    ("vendor", "key", "title"),
    [("cuda", "gpu_metrics", "GPU Summary"), ("rocm", "gpu_metrics", "GPU Summary"),
     ("mlu", "mlu_metrics", "MLU Summary")],
)  # fmt: skip
def test_the_device_summary_of_the_profiler_tab_names_the_device(vendor: str, key: str, title: str) -> None:
    assert answer(read(one_kernel(vendor)), "overview")[key]["title"] == title
