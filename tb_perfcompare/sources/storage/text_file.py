"""Reads a text file as lines, plain or gzip, through a FileSystem, with digest and progress, in bounded memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.sources.storage.blocks import Blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER_BYTES = 1 << 18
MAX_LINE_BYTES = 4 << 20
"""Maximum length of a line: csv limits a cell to 128 KiB, and no table has many cells of that size."""


def has_python_only_digits(text: str) -> bool:
    """Whether the text has digits of other scripts or underscores, which only Python accepts in numbers."""
    return "_" in text or not text.isascii()


class DamagedText(Exception):
    """The bytes end in damaged gzip data or an overlong line; everything before was delivered."""


class TextFile:
    """An open text file. `lines` decodes UTF-8, drops a byte order mark and keeps line ends.

    name  name of the file in messages and facts
    rows  number of rows its reader has read, for progress
    """

    def __init__(self, name: str, blocks: Blocks, size: int, report: Reporter) -> None:
        self.name = name
        self.rows = 0
        self._blocks = blocks
        raw = _BlockStream(blocks, lambda: report(Progress("reading", name, blocks.stored_bytes, size, self.rows)))
        self.lines = io.TextIOWrapper(io.BufferedReader(raw, _BUFFER_BYTES), encoding="utf-8-sig", newline="")

    def facts(self) -> FileFacts:
        """Name, bytes and digest, once all lines have been read."""
        return FileFacts(self.name, self._blocks.stored_bytes, self._blocks.sha256)


@contextmanager
def open_text(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = False, name: str | None = None
) -> Iterator[TextFile]:
    """Opens the text file at `path`. Raises InputError if that fails.

    `name` replaces the path in messages and facts.
    """
    try:
        size = fs.stat(path).bytes
        stored = fs.open(path)
    except OSError as error:
        message = f"cannot be opened: {error.strerror or error}"
        raise InputError(name or path, message, hint="check the name") from error
    with stored, Blocks(stored, want_hash=want_hash) as blocks:
        yield TextFile(name or path, blocks, size, report)


class _BlockStream(io.RawIOBase):
    """The uncompressed bytes as a raw stream; calls `delivered` after every block."""

    def __init__(self, blocks: Blocks, delivered: Callable[[], None]) -> None:
        self._facts = blocks
        self._blocks = iter(blocks)
        self._delivered = delivered
        self._rest = memoryview(b"")
        self._line_bytes = 0  # length of the last line so far

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                if self._facts.damage:
                    raise DamagedText(self._facts.damage)
                return 0
            at = max(block.rfind(b"\n"), block.rfind(b"\r"))
            self._line_bytes = len(block) - at - 1 + (self._line_bytes if at < 0 else 0)
            if self._line_bytes > MAX_LINE_BYTES:
                raise DamagedText(f"has a line of more than {MAX_LINE_BYTES >> 20} MiB")
            self._rest = memoryview(block)
            self._delivered()
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
