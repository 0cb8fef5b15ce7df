"""Pairs of programs that differ in one habit, and the rule that must name it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.planted.programs import CONV, FLASH, LINEAR, MATH, NORM, RELU, Kernel, Layer, Program
from tests.thorough import THOROUGH


@dataclass(frozen=True, slots=True)
class Fault:
    """A healthy program, the same with one fault, and the first finding's rule and (part of its) subject.

    slight    the same with about a quarter of the fault
    devices   kinds of device on which the fault exists and is found; kernels' names are those of CUDA
    """

    name: str
    healthy: Program
    faulty: Program
    slight: Program
    rule: str
    subject: str = ""
    devices: tuple[str, ...] = ("cuda",)


EVERYWHERE = ("cuda", "rocm", "mlu")

BASE = Program()
SMALL = Program(layers=tuple(
    replace(layer, forward=tuple(Kernel(k.name, 4.0) for k in layer.forward),
            backward=tuple(Kernel(k.name, 5.0) for k in layer.backward))
    for layer in (CONV, NORM, RELU, CONV, NORM, RELU, LINEAR)
))  # fmt: skip
"""Kernels so short that the host cannot keep up."""

DEEP = SMALL.changed(repeats=4)
SHORT = BASE.changed(steps=7)
"""Too few steps for the first to be left out as a warm-up."""

ATTENTION = Program(layers=(CONV, NORM, RELU, FLASH, LINEAR))


def layers(*replaced: tuple[Layer, Layer], base: Program = BASE) -> tuple[Layer, ...]:
    """The program's layers with some replaced."""
    table = dict(replaced)
    return tuple(table.get(layer, layer) for layer in base.layers)


def longer(layer: Layer, factor: float, occupancy: float = 50.0) -> Layer:
    """The layer with slower kernels in the forward pass."""
    return replace(layer, forward=tuple(Kernel(k.name, k.us * factor, occupancy) for k in layer.forward))


def batch(layer: Layer, size: int) -> Layer:
    """The layer with another first dimension, and kernels that take as much longer."""
    factor = size / layer.shape[0]
    scaled = [tuple(Kernel(k.name, k.us * factor) for k in side) for side in (layer.forward, layer.backward)]
    return replace(layer, shape=(size, *layer.shape[1:]), forward=scaled[0], backward=scaled[1])


def narrow(layer: Layer, slower: float) -> Layer:
    """The layer one channel narrower, so that its sizes are aligned no longer: kernels pad, and are slower."""
    n, channels, *size = layer.shape
    pad = (Kernel("void nhwcAddPaddingKernel<__nv_bfloat16, float>", 40.0 * slower - 40.0),)
    sides = [tuple(replace(k, us=k.us * slower) for k in side) for side in (layer.forward, layer.backward)]
    return replace(layer, shape=(n, channels - 1, *size), forward=(*pad, *sides[0]), backward=sides[1])


def half(layer: Layer) -> Layer:
    """The layer in bfloat16."""
    sides = [
        tuple(Kernel(k.name.replace("fp16", "bf16").replace("float", "c10::BFloat16"), k.us * 0.6) for k in side)
        for side in (layer.forward, layer.backward)
    ]
    return replace(layer, dtype="c10::BFloat16", forward=sides[0], backward=sides[1])


def with_kernels(layer: Layer, *forward: tuple[str, float], backward: tuple[str, float] | None = None) -> Layer:
    """The layer with other kernels."""
    there = tuple(Kernel(name, us) for name, us in forward)
    return replace(layer, forward=there, backward=layer.backward if backward is None else (Kernel(*backward),))


def _without_cores(forward: float, backward: float) -> Layer:
    return with_kernels(CONV, ("ampere_sgemm_128x128_nn", forward), backward=("ampere_sgemm_128x64_nt", backward))


def _split(us: float) -> Layer:
    return with_kernels(NORM, *((f"void at::native::batch_norm_part_{i}<float>(float*)", us) for i in range(4)))


_OTHER = "ampere_fp16_s1688gemm_fp16_256x64_ldg8_f2f_nn"
_SLIGHT_MATH = with_kernels(MATH, *((kernel.name, kernel.us * 0.5) for kernel in MATH.forward))

