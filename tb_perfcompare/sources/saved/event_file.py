"""Reads and writes points of a history: TensorBoard event files that contain one run's summary.

    record 1   the version of event files
    record 2   `perfcompare/point`: two texts, PointFacts and SavedFacts as JSON, so that a series is listed without
               unpacking summaries; and plain scalars, which TensorBoard's Time Series tab shows
    record 3   `perfcompare/summary`: one text, the bytes of a saved baseline (baseline_file.py)

A record is its length (8 bytes), the length's checksum, the data, and the data's checksum; little-endian. TensorBoard's
own loader stops silently at a truncation, so records are parsed here, with its checksum function and protobuf messages.
Both are imported only for a point, since that takes a third of a second.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import msgspec

from tb_perfcompare.errors import CorruptInput, InputError, unreadable
from tb_perfcompare.model.saved.history import POINT_SCHEMA, PointFacts
from tb_perfcompare.sources.saved.msgspec_warmup import inspected
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

if TYPE_CHECKING:
    from tensorboard.compat.proto.event_pb2 import Event

PLUGIN = "tb_perfcompare"
"""Plugin name in the metadata of values other than scalars; equals that of plugin/plugin.py."""

POINT_TAG = "perfcompare/point"
SUMMARY_TAG = "perfcompare/summary"
SCALAR_PREFIX = "perfcompare/"

REMEDY = "bring the file back as it was, or record the run again: tb-perfcompare record RUN --into LOGDIR --series NAME"
MAX_BYTES = 1 << 30
"""Maximum size of one record."""

_LENGTH = struct.Struct("<Q")
_SUM = struct.Struct("<I")
_VERSION = "brain.Event:2"


def write_point(
    out: IO[bytes], point: PointFacts, saved_facts: bytes, summary: bytes, scalars: Mapping[str, float]
) -> None:
    """Writes a point; `saved_facts` is a baseline's first member, `summary` its bytes; `scalars` by tag without prefix.

    The step of each event is the point's time in seconds: it grows with time, whichever machine records.
    """
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    first = Summary(value=[_texts(POINT_TAG, msgspec.json.encode(point), saved_facts)])
    for tag, value in scalars.items():
        first.value.add(tag=SCALAR_PREFIX + tag, simple_value=value)
    second = Summary(value=[_texts(SUMMARY_TAG, summary)])
    writer = RecordWriter(out)
    writer.write(Event(wall_time=point.at_s, file_version=_VERSION).SerializeToString())
    for values in (first, second):
        writer.write(Event(wall_time=point.at_s, step=point.at_s, summary=values).SerializeToString(deterministic=True))


def read_point(path: str, fs: FileSystem = LOCAL) -> PointFacts:
    """Reads a point's own metadata. Raises InputError for another version, CorruptInput for a damaged file."""
    text = _texts_of(path, fs, POINT_TAG, 2)[0]
    try:
        if msgspec.json.decode(text, type=dict[str, Any]).get("schema") != POINT_SCHEMA:
            raise InputError(path, "is a point of another version of tb_perfcompare", hint="use that version")
        point = msgspec.json.decode(text, type=inspected(PointFacts))
        wrong = point.inconsistency()
        if wrong:
            raise ValueError(wrong)
        return point
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise CorruptInput(path, f"is a damaged point: {error}", place="record 2", hint=REMEDY) from error


def saved_facts_text(path: str, fs: FileSystem = LOCAL) -> bytes:
    """The first member of the baseline in a point, as JSON. Raises CorruptInput for a damaged file."""
    return _texts_of(path, fs, POINT_TAG, 2)[1]


def opened_summary(path: str, fs: FileSystem = LOCAL) -> BinaryIO:
    """The baseline in a point, as a file object. Raises CorruptInput for a damaged file."""
    return io.BytesIO(_texts_of(path, fs, SUMMARY_TAG, 1)[0])


def _texts(tag: str, *texts: bytes) -> object:
    """A value that TensorBoard's other tabs do not show and do not keep in memory."""
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=len(texts))])
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=PLUGIN))
    tensor = TensorProto(dtype=DT_STRING, tensor_shape=shape, string_val=texts)
    return Summary.Value(tag=tag, metadata=metadata, tensor=tensor)


def _texts_of(path: str, fs: FileSystem, tag: str, count: int) -> list[bytes]:
    """The `count` texts of the value with the tag; reads no further than this value."""
    try:
        size = fs.stat(path).bytes
        with fs.open(path) as file:
            for event in _events(file, size, path):
                for value in event.summary.value:
                    if value.tag == tag and len(value.tensor.string_val) == count:
                        return list(value.tensor.string_val)
    except OSError as error:
        raise unreadable(path, error) from error
    raise CorruptInput(path, f"is a damaged point: it has no {tag}", place=f"byte {size}", hint=REMEDY)


def _events(file: BinaryIO, size: int, path: str) -> Iterator[Event]:
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    offset = 0
    for number, data in enumerate(_records(file, size, path), start=1):
        try:
            event = Event.FromString(data)
        except DecodeError as error:
            raise _damaged(path, offset, number, "it is not an event") from error
        if number == 1 and event.file_version != _VERSION:
            raise _damaged(path, offset, number, "it is not an event file")
        yield event
        offset = file.tell()


def _records(file: BinaryIO, size: int, path: str) -> Iterator[bytes]:
    """The records up to the end of the file.

    Allocates no more memory than the file's size, whatever a length claims.
    """
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    offset, number = 0, 1
    overhead = _LENGTH.size + 2 * _SUM.size
    while offset < size:
        head = file.read(_LENGTH.size + _SUM.size)
        if len(head) < _LENGTH.size + _SUM.size:
            raise _damaged(path, offset, number, "the file ends in it")
        length_bytes = head[: _LENGTH.size]
        if _SUM.unpack(head[_LENGTH.size :])[0] != masked_crc32c(length_bytes):
            raise _damaged(path, offset, number, "the checksum of its length is wrong")
        (length,) = _LENGTH.unpack(length_bytes)
        if length > MAX_BYTES:
            raise _damaged(path, offset, number, f"it has {length:,} bytes")
        if offset + overhead + length > size:
            raise _damaged(path, offset, number, "the file ends in it")
        data, checksum = file.read(length), file.read(_SUM.size)
        if len(data) < length or len(checksum) < _SUM.size:  # the file was truncated meanwhile
            raise _damaged(path, offset, number, "the file ends in it")
        if _SUM.unpack(checksum)[0] != masked_crc32c(data):
            raise _damaged(path, offset, number, "its checksum is wrong")
        yield data
        offset, number = offset + overhead + length, number + 1


def _damaged(path: str, at: int, number: int, why: str) -> CorruptInput:
    return CorruptInput(path, f"is a damaged point: {why}", place=f"record {number} at byte {at}", hint=REMEDY)
