"""Generates synthetic traces of any size from a seed, as a load for readers, tables and caches.

A trace has steps of calls. A call is a stack of operators on one thread; the innermost one launches kernels. Options
set what belongs to a call (Python functions, memory events, launch arrows), the number of different names, the depth of
the stack, the number of threads, the layout of the text and the format of times.

    python -m benchmarks.generated OUT.json.gz --megabytes 100 --layout indent --frames 12
"""

from __future__ import annotations

import argparse
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from benchmarks.layouts import BASE_NS, LAYOUTS, NATIVE, RELATIVE, TIME_FORMS, Layout, TimeForm

MODERN, OLD = "modern", "2021"
SPELLINGS = {
    MODERN: {"operator": "cpu_op", "runtime": "cuda_runtime", "kernel": "kernel", "step": "user_annotation"},
    OLD: {"operator": "Operator", "runtime": "Runtime", "kernel": "Kernel", "step": "Operator"},
}
"""Categories as torch writes them today, and as in 2021, which torch-tb-profiler 0.4.3 supports."""

PID, FIRST_THREAD = 40, 400
_EDGE_NS = 150
"""An operator begins this long before its children and ends this long after them."""
_LAUNCH_NS = 4_000
_CHUNK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Load:
    """The content of a generated trace.

    megabytes  approximate size of the JSON text
    steps      number of ProfilerStep ranges
    names      number of different operators
    kernels    number of different kernels
    depth      number of nested operators per call
    launches   number of kernels that the innermost operator launches
    threads    number of threads that calls are distributed over, in turn
    frames     number of Python functions around each call (with_stack); every fourth one is a module
    memory     whether each call has an allocation or a release
    arrows     whether launches have arrows (ac2g), two events per kernel
    spelling   spelling of the categories, a key of SPELLINGS
    shuffled   whether events are in random order in the file
    slower     factor on the time of every hundredth kernel
    """

    megabytes: float = 100.0
    steps: int = 20
    names: int = 300
    kernels: int = 120
    depth: int = 4
    launches: int = 1
    threads: int = 2
    frames: int = 0
    memory: bool = True
    arrows: bool = True
    layout: str = NATIVE
    times: str = RELATIVE
    spelling: str = MODERN
    shuffled: bool = False
    slower: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        known = {"layout": LAYOUTS, "times": TIME_FORMS, "spelling": tuple(SPELLINGS)}
        for name, values in known.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} is {getattr(self, name)!r}, there are: {', '.join(values)}")

    @property
    def label(self) -> str:
        """File name that is unique for the content."""
        given = [f"{f.name}={getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name) != f.default]
        return "-".join(given).replace("megabytes=", "") or f"{self.megabytes}"


def write(path: Path, load: Load, *, level: int = 6) -> int:
    """Writes the trace, gzipped if the name ends in .gz; returns the size of the JSON text in bytes."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31) if path.suffix == ".gz" else None
    size = 0
    unfinished = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(unfinished, "wb") as file:
        for part in text(load):
            data = part.encode()
            size += len(data)
            file.write(packer.compress(data) if packer else data)
        if packer:
            file.write(packer.flush())
    unfinished.replace(path)
    return size


def text(load: Load) -> Iterator[str]:
    """Yields the trace in parts of a few megabytes."""
    writer = _Writer(load, calls=max(1, round(load.megabytes * 1e6 / load.steps / _Writer(load, 1).call_bytes())))
    yield writer.layout.head(writer.root())
    if load.shuffled:
        events = [event for step in range(load.steps) for event in writer.step(step)]
        random.Random(load.seed).shuffle(events)
        yield from _joined(iter(events), writer.layout, first=True)
    else:
        for step in range(load.steps):
            yield from _joined(writer.step(step), writer.layout, first=step == 0)
    yield writer.layout.between + writer.window()
    yield writer.layout.foot


def _joined(events: Iterator[str], layout: Layout, *, first: bool) -> Iterator[str]:
    waiting: list[str] = []
    size = 0
    for event in events:
        waiting.append(event)
        size += len(event)
        if size > _CHUNK_BYTES:
            yield ("" if first else layout.between) + layout.between.join(waiting)
            waiting, size, first = [], 0, False
    if waiting:
        yield ("" if first else layout.between) + layout.between.join(waiting)


class _Writer:
    """Generates the events of one trace, step by step, with `calls` calls in each."""

    def __init__(self, load: Load, calls: int) -> None:
        self.load = load
        self.layout = Layout(load.layout)
        self._time = TimeForm(load.times)
        self._draw = random.Random(load.seed)
        names = random.Random(0)  # the same on both sides of a pair
        self._operators = [f"aten::work_{n}" if n % 3 else f"autograd::Node{n}Backward" for n in range(load.names)]
        self._kernels = [_kernel(n, names) for n in range(load.kernels)]
        self._means_ns = [round(2_000 + 30_000 * names.random() ** 4) for _ in range(load.kernels)]
        self._shapes = [self.layout.value([[n + 1, 64], [64, 32 * (n % 4 + 1)]]) for n in range(40)]
        self._types = self.layout.value(["float", "c10::BFloat16"])
        value = self.layout.value
        self._geometry = [(value([n + 1, 1, 1]), value([32 * (n % 8 + 1), 1, 1])) for n in range(64)]
        self._templates()
        self._now_ns = {thread: 20_000 for thread in range(load.threads)}
        self._free_ns = 20_000
        self._held = 0
        self._external = self._correlation = self._python = self._operator = 0
        self._calls = calls
        self._restart = load.names <= calls * load.depth

    def call_bytes(self) -> float:
        """Estimates the size of a call's text from 32 calls."""
        return sum(len(event) + len(self.layout.between) for call in range(32) for event in self._call(call)) / 32

    def root(self) -> dict[str, Any]:
        """Returns the members of the root object before the events."""
        device = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108, "totalGlobalMem": 42_505_273_344}
        facts = {"record_shapes": 1, "profile_memory": int(self.load.memory), "with_stack": int(self.load.frames > 0)}
        base = {"baseTimeNanoseconds": BASE_NS} if self.load.times == RELATIVE else {}
        return {"schemaVersion": 1, "deviceProperties": [device], **facts, **base}

    def step(self, number: int) -> Iterator[str]:
        """Yields the events of a step, and its marker."""
        begin = min(self._now_ns.values())
        if self._restart:
            self._operator = 0  # every step does the same work
        for call in range(self._calls):
            yield from self._call(call)
        end = max(self._free_ns, *self._now_ns.values()) + 2_000
        self._external += 1
        yield self._step % (number, self._time.start(begin - 500), self._time.length(end - begin), self._external)
        self._now_ns = dict.fromkeys(self._now_ns, end)
        self._free_ns = max(self._free_ns, end)

    def window(self) -> str:
        """Returns the event with the start and duration of the recording."""
        members = {"ph": '"X"', "cat": '"Trace"', "name": '"PyTorch Profiler (0)"', "pid": '"Spans"',
                   "tid": '"PyTorch Profiler"', "ts": self._time.start(0),
                   "dur": self._time.length(max(self._now_ns.values()) + 1000)}  # fmt: skip
        return self.layout.event(members, {"Op count": "0"})

    def _templates(self) -> None:
        spelled = SPELLINGS[self.load.spelling]
        host = {"pid": str(PID), "tid": "%s"}
        device = {"pid": "0", "tid": "7"}
        times = {"ts": "%s", "dur": "%s"}

        def event(cat: str, name: str, where: dict[str, str], args: dict[str, str]) -> str:
            return self.layout.event({"ph": '"X"', "cat": f'"{cat}"', "name": f'"{name}"', **where, **times}, args)

        caller = {"Python id": "%s", "Python parent id": "%s"}
        self._function = event("python_function", "model.py(%s): forward", host, {**caller, "Ev Idx": "%s"})
        self._module = event("python_function", "nn.Module: Block_%s", host, {**caller, "Python module id": "%s"})
        shaped = {"Input Dims": "%s", "Input type": self._types, "Ev Idx": "%s"}
        self._op = event(spelled["operator"], "%s", host, {"External id": "%s", **shaped})
        self._api = event(spelled["runtime"], "cudaLaunchKernel", host,
                          {"External id": "%s", "cbid": "211", "correlation": "%s"})  # fmt: skip
        self._kernel = event(spelled["kernel"], "%s", device, {
            "External id": "%s", "queued": "0", "device": "0", "context": "1", "stream": "7", "correlation": "%s",
            "registers per thread": "32", "shared memory": "0", "blocks per SM": "%s", "warps per SM": "%s",
            "grid": "%s", "block": "%s", "est. achieved occupancy %%": "50"})  # fmt: skip
        main_thread = {"pid": str(PID), "tid": str(FIRST_THREAD)}
        self._step = event(spelled["step"], "ProfilerStep#%s", main_thread, {"External id": "%s"})
        arrow = {"cat": '"ac2g"', "name": '"ac2g"'}
        self._arrow_from, self._arrow_to = (
            self.layout.event({"ph": f'"{ph}"', "id": "%s", **where, "ts": "%s", **arrow, **more})
            for ph, where, more in (("s", host, {}), ("f", device, {"bp": '"e"'}))
        )
        self._memory = self.layout.event(
            {"ph": '"i"', "s": '"t"', "name": '"[memory]"', **host, "ts": "%s"},
            {"Total Reserved": "8000000000", "Total Allocated": "%s", "Bytes": "%s", "Addr": "%s", "Device Id": "0",
             "Device Type": "1"},
        )  # fmt: skip

    def _call(self, number: int) -> Iterator[str]:
        load, start, length = self.load, self._time.start, self._time.length
        thread = number % load.threads
        tid = FIRST_THREAD + thread
        at = self._now_ns[thread]
        edges = _EDGE_NS * (load.frames + load.depth)
        to = at + 2 * edges + load.launches * (_LAUNCH_NS + _EDGE_NS) + round(1000 * self._draw.random())
        self._now_ns[thread] = to + 400
        caller = 0
        for frame in range(load.frames):
            self._python += 1
            place = 20 * frame + number % 17
            kind, last = (self._module, place) if frame % 4 == 1 else (self._function, self._python)
            yield kind % (place, tid, start(at), length(to - at), self._python, caller, last)
            caller = self._python
            at, to = at + _EDGE_NS, to - _EDGE_NS
        for level in range(load.depth):
            self._external += 1
            self._operator += 1
            place = self._operator * 7919 % load.names
            name, shape, external = self._operators[place], self._shapes[(place + level) % 40], self._external
            yield self._op % (name, tid, start(at), length(to - at), external, shape, external)
            at, to = at + _EDGE_NS, to - _EDGE_NS
        for launch in range(load.launches):
            yield from self._launch((number * load.launches + launch) % load.kernels, tid, at)
            at += _LAUNCH_NS + _EDGE_NS

    def _launch(self, kernel: int, tid: int, at: int) -> Iterator[str]:
        """Yields an API call, its kernel, the arrows between them, and a memory event."""
        start, length = self._time.start, self._time.length
        self._correlation += 1
        owner, correlation = self._external, self._correlation
        yield self._api % (tid, start(at), length(_LAUNCH_NS), owner, correlation)
        busy = round(self._means_ns[kernel] * (0.97 + 0.06 * self._draw.random()))
        if kernel % 100 == 0:
            busy = round(busy * self.load.slower)
        runs = max(self._free_ns, at + 3_000)
        self._free_ns = runs + busy
        blocks = (kernel % 64 + 1) / 108
        yield self._kernel % (
            self._kernels[kernel], start(runs), length(busy), owner, correlation, f"{blocks:.6f}",
            f"{blocks * (kernel % 8 + 1):.6f}", *self._geometry[kernel % 64],
        )  # fmt: skip
        if self.load.arrows:
            yield self._arrow_from % (correlation, tid, start(at))
            yield self._arrow_to % (correlation, start(runs))
        if self.load.memory:
            size = 4096 if correlation % 2 else -4096
            self._held += size
            yield self._memory % (tid, start(at), self._held, size, 0x7F0000000000 + (correlation - 1) // 2 * 4096)


def _kernel(number: int, draw: random.Random) -> str:
    """Returns a kernel name as long as those of template instances."""
    tile = f"{draw.choice((64, 128, 256))}x{draw.choice((32, 64, 128))}"
    return (
        f"void at::native::vectorized_elementwise_kernel<{number % 4 + 1}, at::native::Functor{number}<float, {tile}>, "
        f"std::array<char*, {number % 3 + 1}ul> >(int, at::native::Functor{number}<float>, std::array<char*, 2ul>)"
    )


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    usual = Load()
    for field in fields(Load):
        value = getattr(usual, field.name)
        if isinstance(value, bool):
            parser.add_argument(f"--{field.name}", action=argparse.BooleanOptionalAction, default=value)
        else:
            parser.add_argument(f"--{field.name}", type=type(value), default=value)
    chosen = vars(parser.parse_args())
    out = chosen.pop("out")
    size = write(out, replace(usual, **chosen))
    print(f"{out}: {size / 1e6:.1f} MB of JSON, {out.stat().st_size / 1e6:.1f} MB stored")


if __name__ == "__main__":
    main()
