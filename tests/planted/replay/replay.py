"""Replays recorded steps: every stretch of the host and every kernel gets a new length, the rest follows."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.planted.replay.recorded import RUNTIME, Args, HostEvent, Recorded, Step

FIRST_US = 1_000_000.0
_IDS = ("External id", "external id")


@dataclass(slots=True, eq=False)
class Block:
    """Host events put in at a moment of the step; they count from there. `inside`: before the operator that ends there
    does; `begins`: after what starts there has."""

    at: float
    us: float
    host: list[HostEvent] = field(default_factory=list)
    inside: bool = False
    begins: bool = False


@dataclass(slots=True, eq=False)
class Edit:
    """What a fault does to a step, by id of the event: factors of own host time, host time added at the end, factors of
    device time, other names and arguments; blocks put in; a factor on all of the host, a share of its stretches that
    other processes lengthen, and whether streams run one after the other."""

    host: dict[int, float] = field(default_factory=dict)
    added: dict[int, float] = field(default_factory=dict)
    device: dict[int, float] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    args: dict[int, Args] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    pace: float = 1.0
    contended: float = 0.0
    one_stream: bool = False


@dataclass(frozen=True, slots=True)
class Noise:
    """Factors of a capture on host and device; deviations of ln(time) of steps, of stretches of the host and of
    kernels; share of the steps that stall."""

    host: float = 1.0
    device: float = 1.0
    steps: float = 0.0
    stretches: float = 0.0
    kernels: float = 0.0
    stalls: float = 0.0


def idle(random: Random) -> Noise:
    """A machine at rest."""
    return Noise(math.exp(random.gauss(0, 0.02)), math.exp(random.gauss(0, 0.004)), 0.02, 0.15, 0.01, 0.02)


def busy(random: Random) -> Noise:
    """A machine that others use, too."""
    return Noise(math.exp(random.gauss(0, 0.08)), math.exp(random.gauss(0, 0.006)), 0.06, 0.3, 0.01, 0.3)


def write(events: list[dict[str, Any]], of: Recorded, path: Path) -> None:
    """A trace of these events."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**of.properties, "traceEvents": [*of.metadata, *events]}
    path.write_bytes(gzip.compress(json.dumps(document).encode(), 1))


def replayed(
    of: Recorded, edit: Callable[[Step, int], Edit], noise: Noise, random: Random, steps: int
) -> tuple[list[dict[str, Any]], list[float]]:
    """(events, microseconds of each step on the host); the recorded steps come in turns."""
    replay = _Replay(of, noise, random)
    return replay.events, [replay.step(of.steps[at % len(of.steps)], edit, at) for at in range(steps)]


_Spans = list[tuple[HostEvent, float, float]]


