"""A clockwork of one training process whose every habit can be changed: pairs of its traces have one known cause.

A host thread loads, launches and waits; one stream runs kernels in order; a kernel starts when it is launched and the
stream is free. Times are microseconds. Durations vary by a few percent, seeded.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tests.build import TraceBuilder

LATENCY = 3.0
"""From the launch to the start on an idle stream."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and how long it runs."""

    name: str
    us: float


@dataclass(frozen=True, slots=True)
class Layer:
    """An operator, the shape of its input, and what it launches forward and backward."""

    op: str
    shape: tuple[int, ...]
    forward: tuple[Kernel, ...]
    backward: tuple[Kernel, ...] = ()
    dtype: str = "float"


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


@dataclass(frozen=True, slots=True)
class Program:
    """What one training run does in every step; the defaults are the healthy one.

    loader_us     waiting for the next batch
    copies        host-to-device copies of the input, each of copy_us
    device_pace   factor on every kernel; host_pace: on all host work
    launch_us     one launch call
    repeats       how often the stack of layers runs
    items         aten::item calls (a copy back and a wait for the device) after the first layers, beside the last one
    casts         extra aten::contiguous copies, each a kernel of cast_us
    mallocs       cudaMalloc calls per step, each malloc_us
    graph         one cudaGraphLaunch instead of single launches
    compiled      the element-wise layers are one generated kernel below a compiled region
    collective_us time of the gradients' all-reduce; 0: one process. wait_us: what of it is waiting for others
    gaps          step -> host time in it in which nothing is recorded
    warm_steps    leading steps that load modules and try kernels
    overhead_us   the profiler's own work per step
    op_extra      operator -> host time it takes more per call
    clock_mhz     sampled once per step
    """

    layers: tuple[Layer, ...] = (CONV, NORM, RELU, CONV, NORM, RELU, LINEAR)
    steps: int = 14
    seed: int = 1
    jitter: float = 0.01
    loader_us: float = 60.0
    copies: int = 1
    copy_us: float = 80.0
    device_pace: float = 1.0
    host_pace: float = 1.0
    launch_us: float = 5.0
    op_us: float = 6.0
    repeats: int = 2
    items: int = 0
    casts: int = 0
    cast_us: float = 60.0
    mallocs: int = 0
    malloc_us: float = 90.0
    graph: bool = False
    compiled: bool = False
    collective_us: float = 0.0
    wait_us: float = 0.0
    gaps: Mapping[int, float] = field(default_factory=dict)
    warm_steps: int = 0
    overhead_us: float = 0.0
    op_extra: Mapping[str, float] = field(default_factory=dict)
    clock_mhz: float | None = None
    with_stack: bool = False

    def changed(self, **what: object) -> Program:
        """The same program with one habit changed."""
        return replace(self, **what)  # type: ignore[arg-type]


def record(program: Program, *, rank: int | None = None, world_size: int = 1) -> TraceBuilder:
    """Runs the program and gives its trace."""
    run = _Run(program, TraceBuilder(rank=rank, world_size=world_size))
    if program.with_stack:
        run.trace.properties["with_stack"] = 1
    for number in range(program.steps):
        run.step(number)
    return run.trace


