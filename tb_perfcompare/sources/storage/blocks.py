"""The bytes of a file in blocks of bounded size, inflated by a second thread ahead of the caller.

Compression is recognised by the first bytes, never by the name. Whatever can be inflated of a damaged gzip file is
delivered; `damage` says what was wrong. zlib-ng inflates, or zlib where it cannot be imported, with
the same bytes and messages.
"""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import ModuleType, TracebackType
from typing import Any, BinaryIO

from tb_perfcompare.sources.storage.deflate import LIBRARY

BLOCK_BYTES = 1 << 20
bytes(2 * BLOCK_BYTES)
"""Once that much was freed, glibc keeps the memory of freed blocks for the next ones. Else it gives each back to the
system, and first touches of its pages take a sixth of the time of reading."""
_STORED_BYTES = 256 << 10  # one read of a compressed file
_AHEAD = 2  # blocks inflated before they are asked for: with one, each thread waits for the other at every block
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ERRORS: tuple[type[Exception], ...] = (zlib.error, LIBRARY.error)
MOST_RATIO = 300
"""Times its size a gzip file may become: traces become 10 to 30 times as long, a page of zeros 1,000 times."""
FREE_BYTES = 64 << 20
"""So many bytes may come of any file."""
_BOMB = f"the gzip data expand more than {MOST_RATIO} times"


class Blocks:
    """Iterates once over the uncompressed bytes of `file`, which stays the caller's to close.

    Use as a context manager: leaving it stops the thread, also in the middle. `library` inflates. The facts below are
    complete once the iteration has ended.

    stored_bytes  bytes taken from the file so far
    raw_bytes     bytes delivered so far
    head          the first bytes as stored
    damage        why the gzip stream could not be followed to its end, "" if it could
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        want_hash: bool = False,
        block_bytes: int = BLOCK_BYTES,
        library: ModuleType = LIBRARY,
    ) -> None:
        self._file = file
        self._block_bytes = block_bytes
        self._library = library
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
    def is_packed(self) -> bool:
        """Whether the file is compressed; known from the first block on."""
        return self.head.startswith(_GZIP_MAGIC)

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
            inflated = 0
            for block in self._inflate(first):
                inflated += len(block)
                if inflated > FREE_BYTES and inflated > MOST_RATIO * self.stored_bytes:
                    self.damage = _BOMB
                    break
                yield block
            while self._hash is not None and self._read(self._block_bytes):  # the digest is of the whole file
                pass
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
        member = self._library.decompressobj(_GZIP_WINDOW)
        parts: list[bytes] = []
        missing = self._block_bytes
        while not self.damage:
            before = member.copy()
            try:
                part = member.decompress(data, missing)
            except _ERRORS as error:
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
                member = self._library.decompressobj(_GZIP_WINDOW)
                if not data.startswith(_GZIP_MAGIC[: len(data)]):
                    self.damage = "bytes that are not gzip behind the gzip data"
            elif not (self.damage or data or part):  # an empty call has shown that nothing is held back inside
                data = self._read(_STORED_BYTES)
                if not data:
                    self.damage = "the gzip data end early"
        rest = b"".join(parts)
        if rest:
            yield rest


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


def _inflatable(member: Any, data: bytes) -> bytes:
    """What comes out of `data` before the damage in it, to the byte: nothing comes back from a call that fails."""
    parts: list[bytes] = []
    for step in (1 << 16, 1 << 8):
        part = b"more"
        while part:
            before = member.copy()
            try:
                part = member.decompress(data, step)
            except _ERRORS:
                member = before
                break
            parts.append(part)
            data = member.unconsumed_tail
    with contextlib.suppress(*_ERRORS):
        for at in range(len(data)):  # byte by byte on both sides: a wrong checksum must not take a symbol with it
            given, part = data[at : at + 1], b"more"
            while part:
                part = member.decompress(given, 1)
                parts.append(part)
                given = member.unconsumed_tail
    return b"".join(parts)
