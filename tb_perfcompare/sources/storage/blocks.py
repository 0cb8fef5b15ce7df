"""Reads the bytes of a file in blocks of bounded size; a second thread decompresses a large file ahead of the caller.

Compression is recognized by the first bytes, never by the name. Of a damaged gzip file everything that can be
decompressed is delivered; `damage` describes the damage. zlib-ng decompresses, or zlib if it is not installed, with the
same bytes and messages.
"""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import ModuleType, TracebackType
from typing import Any, BinaryIO

from tb_perfcompare.errors import unreadable
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.sources.storage.deflate import LIBRARY
from tb_perfcompare.sources.storage.filesystem import FileSystem

BLOCK_BYTES = 1 << 20
# Allocates and frees this much once, so that glibc reuses the memory of freed blocks. Otherwise it returns each block
# to the system, and page faults take a sixth of the reading time.
bytes(2 * BLOCK_BYTES)
_STORED_BYTES = 256 << 10
"""One read of a compressed file. A smaller file is decompressed by the caller's thread, in the same time: starting
threads for 31 files takes 14 ms of CPU time, of 470 for their list."""
_AHEAD = 2  # blocks decompressed in advance: with one, each thread waits for the other at every block
GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ERRORS: tuple[type[Exception], ...] = (zlib.error, LIBRARY.error)
MAX_RATIO = 300
"""Maximum compression ratio of a gzip file: traces have 10 to 30, a page of zeros 1,000."""
FREE_BYTES = 64 << 20
"""Decompressed size up to which the ratio is not checked."""
_BOMB = f"the gzip data expand more than {MAX_RATIO} times"


class Blocks:
    """Iterates once over the uncompressed bytes of `file`, which the caller closes.

    Use as a context manager: leaving it stops the thread, even in the middle. `library` decompresses. The following
    attributes are final once the iteration has ended.

    stored_bytes  bytes read from the file so far
    raw_bytes     bytes delivered so far
    head          the first bytes as stored
    damage        why the gzip stream could not be read to its end, "" if it could
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
        """Whether the file is compressed; known after the first block."""
        return self.head.startswith(GZIP_MAGIC)

    @property
    def sha256(self) -> str:
        """Digest of the bytes as stored; "" if not requested."""
        return self._hash.hexdigest() if self._hash is not None else ""

    def __iter__(self) -> Iterator[bytes]:
        first = self._read(_STORED_BYTES)
        self.head = first[:16]
        produced = self._produce(first)
        for block in produced if len(first) < _STORED_BYTES else self._ahead(produced):
            self.raw_bytes += len(block)
            yield block

    def _ahead(self, produced: Iterator[bytes]) -> Iterator[bytes]:
        """Yields the blocks, which the thread produces one by one ahead of the caller."""
        waiting: deque[Future[bytes | None]] = deque()
        for _ in range(_AHEAD):
            waiting.append(self._threads.submit(next, produced, None))
        while (block := waiting.popleft().result()) is not None:
            waiting.append(self._threads.submit(next, produced, None))
            yield block

    def _produce(self, first: bytes) -> Iterator[bytes]:
        """Yields the blocks of the file that begins with `first`."""
        if first.startswith(GZIP_MAGIC):
            inflated = 0
            for block in self._inflate(first):
                inflated += len(block)
                if inflated > FREE_BYTES and inflated > MAX_RATIO * self.stored_bytes:
                    self.damage = _BOMB
                    break
                yield block
            while self._hash is not None and self._read(self._block_bytes):  # the digest covers the whole file
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
        """Blocks of all members of a gzip file; zeros after the last member are padding."""
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
                if not data.startswith(GZIP_MAGIC[: len(data)]):
                    self.damage = "bytes that are not gzip behind the gzip data"
            elif not (self.damage or data or part):  # an empty result shows that nothing is buffered inside
                data = self._read(_STORED_BYTES)
                if not data:
                    self.damage = "the gzip data end early"
        rest = b"".join(parts)
        if rest:
            yield rest


@contextmanager
def opened_blocks(
    path: str, fs: FileSystem, report: Reporter, *, shown: str, want_hash: bool = False
) -> Iterator[tuple[Blocks, Callable[[int], None]]]:
    """Opens a file for one pass. Yields its blocks, and a function that reports how far reading came, given the number
    of events so far; reports name the file as `shown`. Raises InputError for an OSError in opening or reading."""
    try:
        size = fs.stat(path).bytes
        with fs.open(path) as file, Blocks(file, want_hash=want_hash) as blocks:
            yield blocks, lambda events: report(Progress("reading", shown, blocks.stored_bytes, size, events))
    except OSError as error:
        raise unreadable(path, error) from error


def read_head(file: BinaryIO, size: int = 64 << 10) -> bytes:
    """The first bytes of a file, up to `size`, uncompressed as far as possible."""
    data = file.read(size)
    if not data.startswith(GZIP_MAGIC):
        return data
    member = zlib.decompressobj(_GZIP_WINDOW)
    before = member.copy()
    try:
        return member.decompress(data, size)
    except zlib.error:
        return _inflatable(before, data)[:size]


def _inflatable(member: Any, data: bytes) -> bytes:
    """Decompresses `data` up to the exact byte of the damage in it: a call that fails returns nothing at all."""
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
        for at in range(len(data)):  # byte by byte in and out: a wrong checksum must not cost a symbol
            given, part = data[at : at + 1], b"more"
            while part:
                part = member.decompress(given, 1)
                parts.append(part)
                given = member.unconsumed_tail
    return b"".join(parts)
