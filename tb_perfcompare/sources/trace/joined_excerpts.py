"""Joins two excerpts into one trace for a trace viewer: both start at 0, with distinct processes.

Times are shifted exactly, in nanoseconds. Processes and arrows are renumbered, because both runs use the same numbers;
threads identified by a text get a number. All other parts of an event are unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import msgspec

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.numbers import parse_times
from tb_perfcompare.sources.trace.excerpt import Excerpt, trace_text

_EVENT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PLACE = msgspec.json.Decoder(int | float | str | None)
_ARGS = msgspec.json.Decoder(dict[str, str])
_PROCESS_NAME = b'"process_name"'
_NAMES = frozenset({_PROCESS_NAME, b'"process_labels"', b'"process_sort_index"'})
_ARROWS = (b'"s"', b'"t"', b'"f"')

Event = dict[str, msgspec.Raw]
Place = int | float | str | None


@dataclass(frozen=True, slots=True)
class JoinedSide:
    """One excerpt, the prefix of its processes' names, and the timestamp of its clock that becomes 0."""

    label: str
    excerpt: Excerpt
    zero_ns: int


def joined_file(sides: Sequence[JoinedSide]) -> bytes:
    """A trace with the events of all sides; the processes of the first side come first."""
    numbers = _Numbers()
    texts: list[bytes] = []
    for side in sides:
        texts += _RenumberedSide(side, numbers).texts()
    return trace_text({"displayTimeUnit": b'"ms"'}, texts)


@dataclass(slots=True)
class _Numbers:
    """Numbers of processes and arrows assigned so far, on all sides."""

    processes: int = 0
    arrows: int = 0


@dataclass(slots=True)
class _RenumberedSide:
    side: JoinedSide
    numbers: _Numbers
    processes: dict[str, int] = field(default_factory=dict)
    threads: dict[tuple[str, str], int] = field(default_factory=dict)
    arrows: dict[bytes, int] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)

    def texts(self) -> list[bytes]:
        """All events, then the names and the order of processes, and the names of renumbered threads."""
        events = [_EVENT.decode(text) for text in self.side.excerpt.events]
        times = parse_times([event.get("ts", msgspec.Raw(b"null")) for event in events])
        texts = []
        for event, at in zip(events, times.ns.tolist(), strict=True):
            self._place(event)
            event["ts"] = _microseconds(at - self.side.zero_ns)
            if bytes(event.get("ph", b"")) in _ARROWS and "id" in event:
                event["id"] = self._arrow(bytes(event["id"]))
            texts.append(_joined(event))
        for text in self.side.excerpt.metadata:
            event = _EVENT.decode(text)
            if bytes(event.get("name", b"")) in _NAMES:
                self._name(event)
                continue
            self._place(event)
            event["ts"] = msgspec.Raw(b"0")
            texts.append(_joined(event))
        return texts + self._descriptions()

    def _place(self, event: Event) -> None:
        pid, tid = _decoded(event.get("pid")), _decoded(event.get("tid"))
        event["pid"] = _number(self._process(pid))
        if not isinstance(tid, int):
            event["tid"] = _number(self._thread(pid, tid))

    def _process(self, pid: Place) -> int:
        if str(pid) not in self.processes:
            self.numbers.processes += 1
            self.processes[str(pid)] = self.numbers.processes
        return self.processes[str(pid)]

    def _thread(self, pid: Place, tid: Place) -> int:
        """Number for a thread identified by a text: its numerical value if it is a number."""
        text = str(tid)
        if text.isascii() and text.lstrip("-").isdigit() and len(text) < 16:
            return int(text)
        return self.threads.setdefault((str(pid), text), _FIRST_THREAD + len(self.threads))

    def _arrow(self, number: bytes) -> msgspec.Raw:
        if number not in self.arrows:
            self.numbers.arrows += 1
            self.arrows[number] = self.numbers.arrows
        return _number(self.arrows[number])

    def _name(self, event: Event) -> None:
        """Collects the names of a process: its name and its labels become one name."""
        try:
            values = _ARGS.decode(event.get("args", msgspec.Raw(b"{}"))).values()
        except msgspec.MsgspecError:
            return  # a sort index, which is assigned again
        names = self.named.setdefault(str(_decoded(event.get("pid"))), [])
        # the process name is more specific than its labels
        at = 0 if bytes(event["name"]) == _PROCESS_NAME else len(names)
        names[at:at] = values

    def _descriptions(self) -> list[bytes]:
        texts = []
        for pid, number in self.processes.items():
            names = " ".join(dict.fromkeys(text for text in self.named.get(pid, []) if text))
            name = f"{self.side.label}: {names or pid}"
            texts.append(_metadata("process_name", number, 0, {"name": name}))
            texts.append(_metadata("process_sort_index", number, 0, {"sort_index": number}))
        for (pid, tid), number in self.threads.items():
            texts.append(_metadata("thread_name", self.processes[pid], number, {"name": tid}))
        return texts


_FIRST_THREAD = 1_000_000


def _decoded(raw: msgspec.Raw | None) -> Place:
    return None if raw is None else _PLACE.decode(raw)


def _number(value: int) -> msgspec.Raw:
    return msgspec.Raw(b"%d" % value)


def _microseconds(ns: int) -> msgspec.Raw:
    """Microseconds with three decimals, as in Kineto."""
    whole, rest = divmod(abs(ns), 1000)
    return msgspec.Raw(b"%s%d.%03d" % (b"-" if ns < 0 else b"", whole, rest))


def _joined(event: Event) -> bytes:
    return b"{" + b",".join(msgspec.json.encode(key) + b":" + bytes(text) for key, text in event.items()) + b"}"


def _metadata(name: str, pid: int, tid: int, args: dict[str, str | int]) -> bytes:
    return msgspec.json.encode({"ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args})
