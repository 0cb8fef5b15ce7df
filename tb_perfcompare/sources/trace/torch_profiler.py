"""Reads torch.profiler traces: `<worker>[.<stamp>].pt.trace.json[.gz]`, written by Kineto in the Chrome trace format.

    {"schemaVersion": 1, "deviceProperties": [...], "traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 1691.047, "dur": 12.5,
       "args": {"External id": 1}}, ...

Read: complete events, memory events, counters, forward-backward arrows, process and thread names, the root's other
members. Only counted: launch arrows, other instants. Repairs and dropped events: docs/inputs/trace_format.md.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

import msgspec

from tb_perfcompare.errors import CorruptInput, unreadable
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.recordings.recording import ReadStats, TraceEvents, TraceRecording
from tb_perfcompare.sources.recognition.format_sniffers import LFS_POINTER
from tb_perfcompare.sources.storage.blocks import BLOCK_BYTES, GZIP_MAGIC, Blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem
from tb_perfcompare.sources.trace.columns.event import Counts
from tb_perfcompare.sources.trace.counter_samples import counter_samples
from tb_perfcompare.sources.trace.document import MAX_MEMBER_BYTES, Document, State, read_document
from tb_perfcompare.sources.trace.event_list import EventList
from tb_perfcompare.sources.trace.repair.json_repair import repair
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner
from tb_perfcompare.sources.trace.scanners.scan_threads import allowed_threads
from tb_perfcompare.sources.trace.scanners.scanner_choice import active_reader, new_scanner

READER = "torch_profiler"

_EVENTS_KEY = "traceEvents"
_MAX_LISTED = 20
_LONGEST_KEY = 60
_UNPACK = "unpack it, or pack it with gzip"
_ENCODE = "save it as UTF-8"
_FOREIGN_MAGIC = {
    b"PK\x03\x04": ("a zip archive", _UNPACK), b"BZh": ("bzip2", _UNPACK), b"\xfd7zXZ": ("xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("zstd", _UNPACK), GZIP_MAGIC: ("gzip within gzip", "unpack it once"),
    LFS_POINTER: ("a Git LFS pointer", "fetch the file with git lfs pull"),
    b"\xff\xfe": ("UTF-16", _ENCODE), b"\xfe\xff": ("UTF-16", _ENCODE), b"{\0": ("UTF-16", _ENCODE),
    b"\0{": ("UTF-16", _ENCODE), b"<": ("a web page", "download the file itself; the address may need a login"),
}  # fmt: skip
"""First bytes of the text -> (what they begin, what to do about it)."""


def read_trace(
    path_or_file: str | os.PathLike[str] | BinaryIO,
    *,
    fs: FileSystem = LOCAL,
    report: Reporter = silent,
    want_hash: bool = True,
    name: str | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> TraceRecording:
    """Reads one trace as columns.

    path_or_file  path for `fs`, or an open binary file (left open)
    report        called for every block with the phase "reading"; it may raise to stop the reading and all its threads
    want_hash     compute the sha256 of the stored bytes
    name          name of the file in facts, notes and errors; its basename if None
    block_bytes   size of the blocks decompressed in advance; affects memory, not results

    Raises InputError if the file cannot be opened or read, CorruptInput if nothing in it is usable.
    """
    with _reading(path_or_file, fs, report, name) as (reading, file):
        return reading.read(file, want_hash, block_bytes)


def read_events(
    path_or_file: str | os.PathLike[str] | BinaryIO, *, fs: FileSystem = LOCAL, report: Reporter = silent,
    name: str | None = None,
) -> TraceEvents:  # fmt: skip
    """Reads one trace as decoded events, unchanged. Arguments and errors are those of `read_trace`."""
    with _reading(path_or_file, fs, report, name) as (reading, file):
        return reading.read_events(file)


@contextmanager
def _reading(
    path_or_file: str | os.PathLike[str] | BinaryIO, fs: FileSystem, report: Reporter, name: str | None
) -> Iterator[tuple[_Reading, BinaryIO]]:
    if not isinstance(path_or_file, (str, os.PathLike)):
        shown = name or str(getattr(path_or_file, "name", "trace"))
        yield _Reading(shown, shown, 0, report), path_or_file
        return
    path = os.fspath(path_or_file)
    try:
        size = fs.stat(path).bytes
        with fs.open(path) as file:
            yield _Reading(path, name or fs.basename(path), size, report), file
    except OSError as error:
        raise unreadable(path, error) from error


class _Reading:
    """Reads one file once."""

    def __init__(self, path: str, name: str, size: int, report: Reporter) -> None:
        self._path = path
        self._name = name
        self._size = size
        self._report = report

    def read(self, file: BinaryIO, want_hash: bool, block_bytes: int) -> TraceRecording:
        reader = active_reader()
        count = allowed_threads()
        with paused_collector(), ThreadPoolExecutor(count, thread_name_prefix="scan") as threads:

            def scanner(blocks: Blocks) -> PythonScanner:
                # decompression takes longer than scanning, and already has its own thread
                return new_scanner(reader, threads, 1 if blocks.is_packed else count)

            document, blocks = self._document(file, scanner, want_hash, block_bytes)
            assert document.scanner is not None
            events, gathered = document.scanner.finish()
        counts = gathered.counts + gathered.counters.counts
        kept = len(events) + gathered.counters.kept + len(gathered.ranges)
        if counts.seen and not kept and not len(gathered.flows) and not counts.skipped:
            reasons = ", ".join(f"{reason} ({count})" for reason, count in sorted(counts.dropped.items()))
            raise CorruptInput(
                self._path,
                f"no usable event among {counts.seen:,}: {reasons}",
                place="traceEvents",
                hint="give a trace written by torch.profiler",
            )
        properties = _properties(document, counts.repaired)
        return TraceRecording(
            file=FileFacts(self._name, blocks.stored_bytes, blocks.sha256),
            events=events,
            flows=gathered.flows,
            properties=properties,
            process_labels=gathered.process_labels,
            process_names=gathered.process_names,
            thread_names=gathered.thread_names,
            stats=ReadStats(
                events=counts.seen,
                kept=kept,
                dropped=dict(counts.dropped),
                skipped=dict(counts.skipped),
                raw_bytes=blocks.raw_bytes,
                complete=_is_complete(document),
                reader=f"{READER}/{reader}",
            ),
            notes=tuple(self._notes(counts, document, blocks)),
            counters=counter_samples(gathered.counters, gathered.process_labels, events),
            ranges=gathered.ranges,
        )

    def read_events(self, file: BinaryIO) -> TraceEvents:
        lists: list[EventList] = []

        def scanner(blocks: Blocks) -> PythonScanner:
            lists.append(EventList())  # the last of several lists of events counts
            return PythonScanner(builder=lists[-1])

        with paused_collector():
            document, blocks = self._document(file, scanner, False, BLOCK_BYTES)
        counts = lists[-1].counts
        properties = _properties(document, counts.repaired)
        notes = tuple(self._notes(counts, document, blocks))
        return TraceEvents(FileFacts(self._name, blocks.stored_bytes), lists[-1].events, properties, notes)

    def _document(
        self, file: BinaryIO, scanner: Callable[[Blocks], PythonScanner], want_hash: bool, block_bytes: int
    ) -> tuple[Document, Blocks]:
        """The root, whose scanner has seen all events, and the finished blocks."""
        with Blocks(file, want_hash=want_hash, block_bytes=block_bytes) as blocks:

            def tell(events: int) -> None:
                self._report(Progress("reading", self._path, blocks.stored_bytes, self._size, events))

            document = read_document(blocks, partial(scanner, blocks), tell)
            if document.scanner is None:
                raise self._no_events_error(document, blocks)
            return document, blocks

    def _notes(self, counts: Counts, document: Document, blocks: Blocks) -> Iterator[Note]:
        if not _is_complete(document):
            read = f"the {counts.seen:,} complete events before that were read"
            yield Note(NoteCode.TRUNCATED, f"{_where_it_ends(document, blocks)}; {read}", self._name)
        elif blocks.damage:
            yield Note(NoteCode.REPAIRED, f"{blocks.damage}; the JSON text inside is whole", self._name)
        if document.rest_at >= 0:
            message = f"the text after the end of the trace, at byte {document.rest_at:,}, was not read"
            yield Note(NoteCode.DROPPED_EVENTS, message, self._name)
        if counts.repaired:
            yield Note(NoteCode.REPAIRED, f"repaired: {_listed(counts.repaired)}", self._name)
        if counts.dropped:
            total = sum(counts.dropped.values())
            message = f"{total} of {counts.seen} events dropped: {_listed(counts.dropped)}"
            yield Note(NoteCode.DROPPED_EVENTS, message, self._name)
        if counts.negative:
            message = f"{counts.negative} durations below zero taken as zero"
            yield Note(NoteCode.NEGATIVE_DURATION, message, self._name)
        if counts.finer:
            message = f"{counts.finer} times finer than a nanosecond rounded to it"
            yield Note(NoteCode.CLOCK_RESOLUTION, message, self._name)
        for key, size in islice(document.oversized.items(), _MAX_LISTED):
            long = f"{size} bytes are more than {MAX_MEMBER_BYTES}"
            why = long if size > MAX_MEMBER_BYTES else "the others are too many"
            yield Note(NoteCode.REPAIRED, f"root member {_short(key)} left out: {why}", self._name)
        if len(document.oversized) > _MAX_LISTED:
            message = f"{len(document.oversized) - _MAX_LISTED} other root members left out"
            yield Note(NoteCode.REPAIRED, message, self._name)

    def _no_events_error(self, document: Document, blocks: Blocks) -> CorruptInput:
        """Builds the error for a file without a list of events."""
        end = f"byte {blocks.raw_bytes}"
        again = "copy or record it again"
        if not blocks.raw_bytes:
            return CorruptInput(self._path, blocks.damage or "the file is empty", place="byte 0", hint=again)
        if document.state is State.START:
            return CorruptInput(self._path, "nothing but white space", place=end, hint=again)
        if _EVENTS_KEY in document.members:
            hint = "give a trace written by torch.profiler"
            return CorruptInput(self._path, "not a list", place=_EVENTS_KEY, hint=hint)
        if document.state is State.MEMBERS:
            what = blocks.damage or "the file ends"
            return CorruptInput(self._path, f"{what} before {_EVENTS_KEY}", place=end, hint=again)
        if document.damaged_at >= 0:
            nothing = "", "give a trace written by torch.profiler"
            found = (known for magic, known in _FOREIGN_MAGIC.items() if document.first.startswith(magic))
            kind, hint = next(found, nothing)
            message = f"not JSON but {kind}" if kind else "not JSON"
            return CorruptInput(self._path, message, place=f"byte {document.damaged_at}", hint=hint)
        hint = "give a trace written by torch.profiler"
        if "nodes" in document.members:
            hint = "this is an execution trace; " + hint
        return CorruptInput(self._path, f"{_EVENTS_KEY} is missing", place="root object", hint=hint)


def _is_complete(document: Document) -> bool:
    return document.state is State.DONE and document.damaged_at < 0


def _where_it_ends(document: Document, blocks: Blocks) -> str:
    if blocks.damage:
        return blocks.damage
    if document.damaged_at >= 0:
        return f"not JSON from byte {document.damaged_at} on"
    inside = _EVENTS_KEY if document.state is State.EVENTS else "the root object"
    return f"the file ends inside {inside}, at byte {blocks.raw_bytes}"


def _listed(counts: Counter[str]) -> str:
    shown = [f"{what} ({count})" for what, count in sorted(counts.items())[:_MAX_LISTED]]
    return ", ".join(shown) + (f" and {len(counts) - _MAX_LISTED} others" if len(counts) > _MAX_LISTED else "")


def _short(key: str) -> str:
    return repr(key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…")


def _properties(document: Document, repaired: Counter[str]) -> dict[str, Any]:
    """Decoded root members. A member that is not JSON is repaired, or left out."""
    properties: dict[str, Any] = {}
    for key, text in document.members.items():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            text = text.decode("utf-8", "replace").encode("utf-8")
            repaired["bytes that are not UTF-8"] += 1
        decoded = repair(text, msgspec.json.decode)
        repaired.update(decoded.repairs)
        if decoded.fault is None:
            properties[key] = decoded.value
        else:
            repaired[f"root member {_short(key)} left out"] += 1
    return properties
