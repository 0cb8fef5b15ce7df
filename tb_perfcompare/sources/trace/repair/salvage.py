"""Salvages events from a part of `traceEvents` that does not decode as a whole.

If the part is valid JSON and only a field of an event has an unexpected type, its elements are decoded one by one.
Otherwise it is split where one event seems to end and the next to start, and runs of such pieces are decoded; in a run
that fails, every event is repaired by itself or dropped. Only text that the decoder accepts becomes an event, so a
wrong guess costs time, not correctness.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from contextlib import suppress
from typing import TypeVar

import msgspec

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.column_builder import ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import NULL, Event
from tb_perfcompare.sources.trace.repair.element_boundaries import (
    DECODER_ERRORS,
    PIECE_BORDER,
    event_ending,
    is_event,
    is_syntax_fault,
    other_end,
    raw_elements,
    repaired_object,
    skip_between,
)
from tb_perfcompare.sources.trace.repair.json_repair import MAX_REPAIRS, Fault, fault_of

T = TypeVar("T")

_RUN_BYTES = 16 << 10
_EARLIER_CUTS = 8  # tried before splitting a run, in case its last cut is inside an event
_MAX_WASTED_BYTES = 128 << 20
"""Limit to the bytes of one file that failed repairs read again; beyond it only valid events are taken."""
_GROUP = 64  # elements decoded together before each is decoded by itself
_ARRAY_END = regex(rb"\s*\](?=\s*(?:\}|,\s*(?:\"|\Z)|\Z))")
"""The bracket that closes traceEvents: after it the root object continues or ends."""
_SURE_ARRAY_END = regex(rb"\s*\](?=\s*(?:\}\s*\Z|,\s*(?:\"|\Z)|\Z))")
"""A stricter test after damage, which may hide that the bracket is inside an event: then text follows the brace."""


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


_EVENT = msgspec.json.Decoder(Event)
_EVENTS = msgspec.json.Decoder(list[Event])
_LOOSE_EVENT = msgspec.json.Decoder(_LooseEvent)
_TEXT = msgspec.json.Decoder(str)
_PLACE = msgspec.json.Decoder(int | float | str)
_ARGS = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How far a scanner came.

    end    data[:end] is finished
    ended  the array closed right before `end`
    data   None, or the text to continue in, which includes bytes that were accepted earlier and must be read again
    """

    end: int
    ended: bool
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class SalvagedElement:
    """Valid texts of events in data[position:end]. `ended`: the array closes right before `end`."""

    texts: tuple[bytes, ...]
    end: int
    ended: bool = False


