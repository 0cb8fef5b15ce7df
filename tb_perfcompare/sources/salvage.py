"""Events out of a stretch of `traceEvents` that does not decode as a whole.

Where the stretch is sound JSON and only an event has a field of an unexpected type, its elements are taken one by
one. Else it is cut where one event seems to end and the next to begin, and runs of such pieces are tried; in a run that
fails every event is mended alone or given up. Only what the decoder accepts becomes an event, so a wrong guess costs
time, not correctness.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import msgspec

from tb_perfcompare.sources.columns import ColumnBuilder
from tb_perfcompare.sources.event import NULL, Event
from tb_perfcompare.sources.mending import MOST_REPAIRS, Fault, Mended, fault_of, mend

T = TypeVar("T")

_RUN_BYTES = 16 << 10
_EARLIER_CUTS = 8  # tried before a run is taken apart, in case its last cut was inside an event
_MOST_WASTED_BYTES = 128 << 20
"""Repairs that lead to nothing may read so much of one file again; where there is more, only what is sound is taken."""
_GROUP = 64  # elements decoded together before each is looked at alone
_PIECE_BORDER = re.compile(rb"\}\s*(?:,\s*)?(?=\{\s*\")")

_OPENING = re.compile(rb"\{\s*\"")
_MOST_OPENINGS = 64

_BETWEEN = re.compile(rb"[\s,]*")

_ARRAY_END = re.compile(rb"\s*\](?=\s*(?:\}|,\s*(?:\"|\Z)|\Z))")
"""The bracket that closes traceEvents: the root object goes on or ends behind it."""
_SURE_ARRAY_END = re.compile(rb"\s*\](?=\s*(?:\}\s*\Z|,\s*(?:\"|\Z)|\Z))")
"""The same where damage may hide that the bracket is inside an event: then more follows behind the brace."""


class _Object(msgspec.Struct, gc=False):
    """Any JSON object; its members are checked for syntax only."""


class _LooseEvent(msgspec.Struct, gc=False):
    """An event whose members may have any type."""

    ph: msgspec.Raw = NULL
    cat: msgspec.Raw = NULL
    name: msgspec.Raw = NULL
    pid: msgspec.Raw = NULL
    tid: msgspec.Raw = NULL
    ts: msgspec.Raw = NULL
    dur: msgspec.Raw = NULL
    id: msgspec.Raw = NULL
    args: msgspec.Raw = NULL


_OBJECT = msgspec.json.Decoder(_Object)
_EVENT = msgspec.json.Decoder(Event)
_EVENTS = msgspec.json.Decoder(list[Event])
_LOOSE_EVENT = msgspec.json.Decoder(_LooseEvent)
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_PLACE = msgspec.json.Decoder(int | float | str)
_ARGS = msgspec.json.Decoder(dict[str, msgspec.Raw])

DECODER_ERRORS = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""Everything msgspec raises for a text it does not take."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Events found in data[start:stop]; nothing behind `end` was used. `ended`: the array closes right before `end`."""

    events: list[Event]
    end: int
    ended: bool = False


def array_close(text: bytes) -> int:
    """For a text that begins with `[`: the bytes up to and with its closing bracket, 0 if that cannot be reached."""
    try:
        _ELEMENTS.decode(text)
    except DECODER_ERRORS as error:
        fault = fault_of(error)
        return len(text[: fault.at].rstrip()) if fault.is_trailing else 0
    return len(text.rstrip())


