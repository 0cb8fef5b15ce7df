"""Reads the bytes of a remote file, and converts stores' exceptions to OSError.

Bytes arrive in ranges, a few megabytes ahead of the reader, or as one stream from a server without range support, so
that memory does not grow with the file. An interrupted transfer is resumed where it stopped.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from tb_perfcompare.sources.storage.addresses import without_secrets
from tb_perfcompare.sources.storage.filesystem import FileState

Opener = Callable[[int], Any]
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


class RemoteFile(io.BufferedIOBase):
    """A remote file. `state` is its state when opened.

    From a web server without range support it is read as one stream; seeking backwards starts over.
    """

    def __init__(self, path: str, opener: Opener, state: FileState) -> None:
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
        with as_os_errors(self._path):
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


class as_os_errors:
    """Context manager that converts any exception of a store to an OSError without secrets in its message."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, at: Any) -> None:
        if error is None or not isinstance(error, _errors()):
            return
        raised: type[OSError] = next((final for final in _FINAL if isinstance(error, final)), OSError)
        reason = _message(error, self._path)
        if raised is FileNotFoundError:
            # fsspec raises it for any failure on the web; the real reason is in the cause
            status, cause = getattr(error.__cause__, "status", 404), error.__cause__
            if status in (401, 403):
                raised, reason = PermissionError, f"the server refuses it ({status})"
            elif cause is not None and not (status in (404, 410) and hasattr(cause, "status")):
                raised, reason = OSError, _message(cause, self._path)
            else:
                reason = "there is no such file"
        raise raised(0, reason) from error


def _message(error: BaseException, path: str) -> str:
    text = " ".join(str(error).split()).replace(path, without_secrets(path))
    return text[:200] or type(error).__name__
