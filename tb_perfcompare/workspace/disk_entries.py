"""Files in one directory that may vanish at any time: written beside their place and moved there, so that readers never
see half of one and two processes cannot disturb each other; the least recently used go when there are too many."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SUMMARY = ".summary"
COMPARISON = ".comparison.msgpack"
ENDINGS = (SUMMARY, COMPARISON)


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """What is in the cache; `comparisons` of the entries are comparisons, the others summaries."""

    directory: str
    entries: int
    bytes: int
    limit_bytes: int
    comparisons: int = 0


class DiskEntries:
    """Entries below one directory, together at most `limit_bytes`. Safe to use from several threads and processes;
    construction touches nothing. Everything may raise OSError."""

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int) -> None:
        self._directory = Path(directory)
        self._limit_bytes = limit_bytes

    def path(self, key: str, ending: str) -> Path:
        """Where the entry is, if it is there."""
        return self._directory / f"{key}{ending}"

    def write(self, path: Path, fill: Callable[[IO[bytes]], object]) -> None:
        """Makes the entry what `fill` writes, and room for it."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        ending = next(ending for ending in ENDINGS if path.name.endswith(ending))
        handle, beside = tempfile.mkstemp(prefix="writing-", suffix=ending, dir=self._directory)
        try:
            with os.fdopen(handle, "wb") as out:
                fill(out)
            os.replace(beside, path)
        finally:
            with contextlib.suppress(OSError):  # it has moved unless something went wrong
                os.unlink(beside)
        self._evict()

    def touch(self, path: Path) -> None:
        """Makes it the most recently used one."""
        with contextlib.suppress(OSError):
            os.utime(path)

    def remove(self, path: Path) -> None:
        """Takes a damaged one out, if that is allowed."""
        with contextlib.suppress(OSError):
            path.unlink()

    def facts(self) -> CacheFacts:
        """Raises OSError if the directory exists and cannot be listed."""
        found = list(self._entries())
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

    def _entries(self) -> Iterator[tuple[Path, int, int]]:
        """(path, time of last use, bytes), also of files that a process left behind while writing."""
        try:
            with os.scandir(self._directory) as found:
                listed = [entry for entry in found if entry.name.endswith(ENDINGS)]
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