class _Run:
    """The host's clock and the stream's, and the trace they write."""

    def __init__(self, program: Program, trace: TraceBuilder) -> None:
        self.program, self.trace = program, trace
        self.now = 0.0
        self.free = 0.0
        self._random = random.Random(program.seed)
        self._last_ids: list[int] = []

    def vary(self, us: float) -> float:
        """The duration of one occurrence."""
        return us * (1 + self._random.uniform(-self.program.jitter, self.program.jitter) * 3**0.5)

    def host(self, us: float) -> None:
        """The host works."""
        self.now += self.vary(us * self.program.host_pace)

    def step(self, number: int) -> None:
        program = self.program
        start = self.now
        if program.clock_mhz is not None:
            self.trace.counter("GPU 0 frequency", start + 1, pid=0, MHz=program.clock_mhz)
        self._load()
        self._inputs()
        if number < program.warm_steps:
            self._warm_up()
        order = [layer for _ in range(program.repeats) for layer in self._fused(program.layers)]
        if program.graph:
            self._graph(order)
        else:
            for place, layer in enumerate(order):
                self._layer(layer, layer.op, layer.forward)
                if place < program.items:
                    self._item()
            for layer in reversed(order):
                self._layer(layer, f"autograd::engine::evaluate_function: {_backward(layer.op)}", layer.backward)
        for _ in range(program.casts):
            with self._op("aten::contiguous", ((32, 64, 56, 56),)), self._op("aten::clone", ((32, 64, 56, 56),)):
                self._launch(Kernel("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>",
                                    program.cast_us))  # fmt: skip
        for _ in range(program.mallocs):
            with self._op("aten::empty"):
                self._call("cudaMalloc", program.malloc_us)
        if program.collective_us:
            self._all_reduce()
        self._optimizer()
        self._item()
        if program.overhead_us:
            self.trace.op("Activity Buffer Request", self.now, self.now + program.overhead_us, cat="overhead")
            self.now += program.overhead_us
        self.now += program.gaps.get(number, 0.0)
        self.trace.step(number, start, self.now)
        self.now += 1.0

    @contextmanager
    def _op(self, name: str, dims: tuple[tuple[int, ...], ...] = (), dtype: str = "float") -> Iterator[None]:
        """An operator around what is done inside. Its id is known before it ends: launches inside carry it."""
        start = self.now
        self.host(self.program.op_us / 2 + self.program.op_extra.get(name, 0.0))
        before = len(self.trace.events)
        own = self.trace.op(name, start, start, dims=[list(d) for d in dims] or None)
        event = self.trace.events[before]
        self._last_ids.append(own)
        yield
        self._last_ids.pop()
        self.host(self.program.op_us / 2)
        args = dict(event.args or {})
        if "Input type" in args:
            args["Input type"] = [dtype] * len(dims)
        self.trace.events[before] = replace(event, dur_ns=round((self.now - start) * 1000), args=args)
        self.now += 0.3

    def _call(self, name: str, us: float) -> int:
        start = self.now
        self.now += self.vary(us * self.program.host_pace)
        owner = self._last_ids[-1] if self._last_ids else None
        return self.trace.call(name, start, self.now, external_id=owner)

    def _launch(self, kernel: Kernel, api: str = "cudaLaunchKernel") -> None:
        start = self.now
        self.host(self.program.launch_us)
        owner = self._last_ids[-1] if self._last_ids else None
        begin = max(self.now + LATENCY, self.free)
        self.free = begin + self.vary(kernel.us * self.program.device_pace)
        self.trace.kernel(kernel.name, begin, self.free, launch=(start, self.now), external_id=owner, api=api)
        self.now += 0.3

    def _load(self) -> None:
        start = self.now
        self.now += self.vary(self.program.loader_us)
        self.trace.loader(start, self.now)
        self.now += 0.5

    def _inputs(self) -> None:
        for _ in range(self.program.copies):
            with self._op("aten::to", ((32, 3, 224, 224),)), self._op("aten::copy_", ((32, 3, 224, 224),)):
                start = self.now
                self.host(self.program.launch_us)
                begin = max(self.now + LATENCY, self.free)
                self.free = begin + self.vary(self.program.copy_us)
                self.trace.memcpy(begin, self.free, launch=(start, self.now), external_id=self._last_ids[-1])
                self.now += 0.3

    def _layer(self, layer: Layer, op: str, kernels: tuple[Kernel, ...]) -> None:
        with self._op(op, (layer.shape,), layer.dtype):
            for kernel in kernels:
                self._launch(kernel)

    def _fused(self, layers: tuple[Layer, ...]) -> list[Layer]:
        """With a compiler a normalisation and the activation after it are one generated kernel."""
        if not self.program.compiled:
            return list(layers)
        out: list[Layer] = []
        for layer in layers:
            if layer.op == "aten::relu" and out and out[-1].op == "aten::batch_norm":
                out[-1] = Layer(
                    "Torch-Compiled Region: 0/0", layer.shape,
                    (Kernel("triton_poi_fused__native_batch_norm_relu_0", 70.0),),
                    (Kernel("triton_poi_fused__native_batch_norm_backward_threshold_1", 110.0),),
                )  # fmt: skip
            else:
                out.append(layer)
        return out

    def _graph(self, order: list[Layer]) -> None:
        """All kernels follow one call."""
        start = self.now
        self.host(20.0)
        correlation = self.trace.call("cudaGraphLaunch", start, self.now, external_id=None, linked=True)
        kernels = [kernel for layer in order for kernel in layer.forward]
        kernels += [kernel for layer in reversed(order) for kernel in layer.backward]
        for kernel in kernels:
            begin = max(self.now + LATENCY, self.free)
            self.free = begin + self.vary(kernel.us * self.program.device_pace)
            self.trace.kernel(kernel.name, begin, self.free, correlation=correlation)

    def _optimizer(self) -> None:
        start = self.now
        before = len(self.trace.events)
        self.trace.annotation("Optimizer.step#SGD.step", start, start)
        event = self.trace.events[before]
        for _ in range(2):
            with self._op("aten::_foreach_add_"):
                self._launch(Kernel("void at::native::multi_tensor_apply_kernel<TensorListMetadata<1>>", 45.0))
        self.trace.events[before] = replace(event, dur_ns=round((self.now - start) * 1000))

    def _item(self) -> None:
        """The host copies a number back, which waits for all kernels."""
        with self._op("aten::item"), self._op("aten::_local_scalar_dense"):
            start = self.now
            self.host(self.program.launch_us)
            begin = max(self.now + LATENCY, self.free)
            self.free = begin + 1.5
            owner = self._last_ids[-1]
            kind = "DtoH (Device -> Pageable)"
            self.trace.memcpy(begin, self.free, kind=kind, size=4, launch=(start, self.now), external_id=owner)
            self.now += 0.3
            self._wait()

    def _wait(self) -> None:
        start = self.now
        self.now = max(self.now + 2.0, self.free + 1.0)
        self.trace.call("cudaStreamSynchronize", start, self.now, external_id=self._last_ids[-1])
        self.now += 0.3

    def _all_reduce(self) -> None:
        start = self.now
        self.host(10.0)
        begin = max(self.now + LATENCY, self.free)
        end = begin + self.vary(self.program.collective_us) + self.program.wait_us
        self.trace.collective("all_reduce", (start, self.now), (begin, end), elements=4_000_000)
        self.free = max(self.free, end)
        self.now += 0.3

    def _warm_up(self) -> None:
        """The first steps load code and try algorithms."""
        for _ in range(3):
            with self._op("aten::cudnn_convolution", (CONV.shape,)):
                self._call("cuModuleLoadData", 900.0)
                for number in range(4):
                    self._launch(Kernel(f"void cudnn::engines_precompiled::try_algorithm_{number}", 150.0))


def _backward(op: str) -> str:
    return op.removeprefix("aten::").title().replace("_", "") + "Backward0"
