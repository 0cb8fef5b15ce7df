"""A recorded trace as steps of host and device events with their dependencies."""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Args = Mapping[str, Any]

DEVICE = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"})
RUNTIME = frozenset({"cuda_runtime", "cuda_driver", "hip_runtime", "Runtime"})
OPERATORS = frozenset({"cpu_op", "Operator"})
HOST = RUNTIME | OPERATORS | {"user_annotation", "python_function", "overhead"}
_PROPERTIES = (
    "schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds", "with_stack", "record_shapes",
    "profile_memory", "with_flops", "with_modules", "displayTimeUnit", "cuda_runtime_version", "hip_runtime_version",
)  # fmt: skip
"""Properties of the file that a replay keeps."""

WAITING_US, BLOCKED_US, RETURN_US = 8.0, 100.0, 60.0
"""A call of this length, or a launch of that one, waits for the device if it returns so soon after a device event."""

NEARLY, LONG_US, FEWEST = 0.9, 20.0, 100
"""Launches wait for room in the queue if so many took so long while it held this share of the most it ever did."""

HANDED_OVER_US, UNTIL_US, LOOKED_BACK = 20.0, 8.0, 40
"""A kernel that starts so late after launch and stream, but so soon after another stream, waits for that one."""


@dataclass(slots=True, eq=False)
class HostEvent:
    """Microseconds from the beginning of the step. `waits_for` a device event, or "all" that was launched before."""

    name: str
    cat: str
    thread: Any
    process: Any
    start: float
    end: float
    args: Args
    launches: list[DeviceEvent] = field(default_factory=list)
    waits_for: DeviceEvent | str | None = None
    lag: float = 0.0
    blocked: bool = False
    """It took long because as many launches as the driver takes were outstanding."""
    parent: HostEvent | None = None
    operator: HostEvent | None = None
    """Of an event that was not recorded: the operator it belongs to."""


@dataclass(slots=True, eq=False)
class DeviceEvent:
    """`slack` after what it waited for: its launch, what ran before it on the stream, or `after` on another one."""

    name: str
    cat: str
    stream: Any
    process: Any
    start: float
    end: float
    args: Args
    launch: HostEvent
    slack: float = 2.0
    queued: bool = False
    after: DeviceEvent | None = None

    @property
    def us(self) -> float:
        return self.end - self.start


