"""Per-cycle tables of an inference server that never ran, as a tracer writes them: two processes with a GPU each decode
token after token, and counters are sampled once a second.

In the second table the clock of the GPUs is held at LOW_CLOCK_MHZ: kernels take SLOWER times as long. The cycles do
not, because the host sets their pace. A probe kernel that looks after the slow device is new.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

CYCLES = 12
HOLE = 8
"""Number that no cycle has: the tracer numbers prompts and tokens together."""
CYCLE_US = 742_000.0
CLOCK_MHZ, LOW_CLOCK_MHZ = 1410.0, 210.0
SLOWER = 3.5
PIDS = (41001, 41002)
"""One per GPU."""
CORES, HIGHEST_CPU_MHZ = 64, 4000.0
ANCHOR = "Engine.decode_step"
START_US = 1_750_000_000_000_000
RECORDED_OF_INCOMPLETE = 0.4
"""Share of the device work that the first cycles show: the tracer was attached in their middle."""

HEADER = ("cycle", "pid", "hostname", "beta_pct", "function_name", "metric_name", "device", "func_type", "mu_pct",
          "sigma_pct", "duration", "interpolation_status", "anchor_name", "anchor_dur_us", "cycle_start_ts",
          "instances_count", "simple_name")  # fmt: skip
COUNTER_HEADER = ("counter_name", "timestamp", "value", "hostname")

METRICS = {
    "gpu_compute": ("gpu_frequency", "gpu_usage"),
    "gpu_comm": ("gpu_usage",),
    "gpu_memcpy_h2d": ("gpu_pcie_transmit",),
    "gpu_memcpy_d2h": ("gpu_pcie_transmit",),
    "gpu_memcpy_d2d": (),
    "cpu_sync": (),
    "cpu_os_syscall_mem": (),
    "disk_read_and_write": ("disk_usage",),
    "oncpu": ("process_cpu_usage", "host_cpu_usage", "cpu_frequency"),
    "runq": ("process_cpu_usage", "host_cpu_usage"),
}
"""Type of function -> counters looked up while it runs."""


@dataclass(frozen=True, slots=True)
class Function:
    """What one process does in a cycle: time and calls together. `clocked`: as fast as the GPU's clock."""

    name: str
    kind: str
    cycle_us: float
    calls: int
    clocked: bool = True

    @property
    def on_device(self) -> bool:
        return self.kind.startswith("gpu_")


def _kernels() -> tuple[Function, ...]:
    layers = 32
    each_us = (
        ("engine::rms_norm<half>(half*, half const*, float)", 5.1, 2), ("engine::rotary<half>(half*, int)", 4.2, 1),
        ("engine::qkv_gemm_128x64", 148.0, 1), ("engine::append_kv<half, 16>(half*, half const*, int)", 6.3, 1),
        ("engine::paged_attention<128, 16>(half*, half const*, int, int)", 212.0, 1),
        ("engine::merge_splits<128>(half*, float const*)", 9.4, 1), ("engine::out_gemm_64x64", 96.0, 1),
        ("engine::add_residual<half>(half*, half const*)", 3.8, 2), ("engine::up_gemm_128x128", 331.0, 1),
        ("engine::silu_and_mul<half>(half*, half const*)", 8.8, 1), ("engine::down_gemm_128x64", 298.0, 1),
        ("engine::quantise_row<half, char>(char*, half const*)", 4.9, 1),
    )  # fmt: skip
    once_us = (
        ("engine::embed<half>(half*, int const*)", 7.5), ("engine::logits_gemm_128x256", 1210.0),
        ("engine::penalties(float*, int const*)", 24.0), ("engine::top_p_sort(float*, int*)", 410.0),
        ("engine::sample(int*, float const*, long)", 18.0), ("engine::copy_block_table(int*, int const*)", 5.0),
    )  # fmt: skip
    per_layer = (Function(name, "gpu_compute", us * count * layers, count * layers) for name, us, count in each_us)
    return (*per_layer, *(Function(name, "gpu_compute", us, 1) for name, us in once_us))


