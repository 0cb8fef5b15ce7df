"""What a tab is sent first about a pair whose comparison is on disk (comparison_cache.py), without anything that
computes: a server that was just started has it at once."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeVar

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.workspace.disk_cache.cache_keys import code, described
from tb_perfcompare.workspace.disk_cache.disk_store import COMPARISON, DiskStore, digest_of

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest

FORMAT = 3
"""Changes when entries written before cannot be read any more."""

WORTH_KEEPING_BYTES = 16 * 2**10
"""Pairs of smaller files are not kept: an entry is larger. A command that compares takes at least 0.4 s of processor
time, half of it for imports; one that reads an entry 0.2 s, and writing it takes 0.01 s."""

_HEAD = struct.Struct("<Q32s")
"""Bytes and digest of a part."""

T = TypeVar("T")


class _Answer(msgspec.Struct):
    """What is looked at of an answer before it is sent: that it is whole and of the kind that a tab expects."""

    schema: Literal["tb_perfcompare.comparison/1"]
    version: str
    baseline: dict[str, msgspec.Raw]
    candidate: dict[str, msgspec.Raw]
    window: str
    headline: dict[str, msgspec.Raw]
    ledger: dict[str, msgspec.Raw]
    findings: list[msgspec.Raw]
    comparability: list[msgspec.Raw]
    peaks: dict[str, msgspec.Raw]
    caveats: list[msgspec.Raw]
    notes: list[msgspec.Raw]
    tables: dict[str, dict[str, msgspec.Raw]]


class ResponseCache:
    """Entries of comparisons by question. Whatever goes wrong, there is just no answer."""

    def __init__(self, entries: DiskStore) -> None:
        self._entries = entries

    def key(self, question: ComparisonRequest) -> str | None:
        """Of the files as they are now; None if one cannot be read, or for a pair that is not worth it."""
        files = (*question.baseline.everything, *question.candidate.everything)
        if sum(file.bytes for file in files) < WORTH_KEEPING_BYTES:
            return None
        try:
            parts = [FORMAT, __version__, code(), *described(question, names=True)]
        except OSError:
            return None
        return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:40]

    def answer_to(self, question: ComparisonRequest) -> bytes | None:
        """The answer, if it is on disk."""
        key = self.key(question)
        return None if key is None else self.answer(key)

    def answer(self, key: str) -> bytes | None:
        """What render/wire/pages.py made of it."""
        return self._part(key, 0, _checked_answer)

    def _part(self, key: str, number: int, made: Callable[[bytes], T]) -> T | None:
        """What is made of one of the two parts; an entry that is not what was written is removed."""
        path = self._entries.path(key, COMPARISON)
        return self._entries.read(path, lambda stored, size: made(_body(stored, size, path, number)))


def with_heads(path: Path, parts: tuple[bytes, bytes]) -> bytes:
    """The entry with this path."""
    heads = (_HEAD.pack(len(part), digest_of(path, part, number)) for number, part in enumerate(parts))
    return b"".join((*heads, *parts))


def _body(stored: BinaryIO, size: int, path: Path, number: int) -> bytes:
    """Raises ValueError for anything but what was written."""
    heads = stored.read(2 * _HEAD.size)
    if len(heads) < 2 * _HEAD.size:
        raise ValueError("it is too short")
    sizes, digests = zip(*_HEAD.iter_unpack(heads), strict=True)
    if size != len(heads) + sum(sizes):
        raise ValueError("another size")
    stored.seek(len(heads) + sum(sizes[:number]))
    body = stored.read(sizes[number])
    if digest_of(path, body, number) != digests[number]:
        raise ValueError("another digest")
    return body


def _checked_answer(body: bytes) -> bytes:
    """Raises ValueError for what is no answer (msgspec's errors are ones)."""
    msgspec.json.decode(body, type=_Answer)
    return body
