"""What a tab is sent first about a pair whose comparison is on disk (comparison_cache.py), without anything that
computes: a server that was just started has it at once."""

from __future__ import annotations

import hashlib
import os
import struct
from typing import TYPE_CHECKING

from tb_perfcompare._version import __version__
from tb_perfcompare.workspace.cache_keys import code, described
from tb_perfcompare.workspace.disk_entries import COMPARISON, DiskEntries

if TYPE_CHECKING:
    from tb_perfcompare.workspace.question import Question

FORMAT = 2
"""Changes when entries written before cannot be read any more."""

WORTH_KEEPING_BYTES = 256 * 2**10
"""Pairs of smaller files are compared again as fast as their entry is read."""

_HEAD = struct.Struct("<Q32s")
"""Bytes and digest of a part."""


class KeptAnswers:
    """Entries of comparisons by question. Whatever goes wrong, there is just no answer."""

    def __init__(self, entries: DiskEntries) -> None:
        self._entries = entries

    def key(self, question: Question) -> str | None:
        """Of the files as they are now; None if one cannot be read, or for a pair that is not worth it."""
        files = (*question.baseline.everything, *question.candidate.everything)
        if sum(file.bytes for file in files) < WORTH_KEEPING_BYTES:
            return None
        try:
            parts = [FORMAT, __version__, code(), *described(question, names=True)]
        except OSError:
            return None
        return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:40]

    def answer_to(self, question: Question) -> bytes | None:
        """The answer, if it is on disk."""
        key = self.key(question)
        return None if key is None else self.answer(key)

    def answer(self, key: str) -> bytes | None:
        """What render/pages.py made of it."""
        return self.part(key, 0)

    def part(self, key: str, number: int) -> bytes | None:
        """One of the two parts; a damaged entry is removed."""
        path = self._entries.path(key, COMPARISON)
        try:
            with open(path, "rb") as stored:
                heads = stored.read(2 * _HEAD.size)
                if len(heads) < 2 * _HEAD.size:
                    raise ValueError
                sizes, digests = zip(*_HEAD.iter_unpack(heads), strict=True)
                if os.fstat(stored.fileno()).st_size != len(heads) + sum(sizes):
                    raise ValueError
                stored.seek(sum(sizes[:number]), os.SEEK_CUR)
                body = stored.read(sizes[number])
        except OSError:
            return None
        except ValueError:
            self._entries.remove(path)
            return None
        if hashlib.sha256(body).digest() != digests[number]:
            self._entries.remove(path)
            return None
        self._entries.touch(path)
        return body


def head_of(part: bytes) -> bytes:
    """What stands before the parts of an entry about one of them."""
    return _HEAD.pack(len(part), hashlib.sha256(part).digest())
