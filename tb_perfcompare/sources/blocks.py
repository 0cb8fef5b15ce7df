"""The bytes of a file in blocks of bounded size, inflated by a second thread ahead of the caller.

Compression is told by the first bytes, never by the name. Whatever can be inflated of a damaged gzip file is delivered;
what was wrong is left in `damage`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import BinaryIO

BLOCK_BYTES = 2 << 20
_STORED_BYTES = 256 << 10  # one read of a compressed file
_AHEAD = 1  # blocks inflated before they are asked for
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class Blocks:
    """Iterates once over the uncompressed bytes of `file`, which stays the caller's to close.

    Use as a context manager: leaving it stops the thread, also in the middle. The facts below are complete once the
    iteration has ended.

    stored_bytes  bytes taken from the file so far
    raw_bytes     bytes delivered so far
    head          the first bytes as stored
    damage        why the gzip stream could not be followed to its end, "" if it could
    """

    def __init__(self, file: BinaryIO, *, want_hash: bool = False, block_bytes: int = BLOCK_BYTES) -> None:
        self._file = file
        self._block_bytes = block_bytes
        self._hash = hashlib.sha256() if want_hash else None
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="inflate")
        self.stored_bytes = 0
        self.raw_bytes = 0
        self.damage = ""
        self.head = b""

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    @property
    def sha256(self) -> str:
        """Digest of the bytes as stored; "" when it was not wanted."""
        return self._hash.hexdigest() if self._hash is not None else ""

    def __iter__(self) -> Iterator[bytes]:
        produced = self._produce()
        waiting: deque[Future[bytes | None]] = deque()
        for _ in range(_AHEAD):
            waiting.append(self._threads.submit(next, produced, None))
        while (block := waiting.popleft().result()) is not None:
            waiting.append(self._threads.submit(next, produced, None))
            self.raw_bytes += len(block)
            yield block

    def _produce(self) -> Iterator[bytes]:
        """Runs in the thread, one block per call."""
        first = self._read(_STORED_BYTES)
        self.head = first[:16]
        if first.startswith(_GZIP_MAGIC):
            yield from self._inflate(first)
            return
        while first:
            yield first
            first = self._read(self._block_bytes)

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        self.stored_bytes += len(data)
        if self._hash is not None:
            self._hash.update(data)
        return data

    def _inflate(self, data: bytes) -> Iterator[bytes]:
        """Blocks of all members of a gzip file; zeros behind the last one are padding."""
        member = zlib.decompressobj(_GZIP_WINDOW)
        parts: list[bytes] = []
        missing = self._block_bytes
        while not self.damage:
            before = member.copy()
            try:
                part = member.decompress(data, missing)
            except zlib.error as error:
                part = _inflatable(before, data)
                self.damage = f"gzip data damaged before byte {self.stored_bytes}: {error}"
            parts.append(part)
            missing -= len(part)
            if missing <= 0:
                yield b"".join(parts)
                parts, missing = [], self._block_bytes
            data = member.unconsumed_tail
            if member.eof:
                data = (member.unused_data or self._read(_STORED_BYTES)).lstrip(b"\0")
                if not data:
                    break
                member = zlib.decompressobj(_GZIP_WINDOW)
                if not data.startswith(_GZIP_MAGIC[: len(data)]):
                    self.damage = "bytes that are not gzip behind the gzip data"
            elif not data and not part:  # an empty call has shown that nothing is held back inside zlib
                data = self._read(_STORED_BYTES)
                if not data:
                    self.damage = "the gzip data end early"
        rest = b"".join(parts)
        if rest:
            yield rest
        while self._hash is not None and self._read(self._block_bytes):  # the digest is of the whole file
            pass


def read_head(file: BinaryIO, size: int = 64 << 10) -> bytes:
    """Up to `size` first bytes of a file, uncompressed as far as they can be."""
    data = file.read(size)
    if not data.startswith(_GZIP_MAGIC):
        return data
    member = zlib.decompressobj(_GZIP_WINDOW)
    before = member.copy()
    try:
        return member.decompress(data, size)
    except zlib.error:
        return _inflatable(before, data)[:size]


def _inflatable(member: zlib._Decompress, data: bytes) -> bytes:
    """What comes out of `data` before the damage in it, to the byte: zlib gives nothing back from a call that fails."""
    parts: list[bytes] = []
    for step in (1 << 16, 1 << 8, 1):
        part = b"more"
        while part:
            before = member.copy()
            try:
                part = member.decompress(data, step)
            except zlib.error:
                member = before
                break
            parts.append(part)
            data = member.unconsumed_tail
    return b"".join(parts)
