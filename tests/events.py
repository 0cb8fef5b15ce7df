"""Trace events as a file holds them: how each vendor spells them, and exact decimal times."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import msgspec

MAIN = 100
"""Process id, and thread id of the main thread."""
ABSOLUTE_BASE_NS = 1_700_000_000_000_000_000
"""A `base_ns` for traces with absolute time stamps."""
Spelling = Literal["modern", "2021"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """How one vendor writes its events; host and device categories are the modern ones."""

    runtime: str
    launch: str
    copy: str
    fill: str
    sync: str
    kernel: str
    label: str
    device_name: str
    collectives: str
    memory_type: int


VENDORS: dict[str, Vendor] = {
    "cuda": Vendor("cuda_runtime", "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaDeviceSynchronize",
                   "kernel", "GPU", "NVIDIA A100-SXM4-40GB", "nccl", 1),
    "rocm": Vendor("cuda_runtime", "hipLaunchKernel", "hipMemcpyAsync", "hipMemsetAsync", "hipDeviceSynchronize",
                   "kernel", "GPU", "AMD Instinct MI300X", "rccl", 6),
    "mtia": Vendor("mtia_runtime", "mtiaLaunchKernel", "mtiaMemcpyAsync", "mtiaMemsetAsync", "mtiaDeviceSynchronize",
                   "mtia_ccp_events", "MTIA", "MTIA", "hccl", 19),
    "xpu": Vendor("xpu_runtime", "urEnqueueKernelLaunch", "urEnqueueUSMMemcpy", "urEnqueueUSMFill", "urQueueFinish",
                  "kernel", "XPU", "Intel(R) Data Center GPU Max 1550", "xccl", 12),
    "mlu": Vendor("privateuse1_runtime", "cnInvokeKernel", "cnMemcpyAsync", "cnMemsetAsync", "cnQueueSync",
                  "kernel", "MLU", "MLU370-M8", "cncl", 20),
    "musa": Vendor("privateuse1_runtime", "musaLaunchKernel", "musaMemcpyAsync", "musaMemsetAsync",
                   "musaDeviceSynchronize", "kernel", "GPU", "MTT S5000", "mccl", 20),
    "maca": Vendor("cuda_runtime", "mcLaunchKernel", "mcMemcpyAsync", "mcMemsetAsync", "mcDeviceSynchronize",
                   "kernel", "GPU", "MetaX C500", "mccl", 1),
    "gcu": Vendor("gcu_runtime", "topsLaunchKernel", "topsMemcpyAsync", "topsMemsetAsync", "topsDeviceSynchronize",
                  "kernel", "GCU", "Enflame S60", "eccl", 20),
    "aiu": Vendor("privateuse1_runtime", "aiuLaunchControlBlocks", "aiuDataTransferHtoD", "aiuMemset",
                  "aiuScheduleWait", "kernel", "AIU", "IBM Spyre", "gloo", 20),
    "cpu": Vendor("", "", "", "", "", "", "", "", "gloo", 0),
}  # fmt: skip
OLD_CATEGORY = {
    "cpu_op": "Operator",
    "user_annotation": "Operator",
    "cuda_runtime": "Runtime",
    "kernel": "Kernel",
    "gpu_memcpy": "Memcpy",
    "gpu_memset": "Memset",
    "python_function": "python_function",
}
"""Category names of 2021, when every annotation was an Operator."""
DEVICE_PROPERTIES = {"totalGlobalMem": 42_505_273_344, "computeMajor": 8, "computeMinor": 0, "numSms": 108}


_encoder = msgspec.json.Encoder()


def nanoseconds(us: float) -> int:
    """Microseconds to integer nanoseconds."""
    return round(us * 1000)


@dataclass(slots=True)
class Event:
    """One element of traceEvents. Times are ns from the start of the recording; `dur_ns` is None for instants."""

    ph: str
    cat: str | None
    name: str
    pid: int | str
    tid: int | str
    start_ns: int
    dur_ns: int | None = None
    args: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def end_ns(self) -> int:
        return self.start_ns + (self.dur_ns or 0)

    def encode(self, base_ns: int, whole_us: bool) -> str:
        """JSON text with exact decimal times."""
        dur = "" if self.dur_ns is None else f', "dur": {time_text(self.dur_ns, whole_us)}'
        args = "" if self.args is None else f', "args": {_json(self.args)}'
        extra = "".join(f', "{key}": {_json(value)}' for key, value in self.extra.items()) if self.extra else ""
        head = _head(self.ph, self.cat, self.name, self.pid, self.tid)
        return f"{head}{time_text(base_ns + self.start_ns, whole_us)}{dur}{extra}{args}}}"


@lru_cache(maxsize=4096)
def _head(ph: str, cat: str | None, name: str, pid: int | str, tid: int | str) -> str:
    """What most events share with others, up to the time stamp: drawing traces is much of what tests do."""
    of_cat = "" if cat is None else f', "cat": {_json(cat)}'
    return f'{{"ph": {_json(ph)}{of_cat}, "name": {_json(name)}, "pid": {_json(pid)}, "tid": {_json(tid)}, "ts": '


def _json(value: object) -> str:
    return _encoder.encode(value).decode()


def time_text(ns: int, whole_us: bool) -> str:
    """Nanoseconds as the decimal microseconds of a trace file."""
    if ns >= 0 and not whole_us:
        return f"{ns // 1000}.{ns % 1000:03d}"
    whole, rest = divmod(abs(ns), 1000)
    if whole_us and rest:
        raise ValueError(f"{ns} ns cannot be written in whole microseconds")
    return ("-" if ns < 0 else "") + (str(whole) if whole_us else f"{whole}.{rest:03d}")
