"""Files in one directory that may vanish at any time: written under a temporary name and moved into place, so that
readers never see half of one and processes do not disturb each other. The least recently used are removed when there
are too many, and so are the leftovers of a killed process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, TypeVar

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.filesystem import open_regular

_OLD_S = 3600.0
"""Nobody has written to it for so long: what another process is writing now is younger."""

_BESIDE = re.compile(r"\.perfcompare-writing\.[0-9a-f]{16}")


def path_beside(folder: str) -> str:
    """Where to write a file first that is then moved to its place in the folder; a new name each time. What killed
    processes left there under such names is removed."""
    remove_leftovers(folder, lambda name: _BESIDE.fullmatch(name) is not None)
    return os.path.join(folder, f".perfcompare-writing.{os.urandom(8).hex()}")


def remove_leftovers(folder: str | os.PathLike[str], is_ours: Callable[[str], bool]) -> None:
    """Removes the old files of our names, as far as that is allowed."""
    oldest = time.time() - _OLD_S
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                if is_ours(entry.name) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)


T = TypeVar("T")

SUMMARY = ".summary"
COMPARISON = ".comparison.msgpack"
KNOWN = ".known"
ENDINGS = (SUMMARY, COMPARISON, KNOWN)

_WRITING = "writing-"

_DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
"""Whatever odd bytes may make of what reads them."""

DIGEST_BYTES = hashlib.sha256().digest_size


def digest_of(path: Path, body: bytes, part: int = 0) -> bytes:
    """Of a part of the entry with this path: the same bytes under another key, or as another part, have another one."""
    found = hashlib.sha256(f"{path.name} {part}\n".encode())
    found.update(body)
    return found.digest()


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """What is in the cache; `comparisons` of the entries are comparisons, the others summaries."""

    directory: str
    entries: int
    bytes: int
    limit_bytes: int
    comparisons: int = 0


class DiskStore:
    """Entries below one directory, together at most `limit_bytes`. Safe to use from several threads and processes;
    construction touches nothing. Everything may raise OSError."""

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int) -> None:
        self._directory = Path(directory)
        self._limit_bytes = limit_bytes
        self._is_swept = False

    def path(self, key: str, ending: str) -> Path:
        """Where the entry is, if it is there."""
        return self._directory / f"{key}{ending}"

    def read(self, path: Path, take: Callable[[BinaryIO, int], T]) -> T | None:
        """What `take` makes of the entry's file and its size; None if it is not there. An entry that `take` raises for
        is removed: it is not what was written. What is no file is never waited for."""
        self._sweep()
        try:
            with open_regular(path) as stored:
                size = os.fstat(stored.fileno()).st_size
                if size > self._limit_bytes:
                    raise ValueError("more than all entries together may have")
                found = take(stored, size)
        except OSError:
            return None
        except _DAMAGE:
            self._remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used go first
        return found

    def write(self, path: Path, fill: Callable[[IO[bytes]], object]) -> None:
        """Makes the entry what `fill` writes, and room for it."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        ending = next(ending for ending in ENDINGS if path.name.endswith(ending))
        beside = os.path.join(self._directory, f"{_WRITING}{os.urandom(8).hex()}{ending}")
        try:
            with open(beside, "xb", opener=_private) as out:
                fill(out)
            os.replace(beside, path)
        finally:
            with contextlib.suppress(OSError):  # it has moved unless something went wrong
                os.unlink(beside)
        self._evict()

    def facts(self) -> CacheFacts:
        """Raises OSError if the directory exists and cannot be listed."""
        found = [entry for entry in self._entries() if not entry[0].name.endswith(KNOWN)]
        comparisons = sum(path.name.endswith(COMPARISON) for path, _, _ in found)
        sizes = sum(size for _, _, size in found)
        return CacheFacts(str(self._directory), len(found), sizes, self._limit_bytes, comparisons)

    def clear(self) -> CacheFacts:
        """Removes every entry; says what was there. Raises OSError if one cannot be removed."""
        before = self.facts()
        for path, _, _ in self._entries():
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        return before

    def _sweep(self) -> None:
        """Once, before anything else is done here."""
        if not self._is_swept:
            self._is_swept = True
            remove_leftovers(self._directory, lambda name: name.startswith(_WRITING) and name.endswith(ENDINGS))

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()

    def _entries(self) -> Iterator[tuple[Path, int, int]]:
        """(path, time of last use, bytes), also of files that a process left behind while writing."""
        try:
            with os.scandir(self._directory) as found:
                listed = [entry for entry in found if entry.name.endswith(ENDINGS) and not _is_folder(entry)]
        except FileNotFoundError:
            return
        for entry in listed:
            try:
                facts = entry.stat(follow_symlinks=False)
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


def _private(path: str, flags: int) -> int:
    """Opens a file that only its owner may read."""
    return os.open(path, flags, 0o600)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Somebody else's, whatever it is called."""
    return entry.is_dir(follow_symlinks=False)
