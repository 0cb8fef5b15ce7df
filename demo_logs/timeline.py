"""A clockwork of one training process with one GPU: threads launch, streams run, everything is written as a trace.

Times are integer nanoseconds from the start of the recording. A launch costs host time; the kernel starts once it is
launched and its stream is free. Nothing here knows the network that is trained.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

COMPUTE, COLLECTIVES = 7, 20
"""Streams."""
LAUNCH_NS = 6_500
LATENCY_NS = 3_000
OPERATOR_NS = 2_500
"""Host time of one launch, time from launch to start on an idle stream, host time an operator adds to its launches."""
BETWEEN_NS = 250
"""Host time between two events: decimals of touching ones could not be told from overlapping ones in doubles."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as it is launched: its full name, mean duration and geometry."""

    name: str
    mean_ns: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    occupancy: int
    registers: int = 40


@dataclass(slots=True)
class PendingCollective:
    """A collective that waits for the other ranks: launched and ready, not yet run."""

    external_id: int
    correlation: int
    ready_ns: int
    elements: int
    sequence: int


@dataclass(slots=True)
class Rank:
    """One process. `pace` multiplies every kernel's duration, `now_ns` is the clock of the thread that runs.

    API_CATEGORY  category of its API calls
    TICK_NS       resolution of its clock
    BETWEEN_NS    host time between two events
    """

    API_CATEGORY: ClassVar[str] = "cuda_runtime"
    TICK_NS: ClassVar[int] = 1
    BETWEEN_NS: ClassVar[int] = BETWEEN_NS

    number: int
    world_size: int
    seed: int
    pace: float
    now_ns: int = 0
    thread: int = 0
    lines: list[str] = field(default_factory=list)
    free_ns: dict[int, int] = field(default_factory=lambda: {COMPUTE: 0, COLLECTIVES: 0})
    pending: list[PendingCollective] = field(default_factory=list)
    owner: int = 0
    _ids: int = 0
    _correlations: int = 0
    _sequence: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.thread = self.pid
        self._random = random.Random(self.seed)

    @property
    def pid(self) -> int:
        return 4000 + self.number

    def time(self, ns: int) -> str:
        """Microseconds as they are written."""
        return f"{ns // 1000}.{ns % 1000:03d}"

    def jitter(self, mean_ns: int, spread: float) -> int:
        """`mean_ns` moved by up to `spread` of it. Only random() is used: its sequence is the same in every Python."""
        moved = mean_ns * (1 + spread * (2 * self._random.random() - 1))
        return round(moved / self.TICK_NS) * self.TICK_NS

    def write(self, ph: str, cat: str, name: str, pid: int | str, tid: int | str, start_ns: int, dur_ns: int | None,
              args: dict[str, Any] | None = None, **extra: Any) -> None:  # fmt: skip
        """Adds one event."""
        text = json.dumps({"ph": ph, "cat": cat, "name": name, "pid": pid, "tid": tid}, separators=(",", ":"))[:-1]
        text += f',"ts":{self.time(start_ns)}'
        if dur_ns is not None:
            text += f',"dur":{self.time(dur_ns)}'
        for key, value in (extra | ({"args": args} if args is not None else {})).items():
            text += f',"{key}":{json.dumps(value, separators=(",", ":"))}'
        self.lines.append(text + "}")

    @contextmanager
    def host(self, name: str, dims: Sequence[Any] | None = None, cat: str = "cpu_op", **args: Any) -> Iterator[int]:
        """An operator or annotation around what is done inside; gives its External id."""
        self._ids += 1
        external_id, outer, start = self._ids, self.owner, self.now_ns
        self.owner = external_id
        self.now_ns += self.jitter(OPERATOR_NS // 2, 0.1)
        yield external_id
        self.now_ns += self.jitter(OPERATOR_NS // 2, 0.1)
        self.owner = outer
        shapes = {} if dims is None else {"Input Dims": list(dims), "Input type": ["float"] * len(dims)}
        full = {"External id": external_id, **shapes, **args}
        self.write("X", cat, name, self.pid, self.thread, start, self.now_ns - start, full)
        self.now_ns += self.BETWEEN_NS

    def call(self, name: str, dur_ns: int) -> int:
        """A host API call of the current operator; gives its correlation."""
        self._correlations += 1
        args = {"External id": self.owner, "cbid": 211, "correlation": self._correlations}
        self.write("X", self.API_CATEGORY, name, self.pid, self.thread, self.now_ns, dur_ns, args)
        self.now_ns += dur_ns + self.BETWEEN_NS
        return self._correlations

    def launch(self, kernel: Kernel) -> int:
        """Launches a kernel on the compute stream; gives its start."""
        at = self.now_ns
        correlation = self.call("cudaLaunchKernel", self.jitter(LAUNCH_NS, 0.15))
        return self.run_captured(kernel, correlation, at)

    def run_captured(self, kernel: Kernel, correlation: int, at: int) -> int:
        """Runs a kernel that an API call at `at` launched, alone or with others; gives its start."""
        dur = self.jitter(round(kernel.mean_ns * self.pace), 0.02)
        threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
        blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2] / 108
        shape = {"registers per thread": kernel.registers, "shared memory": 0, "blocks per SM": round(blocks, 6),
                 "warps per SM": round(blocks * threads / 32, 6), "grid": list(kernel.grid),
                 "block": list(kernel.block), "est. achieved occupancy %": kernel.occupancy}  # fmt: skip
        return self._run("kernel", kernel.name, COMPUTE, correlation, self.owner, at, dur, shape)

    def copy(self, kind: str, size: int, dur_ns: int) -> None:
        """Starts a copy on the compute stream."""
        at = self.now_ns
        correlation = self.call("cudaMemcpyAsync", self.jitter(LAUNCH_NS, 0.15))
        dur = self.jitter(dur_ns, 0.02)
        args = {"bytes": size, "memory bandwidth (GB/s)": round(size / dur, 6)}
        self._run("gpu_memcpy", f"Memcpy {kind}", COMPUTE, correlation, self.owner, at, dur, args)

    def synchronise(self) -> None:
        """Waits until the compute stream is idle."""
        self.call("cudaStreamSynchronize", max(self.free_ns[COMPUTE] + 2_000 - self.now_ns, 1_500))

    def all_reduce(self, elements: int) -> None:
        """Launches a sum over all ranks of what the compute stream has produced so far; `finish` runs it."""
        self._sequence += 1
        what: dict[str, Any] = {"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements}
        what |= {"dtype": "Float", "Group size": self.world_size, "Process Group Name": "0", "Seq": self._sequence}
        with self.host("record_param_comms", [[elements]], **what) as external_id:
            with self.host("nccl:all_reduce", None, "user_annotation"):
                self.owner = external_id
                correlation = self.call("cudaLaunchKernelExC", self.jitter(LAUNCH_NS, 0.15))
            ready = max(self.free_ns[COMPUTE], self.now_ns + LATENCY_NS)
            self.pending.append(PendingCollective(external_id, correlation, ready, elements, self._sequence))

    def run_collective(self, pending: PendingCollective, start_ns: int, end_ns: int) -> None:
        """Writes the kernel of a collective whose time is known now that all ranks have reached it."""
        args = {"Collective name": "allreduce", "In msg nelems": pending.elements, "Out msg nelems": pending.elements,
                "dtype": "Float", "Group size": self.world_size, "Process Group Name": "0", "Seq": pending.sequence,
                "registers per thread": 96, "shared memory": 0, "grid": [24, 1, 1], "block": [544, 1, 1],
                "blocks per SM": 0.222222, "warps per SM": 3.777778, "est. achieved occupancy %": 6}  # fmt: skip
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        self.free_ns[COLLECTIVES] = start_ns
        self._run("kernel", name, COLLECTIVES, pending.correlation, pending.external_id, start_ns - LATENCY_NS,
                  end_ns - start_ns, args)  # fmt: skip

    def _run(self, cat: str, name: str, stream: int, correlation: int, external_id: int, launched_ns: int, dur_ns: int,
             args: dict[str, Any]) -> int:  # fmt: skip
        start = max(launched_ns + LATENCY_NS, self.free_ns[stream])
        self.free_ns[stream] = start + dur_ns
        where = {"External id": external_id, "device": self.number, "context": 1, "stream": stream}
        full = where | {"correlation": correlation} | args
        self.write("X", cat, name, self.number, stream, start, dur_ns, full)
        return start

    def encode(self, origin_ns: int, device_name: str) -> bytes:
        """The trace file: root members, events, names of processes and threads."""
        end = max(self.now_ns, *self.free_ns.values())
        self.write("X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", 0, end, {"Op count": 0})
        names = [(self.pid, 0, "process_name", "name", "python"), (self.pid, 0, "process_labels", "labels", "CPU")]
        names += [(self.number, 0, "process_labels", "labels", f"GPU {self.number}")]
        names += [(self.number, s, "thread_name", "name", f"stream {s}") for s in (COMPUTE, COLLECTIVES)]
        meta = [
            json.dumps({"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": {key: text}})
            for pid, tid, kind, key, text in names
        ]
        facts = {"totalGlobalMem": 42_505_273_344, "computeMajor": 8, "computeMinor": 0, "numSms": 108}
        root = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": i, "name": device_name, **facts} for i in range(self.world_size)],
            "distributedInfo": {"backend": "nccl", "rank": self.number, "world_size": self.world_size},
            "record_shapes": 1,
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": origin_ns,
            "traceName": "synthetic, written by demo_logs/generate.py",
        }
        body = ",\n".join([*self.lines, *meta])
        return f'{json.dumps(root)[:-1]}, "traceEvents": [\n{body}\n]}}\n'.encode()


def finish(ranks: Sequence[Rank], transfer_ns: int) -> None:
    """Runs the pending collectives: each ends on all ranks at once, `transfer_ns` after the last rank came."""
    for together in zip(*(rank.pending for rank in ranks), strict=True):
        starts = [max(c.ready_ns, r.free_ns[COLLECTIVES]) for r, c in zip(ranks, together, strict=True)]
        end = max(starts) + ranks[0].jitter(transfer_ns, 0.03)
        for rank, pending, start in zip(ranks, together, starts, strict=True):
            rank.run_collective(pending, start, end)
    for rank in ranks:
        rank.pending.clear()
        rank.free_ns[COMPUTE] = max(rank.free_ns.values())
