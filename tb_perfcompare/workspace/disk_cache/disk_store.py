"""Cache entries as files in a directory that the user may choose; any file may be deleted at any time. Files are
written under a temporary name and moved into place, so that readers never see a partial one and processes do not
interfere. Least recently used entries are evicted above the size limit; temporary files of killed processes are
removed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, BinaryIO, TypeVar

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.filesystem import open_regular

T = TypeVar("T")

_OLD_S = 3600.0
"""Temporary files of this age are leftovers: a file that another process is writing now is younger."""

_TEMPORARY = regex(r"\.perfcompare-writing\.[0-9a-f]{16}")


def temporary_path(folder: str) -> str:
    """Returns a new temporary path in `folder`, for a file that is then moved to its final name there. Removes what
    killed processes left under such names."""
    remove_leftovers(folder, lambda name: _TEMPORARY.fullmatch(name) is not None)
    return os.path.join(folder, f".perfcompare-writing.{os.urandom(8).hex()}")


def write_and_move(
    temporary: str, fill: Callable[[IO[bytes]], object], move: Callable[[str], T],
    opener: Callable[[str, int], int] | None = None,
) -> T:  # fmt: skip
    """Writes a new file with `fill` under a temporary path, and returns the result of moving it with `move`. Removes it
    if either fails."""
    try:
        with open(temporary, "xb", opener=opener) as out:
            fill(out)
        return move(temporary)
    finally:
        with contextlib.suppress(OSError):  # after success the temporary name no longer exists
            os.unlink(temporary)


def remove_leftovers(folder: str | os.PathLike[str], is_ours: Callable[[str], bool]) -> None:
    """Removes files older than _OLD_S whose name `is_ours`; ignores errors."""
    oldest_kept = time.time() - _OLD_S
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if is_ours(entry.name) and entry.stat(follow_symlinks=False).st_mtime < oldest_kept:
                    os.unlink(entry.path)


SUMMARY = ".summary"
COMPARISON = ".comparison.msgpack"
KNOWN = ".known"
ENDINGS = (SUMMARY, COMPARISON, KNOWN)

_WRITING = "writing-"

_DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
"""Errors that decoding damaged bytes may raise."""

_HEAD = struct.Struct("<Q32s")
"""Size in bytes and digest of a part."""


def digest_of(path: Path, body: bytes, part: int = 0) -> bytes:
    """SHA-256 of one part of the entry at `path`. Includes the entry's name and the part's number: the same bytes under
    another key, or as another part, have another digest."""
    digest = hashlib.sha256(f"{path.name} {part}\n".encode())
    digest.update(body)
    return digest.digest()


def sealed(path: Path, *parts: bytes) -> Iterable[bytes]:
    """Returns the bytes of the entry at `path`: the number of parts, size and digest of each, then the parts."""
    heads = (_HEAD.pack(len(part), digest_of(path, part, number)) for number, part in enumerate(parts))
    return bytes([len(parts)]), *heads, *parts


def _part(stored: BinaryIO, size: int, path: Path, number: int) -> bytes:
    """Reads part `number` of an entry. Raises ValueError or IndexError if it has none, or its sizes or digest do not
    match."""
    count = ord(stored.read(1))
    heads = stored.read(count * _HEAD.size)
    if len(heads) < count * _HEAD.size:
        raise ValueError("it is too short")
    sizes, digests = zip(*_HEAD.iter_unpack(heads), strict=True)
    if size != 1 + len(heads) + sum(sizes):
        raise ValueError("another size")
    stored.seek(sum(sizes[:number]), os.SEEK_CUR)
    body = stored.read(sizes[number])
    if digest_of(path, body, number) != digests[number]:
        raise ValueError("another digest")
    return body


@dataclass(frozen=True, slots=True)
class CacheFacts:
    """Number and size of the cache's entries; `comparisons` of them are comparisons, the others summaries."""

    directory: str | None
    entries: int
    comparisons: int
    bytes: int
    limit_bytes: int


