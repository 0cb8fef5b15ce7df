"""Peak rates of devices, with links to the data sheets of their vendors.

Dense: without structured sparsity, for which data sheets give twice these rates. Products of narrow types are with
accumulation in fp32, as PyTorch uses it. For cards with two devices, which a trace names separately, the figures are
of one device. All figures agree with other published lists, except these, which no other list has: fp64 of V100 SXM2;
int8 of T4; tf32 of A10, RTX A6000 and RTX 3090 (also int8); fp8 of H20; fp32, tf32, fp8 of H800; tf32, fp8 of RTX 5090;
fp64_tensor, tf32, int8 of MI300X; all but fp16, bf16 and memory of MI325X; fp64, fp64_tensor, fp32, int8 of MI350X;
fp64, fp64_tensor of MI355X.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.quick_dataclass import dataclass

TYPES = ("fp64", "fp64_tensor", "fp32", "tf32", "fp16", "bf16", "fp8", "int8")
MEMORY = "memory"
_MAX_VALUE = 1e9


@dataclass(frozen=True, slots=True)
class DevicePeaks:
    """Peak rates of a device, dense."""

    device: Annotated[str, "device name in the table of peaks"]
    tflops: Annotated[Mapping[str, float], "peak TFLOP/s by data type"] = field(default_factory=dict)
    memory_gbs: Annotated[float, "peak memory bandwidth in GB/s; 0 if unknown"] = 0.0
    source: Annotated[str, "URL of the data sheet"] = ""


@dataclass(frozen=True, slots=True)
class GivenPeak:
    """A peak given by the user: TFLOP/s of a data type, or GB/s if `of` is MEMORY; `side` is "" for both sides."""

    side: str
    of: str
    value: float


def _peaks(
    device: str, source: str, memory: float, fp64: float, fp32: float, tf32: float, fp16: float, *,
    fp64_tensor: float = 0.0, bf16: bool = True, fp8: float = 0.0, int8: float = 0.0,
) -> DevicePeaks:  # fmt: skip
    given = zip(TYPES, (fp64, fp64_tensor, fp32, tf32, fp16, fp16 if bf16 else 0.0, fp8, int8), strict=True)
    return DevicePeaks(device, {of: float(value) for of, value in given if value}, float(memory), source)


_V100 = "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf"
_T4 = "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/tesla-t4/t4-tensor-core-datasheet-951643.pdf"
_A100 = (
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
    "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
)
_A10 = "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/a10-datasheet.pdf"
_H100 = "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet"
_H20 = "https://github.com/verl-project/verl/blob/main/verl/utils/flops_counter.py"
_H200 = "https://www.nvidia.com/en-us/data-center/h200/"
_B200 = "https://www.nvidia.com/en-us/data-center/dgx-b200/"
_GB200 = "https://www.nvidia.com/en-us/data-center/gb200-nvl72/"
_A40 = "https://images.nvidia.com/content/Solutions/data-center/a40/nvidia-a40-datasheet.pdf"
_L4 = "https://www.nvidia.com/en-us/data-center/l4/"
_L40 = "https://www.nvidia.com/en-us/data-center/l40/"
_L40S = "https://www.nvidia.com/en-us/data-center/l40s/"
_AMPERE = "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf"
_ADA = "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf"
_BLACKWELL = "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf"
_MI250X = "https://www.amd.com/en/products/accelerators/instinct/mi200/mi250x.html"
_MI300X = "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html"
_MI325X = "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html"
_MI350X = "https://www.amd.com/en/products/accelerators/instinct/mi350/mi350x.html"
_MI355X = "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html"


DEVICES: tuple[tuple[str, DevicePeaks], ...] = (
    (r"\bV100\b.*PCIE", _peaks("NVIDIA V100 PCIe", _V100, 900, 7.0, 14.0, 0, 112, bf16=False)),
    (r"\bV100\b", _peaks("NVIDIA V100 SXM2", _V100, 900, 7.8, 15.7, 0, 125, bf16=False)),
    (r"\bT4\b", _peaks("NVIDIA T4", _T4, 320, 0, 8.1, 0, 65, bf16=False, int8=130)),
    (r"\bA100\b(?=.*PCIE)(?=.*80)", _peaks(
        "NVIDIA A100 PCIe 80 GB", _A100, 1935, 9.7, 19.5, 156, 312, fp64_tensor=19.5, int8=624)),
    (r"\bA100\b.*80", _peaks("NVIDIA A100 SXM 80 GB", _A100, 2039, 9.7, 19.5, 156, 312, fp64_tensor=19.5, int8=624)),
    (r"\bA100\b", _peaks("NVIDIA A100 40 GB", _A100, 1555, 9.7, 19.5, 156, 312, fp64_tensor=19.5, int8=624)),
    (r"\bA800\b(?=.*PCIE)(?=.*80)", _peaks(
        "NVIDIA A800 PCIe 80 GB", _A100, 1935, 9.7, 19.5, 156, 312, fp64_tensor=19.5, int8=624)),
    (r"\bA800-SXM.*80", _peaks("NVIDIA A800 SXM 80 GB", _A100, 2039, 9.7, 19.5, 156, 312, fp64_tensor=19.5, int8=624)),
    (r"\bA40\b(?!-)", _peaks("NVIDIA A40", _A40, 696, 0, 37.4, 74.8, 149.7, int8=299.3)),
    (r"RTX A6000\b(?!-)", _peaks("NVIDIA RTX A6000", _AMPERE, 768, 0, 38.7, 77.4, 154.8, int8=309.7)),
    (r"\bA10\b(?!-)", _peaks("NVIDIA A10", _A10, 600, 0, 31.2, 62.5, 125, int8=250)),
    (r"\bH100\b.*PCIE", _peaks(
        "NVIDIA H100 PCIe", _H100, 2000, 25.6, 51.2, 378, 756, fp64_tensor=51.2, fp8=1513, int8=1513)),
    (r"\bH100\b.*(HBM3|SXM)", _peaks(
        "NVIDIA H100 SXM", _H100, 3350, 33.5, 66.9, 494.7, 989.4, fp64_tensor=66.9, fp8=1978.9, int8=1978.9)),
    (r"\bH800\b(?!.*(PCIE|NVL))", _peaks(
        "NVIDIA H800 SXM", _H100, 3350, 1, 66.9, 494.7, 989.4, fp64_tensor=1, fp8=1978.9, int8=1978.9)),
    (r"\bH20\b(?!-)", _peaks("NVIDIA H20", _H20, 4000, 1, 44, 74, 148, fp64_tensor=1, fp8=296, int8=296)),
    (r"\bH200\b(?!.*NVL)", _peaks(
        "NVIDIA H200 SXM", _H200, 4800, 33.5, 66.9, 494.7, 989.4, fp64_tensor=66.9, fp8=1978.9, int8=1978.9)),
    (r"\bB200\b", _peaks("NVIDIA B200", _B200, 8000, 37, 75, 1100, 2250, fp64_tensor=37, fp8=4500, int8=4500)),
    (r"\bGB200\b", _peaks("NVIDIA GB200", _GB200, 8000, 40, 80, 1250, 2500, fp64_tensor=40, fp8=5000, int8=5000)),
    (r"\bL40\b(?!-)", _peaks("NVIDIA L40", _L40, 864, 0, 90.5, 90.5, 181, fp8=362, int8=362)),
    (r"\bL40S\b", _peaks("NVIDIA L40S", _L40S, 864, 0, 91.6, 183, 362, fp8=733, int8=733)),
    (r"\bL4\b", _peaks("NVIDIA L4", _L4, 300, 0, 30.3, 60, 121, fp8=242, int8=242)),
    (r"RTX 3090(?! TI)", _peaks("NVIDIA GeForce RTX 3090", _AMPERE, 936, 0, 35.6, 35.6, 71, int8=284)),
    (r"RTX 4090(?! (D|LAPTOP))", _peaks(
        "NVIDIA GeForce RTX 4090", _ADA, 1008, 0, 82.6, 82.6, 165.2, fp8=330.3, int8=660.6)),
    (r"RTX 5090(?! (D|LAPTOP))", _peaks(
        "NVIDIA GeForce RTX 5090", _BLACKWELL, 1792, 0, 104.8, 104.8, 209.5, fp8=419, int8=838)),
    (r"MI250X", _peaks(
        "AMD Instinct MI250X, one of two devices", _MI250X, 1638, 23.95, 47.85, 0, 191.5, fp64_tensor=47.85,
        int8=191.5)),
    (r"MI300X", _peaks(
        "AMD Instinct MI300X", _MI300X, 5300, 81.7, 163.4, 653.7, 1307.4, fp64_tensor=163.4, fp8=2614.9, int8=2614.9)),
    (r"MI325X", _peaks(
        "AMD Instinct MI325X", _MI325X, 6000, 81.7, 163.4, 653.7, 1307.4, fp64_tensor=163.4, fp8=2614.9, int8=2614.9)),
    (r"MI350X", _peaks("AMD Instinct MI350X", _MI350X, 8000, 72.1, 144.2, 0, 2306.9, fp64_tensor=72.1, fp8=4613.7,
        int8=4613.7)),
    (r"MI355X", _peaks("AMD Instinct MI355X", _MI355X, 8000, 78.6, 157.3, 0, 2516.6, fp64_tensor=78.6, fp8=5033.2,
        int8=5033.2)),
)  # fmt: skip
"""Pattern for the device name in a trace -> its peaks; the first match counts."""


def device_peaks(name: str, given: Sequence[GivenPeak] = (), side: str = "") -> DevicePeaks | None:
    """Peaks of the named device, overridden by the user's figures; None if nothing is known.

    Several names separated by commas have peaks only if all are the same kind of device.
    """
    places = {_place_of(device.strip()) for device in name.split(", ")} if name else {-1}
    place = places.pop() if len(places) == 1 else -1
    listed = DEVICES[place][1] if place >= 0 else None
    overrides = {given_peak.of: given_peak.value for given_peak in given if given_peak.side in ("", side)}
    if not overrides:
        return listed
    peaks = DevicePeaks(name) if listed is None else listed
    tflops = {**peaks.tflops, **{of: value for of, value in overrides.items() if of != MEMORY}}
    source = "given with --peak" if listed is None else f"{listed.source}; given with --peak: {', '.join(overrides)}"
    return DevicePeaks(peaks.device, tflops, overrides.get(MEMORY, peaks.memory_gbs), source)


def _place_of(name: str) -> int:
    """Index into DEVICES; -1 for an unknown device."""
    upper = name.upper()
    if " MIG " in upper:  # a fraction of a device
        return -1
    return next((at for at, (pattern, _) in enumerate(DEVICES) if re.search(pattern, upper)), -1)


def parse_peak(text: str) -> GivenPeak:
    """Parses `bf16=989`, `memory=3350` or `candidate:fp32=67`. Raises PerfCompareError."""
    side, colon, rest = text.rpartition(":")
    of, _, number = rest.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if (colon and side not in ("baseline", "candidate")) or of not in (*TYPES, MEMORY) or not 0 < value <= _MAX_VALUE:
        raise PerfCompareError(
            f"cannot read the peak {text[:80]!r}",
            hint=f"give TYPE=TFLOP/s or memory=GB/s, TYPE one of {', '.join(TYPES)}; for one side candidate:TYPE=...",
        )
    return GivenPeak(side, of, value)
