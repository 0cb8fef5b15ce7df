"""Finished comparisons on disk, so that a second opening of a pair computes nothing.

One file per comparison: the JSON that the tab is sent first, then MessagePack of the object that was computed; reading
them never runs code. The key is everything the comparison depends on: the names and the content of all files, steps,
options, this package's code. A comparison from which a file is missing is not kept, because the file may be readable
the next time. Documented in docs/cache.md.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import struct
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.comparison import Comparison
from tb_perfcompare.render.pages import comparison_answer
from tb_perfcompare.workspace.cache_keys import code, described
from tb_perfcompare.workspace.disk_entries import COMPARISON, DiskEntries

if TYPE_CHECKING:
    from tb_perfcompare.workspace.workspace import Question

FORMAT = 1
"""Changes when entries written before cannot be read any more."""

WORTH_KEEPING_BYTES = 256 * 2**10
"""Pairs of smaller files are compared again as fast as their entry is read."""


class ComparisonCache:
    """Comparisons by question, beside the summaries. Whatever goes wrong, there is just no comparison."""

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

    def get(self, key: str) -> Comparison | None:
        """The comparison that was kept under the key."""
        body = self._part(key, 1)
        if body is None:
            return None
        try:
            return _decoder().decode(body)
        except (msgspec.MsgspecError, ValueError):
            self._entries.remove(self._entries.path(key, COMPARISON))
            return None

    def answer(self, key: str) -> bytes | None:
        """What render/pages.py made of it."""
        return self._part(key, 0)

    def put(self, key: str, question: Question, comparison: Comparison) -> None:
        """Keeps it, unless a file was left out or has changed since `key` was made."""
        if comparison.files_left_out or key != self.key(question):
            return
        try:
            body = msgspec.msgpack.encode(comparison, enc_hook=_plain)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            return  # an integer beyond 64 bits, or a text that is no Unicode
        parts = comparison_answer(comparison), body
        heads = b"".join(_HEAD.pack(len(part), hashlib.sha256(part).digest()) for part in parts)
        with contextlib.suppress(OSError):
            self._entries.write(self._entries.path(key, COMPARISON), lambda out: out.write(heads + b"".join(parts)))

    def _part(self, key: str, number: int) -> bytes | None:
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


_HEAD = struct.Struct("<Q32s")
"""Bytes and digest of a part."""


@functools.cache
def _decoder() -> msgspec.msgpack.Decoder[Comparison]:
    return msgspec.msgpack.Decoder(Comparison)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in a comparison")
