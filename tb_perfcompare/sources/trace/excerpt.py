"""Extracts part of a trace: the unchanged JSON text of every event that is active in a time range.

It includes complete events that overlap the range, all other events with a time in it (arrows, instants, counters),
and the metadata events that name and order their processes and threads. Root members other than the events are kept
unchanged.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping, Sequence
from dataclasses import field

import msgspec
import numpy as np

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.blocks import opened_blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.trace.columns.column_builder import METADATA, ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.columns.numbers import parse_times
from tb_perfcompare.sources.trace.document import read_document
from tb_perfcompare.sources.trace.repair.json_repair import repair
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

_COMPLETE = "X"
_TEXTS = msgspec.json.Decoder(list[msgspec.Raw])
_LEVEL = 6

Thread = tuple[str, str]
"""(process, thread) as texts: some traces write the same id both as a number and as a text."""


@dataclass(slots=True)
class Excerpt:
    """Texts of a part of a trace.

    events    JSON text of each event, in file order
    metadata  JSON text of the events that name their processes and threads
    members   the root's other members, repaired if necessary: key -> JSON text
    """

    events: list[bytes] = field(default_factory=list)
    metadata: list[bytes] = field(default_factory=list)
    members: Mapping[str, bytes] = field(default_factory=dict)


def read_excerpt(
    path: str | os.PathLike[str],
    first_ns: int,
    last_ns: int,
    *,
    fs: FileSystem = LOCAL,
    report: Reporter = silent,
    name: str | None = None,
) -> Excerpt:
    """Reads the events of a trace between two timestamps of its clock, in nanoseconds.

    `name` replaces the path in messages. Raises InputError if the file cannot be read, CorruptInput if it contains no
    events.
    """
    path = os.fspath(path)
    shown = name or path
    with opened_blocks(path, fs, report, shown=shown) as (blocks, tell):
        document = read_document(blocks, lambda: _ExcerptScanner(_TextCollector(first_ns, last_ns)), tell)
    scanner = document.scanner
    if not isinstance(scanner, _ExcerptScanner):
        raise CorruptInput(shown, "traceEvents is missing", hint="give a trace written by torch.profiler")
    return scanner.taken.excerpt(_valid_members(document.members))


def excerpt_file(excerpt: Excerpt, about: Mapping[str, object]) -> bytes:
    """A trace file of the excerpt; `about` describes it in a member of its own."""
    members = {**excerpt.members, "tb_perfcompare_excerpt": msgspec.json.encode(about)}
    return trace_text(members, [*excerpt.events, *excerpt.metadata])


def trace_text(members: Mapping[str, bytes], events: Sequence[bytes]) -> bytes:
    """A trace file of members and events given as JSON texts."""
    head = b",\n".join(msgspec.json.encode(key) + b": " + text for key, text in members.items())
    return b"{" + head + (b",\n" if head else b"") + b'"traceEvents": [\n' + b",\n".join(events) + b"\n]}\n"


def packed(text: bytes) -> bytes:
    """gzip data, always the same bytes for the same text."""
    return gzip.compress(text, _LEVEL, mtime=0)


def _valid_members(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The members as valid JSON: repaired if necessary and possible, else left out."""
    sound: dict[str, bytes] = {}
    for key, text in members.items():
        repaired = repair(_readable(text), _decoded_text)
        if repaired.value is not None:
            sound[key] = repaired.value
    return sound


def _decoded_text(text: bytes) -> bytes:
    msgspec.json.decode(text)
    return text


class _TextCollector(ColumnBuilder):
    """A ColumnBuilder that collects texts instead of columns."""

    def __init__(self, first_ns: int, last_ns: int) -> None:
        super().__init__()
        self._stretch = (first_ns, last_ns)
        self._threads: set[Thread] = set()
        self._events: list[bytes] = []
        self._descriptions: list[tuple[Thread, str, bytes]] = []

    def add(self, events: Sequence[Event]) -> None:
        """Adds events from a damaged place, written again from the members that could be read."""
        self.take(events, [_written(event) for event in events])

    def take(self, events: Sequence[Event], texts: Sequence[bytes | msgspec.Raw]) -> None:
        """Adds those events, given with their texts, that are in the time range."""
        self.counts.seen += len(events)
        for event, text in zip(events, texts, strict=True):
            if event.ph == METADATA:
                self._descriptions.append((_thread(event), event.name or "", _readable(bytes(text))))
        timed = [place for place, event in enumerate(events) if event.ph != METADATA]
        start = parse_times([events[place].ts for place in timed])
        length = np.zeros(len(timed), dtype=np.int64)
        lasting = [at for at, place in enumerate(timed) if events[place].ph == _COMPLETE]
        length[lasting] = np.maximum(parse_times([events[timed[at]].dur for at in lasting]).ns, 0)
        first_ns, last_ns = self._stretch
        inside = (start.ns < last_ns) & (start.ns + length > first_ns)
        inside |= (length == 0) & (start.ns >= first_ns) & (start.ns < last_ns)
        for at in np.flatnonzero(inside & start.valid).tolist():
            place = timed[at]
            self._events.append(_readable(bytes(texts[place])))
            self._threads.add(_thread(events[place]))

    def excerpt(self, members: Mapping[str, bytes]) -> Excerpt:
        """The collected events, with the names of their threads and processes."""
        processes = {pid for pid, _ in self._threads}
        metadata = [
            text
            for thread, name, text in self._descriptions
            if thread in self._threads or (name.startswith("process_") and thread[0] in processes)
        ]
        return Excerpt(self._events, metadata, members)


class _ExcerptScanner(PythonScanner):
    """PythonScanner that passes on the text of every event that it decodes."""

    def __init__(self, taken: _TextCollector) -> None:
        super().__init__(builder=taken)
        self.taken = taken

    def _take(self, events: list[Event], text: bytes) -> None:
        self.taken.take(events, _TEXTS.decode(text))


def _readable(text: bytes) -> bytes:
    """The text with a replacement character for every byte that is not UTF-8.

    The decoder does not check strings that it does not read.
    """
    return text if text.isascii() else text.decode("utf-8", "replace").encode("utf-8")


def _thread(event: Event) -> Thread:
    return str(event.pid), str(event.tid)


def _written(event: Event) -> bytes:
    members = msgspec.structs.asdict(event)
    return msgspec.json.encode({key: value for key, value in members.items() if value not in (None, b"null")})
