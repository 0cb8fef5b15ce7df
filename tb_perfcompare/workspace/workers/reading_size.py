"""Estimates the memory that reading a file takes, from samples of its content: readers keep events, not text, and the
size of a compressed file says little. Actual use is measured during reading (memory_need.py)."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from functools import lru_cache

from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.sources.storage.blocks import FREE_BYTES, GZIP_MAGIC, MAX_RATIO
from tb_perfcompare.sources.storage.file_systems import is_address
from tb_perfcompare.workspace.inputs.sides import CaptureFile, files_of
from tb_perfcompare.workspace.workers.memory_need import PER_EVENT_BYTES, PROCESS_BYTES

_PER_BYTE, _PER_PACKED_BYTE = 2, 16
"""Memory per byte of a file that is not sampled, or in which no events are recognized: plain, compressed."""

_PACKS_TO = 16
"""Usual ratio of a trace's size to that of its gzip file."""

_NOT_LOOKED_AT = 12 * 2**20
"""Uncompressed files up to this size need little memory and are not sampled."""

_MAX_INLINE_BYTES = 256 * 2**20
"""Files that may need more memory than this are read by a worker process."""

_ALWAYS_SMALL_BYTES = 2 * 2**20
"""Sampling a file up to this size takes longer than it saves."""

_EVENT = b'"ph"'
_WINDOW = 64 * 2**10
_MAX_SAMPLE_BYTES = 2**20
_MEMBER = GZIP_MAGIC + b"\x08"
_WRAP = 2**32
"""The last four bytes of a gzip file hold the size of its text modulo this."""


@lru_cache(4096)
def reading_bytes(file: CaptureFile) -> int:
    """Estimates the most memory that reading a file needs, in bytes. Never raises: a file that cannot be opened is
    estimated from its size, and its reader will report the error."""
    by_size = PROCESS_BYTES + file.bytes * (_PER_PACKED_BYTE if file.path.endswith(".gz") else _PER_BYTE)
    if is_address(file.path):
        return by_size
    try:
        events = _events(file)
    except (OSError, zlib.error):
        return by_size
    return by_size if events is None else PROCESS_BYTES + round(events * PER_EVENT_BYTES)


def packed_bytes(file: CaptureFile) -> int:
    """Size of the file; of an uncompressed trace the size that gzip would give it, which reading takes as long."""
    return file.bytes // _PACKS_TO if file.path.endswith(".json") else file.bytes


class Outgrown(Exception):
    """Raised while a file is read that turns out not to be small."""


def are_small(files: Sequence[CaptureFile]) -> bool:
    """Whether reading the files is expected to take little memory together; if not so after all, while_small stops
    it."""
    large = (file for file in files if file.bytes > _ALWAYS_SMALL_BYTES)
    return sum(reading_bytes(file) - PROCESS_BYTES for file in large) <= _MAX_INLINE_BYTES


def while_small(report: Reporter) -> Reporter:
    """Wraps a reporter so that it raises Outgrown once a file turns out to hold too many events."""

    def checked(progress: Progress, /) -> None:
        report(progress)
        if progress.events * PER_EVENT_BYTES > _MAX_INLINE_BYTES:
            raise Outgrown

    return checked


def _events(file: CaptureFile) -> float | None:
    """Estimates the number of events, as if the whole file were as dense as its densest sample; None if no events are
    found, or if the file is too small to matter."""
    stored_bytes = file.bytes
    with files_of(file).open(file.path) as stored:
        head = stored.read(_WINDOW)
        is_packed = head.startswith(GZIP_MAGIC)
        if not is_packed and stored_bytes <= _NOT_LOOKED_AT:
            return None
        stored.seek(max(0, stored_bytes - _WINDOW))
        tail = stored.read(_WINDOW)
        if is_packed:
            texts, text_bytes = _unpacked(head, tail, stored_bytes)
        else:
            stored.seek(stored_bytes // 2)
            texts, text_bytes = [head, stored.read(_WINDOW), tail], stored_bytes
    windows = [text[start : start + _WINDOW] for text in texts for start in range(0, len(text), _WINDOW)]
    most = max((window.count(_EVENT) for window in windows if len(window) == _WINDOW), default=0)
    return text_bytes * most / _WINDOW if most else None


def _unpacked(head: bytes, tail: bytes, stored_bytes: int) -> tuple[list[bytes], float]:
    """Returns (text from the beginning of a gzip file and of its last member, estimated size of all its text).

    The size in the trailer is modulo 4 GiB, and of the last member only. The compression ratio of the beginning tells
    how many multiples of 4 GiB to add, or that there are several members. The estimate is at most what readers accept
    of a file of that size."""
    text, used = _inflated(head)
    likely = len(text) / max(1, used) * stored_bytes
    declared = int.from_bytes(tail[-4:], "little")
    declared += max(0, round((likely - declared) / _WRAP)) * _WRAP
    end = b""
    with contextlib.suppress(zlib.error):  # the magic bytes of a member may also occur inside of one
        end = _inflated(tail[max(0, tail.rfind(_MEMBER)) :])[0]
    text_bytes = declared if declared >= likely / 2 else likely * 2
    return [text, end], min(text_bytes, max(FREE_BYTES, MAX_RATIO * stored_bytes))


def _inflated(data: bytes) -> tuple[bytes, int]:
    """Decompresses up to _MAX_SAMPLE_BYTES bytes of gzip data, from several members if they are short; returns (text,
    compressed bytes used)."""
    texts: list[bytes] = []
    missing, remaining = _MAX_SAMPLE_BYTES, data
    while missing > 0 and remaining.startswith(GZIP_MAGIC):
        unpacking = zlib.decompressobj(wbits=31)
        texts.append(unpacking.decompress(remaining, missing))
        missing -= len(texts[-1])
        remaining = unpacking.unconsumed_tail or unpacking.unused_data
    return b"".join(texts), len(data) - len(remaining)