class DiskStore:
    """Entries in one directory, together at most `limit_bytes`. Safe to use from several threads and processes;
    construction touches no files. All methods but `path` and `read` may raise OSError."""

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int) -> None:
        self._directory = Path(directory)
        self._limit_bytes = limit_bytes
        self._is_swept = False

    def path(self, key: str, ending: str) -> Path:
        """Path of the entry, whether it exists or not."""
        return self._directory / f"{key}{ending}"

    def read(self, path: Path, decode: Callable[[bytes], T], part: int = 0) -> T | None:
        """Decodes a part of the entry; None if it does not exist. A damaged entry, for which `decode` may raise, is
        removed. Never blocks on something that is not a regular file."""
        self._sweep()
        try:
            with open_regular(path) as stored:
                size = os.fstat(stored.fileno()).st_size
                if size > self._limit_bytes:
                    raise ValueError("more than all entries together may have")
                value = decode(_part(stored, size, path, part))
        except OSError:
            return None
        except _DAMAGE:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # eviction removes the least recently used entries first
        return value

    def write(self, path: Path, *parts: bytes) -> None:
        """Writes an entry, and evicts others to make room for it."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        ending = next(ending for ending in ENDINGS if path.name.endswith(ending))
        temporary = os.path.join(self._directory, f"{_WRITING}{os.urandom(8).hex()}{ending}")
        entry = sealed(path, *parts)
        write_and_move(
            temporary, lambda out: out.writelines(entry), lambda written: os.replace(written, path), _private
        )  # fmt: skip
        self._evict()

    def facts(self) -> CacheFacts:
        """Counts summaries and comparisons. Raises OSError if the directory exists and cannot be listed."""
        entries = [entry for entry in self._entries() if not entry[0].name.endswith(KNOWN)]
        comparisons = sum(path.name.endswith(COMPARISON) for path, _, _ in entries)
        sizes = sum(size for _, _, size in entries)
        return CacheFacts(str(self._directory), len(entries), comparisons, sizes, self._limit_bytes)

    def clear(self) -> CacheFacts:
        """Removes every entry; returns the facts from before. Raises OSError if one cannot be removed."""
        before = self.facts()
        for path, _, _ in self._entries():
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        return before

    def _sweep(self) -> None:
        """Removes leftover temporary files, once per store, before its first read or write."""
        if not self._is_swept:
            self._is_swept = True
            remove_leftovers(self._directory, lambda name: name.startswith(_WRITING) and name.endswith(ENDINGS))

    def _entries(self) -> Iterator[tuple[Path, int, int]]:
        """Yields (path, time of last use in ns, bytes), including temporary files that a killed process left."""
        try:
            with os.scandir(self._directory) as scanned:
                ours = [entry for entry in scanned if entry.name.endswith(ENDINGS)]
                listed = [entry for entry in ours if not entry.is_dir(follow_symlinks=False)]  # the store makes none
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
    """Opens a file that only its owner may read or write."""
    return os.open(path, flags, 0o600)


SWITCH = "TB_PERFCOMPARE_CACHE"
"""Environment variable: a directory, or `off`."""

LIMIT = "TB_PERFCOMPARE_CACHE_MB"
"""Environment variable: maximum size of the cache in megabytes."""

DEFAULT_LIMIT_BYTES = 1024 * 2**20

_NAME = "tb_perfcompare"
_PLATFORM: str = sys.platform


def user_place(environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Returns (directory, maximum bytes); None if the cache is switched off. Raises PerfCompareError for a limit that
    is not a number."""
    where = environment.get(SWITCH, "")
    if where.lower() in ("off", "0", "no", "false"):
        return None
    given = environment.get(LIMIT, "")
    try:
        limit = int(float(given) * 2**20) if given else DEFAULT_LIMIT_BYTES
    except (ValueError, OverflowError):
        raise PerfCompareError(f"{LIMIT} is {given!r}", hint="give a number of megabytes") from None
    if where:
        return where, limit
    return _user_cache(), limit


def _user_cache() -> str:
    """Same directory as from platformdirs, which is not imported on Linux, to start faster."""
    if _PLATFORM == "linux":
        home = os.environ.get("XDG_CACHE_HOME", "")
        return os.path.join(home if home.strip() else os.path.expanduser("~/.cache"), _NAME)
    from platformdirs import user_cache_dir

    return user_cache_dir(_NAME, appauthor=False)
