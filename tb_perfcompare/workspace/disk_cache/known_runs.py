"""Facts that a list of runs shows (device, steps, mean step time, notes), cached once a file has been read.

One small cache entry holds the facts of all files, so that listing thousands of runs opens that file and no trace. If
two processes write at once, the facts from one of them may be lost until the files are read again: a list may then lack
facts, but never shows wrong ones.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.workspace.disk_cache.cache_keys import text_digest
from tb_perfcompare.workspace.disk_cache.disk_store import KNOWN, DiskStore

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.outline import Outline
    from tb_perfcompare.sources.run_entries import FileEntry
    from tb_perfcompare.workspace.inputs.sides import CaptureFile
    from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob

_MAX_FILES = 20_000
"""Maximum number of files; the oldest facts are dropped first."""


SpanFacts = dict[str, Any]
"""JSON object as `tb-perfcompare runs --json` prints it."""


def span_facts(outline: Outline) -> SpanFacts:
    """Returns format, device, steps (recorded, compared, what delimits them), mean step time and notes."""
    # imported here: a list of runs whose facts are all cached does without
    from tb_perfcompare.comparison.result.plain_values import as_plain, device_dict, iterations_dict

    return {
        "format": outline.format,
        "device": device_dict(outline.device),
        "steps": {
            "count": outline.steps + outline.dropped,
            "admitted": outline.steps,
            "marked": outline.marked,
            "by": iterations_dict(outline.iterations),
        },
        "mean_step_us": outline.mean_step_us,
        "problems": as_plain(outline.notes),
    }


class KnownFile(msgspec.Struct, frozen=True):
    """Facts about one file. `steps` counts those that are compared; `mean_step_us` is None for steps without times.
    `facts` is its SpanFacts as MessagePack, valid while the files read along with it are in the state `beside`."""

    device: str
    steps: int
    mean_step_us: float | None
    facts: bytes
    beside: str


class _Entry(msgspec.Struct):
    version: str
    files: dict[str, KnownFile]


class KnownRuns:
    """Facts about files that were read. Safe to use from several threads; raises no I/O errors. Without `entries` the
    facts are kept in memory only."""

    def __init__(self, entries: DiskStore | None) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._files: dict[str, KnownFile] = {}
        self._new: dict[str, KnownFile] = {}
        self._stored_state: object = None
        self._state = 0

    def state(self) -> int:
        """Number that changes whenever there are new facts, from this or another process."""
        with self._lock:
            self._refresh()
            return self._state

    def of(self, file: FileEntry | CaptureFile) -> KnownFile | None:
        """The facts about a file, as of the last call of `state`; None if it has not been read."""
        return self._files.get(key_of(file))

    def facts(self, file: CaptureFile) -> SpanFacts | None:
        """The SpanFacts of a file, as of the last call of `state`; None if the file has to be read."""
        known = self.of(file)
        if known is None or known.beside != _companion_state(file):
            return None
        facts: SpanFacts = msgspec.msgpack.decode(known.facts)
        return facts

    def note(self, job: SummaryJob, outline: Outline) -> None:
        """Stores the facts about the job's file, if they are about default steps: no marker chosen, window "device"."""
        if job.marker or job.window != "device":
            return
        key, facts = key_of(job.file), span_facts(outline)
        device = outline.device.name or outline.device.word
        packed = msgspec.msgpack.encode(facts)
        entry = KnownFile(device, outline.steps, facts["mean_step_us"], packed, _companion_state(job.file))
        with self._lock:
            if self._files.get(key) != entry:
                self._new[key] = self._files[key] = entry
                self._state += 1

    def save(self) -> None:
        """Writes the facts noted since the last call, merged with those that other processes have written."""
        with self._lock:
            if self._entries is None or not self._new:
                return
            self._refresh()
            new, self._new = dict(sorted(self._new.items())), {}
            older = {key: entry for key, entry in self._files.items() if key not in new}
            newest = dict(list((older | new).items())[-_MAX_FILES:])
            body = msgspec.msgpack.encode(_Entry(__version__, newest))
            with contextlib.suppress(OSError):
                self._entries.write(self._entries.path("runs", KNOWN), body)

    def _refresh(self) -> None:
        if self._entries is None:
            return
        path = self._entries.path("runs", KNOWN)
        try:
            facts = path.stat()
        except OSError:
            return
        state = (facts.st_ino, facts.st_size)
        if state != self._stored_state:
            self._stored_state = state
            stored = self._entries.read(path, _decoded)
            self._files |= {**(stored or {}), **self._new}
            self._state += 1


def key_of(file: FileEntry | CaptureFile) -> str:
    """Key of a file in its listed state: a digest, which does not reveal the path."""
    return text_digest(repr((file.path, file.part, file.bytes, file.mtime_ns)))[:24]


def _companion_state(file: CaptureFile) -> str:
    """Digest of the state of the files that are read along with it; "" if there are none."""
    states = sorted((file_stat.path, *file_stat.state) for file_stat in file.companions)
    return text_digest(repr(states))[:24] if states else ""


def _decoded(body: bytes) -> dict[str, KnownFile]:
    """Decodes the entry; empty for another version of this package. Raises ValueError (as msgspec's errors are) for
    damaged bytes."""
    entry = msgspec.msgpack.decode(body, type=_Entry)
    return entry.files if entry.version == __version__ else {}
