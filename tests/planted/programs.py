"""Training programs as values: their layers, their kernels, and every habit in which two of them can differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and how long it runs."""

    name: str
    us: float
    occupancy: float = 50.0


@dataclass(frozen=True, slots=True)
class Layer:
    """An operator, the shape of its input, and what it launches forward and backward. `below` names the operator inside
    it that launches: a layer may keep its name while another implementation does its work."""

    op: str
    shape: tuple[int, ...]
    forward: tuple[Kernel, ...]
    backward: tuple[Kernel, ...] = ()
    dtype: str = "float"
    below: str = ""


CONV = Layer(
    "aten::conv2d", (32, 64, 56, 56),
    (Kernel("ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", 220.0),),
    (Kernel("ampere_fp16_s1688gemm_fp16_128x64_ldg8_f2f_nt", 400.0),),
)  # fmt: skip
NORM = Layer(
    "aten::batch_norm", (32, 64, 56, 56),
    (Kernel("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>", 90.0),),
    (Kernel("void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>", 140.0),),
)  # fmt: skip
RELU = Layer(
    "aten::relu", (32, 64, 56, 56),
    (Kernel("void at::native::vectorized_elementwise_kernel<4, at::native::clamp_min_scalar>", 30.0),),
    (Kernel("void at::native::vectorized_elementwise_kernel<4, at::native::threshold_kernel>", 35.0),),
)  # fmt: skip
LINEAR = Layer(
    "aten::linear", (32, 2048),
    (Kernel("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_tn", 60.0),),
    (Kernel("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_nt", 120.0),),
)  # fmt: skip
FLASH = Layer(
    "aten::scaled_dot_product_attention", (32, 16, 512, 64),
    (Kernel("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>", 150.0),),
    (Kernel("void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<64, 64, 128>", 310.0),),
    below="aten::_flash_attention_forward",
)  # fmt: skip
MATH = replace(
    FLASH,
    forward=(
        Kernel("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn", 130.0),
        Kernel("void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 9, false, false>", 190.0),
        Kernel("ampere_fp16_s16816gemm_fp16_64x128_ldg8_f2f_stages_64x3_nn", 120.0),
    ),
    below="aten::_scaled_dot_product_attention_math",
)


@dataclass(frozen=True, slots=True)
class Api:
    """Names of a vendor's runtime calls."""

    stream_wait: str
    device_wait: str
    malloc: str
    free: str
    graph: str


APIS: Mapping[str, Api] = {
    "cuda": Api("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "cudaGraphLaunch"),
    "rocm": Api("hipStreamSynchronize", "hipDeviceSynchronize", "hipMalloc", "hipFree", "hipGraphLaunch"),
    "mlu": Api("cnrtQueueSync", "cnrtSyncDevice", "cnrtMalloc", "cnrtFree", "cnTaskTopoEntityInvoke"),
}


@dataclass(frozen=True, slots=True)
class Program:
    """What one training run does in every step; the defaults are the healthy one.

    vendor        key of tests.events.VENDORS; "cpu": operators do the kernels' work themselves
    loader_us     waiting for the next batch; loader_every: so many batches come at once, after as many times the wait
    copies        host-to-device copies of the input, each of copy_us; of pageable_us, if that is not 0, from pageable
                  memory
    device_pace   factor on every kernel; host_pace: on all host work
    launch_us     one launch call
    repeats       how often the stack of layers runs
    iterations    how often everything runs between two step markers
    items         aten::item calls (a copy back and a wait for the device) after the first layers, beside the last one
    reads         .cpu() of an activation, likewise; waits: bare waits for the whole device, likewise
    casts         extra aten::contiguous copies, each a kernel of cast_us
    mallocs       calls of the driver's allocator per step, each malloc_us
    retries       allocations that fail at first, so that cached memory is given back before they succeed
    emptied       calls that give back cached memory outside of operators
    reserved_mib  what the allocator holds after each step (one figure per step, the last one stays); (): not recorded
    graph         one graph launch instead of single launches; partly: the first so many layers alone are in it
    compiled      normalizations and the activations after them are generated kernels; breaks: but for the first so many
    optimizer     "foreach", "fused" (one kernel) or "single" (one kernel per parameter and operation)
    collective_us time of the gradients' all-reduce; 0: one process. wait_us: what of it is waiting for others
    reduce_after  share of the backward pass before the all-reduce begins; the rest of it runs beside
    saved         step that copies eight activations back, as a checkpoint does; -1: none
    gaps          step -> host time in it in which nothing is recorded
    warm_steps    leading steps that load modules and try kernels; loads: the modules, tries: the kernels
    overhead_us   the profiler's own work per step
    op_extra      operator -> host time it takes more per call
    stall_us      time that other processes take at every 9th operator; shared_us: of the device, at every 5th kernel;
                  slice_us: another process takes the device for so long, whenever this one has had it for so long
    clock_mhz     sampled once per step
    marked        ProfilerStep around every step
    flags         options of the profiler that the trace names
    """

    layers: tuple[Layer, ...] = (CONV, NORM, RELU, CONV, NORM, RELU, LINEAR)
    vendor: str = "cuda"
    steps: int = 10
    seed: int = 1
    jitter: float = 0.01
    loader_us: float = 60.0
    loader_every: int = 1
    copies: int = 1
    copy_us: float = 80.0
    pageable_us: float = 0.0
    device_pace: float = 1.0
    host_pace: float = 1.0
    launch_us: float = 5.0
    op_us: float = 6.0
    repeats: int = 2
    iterations: int = 1
    items: int = 0
    reads: int = 0
    waits: int = 0
    casts: int = 0
    cast_us: float = 60.0
    mallocs: int = 0
    malloc_us: float = 90.0
    retries: int = 0
    emptied: int = 0
    reserved_mib: tuple[int, ...] = ()
    graph: bool = False
    partly: int = 0
    compiled: bool = False
    breaks: int = 0
    optimizer: str = "foreach"
    collective_us: float = 0.0
    wait_us: float = 0.0
    reduce_after: float = 1.0
    saved: int = -1
    gaps: Mapping[int, float] = field(default_factory=dict)
    warm_steps: int = 0
    loads: int = 3
    tries: int = 4
    overhead_us: float = 0.0
    op_extra: Mapping[str, float] = field(default_factory=dict)
    stall_us: float = 0.0
    shared_us: float = 0.0
    slice_us: float = 0.0
    clock_mhz: float | None = None
    marked: bool = True
    flags: tuple[str, ...] = ()

    def changed(self, **what: object) -> Program:
        """The same program with some habits changed."""
        return replace(self, **what)

    def on(self, vendor: str) -> Program:
        """The same program on another kind of device."""
        return self.changed(vendor=vendor)