class _Replay:
    def __init__(self, of: Recorded, noise: Noise, random: Random) -> None:
        self.events: list[dict[str, Any]] = []
        self._of, self._noise, self._random = of, noise, random
        self._whole = all(float(event.start).is_integer() for event in of.steps[0].host[:50])
        self._now = FIRST_US
        self._free: dict[Any, float] = {}
        self._ends: list[float] = []
        self._ran: dict[int, tuple[float, float]] = {}
        self._id = 0

    def step(self, step: Step, edit_of: Callable[[Step, int], Edit], number: int) -> float:
        edit, begin = edit_of(step, number), self._now
        spans = self._host(step, edit)
        self._write(spans, edit, number, begin)
        self._ran.clear()
        return self._now - begin

    def _factor(self, deviation: float) -> float:
        return math.exp(self._random.gauss(0, deviation)) if deviation else 1.0

    def _host(self, step: Step, edit: Edit) -> _Spans:
        """Goes along the moments at which something starts or ends."""
        moments: list[tuple[float, float, float, HostEvent | Block]] = []
        for event in step.host:
            moments.append((event.start, 2.0, -event.end, event))
            moments.append((event.end, 0.0 if event.cat in RUNTIME else 1.0, -event.start, event))
        for block in edit.blocks:
            moments.append((block.at, 0.5 if block.inside else 2.5 if block.begins else 1.5, 0.0, block))
        moments.sort(key=lambda moment: moment[:3])
        pace = self._noise.host * edit.pace * self._factor(self._noise.steps)
        stall = self._random.random() * step.us if self._random.random() < self._noise.stalls else math.inf
        spans: _Spans = []
        started: dict[int, float] = {}
        stack: list[HostEvent] = []
        before = 0.0
        for at, _, _, what in moments:
            if at > before:
                self._now += self._stretch(at - before, stack[-1] if stack else None, edit) * pace
                if at >= stall:
                    self._now, stall = self._now + step.us * self._random.uniform(0.01, 0.1), math.inf
                before = at
            if isinstance(what, Block):
                spans += self._block(what, edit, pace)
            elif id(what) not in started:
                started[id(what)] = self._now
                stack.append(what)
                self._launch(what, self._now, edit)
            else:
                self._now = max(self._now, self._returns(what)) + edit.added.get(id(what), 0.0) * pace
                spans.append((what, started[id(what)], self._now))
                stack.remove(what)
        self._now += max(step.us - before, 0.0) * pace
        return spans

    def _stretch(self, us: float, owner: HostEvent | None, edit: Edit) -> float:
        if owner is not None and (owner.waits_for is not None or owner.blocked):
            us = min(us, 6.0 if owner.blocked else 2.0)
        us *= edit.host.get(id(owner), 1.0) * self._factor(self._noise.stretches)
        if edit.contended and self._random.random() < edit.contended:
            us += min(us * self._random.expovariate(1 / 4), 2000.0)
        return us

    def _block(self, block: Block, edit: Edit, pace: float) -> _Spans:
        spans: _Spans = []
        late, begin = 0.0, self._now
        for event in sorted(block.host, key=lambda event: event.end):
            end = begin + event.end * pace + late
            self._launch(event, begin + event.start * pace + late, edit)
            late += max(self._returns(event) - end, 0.0)
            spans.append((event, begin + event.start * pace, begin + event.end * pace + late))
        self._now = begin + block.us * pace + late
        return spans

    def _returns(self, event: HostEvent) -> float:
        """When what it waits for has ended, and the queue has room for what it launches."""
        room = len(self._ends) - self._of.queue
        if event.launches and self._of.queue and room >= 0:
            return self._ends[room]
        if event.waits_for == "all":
            return max(self._free.values(), default=0.0) + event.lag
        ran = self._ran.get(id(event.waits_for))
        return 0.0 if ran is None else ran[1] + event.lag

    def _launch(self, event: HostEvent, now: float, edit: Edit) -> None:
        for launch in event.launches:
            us = launch.us * edit.device.get(id(launch), 1.0) * self._noise.device * self._factor(self._noise.kernels)
            free = self._free.get(launch.stream, 0.0)
            after = self._ran.get(id(launch.after))
            if after is not None:
                start = max(after[1] + launch.slack, free + 0.5, now + 3)
            elif launch.queued:
                start = max(free + max(launch.slack, 0.3), now + 4)
            else:
                start = max(now + max(launch.slack, 1.0), free + 0.8)
            if edit.one_stream and self._free:
                start = max(start, max(self._free.values()) + 1)
            self._ran[id(launch)] = start, start + us
            self._free[launch.stream] = max(start + us, free)
            self._ends.append(start + us)

    def _write(self, spans: _Spans, edit: Edit, number: int, begin: float) -> None:
        marker, args = self._of.marker, {"External id": self._next()}
        name = f"ProfilerStep#{number + 5}"
        self._event(marker["cat"], name, marker["pid"], marker["tid"], begin, self._now, args)
        numbers: dict[Any, int] = {}
        for event, start, end in spans:
            if event.cat not in RUNTIME:
                args = dict(edit.args.get(id(event), event.args))
                args.pop("Ev Idx", None)
                for name in _IDS:
                    if name in args:
                        args[name] = numbers.setdefault(args[name], self._next())
                self._event(event.cat, event.name, event.process, event.thread, start, end, args)
        for event, start, end in spans:
            if event.cat in RUNTIME:
                self._call(event, start, end, numbers, edit)

    def _call(self, event: HostEvent, start: float, end: float, numbers: dict[Any, int], edit: Edit) -> None:
        correlation = self._next()

        def linked(args: Args) -> dict[str, Any]:
            found = dict(args)
            owner = None if event.operator is None else event.operator.args
            for name in _IDS:
                if name in found:
                    own = found[name] == args.get("correlation")
                    number = owner.get(_IDS[0], owner.get(_IDS[1])) if owner is not None else found[name]
                    found[name] = correlation if own and owner is None else numbers.get(number, 0)
            if "correlation" in found or event.launches:
                found["correlation"] = correlation
            return found

        self._event(event.cat, event.name, event.process, event.thread, start, end, linked(event.args))
        for one in event.launches:
            self._event(
                one.cat, edit.names.get(id(one), one.name), one.process, one.stream, *self._ran[id(one)],
                linked(edit.args.get(id(one), one.args)),
            )  # fmt: skip

    def _event(
        self, cat: str, name: str, process: object, thread: object, start: float, end: float, args: Args
    ) -> None:
        ends = (round(start), round(end)) if self._whole else (round(start, 3), round(end, 3))
        self.events.append({
            "ph": "X", "cat": cat, "name": name, "pid": process, "tid": thread, "ts": ends[0],
            "dur": round(max(ends[1] - ends[0], 0), 3), "args": args,
        })  # fmt: skip

    def _next(self) -> int:
        self._id += 1
        return self._id
