"""Mutations inside containers with valid checksums: columnar summaries, zip archives, event files, gzip data.

Random bytes would be refused by the first checksum.
"""

from __future__ import annotations

import gzip
import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.readers.json_mutation import json_changed
from tests.fuzz.readers.mutation import bytes_changed

Change = Callable[[bytes, Random, Sequence[bytes]], bytes]

_SIZE = struct.Struct("<Q")
_ODD_NUMBERS = (0, 1, -1, 2, 255, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 10**18)
_MOST_BYTES = 1 << 20
_DAMAGE = (
    ValueError, KeyError, IndexError, struct.error, zlib.error, zipfile.BadZipFile, EOFError, OSError,
    NotImplementedError, RuntimeError, OverflowError, MemoryError,
)  # fmt: skip


def gzip_changed(change: Change) -> Change:
    """Mutations of a text, or of gzip data: packed in another way or damaged."""

    def changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
        packed = data[:2] == b"\x1f\x8b"
        if packed and draw.random() < 0.3:
            return bytes_changed(data, draw, others)
        text = data
        if packed:
            try:
                text = zlib.decompressobj(31).decompress(data, _MOST_BYTES)
            except zlib.error:
                return bytes_changed(data, draw, others)
        text = change(text, draw, others)
        match draw.randrange(8):
            case 0:
                return gzip.compress(text, draw.choice((0, 1, 9)), mtime=0)
            case 1:
                half = draw.randrange(len(text) + 1)
                return b"".join(gzip.compress(part, 1, mtime=0) for part in (text[:half], text[half:]))
            case 2:
                return gzip.compress(text, 6, mtime=0) + draw.choice((b"\0" * 9, b"x", b"\x1f\x8b", b"\x1f"))
            case 3:
                return gzip.compress(text, 6, mtime=0)[: -draw.choice((1, 4, 8, 9, 20))]
            case _:
                return gzip.compress(text, 6, mtime=0) if packed else text

    return changed


def columnar_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Mutations of a columnar summary: its JSON or its arrays, with matching lengths."""
    try:
        (size,) = _SIZE.unpack_from(data)
        head, rest = data[_SIZE.size : _SIZE.size + size], data[_SIZE.size + -(-size // 8) * 8 :]
    except struct.error:
        return bytes_changed(data, draw, others)
    match draw.randrange(6):
        case 0:
            return bytes_changed(data, draw, others)
        case 1 | 2 | 3:
            head = json_changed(head, draw, ())
        case _:
            for _ in range(draw.choice((1, 1, 5))):
                at = draw.randrange(len(rest) // 8 + 1) * 8
                rest = rest[:at] + struct.pack("<q", draw.choice(_ODD_NUMBERS)) + rest[at + 8 :]
    return _SIZE.pack(len(head)) + head.ljust(-(-len(head) // 8) * 8, b" ") + rest


def zip_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Mutations of a baseline: a member, the list of members, their packing, or the bytes."""
    if draw.random() < 0.2:
        return bytes_changed(data, draw, others)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(entry.filename, archive.read(entry)) for entry in archive.infolist()[:20]]
    except _DAMAGE:
        return bytes_changed(data, draw, others)
    if members:
        at = draw.randrange(len(members))
        name, content = members[at]
        match draw.randrange(7):
            case 0:
                del members[at]
            case 1:
                members.insert(draw.randrange(len(members)), members[at])
            case 2:
                members[at] = draw.choice(("1", "2", "launches", "baseline.json", "../1", "")), content
            case _:
                change = json_changed if name == "baseline.json" else columnar_changed
                members[at] = name, change(content, draw, others)
    out = io.BytesIO()
    method = draw.choice((zipfile.ZIP_DEFLATED,) * 5 + (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # duplicate names are intended
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    stored = out.getvalue()
    if draw.random() < 0.1:  # sizes, offsets and flags are in the directory at the end
        at = draw.randrange(max(1, len(stored) - 200), len(stored) + 1)
        stored = stored[:at] + bytes([draw.randrange(256)]) + stored[at + 1 :]
    return stored


def point_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Mutations of an event file: a record, or a text in it, with valid checksums."""
    if draw.random() < 0.2:
        return bytes_changed(data, draw, others)
    records = _records(data)
    if not records:
        return bytes_changed(data, draw, others)
    at = draw.randrange(len(records))
    match draw.randrange(8):
        case 0:
            del records[at]
        case 1:
            records.insert(at, records[draw.randrange(len(records))])
        case 2:
            records[at] = bytes_changed(records[at], draw, records)
        case _:
            records[at] = _event_changed(records[at], draw, others)
    return b"".join(map(_record, records))


def _records(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at + 12 <= len(data) and len(found) < 20:
        (length,) = _SIZE.unpack_from(data, at)
        if at + length + 16 > len(data):
            break
        found.append(data[at + 12 : at + 12 + length])
        at += length + 16
    return found


def _record(content: bytes) -> bytes:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    length = _SIZE.pack(len(content))
    sums = [struct.pack("<I", masked_crc32c(part)) for part in (length, content)]
    return length + sums[0] + content + sums[1]


def _event_changed(record: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    try:
        event = Event.FromString(record)
    except DecodeError:
        return bytes_changed(record, draw, others)
    texts = [(value.tensor.string_val, place) for value in event.summary.value
             for place in range(len(value.tensor.string_val))]  # fmt: skip
    if not texts:
        return bytes_changed(record, draw, others)
    holder, place = draw.choice(texts)
    match draw.randrange(6):
        case 0:
            del holder[place]
        case 1:
            holder.append(holder[place])
        case _:
            text = holder[place]
            holder[place] = (zip_changed if text.startswith(b"PK") else json_changed)(text, draw, others)
    return bytes(event.SerializeToString())
