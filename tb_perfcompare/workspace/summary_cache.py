"""Summaries on disk, so that a second opening of a run reads kilobytes instead of gigabytes.

One file per summary: a numpy archive with the arrays and, as JSON, everything else. The key is what the summary depends
on: the input's size, time, first and last bytes, the options, this package's code and the format. Entries are written
beside their place and moved there, so that readers never see half of one and two processes cannot disturb each other; a
damaged entry is removed and read anew. Nothing here ever fails a comparison: a cache that cannot be used is none.
Documented in docs/cache.md.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.summary import Summary
from tb_perfcompare.workspace.jobs import CaptureFile, SummaryJob

FORMAT = 1
"""Changes when entries written before cannot be read any more."""

SWITCH = "TB_PERFCOMPARE_CACHE"
"""Environment variable: a directory, or `off`."""

LIMIT = "TB_PERFCOMPARE_CACHE_MB"
"""Environment variable: most megabytes the cache may take."""

DEFAULT_LIMIT_BYTES = 1024 * 2**20
WORTH_KEEPING_BYTES = 256 * 2**10
"""Smaller inputs are read again as fast as their entry."""

_ENDING = ".summary.npz"
_LOOKED_AT = 64 * 2**10


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """What is in the cache."""

    directory: str
    entries: int
    bytes: int
    limit_bytes: int


class SummaryCache:
    """Entries below one directory. Safe to use from several threads and processes; construction touches nothing."""

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._directory = Path(directory)
        self._limit_bytes = limit_bytes

    def get(self, job: SummaryJob) -> Summary | None:
        """The summary of the job as it would be computed now; None if it is not there or cannot be read."""
        if job.file.bytes < WORTH_KEEPING_BYTES:
            return None
        try:
            path = self._path(job)
            found = _read(path)
        except OSError:
            return None
        except (ValueError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError, EOFError, zipfile.LargeZipFile):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used go first
        return _relabelled(found, job.file)

    def put(self, job: SummaryJob, summary: Summary) -> None:
        """Keeps the summary if there is room for it and the directory can be written."""
        if job.file.bytes < WORTH_KEEPING_BYTES or len(summary.captures) != 1:
            return
        try:
            path = self._path(job)
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write(path, summary)
            self._evict()
        except OSError:
            return

    def facts(self) -> CacheFacts:
        """Raises OSError if the directory exists and cannot be listed."""
        sizes = [size for _, _, size in self._entries()]
        return CacheFacts(str(self._directory), len(sizes), sum(sizes), self._limit_bytes)

    def clear(self) -> CacheFacts:
        """Removes every entry; says what was there. Raises OSError if one cannot be removed."""
        before = self.facts()
        for path, _, _ in self._entries():
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        return before

    def _path(self, job: SummaryJob) -> Path:
        return self._directory / f"{_key(job)}{_ENDING}"

    def _entries(self) -> Iterator[tuple[Path, int, int]]:
        """(path, time of last use, bytes), also of files that a process left behind while writing."""
        try:
            with os.scandir(self._directory) as found:
                listed = [entry for entry in found if _ENDING in entry.name]
        except FileNotFoundError:
            return
        for entry in listed:
            try:
                facts = entry.stat()
            except FileNotFoundError:
                continue
            yield Path(entry.path), facts.st_mtime_ns, facts.st_size

    def _evict(self) -> None:
        entries = sorted(self._entries(), key=lambda entry: -entry[1])
        total = 0
        for path, _, size in entries:
            total += size
            if total > self._limit_bytes:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()


def user_cache(environment: Mapping[str, str] = os.environ) -> SummaryCache | None:
    """The user's cache; None when it is switched off. Raises PerfCompareError for a limit that is no number."""
    where = environment.get(SWITCH, "")
    if where.lower() in ("off", "0", "no", "false"):
        return None
    given = environment.get(LIMIT, "")
    try:
        limit = int(float(given) * 2**20) if given else DEFAULT_LIMIT_BYTES
    except (ValueError, OverflowError):
        raise PerfCompareError(f"{LIMIT} is {given!r}", hint="give a number of megabytes") from None
    if where:
        return SummaryCache(where, limit)
    from platformdirs import user_cache_dir

    return SummaryCache(user_cache_dir("tb_perfcompare", appauthor=False), limit)


def _key(job: SummaryJob) -> str:
    """Everything a summary depends on but its names. Raises OSError."""
    parts = [FORMAT, __version__, _code(), *_described(job)]
    digest = hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:40]


def _described(value: Any) -> Iterator[Any]:
    """The fields of a job, its files by their content."""
    if isinstance(value, CaptureFile):
        yield from (value.name, value.rank, value.part, value.beside, *_content(value))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield field.name
            yield from _described(getattr(value, field.name))
    else:
        yield value


def _content(file: CaptureFile) -> tuple[int, int, str]:
    """(size, time, hash of the first and last bytes) of what is stored now."""
    with open(file.path, "rb") as stored:
        facts = os.fstat(stored.fileno())
        digest = hashlib.sha256(stored.read(_LOOKED_AT))
        stored.seek(max(0, facts.st_size - _LOOKED_AT))
        digest.update(stored.read(_LOOKED_AT))
    return facts.st_size, facts.st_mtime_ns, digest.hexdigest()


@functools.cache
def _code() -> str:
    """Stands for this package's code: another version, or an edited one, may read a file differently."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted([*root.rglob("*.py"), *(root / "sources").glob("_scanner.*")]):
        facts = path.stat()
        digest.update(f"{path.relative_to(root)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _relabelled(summary: Summary, file: CaptureFile) -> Summary:
    """The same summary under the names it is asked for now."""
    (capture,) = summary.captures
    named = replace(capture, run=file.run, worker=file.worker, span=file.span)
    return replace(summary, source=file.source, captures=(named,))


def _write(path: Path, summary: Summary) -> None:
    arrays: dict[str, Any] = {}

    def placed(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            name = f"a{len(arrays)}"
            arrays[name] = value
            return name
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{type(value).__name__} in a summary")

    text = msgspec.json.encode(summary, enc_hook=placed)
    handle, beside = tempfile.mkstemp(prefix="writing-", suffix=_ENDING, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            np.savez(out, summary=np.frombuffer(text, dtype=np.uint8), **arrays)
        os.replace(beside, path)
    finally:
        with contextlib.suppress(OSError):  # it has moved unless something went wrong
            os.unlink(beside)


def _read(path: Path) -> Summary:
    with open(path, "rb") as stored, np.load(stored, allow_pickle=False) as archive:
        text = archive["summary"].tobytes()

        def taken(_kind: Any, name: Any) -> Any:
            array = archive[name]
            array.setflags(write=False)
            return array

        found: Summary = msgspec.json.decode(text, type=Summary, dec_hook=taken)
    return found
