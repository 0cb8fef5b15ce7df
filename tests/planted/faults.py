"""Pairs of programs that differ in one habit, and the rule that must name it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.planted.training import CONV, LINEAR, NORM, RELU, Kernel, Layer, Program


@dataclass(frozen=True, slots=True)
class Fault:
    """A healthy program, the same with one fault, and the first finding's rule and (part of its) subject."""

    name: str
    healthy: Program
    faulty: Program
    rule: str
    subject: str = ""


BASE = Program()
SMALL = Program(layers=tuple(
    replace(layer, forward=tuple(Kernel(k.name, 4.0) for k in layer.forward),
            backward=tuple(Kernel(k.name, 5.0) for k in layer.backward))
    for layer in (CONV, NORM, RELU, CONV, NORM, RELU, LINEAR)
))  # fmt: skip
"""Kernels so short that the host cannot keep up."""


def layers(*replaced: tuple[Layer, Layer], base: Program = BASE) -> tuple[Layer, ...]:
    """The program's layers with some replaced."""
    table = dict(replaced)
    return tuple(table.get(layer, layer) for layer in base.layers)


def _times(layer: Layer, factor: float) -> Layer:
    return replace(layer, forward=tuple(Kernel(k.name, k.us * factor) for k in layer.forward))


def _batch(layer: Layer, size: int) -> Layer:
    factor = size / layer.shape[0]
    scaled = [tuple(Kernel(k.name, k.us * factor) for k in side) for side in (layer.forward, layer.backward)]
    return replace(layer, shape=(size, *layer.shape[1:]), forward=scaled[0], backward=scaled[1])


def _half(layer: Layer) -> Layer:
    sides = [
        tuple(Kernel(k.name.replace("fp16", "bf16").replace("float", "c10::BFloat16"), k.us * 0.6) for k in side)
        for side in (layer.forward, layer.backward)
    ]
    return replace(layer, dtype="c10::BFloat16", forward=sides[0], backward=sides[1])


_SGEMM = replace(
    CONV,
    forward=(Kernel("ampere_sgemm_128x128_nn", 700.0),),
    backward=(Kernel("ampere_sgemm_128x64_nt", 1300.0),),
)
_OTHER = replace(CONV, forward=(Kernel("ampere_fp16_s1688gemm_fp16_256x64_ldg8_f2f_nn", 380.0),))
_SPLIT = replace(
    NORM,
    forward=tuple(Kernel(f"void at::native::batch_norm_part_{i}<float>(float*)", 60.0) for i in range(4)),
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (
    Fault("slow data loader", BASE, BASE.changed(loader_us=1500.0), "data_loader"),
    Fault("larger batch", BASE, BASE.changed(layers=tuple(_batch(layer, 48) for layer in BASE.layers)),
          "workload_changed", "aten::conv2d"),
    Fault("slow device clock", BASE, BASE.changed(device_pace=1.25), "device_pace"),
    Fault("slow device clock, recorded", BASE.changed(clock_mhz=1410.0),
          BASE.changed(device_pace=1.25, clock_mhz=1128.0), "device_pace"),
    Fault("slow host", SMALL, SMALL.changed(host_pace=1.6), "host_pace"),
    Fault("one slow kernel", BASE, BASE.changed(layers=layers((NORM, _times(NORM, 3.0)))), "kernel_slower",
          "bn_fw_tr_1C11"),
    Fault("tensor cores lost", BASE, BASE.changed(layers=layers((CONV, _SGEMM))), "tensor_cores_lost", "s1688gemm"),
    Fault("another algorithm", BASE, BASE.changed(layers=layers((CONV, _OTHER))), "kernel_replaced", "128x128"),
    Fault("one kernel became four", BASE, BASE.changed(layers=layers((NORM, _SPLIT))), "fusion_lost", "bn_fw_tr"),
    Fault("not compiled any more", BASE.changed(compiled=True), BASE, "fusion_lost", "triton"),
    Fault("no graph any more", SMALL.changed(graph=True), SMALL, "graph_lost"),
    Fault("layout copies", BASE, BASE.changed(casts=6), "layout_copies", "direct_copy"),
    Fault("more input copies", BASE, BASE.changed(copies=5), "more_copies"),
    Fault("items in the loop", SMALL.changed(repeats=4), SMALL.changed(repeats=4, items=12), "synchronisation",
          "aten::item"),
    Fault("slow launches", SMALL, SMALL.changed(launch_us=15.0), "launch_bound"),
    Fault("one slow operator", SMALL, SMALL.changed(op_extra={"aten::linear": 120.0}), "operator_slower",
          "aten::linear"),
    Fault("twice the layers", BASE, BASE.changed(repeats=4), "more_calls"),
    Fault("slower collective", BASE.changed(collective_us=200.0), BASE.changed(collective_us=900.0),
          "collective_slower"),
    Fault("allocator calls", SMALL, SMALL.changed(mallocs=8), "allocator_calls", "cudaMalloc"),
    Fault("one slow step", BASE, BASE.changed(gaps={6: 9000.0}), "slow_steps", "6"),
    Fault("another data type", BASE, BASE.changed(layers=tuple(_half(layer) for layer in BASE.layers)),
          "data_type_changed"),
    Fault("warm-up inside", BASE, BASE.changed(warm_steps=2), "warm_up_inside"),
    Fault("profiler overhead", BASE, BASE.changed(overhead_us=600.0), "profiler_overhead"),
)  # fmt: skip