FAULTS: tuple[Fault, ...] = (
    Fault("slow data loader", BASE, BASE.changed(loader_us=1500.0), BASE.changed(loader_us=420.0), "data_loader",
          devices=(*EVERYWHERE, "cpu")),
    Fault("larger batch", BASE, BASE.changed(layers=tuple(batch(layer, 48) for layer in BASE.layers)),
          BASE.changed(layers=tuple(batch(layer, 36) for layer in BASE.layers)), "workload_changed", "aten::conv2d",
          devices=(*EVERYWHERE, "cpu")),
    Fault("sizes not aligned", BASE, BASE.changed(layers=tuple(narrow(layer, 1.6) for layer in BASE.layers)),
          BASE.changed(layers=tuple(narrow(layer, 1.15) for layer in BASE.layers)), "alignment_lost", "",
          ("cuda", "rocm")),
    Fault("slow device clock", BASE, BASE.changed(device_pace=1.25), BASE.changed(device_pace=1.0625), "device_pace",
          devices=EVERYWHERE),
    Fault("slow device clock, recorded", BASE.changed(clock_mhz=1410.0),
          BASE.changed(device_pace=1.25, clock_mhz=1128.0), BASE.changed(device_pace=1.0625, clock_mhz=1327.0),
          "device_pace", devices=EVERYWHERE),
    Fault("slow host", SMALL, SMALL.changed(host_pace=1.6), SMALL.changed(host_pace=1.15), "host_pace",
          devices=EVERYWHERE),
    Fault("other processes on the cores", DEEP, DEEP.changed(stall_us=120.0), DEEP.changed(stall_us=30.0),
          "host_interrupted", devices=EVERYWHERE),
    Fault("one slow kernel", BASE, BASE.changed(layers=layers((NORM, longer(NORM, 3.0)))),
          BASE.changed(layers=layers((NORM, longer(NORM, 1.5)))), "kernel_slower", "bn_fw_tr_1C11",
          devices=EVERYWHERE),
    Fault("occupancy lost", BASE, BASE.changed(layers=layers((NORM, longer(NORM, 3.0, 12.5)))),
          BASE.changed(layers=layers((NORM, longer(NORM, 1.5, 37.5)))), "occupancy_lost", "bn_fw_tr_1C11"),
    Fault("tensor cores lost", BASE, BASE.changed(layers=layers((CONV, _without_cores(700.0, 1300.0)))),
          BASE.changed(layers=layers((CONV, _without_cores(340.0, 625.0)))), "tensor_cores_lost", "s1688gemm"),
    Fault("another algorithm", BASE, BASE.changed(layers=layers((CONV, with_kernels(CONV, (_OTHER, 380.0))))),
          BASE.changed(layers=layers((CONV, with_kernels(CONV, (_OTHER, 260.0))))), "kernel_replaced", "128x128",
          devices=EVERYWHERE),
    Fault("one kernel became four", BASE, BASE.changed(layers=layers((NORM, _split(60.0)))),
          BASE.changed(layers=layers((NORM, _split(32.0)))), "fusion_lost", "bn_fw_tr", devices=EVERYWHERE),
    Fault("attention no longer fused", ATTENTION, ATTENTION.changed(layers=layers((FLASH, MATH), base=ATTENTION)),
          ATTENTION.changed(layers=layers((FLASH, _SLIGHT_MATH), base=ATTENTION)), "fusion_lost", "flash_fwd",
          devices=EVERYWHERE),
    Fault("optimizer no longer fused", BASE.changed(optimizer="fused"), BASE.changed(optimizer="single"),
          BASE.changed(optimizer="foreach"), "fusion_lost", "FusedSgd", devices=EVERYWHERE),
    Fault("not compiled any more", BASE.changed(compiled=True), BASE, BASE.changed(compiled=True, breaks=1),
          "compilation_lost", "triton", devices=("cuda", "rocm")),
    Fault("no graph any more", SMALL.changed(graph=True), SMALL, SMALL.changed(graph=True, partly=10), "graph_lost",
          devices=EVERYWHERE),
    Fault("layout copies", BASE, BASE.changed(casts=6), BASE.changed(casts=2), "layout_copies", "direct_copy",
          devices=EVERYWHERE),
    Fault("more input copies", BASE, BASE.changed(copies=5), BASE.changed(copies=2), "more_copies",
          devices=EVERYWHERE),
    Fault("pageable copies", BASE, BASE.changed(pageable_us=900.0), BASE.changed(pageable_us=290.0), "pageable_copies",
          "Pageable", devices=("cuda", "rocm")),
    Fault("device shared", BASE, BASE.changed(shared_us=700.0), BASE.changed(shared_us=180.0), "device_interrupted",
          devices=EVERYWHERE),
    Fault("batches come in bursts", BASE, BASE.changed(loader_us=1500.0, loader_every=4),
          BASE.changed(loader_us=420.0, loader_every=4), "data_loader", devices=(*EVERYWHERE, "cpu")),
    Fault("items in the loop", DEEP, DEEP.changed(items=12), DEEP.changed(items=3), "synchronization", "aten::item",
          devices=EVERYWHERE),
    Fault("activations read back", DEEP, DEEP.changed(reads=12), DEEP.changed(reads=3), "synchronization", "aten::to",
          devices=EVERYWHERE),
    Fault("waits for the device", DEEP, DEEP.changed(waits=12), DEEP.changed(waits=3), "synchronization",
          devices=EVERYWHERE),
    Fault("slow launches", SMALL, SMALL.changed(launch_us=15.0), SMALL.changed(launch_us=7.5), "launch_bound",
          devices=EVERYWHERE),
    Fault("one slow operator", SMALL, SMALL.changed(op_extra={"aten::linear": 120.0}),
          SMALL.changed(op_extra={"aten::linear": 30.0}), "operator_slower", "aten::linear",
          devices=(*EVERYWHERE, "cpu")),
    Fault("twice the layers", BASE, BASE.changed(repeats=4),
          BASE.changed(layers=(*BASE.layers, CONV, NORM, RELU, LINEAR)), "more_calls", devices=(*EVERYWHERE, "cpu")),
    Fault("slower collective", BASE.changed(collective_us=200.0), BASE.changed(collective_us=900.0),
          BASE.changed(collective_us=375.0), "collective_slower", devices=EVERYWHERE),
    Fault("collective no longer hidden", BASE.changed(collective_us=700.0, reduce_after=0.3),
          BASE.changed(collective_us=700.0), BASE.changed(collective_us=700.0, reduce_after=0.75),
          "overlap_lost", devices=EVERYWHERE),
    Fault("allocator calls", SMALL, SMALL.changed(mallocs=8), SMALL.changed(mallocs=2), "allocator_calls", "alloc",
          devices=EVERYWHERE),
    Fault("memory pressure", SMALL.changed(reserved_mib=(9000,)), SMALL.changed(retries=4, reserved_mib=(9000, 39000)),
          SMALL.changed(retries=1, reserved_mib=(9000, 16000)), "memory_pressure", "ree", devices=EVERYWHERE),
    Fault("one slow step", BASE, BASE.changed(gaps={6: 9000.0}), BASE.changed(gaps={6: 2250.0}), "slow_steps", "6",
          devices=(*EVERYWHERE, "cpu")),
    Fault("another data type", BASE.changed(layers=tuple(half(layer) for layer in BASE.layers)), BASE,
          BASE.changed(layers=tuple(half(layer) for layer in (*BASE.layers[:-1],)) + BASE.layers[-1:]),
          "data_type_changed", devices=EVERYWHERE),
    Fault("warm-up inside", SHORT, SHORT.changed(warm_steps=1), SHORT.changed(warm_steps=1, loads=1, tries=2),
          "warm_up_inside", devices=EVERYWHERE),
    Fault("algorithms tried inside", SHORT, SHORT.changed(warm_steps=1, loads=0, tries=24),
          SHORT.changed(warm_steps=1, loads=0, tries=6), "warm_up_inside", devices=EVERYWHERE),
    Fault("profiler overhead", BASE, BASE.changed(overhead_us=600.0), BASE.changed(overhead_us=150.0),
          "profiler_overhead", devices=(*EVERYWHERE, "cpu")),
    Fault("more is recorded", SMALL.changed(flags=("record_shapes",)),
          SMALL.changed(flags=("record_shapes", "with_stack"), host_pace=1.6),
          SMALL.changed(flags=("record_shapes", "with_stack"), host_pace=1.15), "profiler_overhead",
          devices=EVERYWHERE),
)  # fmt: skip

ON_DEVICES = [
    (fault, device)
    for number, fault in enumerate(FAULTS)
    for device in (fault.devices if THOROUGH else (fault.devices[number % len(fault.devices)],))
]
"""Every fault on one kind of device, by turns; thoroughly on each."""