class Salvager:
    """Salvages events; counts repairs and losses in `builder`."""

    def __init__(self, builder: ColumnBuilder) -> None:
        self._builder = builder
        self.has_lost_events = False
        """Whether something was dropped: the reader may then be inside an event without knowing."""
        self._wasted_bytes = 0  # read again by repairs that failed

    def elements(self, array: bytes) -> list[Event]:
        """Events of an array of valid JSON, whatever its elements; raises one of DECODER_ERRORS for invalid JSON."""
        raws = raw_elements(array)
        events: list[Event] = []
        for first in range(0, len(raws), _GROUP):
            group = raws[first : first + _GROUP]
            try:
                events += _EVENTS.decode(b"[" + b",".join(group) + b"]")
            except DECODER_ERRORS:
                parsed = (self.event(bytes(raw)) for raw in group)
                events += [event for event in parsed if event is not None]
        return events

    def closes(self, data: bytes, bracket: int, array: bytes) -> bool:
        """Whether data[bracket], the end of this valid array, closes traceEvents."""
        if self.array_end(data, bracket) < 0:
            return False
        return not self.has_lost_events or any(is_event(bytes(raw)) for raw in raw_elements(array)[-1:])

    def array_end(self, data: bytes, position: int) -> int:
        """Position after the closing bracket of traceEvents, if it is at `position`, else -1.

        Stricter if events were lost.
        """
        closed = (_SURE_ARRAY_END if self.has_lost_events else _ARRAY_END).match(data, position)
        return closed.end() if closed else -1

    def salvage(self, data: bytes, start: int, stop: int) -> ScanProgress:
        """Adds the events in data[start:stop], which starts at an event, to the builder.

        Leaves what may be the start of a longer event at the end.
        """
        events: list[Event] = []
        progress = self._salvage(data, start, stop, events)
        self._builder.add(events)
        return progress

    def _salvage(self, data: bytes, start: int, stop: int, events: list[Event]) -> ScanProgress:
        """Appends the events to `events`."""
        ends, next_starts = array("q"), array("q")  # arrays, since there may be one for every five bytes
        for border in PIECE_BORDER.finditer(data, start, stop):
            ends.append(border.start() + 1)
            next_starts.append(border.end())
        ends.append(stop)
        next_starts.append(stop)
        position = start
        while position < stop:
            piece = bisect_right(ends, position)
            beyond = max(bisect_right(ends, position + _RUN_BYTES), piece + 1)
            taken = self._run(data, position, ends[piece:beyond], events)
            if taken > position:
                position = skip_between(data, taken)
                continue
            while position < ends[beyond - 1]:  # one by one to the end of the run
                piece = bisect_right(ends, position)
                element = self.element(data, position, ends[piece], next_starts[piece], stop)
                if element is None:
                    return ScanProgress(position, False)
                events += [event for event in map(self.event, element.texts) if event is not None]
                if element.ended:
                    return ScanProgress(element.end, True)
                position = element.end
        return ScanProgress(stop, False)

    def next_element(self, data: bytes, position: int, stop: int) -> SalvagedElement | None:
        """Applies `element` to the element at `position`, up to where the next event seems to start before `stop`."""
        border = PIECE_BORDER.search(data, position, stop)
        end, next_start = (border.start() + 1, border.end()) if border else (stop, stop)
        return self.element(data, position, end, next_start, stop)

    def element(self, data: bytes, position: int, end: int, next_start: int, stop: int) -> SalvagedElement | None:
        """Takes the element or the end of the array at `position`, repaired as far as possible.

        The element seems to end at `end`, and the next one to start at `next_start`. None if it may extend beyond
        `stop`.
        """
        closed = -1 if self.has_lost_events else self.array_end(data, position)
        if closed > 0:
            return SalvagedElement((), closed, True)
        after_other = other_end(data, position, stop)
        if after_other > position:
            self._builder.drop("not an object")
            return SalvagedElement((), skip_between(data, after_other))
        most = MAX_REPAIRS if self._wasted_bytes < _MAX_WASTED_BYTES else 0
        repaired = repaired_object(data, position, end, stop, most)
        if repaired.fault is not None and repaired.fault.is_cut:
            return None
        if repaired.value is None:
            self._wasted_bytes += repaired.repairs.total() * repaired.tried
            self._count_lost(data, position, repaired.fault)
            return SalvagedElement(event_ending(data, position + 1, end), next_start)
        self._builder.counts.repaired.update(repaired.repairs)
        position += repaired.used
        closed = self.array_end(data, position) if self.has_lost_events else -1
        # an object without `ph` is a fragment of a damaged event, and the bracket after it is inside that event
        if closed > 0 and is_event(repaired.value):
            return SalvagedElement((repaired.value,), closed, True)
        return SalvagedElement((repaired.value,), skip_between(data, position))

    def _run(self, data: bytes, start: int, ends: array[int], events: list[Event]) -> int:
        """Appends the events up to the last of `ends` that decodes and returns it; `start` if none of the last few
        does."""
        for end in ends[: -_EARLIER_CUTS - 1 : -1] if len(ends) > 1 else ():
            text = b"[" + data[start:end] + b"]"
            try:
                events += self._elements_of_run(text)
                return end
            except DECODER_ERRORS as error:
                fault = fault_of(error)
            if 0 <= fault.position < len(text) - 1:
                break  # damage inside: an earlier cut would not help
        return start

    def _elements_of_run(self, array: bytes) -> list[Event]:
        try:
            return _EVENTS.decode(array)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if is_syntax_fault(error):
                raise
            return self.elements(array)

    def _count_lost(self, data: bytes, position: int, fault: Fault | None) -> None:
        """Counts an element that cannot be repaired."""
        if data[position] in b"]}":
            return  # a superfluous bracket is not an element
        self.has_lost_events = True
        if fault is not None and fault.is_deep:
            self._builder.drop("nested too deeply")
        else:
            self._builder.drop("damaged")

    def event(self, text: bytes) -> Event | None:
        """Decodes one valid JSON value as an event; members of unexpected types become absent.

        None for other values.
        """
        if not text.startswith(b"{"):
            self._builder.drop("not an object")
            return None
        with suppress(*DECODER_ERRORS):  # unread members are not checked, as in a run
            return _EVENT.decode(text)
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            text = text.decode("utf-8", "replace").encode("utf-8")
            self._builder.counts.repaired["bytes that are not UTF-8"] += 1
        try:
            return _EVENT.decode(text)
        except msgspec.ValidationError:
            self._builder.counts.repaired["members of another type"] += 1
            return _with_valid_types(_LOOSE_EVENT.decode(text))
        except DECODER_ERRORS as error:
            self._builder.drop("nested too deeply" if fault_of(error).is_deep else "damaged")
            return None


def _with_valid_types(loose: _LooseEvent) -> Event:
    """Converts to an event; members of unexpected types become absent."""
    return Event(
        ph=_decoded_or_none(_TEXT, loose.ph),
        cat=_decoded_or_none(_TEXT, loose.cat),
        name=_decoded_or_none(_TEXT, loose.name),
        pid=_decoded_or_none(_PLACE, loose.pid),
        tid=_decoded_or_none(_PLACE, loose.tid),
        ts=loose.ts,
        dur=loose.dur,
        id=loose.id,
        args=_decoded_or_none(_ARGS, loose.args),
    )


def _decoded_or_none(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw) -> T | None:
    try:
        return decoder.decode(raw)
    except DECODER_ERRORS:
        return None
