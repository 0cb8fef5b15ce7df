"""Facts that a list of many runs shows (device, steps, mean step time, notes), kept since the files were read once.

One small entry of the cache holds it for all files, so that a list of thousands opens one file and no trace. Two
processes that write at once may lose what one of them found until it is read again; a list then says less, never
something else.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.workspace.disk_cache.disk_store import DIGEST_BYTES, KNOWN, DiskStore, digest_of
from tb_perfcompare.workspace.jobs.span_facts import SpanFacts, span_facts

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.outline import Outline
    from tb_perfcompare.workspace.inputs.sides import CaptureFile
    from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob

_MOST = 20_000
"""Files; those noted first are forgotten first."""


class RecordedFile(Protocol):
    """A file as it is listed, or as it is read."""

    @property
    def path(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def part(self) -> int: ...


class KnownFile(msgspec.Struct, frozen=True):
    """`steps` that are compared; `mean_step_us` is None where steps have no time. `facts`: its SpanFacts, packed,
    from when the files that are read along with it were in the state `beside`."""

    device: str
    steps: int
    mean_step_us: float | None
    facts: bytes
    beside: str


class _Entry(msgspec.Struct):
    version: str
    files: dict[str, KnownFile]


class KnownRuns:
    """Safe to use from several threads. Without `entries` it is forgotten with the process. Nothing here ever fails."""

    def __init__(self, entries: DiskStore | None) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._files: dict[str, KnownFile] = {}
        self._new: dict[str, KnownFile] = {}
        self._read: object = None
        self._state = 0

    def state(self) -> int:
        """Another number whenever more is known, found here or by another process."""
        with self._lock:
            self._refresh()
            return self._state

    def of(self, file: RecordedFile) -> KnownFile | None:
        """As of the last `state`."""
        return self._files.get(key_of(file))

    def facts(self, file: CaptureFile) -> SpanFacts | None:
        """The file's facts, as of the last `state`; None where it has to be read."""
        known = self.of(file)
        if known is None or known.beside != _beside(file):
            return None
        facts: SpanFacts = msgspec.msgpack.decode(known.facts)
        return facts

    def note(self, job: SummaryJob, outline: Outline) -> None:
        """Takes what is said of the job's file, if it is about all steps as they are found by themselves."""
        if job.marker or job.window != "device":
            return
        key, facts = key_of(job.file), span_facts(outline)
        device = outline.device.name or outline.device.word
        packed = msgspec.msgpack.encode(facts)
        found = KnownFile(device, outline.steps, facts["mean_step_us"], packed, _beside(job.file))
        with self._lock:
            if self._files.get(key) != found:
                self._new[key] = self._files[key] = found
                self._state += 1

    def save(self) -> None:
        """Writes what was noted since the last time, next to what others have written."""
        with self._lock:
            if self._entries is None or not self._new:
                return
            self._refresh()
            new, self._new = dict(sorted(self._new.items())), {}
            older = {key: found for key, found in self._files.items() if key not in new}
            kept = dict(list((older | new).items())[-_MOST:])
            body = msgspec.msgpack.encode(_Entry(__version__, kept))
            path = self._entries.path("runs", KNOWN)
            try:
                self._entries.write(path, lambda out: out.write(body + digest_of(path, body)))
            except OSError:
                return

    def _refresh(self) -> None:
        if self._entries is None:
            return
        path = self._entries.path("runs", KNOWN)
        try:
            facts = path.stat()
        except OSError:
            return
        state = (facts.st_ino, facts.st_size)
        if state != self._read:
            self._read = state
            stored = self._entries.read(path, lambda entry, size: _decoded(entry, size, path))
            self._files |= {**(stored or {}), **self._new}
            self._state += 1


def key_of(file: RecordedFile) -> str:
    """Key of a file in the state in which it is listed: a digest, which does not reveal the path."""
    return _digest(repr((file.path, file.part, file.bytes, file.mtime_ns)))


def _beside(file: CaptureFile) -> str:
    """State of the files that are read along with it, "" without any."""
    states = sorted((file_stat.path, *file_stat.state) for file_stat in file.beside)
    return _digest(repr(states)) if states else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:24]


def _decoded(stored: BinaryIO, size: int, path: Path) -> dict[str, KnownFile]:
    """Raises ValueError for what is no entry (msgspec's errors are ones)."""
    body = stored.read(max(0, size - DIGEST_BYTES))
    if stored.read(DIGEST_BYTES) != digest_of(path, body):
        raise ValueError("another digest")
    found = msgspec.msgpack.decode(body, type=_Entry)
    return found.files if found.version == __version__ else {}
