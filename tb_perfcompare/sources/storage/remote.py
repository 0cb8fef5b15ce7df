"""Remote files by address, `s3://bucket/run` or `https://host/run`, through fsspec.

fsspec is optional and imported only when an address is opened; it selects the package for the store (s3fs, gcsfs)
itself. Documented in docs/inputs/remote.md.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

from tb_perfcompare.errors import InputError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.addresses import STORES, WEB, without_secrets
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState

_Opener = Callable[[int], Any]
"""Opens a file of a store; the argument is the number of bytes to read ahead in ranges, 0 for one stream."""

_RANGE_BYTES = 4 << 20
_FIRST_BYTES = 64 << 10
"""Size of ranges until _LOOKS times this was read: of many files only the first bytes are read."""
_LOOKS = 8
_SKIP_BYTES = 1 << 20
_TRIES = 3
_FOREIGN_ERRORS = (
    ("aiohttp", "ClientError"), ("botocore.exceptions", "BotoCoreError"), ("botocore.exceptions", "ClientError"),
    ("asyncio", "TimeoutError"), ("gcsfs.retry", "HttpError"), ("google.auth.exceptions", "GoogleAuthError"),
)  # fmt: skip
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)


class _RemoteFile(io.BufferedIOBase):
    """A remote file. `state` is its state when opened.

    Bytes arrive in ranges, a few megabytes ahead of the reader, or as one stream from a web server without range
    support, in which seeking backwards starts over; memory does not grow with the file. An interrupted transfer is
    resumed where it stopped.
    """

    def __init__(self, path: str, opener: _Opener, state: FileState) -> None:
        self.name = without_secrets(path)
        self.state = state
        self._path = path
        self._opener = opener
        self._size = size = state[0]
        self._at = 0
        self._inner: Any = None
        self._inner_at = 0
        self._ranges = size > 0
        self._ahead = min(_FIRST_BYTES, _RANGE_BYTES)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._at, self._size)[whence]
        if base + offset < 0:
            raise OSError(f"{self.name}: no place {base + offset} in a file")
        self._at = base + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        with _as_os_errors(self._path):
            for left in reversed(range(_TRIES)):
                try:
                    data = self._read(-1 if size is None else size)
                except _errors() as error:
                    self._forget()
                    if isinstance(error, ValueError):
                        self._ranges = False  # the server does not support ranges
                    if not left or isinstance(error, _FINAL):
                        raise
                    continue
                self._at += len(data)
                return data
        raise AssertionError

    def close(self) -> None:
        self._forget()
        super().close()

    def _read(self, size: int) -> bytes:
        if self._ranges and self._ahead < _RANGE_BYTES and self._at >= _LOOKS * _FIRST_BYTES:
            self._forget()  # it is read completely, not just its first bytes
            self._ahead = _RANGE_BYTES
        if self._inner is None:
            self._inner, self._inner_at = self._opener(self._ahead if self._ranges else 0), 0
        if self._inner_at != self._at:
            self._move()
        data = bytes(self._inner.read(size))
        self._inner_at += len(data)
        return data

    def _move(self) -> None:
        if self._ranges:
            self._inner.seek(self._at)
            self._inner_at = self._at
            return
        if self._inner_at > self._at:
            self._forget()
            self._inner, self._inner_at = self._opener(0), 0
        while self._inner_at < self._at:
            skipped = len(self._inner.read(min(_SKIP_BYTES, self._at - self._inner_at)))
            self._inner_at += skipped
            if not skipped:
                return

    def _forget(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            inner.close()


def _errors() -> tuple[type[BaseException], ...]:
    """Exceptions that stores raise: those of the libraries that are imported."""
    errors: list[type[BaseException]] = [OSError, ValueError, EOFError]
    for module, name in _FOREIGN_ERRORS:
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and issubclass(kind, BaseException):
            errors.append(kind)
    return tuple(errors)


@contextmanager
def _as_os_errors(path: str) -> Iterator[None]:
    """Converts any exception of a store to an OSError without secrets in its message."""
    try:
        yield
    except _errors() as error:
        raised: type[OSError] = next((final for final in _FINAL if isinstance(error, final)), OSError)
        reason = _message(error, path)
        if raised is FileNotFoundError:
            # fsspec raises it for any failure on the web; the real reason is in the cause
            status, cause = getattr(error.__cause__, "status", 404), error.__cause__
            if status in (401, 403):
                raised, reason = PermissionError, f"the server refuses it ({status})"
            elif cause is not None and not (status in (404, 410) and hasattr(cause, "status")):
                raised, reason = OSError, _message(cause, path)
            else:
                reason = "there is no such file"
        raise raised(0, reason) from error


def _message(error: BaseException, path: str) -> str:
    text = " ".join(str(error).split()).replace(path, without_secrets(path))
    return text[:200] or type(error).__name__


_FILE = regex(r"\.(?:json|jsonl|ndjson|gz|txt|log|lst|csv|baseline|perfcompare)$")
_AT_ONCE = 16
_VERSIONS = ("ETag", "etag", "md5Hash", "Content-MD5", "generation")
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created", "Last-Modified")


@dataclass(frozen=True, slots=True)
class RemoteFileSystem:
    """One kind of store. Its methods raise OSError if the store refuses, InputError if a package is missing."""

    scheme: str

    def entries(self, path: str) -> list[FileStat]:
        with _as_os_errors(path):
            store = self._store(path)
            listed = store.ls(self._inside(store, path.rstrip("/") + "/" if self.scheme in WEB else path), detail=True)
        entries: list[FileStat] = []
        unknown: list[str] = []
        for info in listed:
            below = self._address(path, str(info["name"]))
            name = below.removeprefix(path.rstrip("/") + "/").rstrip("/")
            if not name or any(mark in name for mark in "/?#"):
                continue  # the directory itself, or a web page's link that sorts it differently or leads elsewhere
            if info.get("type") == "directory" or self.scheme not in WEB:
                entries.append(_facts(below.rstrip("/"), self.basename(below), info))
            else:
                unknown.append(below)  # a web listing has only names
        return entries + self._stat_all(unknown)

    def _stat_all(self, paths: list[str]) -> list[FileStat]:
        """Describes several paths in parallel: each takes a request to the server."""
        from concurrent.futures import ThreadPoolExecutor  # not needed for local files

        if not paths:
            return []
        with ThreadPoolExecutor(min(_AT_ONCE, len(paths))) as threads:
            return list(threads.map(self._stat_or_problem, paths))

    def _stat_or_problem(self, path: str) -> FileStat:
        try:
            return self.stat(path)
        except OSError as error:
            return FileStat(path, self.basename(path), False, problem=error.strerror or str(error))

    def stat(self, path: str) -> FileStat:
        with _as_os_errors(path):
            store = self._store(path)
            inside = self._inside(store, path)
            if self.scheme not in WEB:
                return _facts(path, self.basename(path), store.info(inside))
            info = store.info(inside)
            # an HTML page is a listing, unless its name is that of a file
            page = str(info.get("mimetype", "")) == "text/html" and not _FILE.search(self.basename(path))
            return _facts(path, self.basename(path), {**info, "type": "directory" if page else "file"})

    def open(self, path: str) -> BinaryIO:
        with _as_os_errors(path):
            store = self._store(path)
            opener = self._opener(store, self._inside(store, path))
            return cast(BinaryIO, _RemoteFile(path, opener, self.stat(path).state))

    def opened_state(self, file: BinaryIO) -> FileState:
        return cast(_RemoteFile, file).state

    def absolute(self, path: str) -> str:
        return path.rstrip("/")

    def basename(self, path: str) -> str:
        parts = urlsplit(path)
        last = parts.path.rstrip("/").rpartition("/")[2]
        return unquote(last) if self.scheme in WEB else last or parts.netloc

    def _store(self, path: str) -> Any:
        """fsspec's file system for the address."""
        fresh = {} if self.scheme in ("hdfs", "memory") else {"use_listings_cache": False}
        try:
            fsspec = importlib.import_module("fsspec.core")
            return fsspec.url_to_fs(path, **fresh)[0]
        except ImportError as error:
            package = STORES[self.scheme]
            more = f" {package}" if package not in ("", "aiohttp") else ""
            raise InputError(
                without_secrets(path), f"{self.scheme}:// needs a package that is not installed: {error.name or error}",
                hint=f"pip install 'tb_perfcompare[remote]'{more}",
            ) from error  # fmt: skip

    def _inside(self, store: Any, path: str) -> str:
        """The path in the store's own form."""
        return path if self.scheme in WEB else str(store._strip_protocol(path))

    def _address(self, beside: str, name: str) -> str:
        """The address of the entry `name` in a listing of `beside`."""
        if self.scheme in WEB:
            return name
        host = f"{urlsplit(beside).netloc}/" if self.scheme == "hdfs" else ""
        return f"{self.scheme}://{host}{name.lstrip('/')}"

    def _opener(self, store: Any, inside: str) -> _Opener:
        def opened(ahead: int) -> Any:
            if not ahead:
                return store.open(inside, "rb", block_size=0)
            return store.open(inside, "rb", block_size=ahead, cache_type="readahead")

        return opened


def _facts(path: str, name: str, info: dict[str, Any]) -> FileStat:
    is_dir = info.get("type") == "directory"
    version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
    size, time_ns = int(info.get("size") or 0), _time_ns(info)
    identity = hashlib.sha256(path.rstrip("/").encode("utf-8", "backslashreplace")).digest()
    return FileStat(path, name, is_dir, size, time_ns, identity, version=version)


def _time_ns(info: dict[str, Any]) -> int:
    """Time of the file's last change, under any store's name for it; 0 if unknown."""
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    for key in _TIMES:
        time = info.get(key)
        try:
            if isinstance(time, str):
                written = time.replace("Z", "+00:00")
                time = parsedate_to_datetime(time) if "," in time else datetime.fromisoformat(written)
            if isinstance(time, datetime):
                return round((time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp() * 1e6) * 1000
            if isinstance(time, (int, float)):
                return round(time * 1e6) * 1000
        except (ValueError, OverflowError):
            continue
    return 0