@dataclass(slots=True, eq=False)
class Step:
    """Events of the host that begin in it, and of the device that these launch."""

    us: float
    host: list[HostEvent]
    device: list[DeviceEvent]


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Steps of a file, with what is written around them; `queue` launches are outstanding at most, where that many
    were."""

    properties: Args
    metadata: list[Args]
    marker: Args
    steps: list[Step]
    queue: int = 0


def recorded(path: Path, most: int | None = None) -> Recorded:
    """The first steps of a trace."""
    with gzip.open(path, "rt") as file:
        document = json.load(file)
    events = document["traceEvents"]
    complete = [event for event in events if event.get("ph") == "X" and "cat" in event]
    marks = [event for event in complete if event["name"].startswith("ProfilerStep#") and event["cat"] in HOST]
    marks.sort(key=lambda event: float(event["ts"]))
    launched: dict[Any, list[Args]] = {}
    for event in complete:
        if event["cat"] in DEVICE:
            launched.setdefault(event["args"].get("correlation"), []).append(event)
    host = [event for event in complete if event["cat"] in HOST and not event["name"].startswith("ProfilerStep#")]
    steps = []
    for mark, following in zip(marks[:most], [*marks[1:], None], strict=False):
        low = mark["ts"]
        high = low + mark["dur"] if following is None else following["ts"]
        steps.append(_step([event for event in host if low <= event["ts"] < high], launched, low, high))
    properties = {name: document[name] for name in _PROPERTIES if name in document}
    metadata = [event for event in events if event.get("ph") == "M"]
    return Recorded(properties, metadata, marks[0], steps, _queue_of(steps))


def _queue_of(steps: list[Step]) -> int:
    """The most launches that were outstanding, if calls took long while nearly as many were; else 0."""
    begin, returned, ended = 0.0, list[tuple[float, HostEvent]](), list[float]()
    for step in steps:
        for event in step.host:
            returned += [(begin + event.end, event)] * len(event.launches)
        ended += [begin + one.end for one in step.device]
        begin += step.us
    returned.sort(key=lambda item: item[0])
    ended.sort()
    outstanding = [at + 1 - bisect_left(ended, time) for at, (time, _) in enumerate(returned)]
    most = max(outstanding, default=0)
    long = [
        event for (_, event), number in zip(returned, outstanding, strict=True)
        if number >= NEARLY * most and event.end - event.start > LONG_US
    ]  # fmt: skip
    if most < FEWEST or len(long) < FEWEST:
        return 0
    for event in long:
        event.blocked = True
    return most


def _step(events: list[Args], launched: Mapping[Any, list[Args]], low: float, high: float) -> Step:
    host, device = [], []
    for event in events:
        end = min(event["ts"] + event.get("dur", 0), high) - low
        own = HostEvent(
            event["name"], event["cat"], event["tid"], event["pid"], event["ts"] - low, end, event.get("args", {})
        )
        host.append(own)
        for other in launched.get(own.args.get("correlation"), ()) if own.cat in RUNTIME else ():
            start = other["ts"] - low
            own.launches.append(DeviceEvent(
                other["name"], other["cat"], other["tid"], other["pid"], start, start + other["dur"], other["args"], own
            ))  # fmt: skip
        device += own.launches
    host.sort(key=lambda event: (event.start, -event.end))
    device.sort(key=lambda event: event.start)
    _nest(host)
    _queue(device)
    _wait(host, device)
    return Step(high - low, host, device)


def _nest(host: list[HostEvent]) -> None:
    stacks: dict[Any, list[HostEvent]] = {}
    for event in host:
        stack = stacks.setdefault(event.thread, [])
        while stack and stack[-1].end <= event.start:
            stack.pop()
        event.parent = stack[-1] if stack else None
        stack.append(event)


def _queue(device: list[DeviceEvent]) -> None:
    """Each device event after its launch, or after what ran before it on its stream or on another one."""
    last: dict[Any, DeviceEvent] = {}
    earlier: list[DeviceEvent] = []
    for event in device:
        before = last.get(event.stream)
        free = before.end if before else float("-inf")
        event.queued = event.launch.start < free - 1
        event.slack = event.start - max(event.launch.start, free)
        if event.slack > (UNTIL_US if event.queued else HANDED_OVER_US):
            others = [
                one for one in earlier[-LOOKED_BACK:] if one.stream != event.stream and one.end <= event.start + 1
            ]
            latest = max(others, key=lambda one: one.end, default=None)
            if latest is not None and event.start - latest.end < UNTIL_US:
                event.after, event.slack = latest, event.start - latest.end
        last[event.stream] = event
        earlier.append(event)


def _wait(host: list[HostEvent], device: list[DeviceEvent]) -> None:
    """Calls that wait for the device: they return soon after an event that was launched before."""
    order = sorted(device, key=lambda event: event.end)
    ends = [event.end for event in order]
    for event in host:
        us, name = event.end - event.start, event.name
        waits = "ynchron" in name or "emcpy" in name
        if event.cat not in RUNTIME or us < WAITING_US or not (waits or ("aunchKernel" in name and us > BLOCKED_US)):
            continue
        at = bisect_left(ends, event.end + 1) - 1
        while at >= 0 and order[at].launch.start > event.start:
            at -= 1
        if at >= 0 and order[at].end > event.start and event.end - order[at].end < RETURN_US:
            event.waits_for, event.lag = order[at], max(event.end - order[at].end, 0.5)
        elif at < 0 and "ynchron" in name and us > BLOCKED_US:
            event.waits_for, event.lag = "all", 2.0
