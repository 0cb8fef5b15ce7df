"""Random traces in the spelling of 2021, full of the cases that decide figures.

Partial overlaps, shared and missing ids, empty events, kernels before their call, several threads and devices.
Everything follows from the seed.
"""

from __future__ import annotations

import random
from typing import Any

OPERATORS = (
    "aten::mm", "aten::add", "aten::conv2d", "aten::relu", "aten::copy_", "aten::empty", "MmBackward", "my region",
    "nccl:all_reduce", "gloo:broadcast", "nccl:_all_gather_base", "enumerate(DataLoader)#_X.__next__",
    "enumerate(DataPipe)#p", "Optimizer.step#SGD.step", "Optimizer.zero_grad", "DataParallel.forward",
    "DistributedDataParallel.forward",
)  # fmt: skip
KERNELS = ("volta_sgemm", "h884gemm", "void elementwise<int>", "xmma_gemm_k", "k2")
SHAPES: tuple[list[Any] | None, ...] = (None, [], [[3]], [[1, 2], []], [[32, 3, 224, 224], [64]], [["a", 1.5]])
STACKS = (None, "", "a.py(1): f;b.py(2): g", "c.py(3): h")
GIB = 1 << 30
PROPERTIES: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"id": 0, "name": "T", "totalGlobalMem": 34084028416, "computeMajor": 7, "computeMinor": 0}],
    [
        {"id": 0, "name": "T", "totalGlobalMem": 34084028416, "computeMajor": 3, "computeMinor": 5},
        {"id": 1, "name": "U", "totalGlobalMem": GIB},
    ],
)


class RandomTrace:
    """Collects events; `number` turns whole microseconds into what the trace writes."""

    def __init__(self, seed: int, fractional: bool | None) -> None:
        """`fractional` None: each number by chance."""
        self.random = random.Random(seed)
        self._fractional = fractional
        self._share = self.random.choice((0.05, 0.5, 0.95))
        self.base = self.random.choice((0, 1000, 1623142623460016))
        self.text_tids = self.random.random() < 0.4
        self.events: list[dict[str, Any]] = []
        self.properties = self.random.choice(PROPERTIES)

    @property
    def fractional(self) -> bool:
        """Whether the next number has a fraction."""
        return self.random.random() < self._share if self._fractional is None else self._fractional

    def number(self, us: float) -> float | int:
        least = 1 if self._fractional is None else 0  # which of 5 and 5.0 goes on would be chance
        return round(us + self.random.randrange(least, 1000) / 1000, 3) if self.fractional else int(us)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def add(self, category: str, name: str, start: float, dur: float, tid: int | str, **args: Any) -> dict[str, Any]:
        """A complete event; arguments that are None are left out, `_` stands for a blank."""
        length: float | int = self.number(dur) if dur else (0.0 if self._fractional else 0)
        given = {key.replace("_", " "): value for key, value in args.items() if value is not None}
        event: dict[str, Any] = {"ph": "X", "cat": category, "name": name, "pid": args.get("device") or 0, "tid": tid}
        event |= {"ts": self.number(self.base + start), "dur": length}
        if given or self.chance(0.9):
            event["args"] = given
        self.events.append(event)
        return event

    def tid(self, thread: int) -> int | str:
        return str(thread) if self.text_tids else thread

    def document(self) -> dict[str, Any]:
        self.random.shuffle(self.events)
        return {"deviceProperties": self.properties, "traceEvents": self.events}


def mixed_trace(seed: int, fractional: bool | None, *, memory: bool = False) -> dict[str, Any]:
    """Operators, API calls, device work and steps in all kinds of disorder; memory events where wanted."""
    trace = RandomTrace(seed, fractional)
    trace.text_tids = trace.text_tids and not memory
    length = trace.random.choice((300, 1000))
    threads = trace.random.randrange(1, 4)
    ids = [None if trace.chance(0.1) else i for i in range(0 if trace.chance(0.3) else 1, 60)]
    trace.add("Operator", "aten::zeros", 0, 1, trace.tid(100))
    for thread in range(threads):
        _operators(trace, 100 + thread, (0, length), trace.random.randrange(4), ids)
    if trace.chance(0.6):
        _steps(trace, length, ids)
    _device_work(trace, length, threads, ids)
    if memory:
        _memory(trace)
    return trace.document()