FUNCTIONS = (
    *_kernels(),
    Function("ncclDevKernel_AllReduce_Sum_f16_TREE_LL(ncclDevKernelArgsStorage<4096ul>)", "gpu_comm", 2_050.0, 64),
    Function("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "gpu_comm", 61.0, 1),
    Function("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy_h2d", 46.0, 9, clocked=False),
    Function("Memcpy DtoH (Device -> Pinned)", "gpu_memcpy_d2h", 12.0, 2, clocked=False),
    Function("Memcpy DtoD (Device -> Device)", "gpu_memcpy_d2d", 31.0, 6, clocked=False),
    Function("cudaStreamSynchronize", "cpu_sync", 640.0, 2),
    Function("cuStreamSynchronize", "cpu_sync", 660.0, 2),
    Function("mmap", "cpu_os_syscall_mem", 38.0, 5, clocked=False),
    Function("munmap", "cpu_os_syscall_mem", 55.0, 5, clocked=False),
    Function("mprotect", "cpu_os_syscall_mem", 9.0, 2, clocked=False),
    Function("read", "disk_read_and_write", 420.0, 31, clocked=False),
    Function("write", "disk_read_and_write", 265.0, 17, clocked=False),
    Function("oncpu", "oncpu", 831_000.0, 5200, clocked=False),
    Function("runq", "runq", 14_800.0, 5180, clocked=False),
)
PROBE = Function("engine::recovery_probe(int*, unsigned long)", "gpu_compute", 180.0, 4)


@dataclass(frozen=True, slots=True)
class Side:
    """What one recording saw."""

    clock_mhz: float
    functions: tuple[Function, ...]
    incomplete: int
    gpu_usage_pct: float
    factor: float = 1.0


NORMAL = Side(CLOCK_MHZ, FUNCTIONS, 1, 6.2)
ABNORMAL = Side(LOW_CLOCK_MHZ, (*FUNCTIONS, PROBE), 2, 21.4, SLOWER)

Series = Mapping[tuple[str, str], list[tuple[float, float]]]
"""(counter, device or process, "" for the host) -> (time, value) in order."""


def tables(side: Side, seed: int) -> tuple[bytes, bytes]:
    """The texts of `*_perf_data.csv` and `*_counters_data.csv`; the same for the same seed."""
    noise = random.Random(seed)
    numbers = [number for number in range(1, CYCLES + 2) if number != HOLE]
    spans, at = [], START_US + seed * 600e6
    for _ in numbers:
        length = _near(CYCLE_US, 0.003, noise)
        spans.append((at, length))
        at += length + _near(34.0, 0.2, noise)
    series = _counters(side, spans[0][0], at, noise)
    rows = []
    for place, (number, (start, length)) in enumerate(zip(numbers, spans, strict=True)):
        share = RECORDED_OF_INCOMPLETE if place < side.incomplete else 1.0
        for gpu, pid in enumerate(PIDS):
            where, span = (number, pid, gpu), (start, length)
            mine = [_function(function, side, share, where, span, series, noise) for function in side.functions]
            rows += sorted(chain.from_iterable(mine), key=lambda row: (-float(row[3]), row[5]))
    return _csv(HEADER, rows), _csv(COUNTER_HEADER, _samples(series, spans))


def _function(
    function: Function, side: Side, share: float, where: tuple[int, int, int], span: tuple[float, float],
    series: Series, noise: random.Random,
) -> list[list[str]]:  # fmt: skip
    """Rows of one function in one cycle of one process: one per counter with a sample in the cycle, or one without."""
    (number, pid, gpu), (start, length) = where, span
    duration = _near(function.cycle_us * (side.factor if function.clocked else 1.0), 0.025, noise)
    calls = function.calls
    if function.on_device or function.kind == "cpu_sync":
        calls = max(1, round(calls * share))
        duration *= calls / function.calls
    device = f"GPU {gpu}" if function.on_device else "Host"
    found = []
    for metric in METRICS[function.kind]:
        value = _in_cycle(series[metric, _owner(metric, device, pid)], start, start + length)
        if value is not None:
            found.append((metric, f"{_mu(metric, value):.4f}", "0.0000", "**"))
    short = function.name.partition("(")[0].partition("<")[0].strip()
    return [
        [str(number), str(pid), "", f"{100 * duration / length:.4f}", function.name, metric, device, function.kind, mu,
         sigma, f"{duration:.4f}", mark, ANCHOR, f"{length:.4f}", f"{start:.4f}", str(calls), short]
        for metric, mu, sigma, mark in found or [("N/A", "", "", " ")]
    ]  # fmt: skip


def _near(mean: float, spread: float, noise: random.Random) -> float:
    """`mean` moved by up to `spread` of it. Only random() is used: its sequence is the same in every Python."""
    return mean * (1 + spread * (2 * noise.random() - 1))


def _counters(side: Side, first: float, last: float, noise: random.Random) -> Series:
    """A sample a second of everything, each series with its own phase."""
    levels: dict[tuple[str, str], tuple[float, float]] = {
        ("host_cpu_usage", ""): (9.5, 0.1),
        ("cpu_frequency", ""): (3500.0, 0.0),
        ("disk_usage", ""): (0.8, 0.3),
    }
    for gpu, pid in enumerate(PIDS):
        levels["gpu_frequency", f"GPU {gpu}"] = (side.clock_mhz, 0.0)
        levels["gpu_usage", f"GPU {gpu}"] = (side.gpu_usage_pct, 0.08)
        levels["gpu_pcie_transmit", f"GPU {gpu}"] = (2.6e6, 0.2)
        levels["process_cpu_usage", str(pid)] = (112.0, 0.05)
    out: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for key, (level, spread) in levels.items():
        at = first + 1e6 * noise.random()
        samples = out[key] = []
        while at < last:
            samples.append((at, _near(level, spread, noise)))
            at += 1e6
    return out


def _owner(metric: str, device: str, pid: int) -> str:
    """Which series of a counter a function looks at."""
    if metric.startswith("process_"):
        return str(pid)
    return device if metric.startswith("gpu_") else ""


def _in_cycle(samples: list[tuple[float, float]], start: float, end: float) -> float | None:
    """The sample of the cycle; once a second there is at most one in 0.74 s, and the tracer takes it for the whole."""
    return next((value for at, value in samples if start <= at <= end), None)


def _mu(metric: str, value: float) -> float:
    """100 times the normalised value."""
    if metric in ("gpu_frequency", "gpu_pcie_transmit"):
        return 100 * value
    if metric == "process_cpu_usage":
        return value / CORES
    return 100 * value / HIGHEST_CPU_MHZ if metric == "cpu_frequency" else value


def _samples(series: Series, spans: list[tuple[float, float]]) -> list[list[str]]:
    """Rows of the samples that lie in a cycle; processes are named, devices are not."""
    rows = []
    for (metric, owner), samples in series.items():
        name = f"{metric}_{owner}" if metric.startswith("process_") else metric
        for at, value in samples:
            if any(start <= at <= start + length for start, length in spans):
                rows.append([name, f"{at:.6f}", f"{value:.6f}", ""])
    return sorted(rows, key=lambda row: (row[0], float(row[1])))


def _csv(header: tuple[str, ...], rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()
