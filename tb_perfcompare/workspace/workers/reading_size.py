"""How much memory reading a file will take, from a look at a few places of it: readers keep events, not text, and the
size of a compressed file says little. What they really take is measured while they read (memory_need.py)."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from functools import lru_cache

from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.sources.storage.blocks import FREE_BYTES, MOST_RATIO
from tb_perfcompare.sources.storage.file_systems import is_address
from tb_perfcompare.workspace.inputs.sides import CaptureFile, files_of
from tb_perfcompare.workspace.workers.memory_need import PER_EVENT_BYTES, PROCESS_BYTES

_PER_BYTE, _PER_PACKED_BYTE = 2, 16
"""For what is not looked at, or holds no events that could be counted."""

_NOT_LOOKED_AT = 12 * 2**20
"""Files of at most so many bytes take little, unless they are packed."""

_MOST_HERE = 256 * 2**20
"""Files that may need more are not read by the process that is asked."""

_NO_QUESTION = 2 * 2**20
"""Looking into a file of up to so many bytes takes longer than it saves."""

_EVENT = b'"ph"'
_WINDOW = 64 * 2**10
_MOST_TEXT = 2**20
_GZIP = b"\x1f\x8b"
_MEMBER = _GZIP + b"\x08"
_WRAP = 2**32
"""The last four bytes of a gzip file tell the size of its text up to multiples of this."""


@lru_cache(4096)
def reading_bytes(file: CaptureFile) -> int:
    """Memory that reading a file is expected to need at most. Never raises: of what cannot be opened the size is all
    that is known, and its reader will tell why."""
    by_size = PROCESS_BYTES + file.bytes * (_PER_PACKED_BYTE if file.path.endswith(".gz") else _PER_BYTE)
    if is_address(file.path):
        return by_size
    try:
        events = _events(file)
    except (OSError, zlib.error):
        return by_size
    return by_size if events is None else PROCESS_BYTES + round(events * PER_EVENT_BYTES)


class Outgrown(Exception):
    """A file that was thought to be small is not."""


def are_small(files: Sequence[CaptureFile]) -> bool:
    """Whether they will stay small when they are read: while_small ends what proves to be larger after all."""
    large = (file for file in files if file.bytes > _NO_QUESTION)
    return sum(reading_bytes(file) - PROCESS_BYTES for file in large) <= _MOST_HERE


def while_small(report: Reporter) -> Reporter:
    """The reporter, which raises Outgrown once a file proves to hold too many events."""

    def checked(progress: Progress, /) -> None:
        report(progress)
        if progress.events * PER_EVENT_BYTES > _MOST_HERE:
            raise Outgrown

    return checked


def _events(file: CaptureFile) -> float | None:
    """As many as there are if all of the file is as dense as the densest place looked at; None if there are none, or if
    so little is no matter."""
    stored_bytes = file.bytes
    with files_of(file).open(file.path) as stored:
        head = stored.read(_WINDOW)
        is_packed = head.startswith(_GZIP)
        if not is_packed and stored_bytes <= _NOT_LOOKED_AT:
            return None
        stored.seek(max(0, stored_bytes - _WINDOW))
        tail = stored.read(_WINDOW)
        if is_packed:
            texts, text_bytes = _unpacked(head, tail, stored_bytes)
        else:
            stored.seek(stored_bytes // 2)
            texts, text_bytes = [head, stored.read(_WINDOW), tail], stored_bytes
    windows = [text[at : at + _WINDOW] for text in texts for at in range(0, len(text), _WINDOW)]
    most = max((window.count(_EVENT) for window in windows if len(window) == _WINDOW), default=0)
    return text_bytes * most / _WINDOW if most else None


def _unpacked(head: bytes, tail: bytes, stored_bytes: int) -> tuple[list[bytes], float]:
    """Text from the beginning of a gzip file and from that of its last part, and how much there is in all. How well the
    beginning is packed says which multiple of 4 GiB is missing from the size that the file tells; a file of several
    parts tells only that of the last one. No more is believed than is ever read."""
    text, used = _inflated(head)
    likely = len(text) / max(1, used) * stored_bytes
    declared = int.from_bytes(tail[-4:], "little")
    declared += max(0, round((likely - declared) / _WRAP)) * _WRAP
    end = b""
    with contextlib.suppress(zlib.error):  # what looks like the beginning of a part need not be one
        end = _inflated(tail[max(0, tail.rfind(_MEMBER)) :])[0]
    text_bytes = declared if declared >= likely / 2 else likely * 2
    return [text, end], min(text_bytes, max(FREE_BYTES, MOST_RATIO * stored_bytes))


def _inflated(data: bytes) -> tuple[bytes, int]:
    """The first text of gzip data, of several parts if they are short, and of how many bytes it was made."""
    texts: list[bytes] = []
    missing, left = _MOST_TEXT, data
    while missing > 0 and left.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=31)
        texts.append(unpacking.decompress(left, missing))
        missing -= len(texts[-1])
        left = unpacking.unconsumed_tail or unpacking.unused_data
    return b"".join(texts), len(data) - len(left)
