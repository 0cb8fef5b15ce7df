"""A simulator that runs a training program and writes its trace, so that pairs of traces have one known cause.

A host thread loads, launches and waits; one stream runs kernels in order; a kernel starts when it is launched and the
stream is free. Collectives have a stream of their own. Times are microseconds. Durations vary by a few percent, seeded.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.build import TraceBuilder
from tests.planted.programs import APIS, CONV, Kernel, Layer, Program

LATENCY = 3.0
"""From the launch to the start on an idle stream."""

ALLOCATIONS = 8
"""Operators per step that allocate, mostly from cached memory."""

MIB = 2**20

_CAST = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>"
_ALLOCATION = 64 * MIB


def record(program: Program, *, rank: int | None = None, world_size: int = 1) -> TraceBuilder:
    """Runs the program and gives its trace."""
    run = _Run(program, TraceBuilder(vendor=program.vendor, rank=rank, world_size=world_size))
    run.trace.properties |= dict.fromkeys(program.flags, 1)
    for number in range(program.steps):
        run.step(number)
    return run.trace


class _Run:
    """The host's clock and the streams', and the trace they write."""

    def __init__(self, program: Program, trace: TraceBuilder) -> None:
        self.program, self.trace = program, trace
        self.on_device = program.vendor != "cpu"
        self.api = APIS.get(program.vendor, APIS["cuda"])
        self.now = 0.0
        self.free = 0.0
        self.network_free = 0.0
        self._random = random.Random(program.seed)
        self._last_ids: list[int] = []
        self._operators = self._launches = 0
        self._used = 0.0

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
        for _ in range(program.iterations):
            self._iteration(number)
        if program.overhead_us:
            self.trace.op("Activity Buffer Request", self.now, self.now + program.overhead_us, cat="overhead")
            self.now += program.overhead_us
        self.now += program.gaps.get(number, 0.0)
        if program.marked:
            self.trace.step(number, start, self.now)
        self.now += 1.0

    def _iteration(self, number: int) -> None:
        program = self.program
        self._load(number)
        self._inputs()
        if number < program.warm_steps:
            self._warm_up()
        order = [layer for _ in range(program.repeats) for layer in self._fused(program.layers)]
        if program.graph:
            captured = program.partly or len(order)
            self._graph(order[:captured])
            order = order[captured:]
        for place, layer in enumerate(order):
            self._layer(layer, layer.op, layer.forward)
            if place < program.items:
                self._item()
            if place < program.reads:
                self._read_back()
            if place < program.waits:
                self._wait(self.api.device_wait)
        for place, layer in enumerate(reversed(order)):
            if program.collective_us and place == int(program.reduce_after * len(order)):
                self._all_reduce()
            self._layer(layer, f"autograd::engine::evaluate_function: {_backward(layer.op)}", layer.backward)
        self._extra_work(number)
        if program.collective_us and program.reduce_after >= 1:
            self.network_free = self.free
            self._all_reduce()
        self.free = max(self.free, self.network_free)  # the optimizer needs the gradients of all ranks
        self._optimizer()
        for _ in range(8 if number == program.saved else 0):
            self._read_back()
        self._item()

    def _extra_work(self, number: int) -> None:
        program = self.program
        for _ in range(program.casts):
            with self._op("aten::contiguous", ((32, 64, 56, 56),)), self._op("aten::clone", ((32, 64, 56, 56),)):
                self._launch(Kernel(_CAST, program.cast_us))
        for number_of in range(ALLOCATIONS):
            with self._op("aten::empty"):
                if number_of < program.retries:
                    self._call(self.api.malloc, 12.0)
                    for _ in range(3):
                        self._call(self.api.free, 60.0)
                if number_of < max(program.mallocs, program.retries):
                    self._call(self.api.malloc, program.malloc_us)
        for _ in range(program.emptied):
            self._call(self.api.free, 60.0)
        if program.reserved_mib:
            held = program.reserved_mib[min(number, len(program.reserved_mib) - 1)] * MIB
            for size in (_ALLOCATION, -_ALLOCATION):
                self.trace.memory(self.now, size, allocated=held // 2 + max(size, 0), reserved=held, device=0)
                self.now += 0.2

    @contextmanager
    def _op(self, name: str, dims: tuple[tuple[int, ...], ...] = (), dtype: str = "float") -> Iterator[None]:
        """An operator around what is done inside. Its id is known before it ends: launches inside carry it."""
        start = self.now
        self._operators += 1
        self.host(self.program.op_us / 2 + self.program.op_extra.get(name, 0.0))
        if self._operators % 9 == 0:
            self.now += self.program.stall_us
        own = self.trace.op(name, start, start, dims=[list(d) for d in dims] or None)
        event = self.trace.events[-1]
        self._last_ids.append(own)
        yield
        self._last_ids.pop()
        self.host(self.program.op_us / 2)
        event.dur_ns = round((self.now - start) * 1000)
        if event.args and "Input type" in event.args:
            event.args["Input type"] = [dtype] * len(dims)
        self.now += 0.3

    @property
    def _owner(self) -> int | None:
        return self._last_ids[-1] if self._last_ids else None

    def _call(self, name: str, us: float) -> None:
        """An API call; programs without a device have none."""
        if self.on_device:
            start = self.now
            self.now += self.vary(us * self.program.host_pace)
            self.trace.call(name, start, self.now, external_id=self._owner)

    def _launch(self, kernel: Kernel) -> None:
        if not self.on_device:
            self.host(kernel.us * self.program.device_pace)
            return
        start = self.now
        self.host(self.program.launch_us)
        begin = max(self.now + LATENCY, self.free)
        self._launches += 1
        us = self.vary(kernel.us * self.program.device_pace)
        self.free = begin + us + self.program.shared_us * (self._launches % 5 == 0) + self._slices(us)
        self.trace.kernel(kernel.name, begin, self.free, launch=(start, self.now), external_id=self._owner,
                          occupancy=kernel.occupancy)  # fmt: skip
        self.now += 0.3

    def _slices(self, us: float) -> float:
        """Time that another process takes within the next `us` of the device."""
        length = self.program.slice_us
        if not length:
            return 0.0
        before, self._used = self._used, self._used + us
        return (self._used // length - before // length) * length

    def _load(self, number: int) -> None:
        start = self.now
        every = self.program.loader_every
        self.now += self.vary(self.program.loader_us * (every if number % every == every - 1 else 0) or 1.0)
        self.trace.loader(start, self.now)
        self.now += 0.5

    def _inputs(self) -> None:
        for _ in range(self.program.copies):
            with self._op("aten::to", ((32, 3, 224, 224),)), self._op("aten::copy_", ((32, 3, 224, 224),)):
                if not self.on_device:
                    self.host(self.program.copy_us)
                    continue
                start = self.now
                self.host(self.program.launch_us)
                begin = max(self.now + LATENCY, self.free)
                pageable = self.program.pageable_us
                self.free = begin + self.vary(pageable or self.program.copy_us)
                kind = f"HtoD ({'Pageable' if pageable else 'Pinned'} -> Device)"
                self.trace.memcpy(begin, self.free, kind=kind, launch=(start, self.now), external_id=self._owner)
                self.now += 0.3

    def _layer(self, layer: Layer, op: str, kernels: tuple[Kernel, ...]) -> None:
        with self._op(op, (layer.shape,), layer.dtype):
            if layer.below and op == layer.op:
                with self._op(layer.below, (layer.shape,), layer.dtype):
                    for kernel in kernels:
                        self._launch(kernel)
                return
            for kernel in kernels:
                self._launch(kernel)

    def _fused(self, layers: tuple[Layer, ...]) -> list[Layer]:
        """With a compiler a normalization and the activation after it are one generated kernel."""
        if not self.program.compiled:
            return list(layers)
        out: list[Layer] = []
        pairs = 0
        for layer in layers:
            if layer.op == "aten::relu" and out and out[-1].op == "aten::batch_norm":
                pairs += 1
                if pairs > self.program.breaks:
                    out[-1] = Layer(
                        "Torch-Compiled Region: 0/0", layer.shape,
                        (Kernel("triton_poi_fused__native_batch_norm_relu_0", 70.0),),
                        (Kernel("triton_poi_fused__native_batch_norm_backward_threshold_1", 110.0),),
                    )  # fmt: skip
                    continue
            out.append(layer)
        return out

    def _graph(self, order: list[Layer]) -> None:
        """All kernels follow one call."""
        start = self.now
        self.host(20.0)
        correlation = self.trace.call(self.api.graph, start, self.now, external_id=None, linked=True)
        kernels = [kernel for layer in order for kernel in layer.forward]
        kernels += [kernel for layer in reversed(order) for kernel in layer.backward]
        for kernel in kernels:
            begin = max(self.now + LATENCY, self.free)
            self.free = begin + self.vary(kernel.us * self.program.device_pace)
            self.trace.kernel(kernel.name, begin, self.free, correlation=correlation)

    def _optimizer(self) -> None:
        """Six parameters' updates: in two kernels, in one, or in three for each."""
        start = self.now
        self._last_ids.append(self.trace.annotation("Optimizer.step#SGD.step", start, start))
        event = self.trace.events[-1]
        if self.program.optimizer == "fused":
            with self._op("aten::_fused_sgd_"):
                self._launch(Kernel("void at::native::multi_tensor_apply_kernel<FusedSgdMathFunctor<float, 2>>", 50.0))
        elif self.program.optimizer == "single":
            for _ in range(6):
                for op, us in (("aten::mul_", 18.0), ("aten::add_", 17.0), ("aten::sub_", 16.0)):
                    with self._op(op):
                        self._launch(Kernel(f"void at::native::vectorized_elementwise_kernel<4, {op[6:]}functor>", us))
        else:
            for _ in range(2):
                with self._op("aten::_foreach_add_"):
                    self._launch(Kernel("void at::native::multi_tensor_apply_kernel<TensorListMetadata<1>>", 45.0))
        self._last_ids.pop()
        event.dur_ns = round((self.now - start) * 1000)

    def _item(self) -> None:
        """The host copies a number back, which waits for all kernels."""
        with self._op("aten::item"), self._op("aten::_local_scalar_dense"):
            self._copy_back(1.5, 4)

    def _read_back(self) -> None:
        """The host copies an activation back: .cpu() calls aten::to."""
        with self._op("aten::to"), self._op("aten::_to_copy"), self._op("aten::copy_"):
            self._copy_back(4.0, 65536)

    def _copy_back(self, us: float, size: int) -> None:
        if not self.on_device:
            return
        start = self.now
        self.host(self.program.launch_us)
        begin = max(self.now + LATENCY, self.free)
        self.free = begin + us
        kind = "DtoH (Device -> Pageable)"
        self.trace.memcpy(begin, self.free, kind=kind, size=size, launch=(start, self.now), external_id=self._owner)
        self.now += 0.3
        self._wait(self.api.stream_wait)

    def _wait(self, name: str) -> None:
        if not self.on_device:
            return
        start = self.now
        self.now = max(self.now + 2.0, self.free + 1.0)
        self.trace.call(name, start, self.now, external_id=self._owner)
        self.now += 0.3

    def _all_reduce(self) -> None:
        start = self.now
        self.host(10.0)
        if not self.on_device:
            self.now = start + self.vary(self.program.collective_us) + self.program.wait_us
            self.trace.op("gloo:all_reduce", start, self.now)
            return
        begin = max(self.now + LATENCY, self.network_free)
        self.network_free = begin + self.vary(self.program.collective_us) + self.program.wait_us
        ranks = self.trace.properties.get("distributedInfo", {}).get("world_size", 2)
        span = (begin, self.network_free)
        self.trace.collective("all_reduce", (start, self.now), span, elements=4_000_000, group=ranks)
        self.now += 0.3

    def _warm_up(self) -> None:
        """The first steps load code and try algorithms."""
        for _ in range(max(self.program.loads, 1)):
            with self._op("aten::cudnn_convolution", (CONV.shape,)):
                if self.program.loads:
                    self._call("cuModuleLoadData", 900.0)
                for number in range(self.program.tries):
                    self._launch(Kernel(f"void cudnn::engines_precompiled::try_algorithm_{number}", 150.0))


def _backward(op: str) -> str:
    return op.removeprefix("aten::").title().replace("_", "") + "Backward0"