def _operators(trace: RandomTrace, thread: int, span: tuple[int, int], depth: int, ids: list[int | None]) -> None:
    low, high = span
    pick = trace.random
    while low < high and trace.chance(0.85):
        start = low if trace.chance(0.1) else pick.randrange(low, high)
        end = pick.randrange(start, high + 1)
        if trace.chance(0.05):
            end = high + pick.randrange(5)
        name = pick.choice(OPERATORS)
        category = "Python" if trace.chance(0.05) else "Operator"
        if name in ("nccl:all_reduce", "gloo:broadcast") and trace.chance(0.5):
            category = "user_annotation"
        where = (start, end - start, trace.tid(thread))
        shape, stack = pick.choice(SHAPES), pick.choice(STACKS)
        trace.add(category, name, *where, External_id=pick.choice(ids), Input_dims=shape, Call_stack=stack)
        if trace.chance(0.2):
            trace.add(category, name, *where, External_id=pick.choice(ids))
        if depth:
            _operators(trace, thread, (start, end), depth - 1, ids)
        low = end


def _steps(trace: RandomTrace, length: int, ids: list[int | None]) -> None:
    at, count = 0, trace.random.randrange(1, 6)
    for step in range(count):
        at += trace.random.randrange(20)
        dur = 0 if trace.chance(0.1) else trace.random.randrange(2 * length // count)
        thread = trace.random.choice((100, 100, 101))
        trace.add(
            "Operator", f"ProfilerStep#{step + 5}", at, dur, trace.tid(thread), External_id=trace.random.choice(ids)
        )
        at += dur if trace.chance(0.9) else dur // 2


def _device_work(trace: RandomTrace, length: int, threads: int, ids: list[int | None]) -> None:
    pick = trace.random
    calls = pick.choice((0, 5, 30))
    for call in range(calls):
        start, tid = pick.randrange(length + 50), trace.tid(100 + pick.randrange(threads))
        correlation = pick.choice((call, call, call, pick.randrange(calls), None))
        trace.add("Runtime", "cudaLaunchKernel", start, pick.randrange(30), tid,
                  External_id=pick.choice(ids), correlation=correlation)  # fmt: skip
    for number in range(pick.choice((0, 0, 10, 40))):
        kind = pick.choice(("Kernel", "Kernel", "Kernel", "Memcpy", "Memset"))
        args: dict[str, Any] = {"device": pick.choice((0, 0, 1, 3))}
        if kind == "Kernel" and trace.chance(0.8):
            args |= {"grid": [pick.randrange(1, 3), 1, 1], "block": [64, 1, 1]}
            args |= {"registers per thread": pick.choice((0, 32)), "shared memory": pick.choice((0, 128))}
        if kind == "Kernel" and trace.chance(0.7):
            args["blocks per SM"] = pick.choice((0, 0.1, 0.35, 1.5, 2, -1))
        if kind == "Kernel" and trace.chance(0.7):
            args["est. achieved occupancy %"] = pick.choice((0, 10, 33, -3))
        name = pick.choice(KERNELS) if kind == "Kernel" else f"{kind} HtoD"
        correlation = pick.choice((number, number, pick.randrange(max(calls, 1)), None))
        dur = pick.choice((0, pick.randrange(60), pick.randrange(60)))
        trace.add(kind, name, pick.randrange(length + 200), dur, "stream 7",
                  External_id=pick.choice(ids), correlation=correlation, **args)  # fmt: skip


def _memory(trace: RandomTrace) -> None:
    """Memory events, half of them exactly where another event begins or ends."""
    pick = trace.random
    edges = [e["ts"] for e in trace.events] + [e["ts"] + e["dur"] for e in trace.events]
    for _ in range(pick.choice((1, 5, 40, 200))):
        at = pick.choice(edges) if trace.chance(0.5) else pick.uniform(min(edges), max(edges))
        size = pick.choice((0, 1, -1, 7, 5000, -5000, GIB, -GIB))
        args: dict[str, Any] = {"Device Type": pick.choice((0, 1, 1)), "Bytes": size}
        args["Device Id"] = -1 if args["Device Type"] == 0 else pick.choice((0, 0, 0, 1))
        if trace.chance(0.9):
            args["Addr"] = pick.randrange(6)
        for total in ("Total Allocated", "Total Reserved"):
            if trace.chance(0.7):
                args[total] = pick.randrange(8 * GIB)
        event = {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": pick.choice((100, 100, 101, 102))}
        trace.events.append({**event, "ts": round(at, 3) if trace.fractional else int(at), "args": args})
