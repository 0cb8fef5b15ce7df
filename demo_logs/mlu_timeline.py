"""The clockwork of timeline.py in the spelling of Cambricon's profiler for PyTorch 2.4: library calls that call the
driver, kernels with a kernel type and dimensions, CNCL's rings, memory of device type 20. Times are whole microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from timeline import COLLECTIVES, COMPUTE, Rank

PRIVATE_USE = 20
"""PyTorch's number for a device outside its tree."""
RESERVED = 2 << 30
LIBRARY_NS = 2_000
"""Host time of a library call around its driver call."""
LAUNCH_NS = 5_000
WAKE_UP_NS = 3_000
"""From the end of the device's work to the end of the call that waited for it."""


@dataclass(frozen=True, slots=True)
class MluKernel:
    """A kernel, the library call that launches it, and how."""

    name: str
    call: str
    mean_ns: int
    kind: str = "UNION4"
    dim: str = "[16,1,1]"


@dataclass(slots=True)
class MluRank(Rank):
    """One process with one MLU."""

    API_CATEGORY: ClassVar[str] = "privateuse1_runtime"
    TICK_NS: ClassVar[int] = 1_000
    BETWEEN_NS: ClassVar[int] = 1_000
    allocated: int = 1 << 30

    def time(self, ns: int) -> str:
        return str(ns // 1000)

    @contextmanager
    def library(self, name: str) -> Iterator[None]:
        """A library call around the driver calls made inside; it launches nothing itself."""
        self._correlations += 1
        args = {"External id": self.owner, "cbid": 0, "correlation": self._correlations}
        start = self.now_ns
        self.now_ns += self.jitter(LIBRARY_NS, 0.2)
        yield
        self.write("X", self.API_CATEGORY, name, self.pid, self.thread, start, self.now_ns - start, args)
        self.now_ns += self.BETWEEN_NS

    def launch_kernel(self, kernel: MluKernel) -> int:
        """Launches a kernel on the compute queue; gives its start."""
        at = self.now_ns
        with self.library(kernel.call):
            correlation = self.call("cnInvokeKernel", self.jitter(LAUNCH_NS, 0.2))
        shape = {"kernel type": kernel.kind, "dim": kernel.dim, "tasktopo": 0, "tasktopo node": 0}
        dur = self.jitter(round(kernel.mean_ns * self.pace), 0.02)
        return self._run("kernel", kernel.name, COMPUTE, correlation, self.owner, at, dur, shape)

    def move(self, kind: str, size: int, dur_ns: int) -> None:
        """Starts a copy between host and device on the compute queue."""
        at = self.now_ns
        with self.library("cnrtMemcpyAsync_V2"):
            correlation = self.call(f"cnMemcpy{kind}Async_V2", self.jitter(LAUNCH_NS, 0.2))
        dur = self.jitter(dur_ns, 0.02)
        args = {"bytes": size, "memory bandwidth (GB/s)": round(size / dur, 6)}
        self._run("gpu_memcpy", f"Memcpy {kind}", COMPUTE, correlation, self.owner, at, dur, args)

    def wait(self, longer_ns: int) -> None:
        """Waits until the compute queue is idle, and then `longer_ns` for no reason."""
        with self.library("cnrtQueueSync"):
            busy = max(self.free_ns[COMPUTE] + WAKE_UP_NS - self.now_ns, 2_000)
            self.call("cnQueueSync", busy + (self.jitter(longer_ns, 0.05) if longer_ns else 0))

    def sum_over_ranks(self, elements: int, ring: MluKernel, transfer_ns: int) -> None:
        """A collective: CNCL's notifier, kernel and copy to the next device carry the External id of c10d's operator,
        not of the annotation inside it."""
        annotation = self.host("cncl:all_reduce", None, "user_annotation")
        with self.host("c10d::allreduce_", [[[elements]]]) as external_id, annotation:
            self.owner = external_id
            ready = max(self.free_ns[COMPUTE], self.now_ns)
            self.free_ns[COLLECTIVES] = max(self.free_ns[COLLECTIVES], ready)
            with self.library("cnclAllReduce"):
                at = self.now_ns
                notify = self.call("cnQueueAtomicOperation", 3_000)
                launch = self.call("cnInvokeKernel", self.jitter(LAUNCH_NS, 0.2))
                copy = self.call("cnMemcpyPeerAsync", 4_000)
            self._run("kernel", "Atomic Operation[ADD]", COLLECTIVES, notify, external_id, at, 2_000,
                      {"atomic operator type": "REQUEST", "value": 1})  # fmt: skip
            shape = {"kernel type": ring.kind, "dim": ring.dim, "tasktopo": 0, "tasktopo node": 0}
            self._run("kernel", ring.name, COLLECTIVES, launch, external_id, at,
                      self.jitter(round(ring.mean_ns * self.pace), 0.02), shape)  # fmt: skip
            self._peer_copy(external_id, copy, at, elements * 4, self.jitter(transfer_ns, 0.02))

    def _peer_copy(self, external_id: int, correlation: int, at_ns: int, size: int, dur_ns: int) -> None:
        start = max(at_ns, self.free_ns[COLLECTIVES])
        self.free_ns[COLLECTIVES] = start + dur_ns
        where = {"fromDevice": self.number, "inDevice": self.number, "toDevice": self.number + 1}
        args = {"External id": external_id, **where, "context": 1, "stream": COLLECTIVES, "correlation": correlation,
                "bytes": size, "memory bandwidth (GB/s)": round(size / dur_ns, 6)}  # fmt: skip
        self.write("X", "gpu_memcpy", "Memcpy PtoP", self.number, COLLECTIVES, start, dur_ns, args)

    def join_queues(self) -> None:
        """What follows on the compute queue waits for the collectives."""
        self.free_ns[COMPUTE] = max(self.free_ns.values())

    def allocate(self, size: int) -> None:
        """Takes (or, below zero, gives back) device memory."""
        self.allocated += size
        args = {"Device Type": PRIVATE_USE, "Device Id": self.number, "Addr": 140_000_000_000_000 + abs(size),
                "Bytes": size, "Total Allocated": self.allocated, "Total Reserved": RESERVED}  # fmt: skip
        self.write("i", "cpu_instant_event", "[memory]", self.pid, self.thread, self.now_ns, None, args, s="t")
        self.now_ns += self.BETWEEN_NS

    def encode(self, origin_ns: int, device_name: str) -> bytes:
        """The trace file, without `device_name`: PyTorch 2.4 writes no properties of devices it does not know."""
        end = max(self.now_ns, *self.free_ns.values())
        self.write("X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", 0, end, {"Op count": 0})
        names = [(self.pid, 0, "process_name", "name", "python"), (self.pid, 0, "process_labels", "labels", "CPU")]
        names += [(self.number, 0, "process_labels", "labels", f"MLU {self.number}")]
        names += [(self.number, q, "thread_name", "name", f"stream {q} ") for q in (COMPUTE, COLLECTIVES)]
        meta = [
            json.dumps({"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": {key: text}})
            for pid, tid, kind, key, text in names
        ]
        root = {
            "schemaVersion": 1,
            "deviceProperties": [],
            "distributedInfo": {"backend": "cncl", "rank": self.number, "world_size": self.world_size},
            "record_shapes": 1,
            "profile_memory": 1,
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": origin_ns,
            "traceName": "synthetic, written by demo_logs/generate.py",
        }
        body = ",\n".join([*self.lines, *meta])
        return f'{json.dumps(root)[:-1]}, "traceEvents": [\n{body}\n]}}\n'.encode()


def gradient(rank: MluRank, node: str, operators: Sequence[tuple[str, list[Any], MluKernel]]) -> None:
    """One node of the backward graph and the operators it runs."""
    with rank.host(f"autograd::engine::evaluate_function: {node}"), rank.host(node):
        for name, dims, kernel in operators:
            with rank.host(name, dims):
                rank.launch_kernel(kernel)
