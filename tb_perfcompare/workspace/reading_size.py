"""How much memory reading a file will take, from a look at a few places of it: readers keep events, not text, and a
compressed file tells little by its size."""

from __future__ import annotations

import zlib

from tb_perfcompare.sources.filesystem import open_regular
from tb_perfcompare.sources.places import is_address
from tb_perfcompare.workspace.sides import CaptureFile

_PROCESS_BYTES = 64 * 2**20
_PER_EVENT = 200
"""Measured, tables included: 108 to 123 in traces as frameworks write them, 162 with short ones only, and 273 in the
worst case that was found, which the other half of the machine's memory has room for."""

_PER_BYTE, _PER_PACKED_BYTE = 2, 16
"""For what is not looked at, or holds no events that could be counted."""

_NOT_LOOKED_AT = 12 * 2**20
"""Files of at most so many bytes take little, packed or not."""

_EVENT = b'"ph"'
_WINDOW = 64 * 2**10
_MOST_TEXT = 2**20
_GZIP = b"\x1f\x8b"
_WRAP = 2**32
"""The last four bytes of a gzip file tell the size of its text up to multiples of this."""


def reading_bytes(file: CaptureFile) -> int:
    """Memory that reading a file is expected to need at most. Never raises: of what cannot be opened the size is all
    that is known, and its reader will tell why."""
    by_size = _PROCESS_BYTES + file.bytes * (_PER_PACKED_BYTE if file.path.endswith(".gz") else _PER_BYTE)
    if file.bytes <= _NOT_LOOKED_AT or is_address(file.path):
        return by_size
    try:
        events = _events(file.path, file.bytes)
    except (OSError, zlib.error):
        return by_size
    return by_size if events is None else _PROCESS_BYTES + round(events * _PER_EVENT)


def _events(path: str, stored_bytes: int) -> float | None:
    """As many as there are if all of the file is as dense as the densest place looked at; None if there are none."""
    with open_regular(path) as stored:
        head = stored.read(_WINDOW)
        stored.seek(max(0, stored_bytes - _WINDOW))
        tail = stored.read(_WINDOW)
        if head.startswith(_GZIP):
            text, text_bytes = _unpacked(head, tail, stored_bytes)
            windows = [text[at : at + _WINDOW] for at in range(0, len(text), _WINDOW)]
        else:
            stored.seek(stored_bytes // 2)
            windows, text_bytes = [head, stored.read(_WINDOW), tail], stored_bytes
    whole = [window for window in windows if len(window) == _WINDOW]
    most = max((window.count(_EVENT) for window in whole), default=0)
    return text_bytes * most / _WINDOW if most else None


def _unpacked(head: bytes, tail: bytes, stored_bytes: int) -> tuple[bytes, float]:
    """The first text of a gzip file, and how much there is in all. How well its beginning is packed says which multiple
    of 4 GiB is missing from the size that the file tells; a file of several parts tells only that of the last one."""
    unpacking = zlib.decompressobj(wbits=31)
    text = unpacking.decompress(head, _MOST_TEXT)
    used = len(head) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
    likely = len(text) / max(1, used) * stored_bytes
    told = int.from_bytes(tail[-4:], "little")
    exact = told + max(0, round((likely - told) / _WRAP)) * _WRAP
    return text, exact if likely / 2 <= exact <= likely * 2 else likely * 2
