"""Gzip data inflated by the compiled module, which is two to four times as fast as zlib, as long as nothing is wrong.

What is wrong, and how much of damaged data can be had, is for zlib to say: `Blocks` asks it where this gives up. Only
where everything was inflated and the checksum or the length behind it is another, nothing is left to ask. So the bytes
and the words are the same whoever inflates.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from enum import Enum

from tb_perfcompare.sources.native import _scanner

_MAGIC = b"\x1f\x8b"
_DEFLATE = 8
_EXTRA, _NAME, _COMMENT = 4, 8, 16
_LONGEST_HEADER = 1 << 12
_TRAILER, _CRC = 8, 4
_CHECKSUM: Callable[[bytes, int], int] = getattr(_scanner, "checksum", zlib.crc32)


class Ending(Enum):
    """How the data ended."""

    WHOLE = "whole"
    EARLY = "early"
    CHECK = "check"  # the bytes given are all that can be had, and not what they were; `fault` says what zlib would say
    FOREIGN = "foreign"  # something is wrong, or unusual, behind the bytes given


class QuickGzip:
    """Iterates once over the blocks of gzip data.

    read         gives the next stored bytes, b"" at their end
    first        stored bytes read already
    block_bytes  size of the blocks; none is empty, the last ones of a member may be shorter
    ending       complete once the iteration has ended
    fault        why the bytes cannot be right
    fault_at     bytes of the file up to the place that shows it
    """

    def __init__(self, read: Callable[[], bytes], first: bytes, block_bytes: int) -> None:
        self._read = read
        self._data = first
        self._is_all = False
        self._room = block_bytes
        self._least = max(block_bytes // 4, _LONGEST_HEADER)
        self._taken = len(first)
        self.ending = Ending.FOREIGN
        self.fault = ""
        self.fault_at = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.ending = Ending.FOREIGN
            self._top_up(0)
            start = _behind_header(self._data)
            if start < 0:
                return
            yield from self._member(start)
            if self.ending is not Ending.WHOLE or not self._data:
                return

    def _member(self, at: int) -> Iterator[bytes]:
        """One member whose header ends at `at`; what follows it is left in the data."""
        stream, checksum, size = _scanner.Inflate(), 0, 0
        how = _scanner.ROOM
        while how != _scanner.ALL:
            at = self._top_up(at)
            block, at, how = stream.more(self._data, at, self._is_all, self._room)
            if block:
                checksum, size = _CHECKSUM(block, checksum), size + len(block)
                yield block
            if how == _scanner.FOREIGN:
                return
            if how == _scanner.INPUT and self._is_all:
                self.ending = Ending.EARLY
                return
        at = self._top_up(at)
        trailer = self._data[at : at + _TRAILER]
        expected = checksum.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")
        if len(trailer) >= _CRC and trailer[:_CRC] != expected[:_CRC]:
            self._wrong("incorrect data check", at + _CRC)  # though the rest may not be there either
        elif len(trailer) < _TRAILER:
            self.ending = Ending.EARLY
        elif trailer != expected:
            self._wrong("incorrect length check", at + _TRAILER)
        else:
            self.ending = Ending.WHOLE
            self._data = self._data[at + _TRAILER :]
            self._top_up(0)

    def _wrong(self, what: str, until: int) -> None:
        self.ending = Ending.CHECK
        self.fault = f"Error -3 while decompressing data: {what}"
        self.fault_at = self._taken - len(self._data) + until

    def _top_up(self, at: int) -> int:
        """Forgets the data before `at` and reads more where little is left. Where the rest begins."""
        if len(self._data) - at >= self._least:
            return at
        parts = [self._data[at:]]
        length = len(parts[0])
        while length < self._least and not self._is_all:
            parts.append(self._read())
            length += len(parts[-1])
            self._taken += len(parts[-1])
            self._is_all = not parts[-1]
        self._data = b"".join(parts)
        return 0


def _behind_header(data: bytes) -> int:
    """Where the deflate stream of a member begins; -1 for a header that is not whole or has unusual parts."""
    if len(data) < 10 or not data.startswith(_MAGIC) or data[2] != _DEFLATE or data[3] & ~(_EXTRA | _NAME | _COMMENT):
        return -1
    at = 10
    if data[3] & _EXTRA:
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    for part in (_NAME, _COMMENT):
        if data[3] & part:
            at = data.find(b"\0", at) + 1
            if not at:
                return -1
    return at if at < len(data) else -1
