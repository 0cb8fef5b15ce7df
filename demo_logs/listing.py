"""A pair of kernel listings, as per-launch kernel profilers print them: one inference of a small transformer, layer by
layer. In the second one an update has taken two things away: the attention product runs on a kernel that does not use
tensor cores, and the normalisation reads its input twice, at half the throughput."""

from __future__ import annotations

import random
from dataclasses import dataclass

LAYERS = 24
WIDTH = 50


@dataclass(frozen=True)
class Launch:
    """Mean latency in nanoseconds, tensor-pipe and DRAM utilisation as fractions."""

    name: str
    latency_ns: int
    tensor: float
    dram: float


_COMMON_FIRST = (
    Launch("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", 48_000, 0.71, 0.22),
    Launch("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>", 31_000, 0.55, 0.18),
)
_COMMON_LAST = (
    Launch("elementwise_kernel", 9_000, 0.00, 0.66),
    Launch("ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_tn", 92_000, 0.78, 0.20),
)
BEFORE = (
    *_COMMON_FIRST,
    Launch("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_tn", 22_000, 0.62, 0.25),
    Launch("layer_norm_kernel", 14_000, 0.00, 0.72),
    *_COMMON_LAST,
)
AFTER = (
    *_COMMON_FIRST,
    Launch("ampere_sgemm_64x64_tn", 61_000, 0.00, 0.12),
    Launch("layer_norm_kernel", 28_000, 0.00, 0.36),
    *_COMMON_LAST,
)


def launches(layer: tuple[Launch, ...], seed: int) -> list[tuple[Launch, int]]:
    """Every launch with its latency in nanoseconds, in the order they ran; the same for the same seed."""
    noise = random.Random(seed)
    return [
        (launch, round(launch.latency_ns * noise.uniform(0.98, 1.02) / 32) * 32)
        for _ in range(LAYERS)
        for launch in layer
    ]


def listing(layer: tuple[Launch, ...], seed: int) -> str:
    """The text of one listing."""
    lines = [f"{'Kernel':<{WIDTH}}  {'Latency':>9} {'Tensor':>6} {'DRAM':>6}"]
    for launch, latency_ns in launches(layer, seed):
        name = launch.name if len(launch.name) <= WIDTH else launch.name[: WIDTH - 3] + "..."
        lines.append(f"{name:<{WIDTH}} | {latency_ns:>9} {launch.tensor:>6.2f} {launch.dram:>6.2f}")
    return "\n".join(lines) + "\n"
