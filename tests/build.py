"""A fluent builder of torch.profiler traces (tests/picture.py draws them instead).

    trace = TraceBuilder()
    trace.step(1, 0, 250)
    trace.op("aten::mm", 10, 140, dims=[[64, 64], [64, 64]])
    trace.kernel("gemm", 50, 90, launch=(20, 40))
    trace.write(tmp_path / "worker0.1700000000001.pt.trace.json.gz")

Times are microseconds from the start of the recording; they are kept as integer nanoseconds and written exactly.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from tests.events import ABSOLUTE_BASE_NS, DEVICE_PROPERTIES, MAIN, OLD_CATEGORY, VENDORS, Event, Spelling, nanoseconds

__all__ = ["ABSOLUTE_BASE_NS", "MAIN", "VENDORS", "Event", "TraceBuilder"]


class TraceBuilder:
    """Collects events and writes them as torch.profiler would.

    spelling      "modern" (cpu_op, decimal times) or "2021" (Operator, text thread ids, whole microseconds)
    vendor        key of VENDORS; "cpu" has no device
    base_ns       added to every `ts`; ABSOLUTE_BASE_NS for absolute stamps
    ids           "operator": launches carry the External id of their operator; "correlation": their own correlation
    window        write the `PyTorch Profiler (0)` event around everything
    Every method that adds an event returns the builder's number for it: External id of host events, correlation of
    launches and device work.
    """

    def __init__(
        self, *, spelling: Spelling = "modern", vendor: str = "cuda", base_ns: int = 0,
        whole_us: bool | None = None, ids: Literal["operator", "correlation"] = "operator",
        rank: int | None = None, world_size: int = 1, window: bool = True,
    ) -> None:  # fmt: skip
        self.spelling = spelling
        self.vendor = VENDORS[vendor]
        self.vendor_key = vendor
        self.base_ns = base_ns
        self.whole_us = spelling == "2021" if whole_us is None else whole_us
        self.ids = ids
        self.window = window
        self.events: list[Event] = []
        self._owners: dict[int | str, list[tuple[int, int, int, Event]]] = {}
        self.devices: set[int] = set()
        self.properties: dict[str, Any] = {"schemaVersion": 1}
        if rank is not None:
            info = {"backend": self.vendor.collectives, "rank": rank, "world_size": world_size}
            self.properties["distributedInfo"] = info
        self._external = 0
        self._correlation = 0

    # -- host -----------------------------------------------------------------------------------------------------
    def op(self, name: str, start: float, end: float, *, thread: int = MAIN, dims: Sequence[Any] | None = None,
           cat: str = "cpu_op", **args: Any) -> int:  # fmt: skip
        """A host event; operators nest by time. Returns its External id."""
        self._external += 1
        shapes = {} if dims is None else {"Input Dims": list(dims), "Input type": ["float"] * len(dims)}
        self._add(cat, name, MAIN, thread, start, end, {"External id": self._external, **shapes, **args})
        return self._external

    def annotation(self, name: str, start: float, end: float, *, thread: int = MAIN,
                   twin: tuple[float, float] | None = None, stream: int = 7, device: int = 0) -> int:  # fmt: skip
        """A user_annotation; `twin` is the span of its copy on a device stream."""
        number = self.op(name, start, end, thread=thread, cat="user_annotation")
        if twin is not None:
            self._device("gpu_user_annotation", name, twin[0], twin[1], device, stream, {"External id": number})
        return number

    def step(self, number: int, start: float, end: float, *, thread: int = MAIN,
             twin: tuple[float, float] | None = None) -> int:  # fmt: skip
        """The marker of a training step."""
        return self.annotation(f"ProfilerStep#{number}", start, end, thread=thread, twin=twin)

    def loader(self, start: float, end: float, *, iterator: str = "_SingleProcessDataLoaderIter",
               thread: int = MAIN) -> int:  # fmt: skip
        """Waiting for the next batch."""
        return self.annotation(f"enumerate(DataLoader)#{iterator}.__next__", start, end, thread=thread)

    def python(self, name: str, start: float, end: float, *, number: int, parent: int | None = None,
               module: int | None = None, thread: int = MAIN) -> None:  # fmt: skip
        """A Python function, or (with `module`) the forward call of an nn.Module."""
        args: dict[str, Any] = {"Python id": number, "Python parent id": parent}
        if module is not None:
            args["Python module id"] = module
        self._add("python_function", name, MAIN, thread, start, end, args)

    def call(self, name: str, start: float, end: float, *, thread: int = MAIN, external_id: int | None = None,
             cat: str | None = None, linked: bool = True) -> int:  # fmt: skip
        """A host API call, by default of the innermost operator around it. Returns its correlation.

        `cu...` names of CUDA's driver API (cuLaunchKernel) get its category unless `cat` says otherwise.
        """
        self._correlation += 1
        if external_id is None:
            external_id = self.innermost(start, end, thread)
        args: dict[str, Any] = {} if not linked else {"correlation": self._correlation}
        self._set_id(args, external_id, self._correlation)
        is_driver = name.startswith("cu") and not name.startswith("cuda")
        cat = cat or ("cuda_driver" if is_driver else self.vendor.runtime)
        self._add(cat, name, MAIN, thread, start, end, args)
        return self._correlation

    def memory(self, at: float, size: int, *, address: int = 0x7F00, allocated: int = 0, reserved: int = 0,
               device: int = -1, thread: int = MAIN) -> None:  # fmt: skip
        """An allocation (`size` > 0) or a release; `device` -1 is the host's memory."""
        args: dict[str, Any] = {"Device Type": 0 if device < 0 else self.vendor.memory_type, "Device Id": device}
        args["Bytes"] = size
        if self.spelling == "modern":
            args |= {"Addr": address, "Total Allocated": allocated, "Total Reserved": reserved}
        cat = "cpu_instant_event" if self.spelling == "modern" else None
        instant = Event("i", cat, "[memory]", MAIN, thread, nanoseconds(at), None, args, {"s": "t"})
        self.events.append(instant)

    def counter(self, name: str, at: float, *, pid: int = MAIN, **values: float) -> None:
        """A sample of each value."""
        self.events.append(Event("C", "counters", name, pid, 0, nanoseconds(at), None, dict(values)))

    def range(self, name: str, at: float, metrics: dict[str, float]) -> None:
        """A range that the profiler measured."""
        self.events.append(Event("X", "cuda_profiler_range", name, 0, 0, nanoseconds(at), 1000, dict(metrics)))

    def forward_backward(self, number: int, forward: float, backward: float, *, backward_thread: int = MAIN + 1,
                         forward_thread: int = MAIN) -> None:  # fmt: skip
        """The arrow from a forward operator to its backward one, at the starts of both."""
        cat = "fwdbwd" if self.spelling == "modern" else "forward_backward"
        for phase, thread, at in (("s", forward_thread, forward), ("f", backward_thread, backward)):
            extra: dict[str, Any] = {"id": number} | ({"bp": "e"} if phase == "f" else {})
            self.events.append(Event(phase, cat, cat, MAIN, thread, nanoseconds(at), None, None, extra))

    # -- device ---------------------------------------------------------------------------------------------------
    def kernel(self, name: str, start: float, end: float, *, launch: tuple[float, float] | None = None,
               thread: int = MAIN, stream: int = 7, device: int = 0, external_id: int | None = None,
               grid: Sequence[int] = (64, 1, 1), block: Sequence[int] = (256, 1, 1), occupancy: float = 50,
               blocks_per_sm: float = 2.0, api: str | None = None, **args: Any) -> int:  # fmt: skip
        """A kernel; `launch` is the span of the API call that started it (None: unlinked)."""
        shape: dict[str, Any] = {"grid": list(grid), "block": list(block)}
        if self.vendor_key == "mlu":
            shape = {"kernel type": "UNION1", "dim": "[4,1,1]", "tasktopo": 0, "tasktopo node": 0}
        elif self.vendor_key == "cuda":
            shape |= {"registers per thread": 32, "shared memory": 0, "blocks per SM": blocks_per_sm}
            shape["est. achieved occupancy %"] = occupancy
        api = api or self.vendor.launch
        cat = self.vendor.kernel
        return self._launched(cat, name, start, end, launch, thread, stream, device, external_id, api, shape | args)

    def memcpy(self, start: float, end: float, *, kind: str = "HtoD (Pinned -> Device)", size: int = 4096,
               launch: tuple[float, float] | None = None, thread: int = MAIN, stream: int = 7, device: int = 0,
               external_id: int | None = None) -> int:  # fmt: skip
        """A copy to, from or on the device."""
        rate = size / (1000 * (end - start)) if end > start else 0.0
        args = {"bytes": size, "memory bandwidth (GB/s)": rate}
        name, api = f"Memcpy {kind}", self.vendor.copy
        return self._launched("gpu_memcpy", name, start, end, launch, thread, stream, device, external_id, api, args)

    def memset(self, start: float, end: float, *, size: int = 4096, launch: tuple[float, float] | None = None,
               thread: int = MAIN, stream: int = 7, device: int = 0) -> int:  # fmt: skip
        """Filling device memory."""
        name, api, args = "Memset (Device)", self.vendor.fill, {"bytes": size}
        return self._launched("gpu_memset", name, start, end, launch, thread, stream, device, None, api, args)

    def collective(self, name: str, host: tuple[float, float], device_span: tuple[float, float], *,
                   elements: int = 1024, group: int = 2, thread: int = MAIN, stream: int = 13,
                   device: int = 0) -> int:  # fmt: skip
        """A collective such as "all_reduce": its host annotation, launch and kernel. Returns the correlation."""
        plain, library = name.replace("_", ""), self.vendor.collectives
        camel = "".join(part.capitalize() for part in name.split("_"))
        args: dict[str, Any] = {}
        kernel = f"{library}{camel}RingLLKernel_sum_f32(ncclColl)"
        if self.spelling == "modern":
            args = {"Collective name": plain, "In msg nelems": elements, "Out msg nelems": elements, "dtype": "Float"}
            args |= {"Group size": group, "Process Group Name": "0", "Seq": self._correlation}
            owner = self.op("record_param_comms", *host, thread=thread, dims=[[elements]], **args)
            self.annotation(f"{library}:{name}", *host, thread=thread, twin=device_span, stream=stream, device=device)
            kernel = f"{library}DevKernel_{camel}_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        else:
            owner = self.op(f"{library}:{name}", *host, thread=thread, dims=[[elements]])
        return self.kernel(kernel, *device_span, launch=host, thread=thread, stream=stream, device=device,
                           external_id=owner, grid=(24, 1, 1), block=(288, 1, 1), **args)  # fmt: skip

    # -- writing --------------------------------------------------------------------------------------------------
    def encode(self, order: Iterable[int] | None = None) -> bytes:
        """The file's bytes; `order` permutes the events (metadata stays at the end)."""
        events = self.events if order is None else [self.events[i] for i in order]
        lines = [e.encode(self.base_ns, self.whole_us) for e in [*events, *self._metadata()]]
        head = {**self.properties, "deviceProperties": self._device_properties()}
        if self.spelling == "modern" and 0 <= self.base_ns < ABSOLUTE_BASE_NS // 2:
            head["baseTimeNanoseconds"] = ABSOLUTE_BASE_NS
        text = json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"
        return text.encode()

    def document(self) -> dict[str, Any]:
        """The trace as json.loads gives it."""
        decoded: dict[str, Any] = json.loads(self.encode())
        return decoded

    def write(self, path: Path | str, order: Iterable[int] | None = None) -> Path:
        """Writes the file, compressed when its name ends in .gz, always to the same bytes."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = self.encode(order)
        path.write_bytes(gzip.compress(content, 6, mtime=0) if path.suffix == ".gz" else content)
        return path

    def innermost(self, start: float, end: float, thread: int = MAIN) -> int | None:
        """External id of the shortest host event already drawn around a span, steps excepted."""
        lo, hi, tid = nanoseconds(start), nanoseconds(end), self._host_tid(thread)
        best, shortest = None, 0
        for latest, start_ns, end_ns, event in reversed(self._owners.get(tid, ())):
            if latest < hi:
                break
            if start_ns <= lo and hi <= end_ns and (best is None or end_ns - start_ns <= shortest):
                best, shortest = event, end_ns - start_ns
        return None if best is None or best.args is None else int(best.args["External id"])

    def _set_id(self, args: dict[str, Any], external_id: int | None, correlation: int) -> None:
        if self.ids == "correlation":
            external_id = correlation
        if external_id is not None:
            args["external id" if self.spelling == "2021" else "External id"] = external_id

    def _host_tid(self, thread: int) -> int | str:
        return str(thread) if self.spelling == "2021" else thread

    def _add(self, cat: str, name: str, pid: int, thread: int, start: float, end: float, args: dict[str, Any]) -> None:
        lo, hi = nanoseconds(start), nanoseconds(end)
        cat = OLD_CATEGORY.get(cat, cat) if self.spelling == "2021" else cat
        event = Event("X", cat, name, pid, self._host_tid(thread), lo, hi - lo, args)
        self.events.append(event)
        is_operator = cat in ("cpu_op", "Operator", "user_annotation") and "External id" in args
        if is_operator and not name.startswith("ProfilerStep#"):
            owners = self._owners.setdefault(event.tid, [])
            latest = max(hi, owners[-1][0]) if owners else hi  # where the last of all so far ends
            owners.append((latest, lo, hi, event))

    def _device(self, cat: str, name: str, start: float, end: float, device: int, stream: int,
                args: dict[str, Any]) -> None:  # fmt: skip
        if self.vendor_key == "cpu":
            raise ValueError(f"{name}: vendor cpu has no device")
        self.devices.add(device)
        lo, hi = nanoseconds(start), nanoseconds(end)
        old = self.spelling == "2021"
        tid: int | str = f"stream {stream}" if old else stream
        cat = OLD_CATEGORY.get(cat, cat) if old else cat
        self.events.append(Event("X", cat, name, device, tid, lo, hi - lo, args))

    def _launched(self, cat: str, name: str, start: float, end: float, launch: tuple[float, float] | None,
                  thread: int, stream: int, device: int, external_id: int | None, api: str,
                  args: dict[str, Any]) -> int:  # fmt: skip
        where = {"device": device, "context": 1, "stream": stream}
        if launch is None:
            self._correlation += 1
            correlation = self._correlation
        else:
            if external_id is None:
                external_id = self.innermost(*launch, thread)
            correlation = self.call(api, *launch, thread=thread, external_id=external_id)
            where["correlation"] = correlation
            self._set_id(where, external_id, correlation)
        self._device(cat, name, start, end, device, stream, where | args)
        return correlation

    def _device_properties(self) -> list[dict[str, Any]]:
        count = max(self.devices, default=-1) + 1
        if self.vendor_key == "mlu":
            return [{"id": i, "name": self.vendor.device_name, "totalMem(MiB)": 23374} for i in range(count)]
        return [{"id": i, "name": self.vendor.device_name, **DEVICE_PROPERTIES} for i in range(count)]

    def _metadata(self) -> list[Event]:
        """Names of processes and threads, and the window of the recording."""
        if not self.events:
            return []
        start = min(e.start_ns for e in self.events)
        end = max(e.end_ns for e in self.events)
        out = [Event("M", None, "process_labels", MAIN, 0, start, None, {"labels": "CPU"})]
        out.append(Event("M", None, "process_name", MAIN, 0, start, None, {"name": "python"}))
        for device in sorted(self.devices):
            label = {"labels": f"{self.vendor.label} {device}"}
            out.append(Event("M", None, "process_labels", device, 0, start, None, label))
        if self.window:
            pid = "Spans" if self.spelling == "modern" else "Traces"
            name = "PyTorch Profiler (0)"
            out.append(Event("X", "Trace", name, pid, "PyTorch Profiler", start, end - start, {"Op count": 0}))
            start_name = "Iteration Start: PyTorch Profiler"
            out.append(Event("i", None, start_name, "Traces", "Trace PyTorch Profiler", start, None, None, {"s": "g"}))
            out.append(Event("i", None, "Record Window End", "", "", end, None, None, {"s": "g"}))
        return out
