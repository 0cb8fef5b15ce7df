"""Finds where elements of a damaged list start and end in the text."""

from __future__ import annotations

from itertools import islice

import msgspec

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.repair.json_repair import Repaired, fault_of, repair

PIECE_BORDER = regex(rb"\}\s*(?:,\s*)?(?=\{\s*\")")

_OPENING = regex(rb"\{\s*\"")
_MAX_OPENINGS = 64

_BETWEEN = regex(rb"[\s,]*")
_NEXT = regex(rb"\s*[,\]]")
_OTHER = regex(
    rb'(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\x00-\x1f]|\\.)*")(?=\s*[,\]])'
)
_MAX_OTHER_BYTES = 1 << 20


class _Object(msgspec.Struct, gc=False):
    """Any JSON object; its members are checked only for syntax."""


_OBJECT = msgspec.json.Decoder(_Object)
_EVENT = msgspec.json.Decoder(Event)
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])

DECODER_ERRORS = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""Everything msgspec raises for a text that it rejects."""


def is_syntax_fault(error: BaseException) -> bool:
    """Whether this one of DECODER_ERRORS is about the syntax: not about types of members, or bytes that are not UTF-8,
    which are a DecodeError from msgspec 0.23 on."""
    return type(error) is msgspec.DecodeError and not str(error).startswith("Invalid UTF-8")


def raw_elements(array: bytes) -> list[msgspec.Raw]:
    """Elements of an array of valid JSON; raises one of DECODER_ERRORS for invalid JSON."""
    return _ELEMENTS.decode(array)


def array_close(text: bytes) -> int:
    """Size of the array at the start of `text`, including both brackets; 0 if its closing bracket is not found."""
    try:
        _ELEMENTS.decode(text)
    except DECODER_ERRORS as error:
        fault = fault_of(error)
        return len(text[: fault.position].rstrip()) if fault.is_trailing else 0
    return len(text.rstrip())


def skip_between(data: bytes, position: int) -> int:
    """Position of the next element, after white space and commas."""
    match = _BETWEEN.match(data, position)
    return match.end() if match else position


def other_end(data: bytes, position: int, stop: int) -> int:
    """Position after a valid element that is not an object; `position` if there is none."""
    if data.startswith(b"[", position):
        size = array_close(data[position : min(stop, position + _MAX_OTHER_BYTES)])
        return position + size if size and _NEXT.match(data, position + size) else position
    match = _OTHER.match(data, position, stop)
    return match.end() if match else position


def is_event(text: bytes) -> bool:
    """Whether a text is one complete object with a phase, as every event has."""
    try:
        return _EVENT.decode(text).ph is not None
    except DECODER_ERRORS:
        return False


def event_ending(data: bytes, start: int, stop: int) -> tuple[bytes, ...]:
    """The event that ends at `stop` and starts after `start`, if any: damage may extend into the next event."""
    for opening in islice(_OPENING.finditer(data, start, stop), _MAX_OPENINGS):
        text = data[opening.start() : stop]
        if is_event(text):
            return (text,)
    return ()


def repaired_object(data: bytes, start: int, end: int, stop: int, most: int) -> Repaired[bytes]:
    """Text of the object at `start` as valid JSON; it seems to end at `end` but may extend up to `stop`."""
    while True:
        repaired = repair(data[start:end], _sound_object, most)
        if end == stop or repaired.fault is None or not repaired.fault.is_cut:
            return repaired
        # `end` is inside a string that contains text like a border: try the next one; inside a number, the fault would
        # not be a cut
        border = PIECE_BORDER.search(data, min(start + 2 * (end - start), stop), stop)
        end = border.start() + 1 if border else stop


def _sound_object(text: bytes) -> bytes:
    _OBJECT.decode(text)
    return text