class Salvager:
    """Counts what it mends and gives up in `builder`; the events it returns are the caller's to add."""

    def __init__(self, builder: ColumnBuilder) -> None:
        self._builder = builder
        self._has_lost_events = False
        self._wasted_bytes = 0  # read again and again for repairs that led to nothing

    def elements(self, array: bytes) -> list[Event]:
        """Events of an array that is sound JSON, whatever its elements; raises one of DECODER_ERRORS if it is not."""
        raws = _ELEMENTS.decode(array)
        events: list[Event] = []
        for first in range(0, len(raws), _GROUP):
            group = raws[first : first + _GROUP]
            try:
                events += _EVENTS.decode(b"[" + b",".join(group) + b"]")
            except DECODER_ERRORS:
                found = (self._event(bytes(raw)) for raw in group)
                events += [event for event in found if event is not None]
        return events

    def array_end(self, data: bytes, position: int) -> int:
        """Behind the closing bracket of traceEvents if that is at `position`, else -1."""
        # after damage the reader may be inside an event without knowing, where brackets close something else
        closed = (_SURE_ARRAY_END if self._has_lost_events else _ARRAY_END).match(data, position)
        return closed.end() if closed else -1

    def salvage(self, data: bytes, start: int, stop: int) -> Salvaged:
        """Events of data[start:stop], which begins at an event; what may be the head of a longer one is left alone."""
        ends, next_starts = array("q"), array("q")  # there may be as many as every fifth byte
        for border in _PIECE_BORDER.finditer(data, start, stop):
            ends.append(border.start() + 1)
            next_starts.append(border.end())
        ends.append(stop)
        next_starts.append(stop)
        events: list[Event] = []
        position = start
        while position < stop:
            piece = bisect_right(ends, position)
            beyond = max(bisect_right(ends, position + _RUN_BYTES), piece + 1)
            taken = self._run(data, position, ends[piece:beyond], events)
            if taken > position:
                position = skip_between(data, taken)
                continue
            while position < ends[beyond - 1]:  # one by one until the run is behind
                piece = bisect_right(ends, position)
                most = MOST_REPAIRS if self._wasted_bytes < _MOST_WASTED_BYTES else 0
                mended = _mended(data, position, ends[piece], stop, most)
                if mended.fault is not None and mended.fault.is_cut:
                    return Salvaged(events, position)
                if mended.value is None:
                    self._wasted_bytes += mended.repairs.total() * mended.tried
                    self._lose(data, position, mended.fault)
                    events += _event_ending(data, position + 1, ends[piece])
                    position = next_starts[piece]
                    continue
                self._builder.repaired.update(mended.repairs)
                event = self._event(mended.value)
                position += mended.used
                if event is not None:
                    events.append(event)
                    closed = self.array_end(data, position)
                    # an object without `ph` is a fragment of a damaged event, and the bracket behind it is inside that
                    if closed > 0 and event.ph is not None:
                        return Salvaged(events, closed, True)
                position = skip_between(data, position)
        return Salvaged(events, stop)

    def _run(self, data: bytes, start: int, ends: array[int], events: list[Event]) -> int:
        """Appends the events up to the last of the `ends` where one really ends; `start` if none of the last few is."""
        for end in ends[: -_EARLIER_CUTS - 1 : -1] if len(ends) > 1 else ():
            text = b"[" + data[start:end] + b"]"
            try:
                events += self._elements_of_run(text)
                return end
            except DECODER_ERRORS as error:
                fault = fault_of(error)
            if 0 <= fault.at < len(text) - 1:
                break  # damage inside; an earlier cut would not help
        return start

    def _elements_of_run(self, array: bytes) -> list[Event]:
        try:
            return _EVENTS.decode(array)
        except (msgspec.ValidationError, UnicodeDecodeError):
            return self.elements(array)

    def _lose(self, data: bytes, position: int, fault: Fault | None) -> None:
        """Counts what cannot be mended at a place where an element was due."""
        if data[position] in b"]}":
            return  # a bracket too many is no element
        self._has_lost_events = True
        if fault is not None and fault.is_deep:
            self._builder.drop("nested too deeply")
        else:
            self._builder.drop("damaged")

    def _event(self, text: bytes) -> Event | None:
        """One sound JSON value as an event, its members bent to their types where they have others."""
        if not text.startswith(b"{"):
            self._builder.drop("not an object")
            return None
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            text = text.decode("utf-8", "replace").encode("utf-8")
            self._builder.repaired["bytes that are not UTF-8"] += 1
        try:
            return _EVENT.decode(text)
        except msgspec.ValidationError:
            self._builder.repaired["members of another type"] += 1
            return _bent(_LOOSE_EVENT.decode(text))
        except DECODER_ERRORS as error:
            self._builder.drop("nested too deeply" if fault_of(error).is_deep else "damaged")
            return None


def skip_between(data: bytes, position: int) -> int:
    """Where the next element is due: behind white space and commas."""
    found = _BETWEEN.match(data, position)
    return found.end() if found else position


def is_event(text: bytes) -> bool:
    """One whole object with a phase, as every event has one."""
    try:
        return _EVENT.decode(text).ph is not None
    except DECODER_ERRORS:
        return False


def _event_ending(data: bytes, start: int, stop: int) -> list[Event]:
    """The event that ends at `stop` and begins behind `start`, if there is one: damage may run into the next event."""
    for opening in islice(_OPENING.finditer(data, start, stop), _MOST_OPENINGS):
        if is_event(data[opening.start() : stop]):
            return [_EVENT.decode(data[opening.start() : stop])]
    return []


def _mended(data: bytes, start: int, end: int, stop: int, most: int) -> Mended[bytes]:
    """The text of the object at `start`, which seems to end at `end` but may go on up to `stop`, in sound JSON."""
    while True:
        mended = mend(data[start:end], _sound_object, most)
        if end == stop or mended.fault is None or not mended.fault.is_cut:
            return mended
        end = min(start + 2 * (end - start), stop)


def _sound_object(text: bytes) -> bytes:
    _OBJECT.decode(text)
    return text


def _bent(loose: _LooseEvent) -> Event:
    """The event with members of unexpected types taken as absent."""
    return Event(
        ph=_typed(_TEXT, loose.ph),
        cat=_typed(_TEXT, loose.cat),
        name=_typed(_TEXT, loose.name),
        pid=_typed(_PLACE, loose.pid),
        tid=_typed(_PLACE, loose.tid),
        ts=loose.ts,
        dur=loose.dur,
        id=loose.id,
        args=_typed(_ARGS, loose.args),
    )


def _typed(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw) -> T | None:
    try:
        return decoder.decode(raw)
    except DECODER_ERRORS:
        return None
