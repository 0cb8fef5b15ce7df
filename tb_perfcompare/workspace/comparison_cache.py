"""Finished comparisons on disk, so that a second opening of a pair computes nothing.

One file per comparison: MessagePack of the object that was computed; reading it never runs code. Its key is everything
the comparison depends on: the names and the content of all files, steps, options, this package's code. A comparison
from which a file is missing is not kept, because the file may be readable the next time. Documented in docs/cache.md.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tb_perfcompare._version import __version__
from tb_perfcompare.compare.comparison import Comparison
from tb_perfcompare.model.note import NoteCode
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
        path = self._entries.path(key, COMPARISON)
        try:
            stored = path.read_bytes()
        except OSError:
            return None
        digest, body = stored[:_DIGEST_BYTES], stored[_DIGEST_BYTES:]
        if hashlib.sha256(body).digest() != digest:
            self._entries.remove(path)
            return None
        try:
            found = _decoder().decode(body)
        except (msgspec.MsgspecError, ValueError):
            self._entries.remove(path)
            return None
        self._entries.touch(path)
        return found

    def put(self, key: str, question: Question, comparison: Comparison) -> None:
        """Keeps it, unless a file was left out or has changed since `key` was made."""
        if any(note.code == NoteCode.FILE_FAILED for note in comparison.notes) or key != self.key(question):
            return
        try:
            body = msgspec.msgpack.encode(comparison, enc_hook=_plain)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            return  # an integer beyond 64 bits, or a text that is no Unicode
        digest = hashlib.sha256(body).digest()
        try:
            self._entries.write(self._entries.path(key, COMPARISON), lambda out: out.write(digest + body))
        except OSError:
            return


_DIGEST_BYTES = hashlib.sha256().digest_size


@functools.cache
def _decoder() -> msgspec.msgpack.Decoder[Comparison]:
    return msgspec.msgpack.Decoder(Comparison)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in a comparison")
