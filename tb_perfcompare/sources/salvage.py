"""Events out of a stretch of `traceEvents` that does not decode as a whole.

Where the stretch is sound JSON and only an event has a field of an unexpected type, its elements are taken one by
one. Else it is cut where one event seems to end and the next to begin, and runs of such pieces are tried; in a run that
fails every event is mended alone or given up. Only what the decoder accepts becomes an event, so a wrong guess costs
time, not correctness.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import msgspec

from tb_perfcompare.sources.columns import NULL, ColumnBuilder, Event
from tb_perfcompare.sources.mending import fault_of, mend

T = TypeVar("T")

_RUN_BYTES = 16 << 10
_EARLIER_CUTS = 8  # tried before a run is taken apart, in case its last cut was inside an event
_GROUP = 64  # elements decoded together before each is looked at alone
_PIECE_BORDER = re.compile(rb"\}\s*(?:,\s*)?(?=\{\s*\")")

_OPENING = re.compile(rb"\{\s*\"")
_MOST_OPENINGS = 64

ARRAY_END = re.compile(rb"\s*\](?=\s*(?:\}|,\s*(?:\"|\Z)|\Z))")
"""The bracket that closes traceEvents: the root object goes on or ends behind it."""


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

    def salvage(self, data: bytes, start: int, stop: int, final: bool) -> Salvaged:
        """Events of data[start:stop], which begins at an event. What may be the head of a whole event is left alone.

        `final`: the file ends at `stop`, which may be anywhere; else an event seems to end there.
        """
        borders = list(_PIECE_BORDER.finditer(data, start, stop))
        starts = [start] + [border.end() for border in borders]
        ends = [border.start() + 1 for border in borders] + [stop]
        events: list[Event] = []
        first = 0
        while first < len(starts):
            last = max(bisect_right(ends, starts[first] + _RUN_BYTES), first + 1)
            taken = self._run(data, starts, ends, first, last, events)
            if taken > first:
                first = taken
                continue
            while first < last:
                single = self._single(data, starts, ends, first)
                if single is None:
                    return Salvaged(events, starts[first])
                event, end = single
                if event is not None:
                    events.append(event)
                    closed = ARRAY_END.match(data, end)
                    # an object without `ph` is a fragment of a damaged event, and the bracket behind it is inside that
                    if closed and event.ph is not None:
                        return Salvaged(events, closed.end(), True)
                first = bisect_left(starts, end)
                is_last = first == len(starts)
                if b"{" in data[end : stop if is_last else starts[first]] and not (is_last and final):
                    self._builder.drop("damaged")  # something that does not even look like an event
                    events += _event_ending(data, end, ends[first - 1])
        return Salvaged(events, stop)

    def _run(self, data: bytes, starts: list[int], ends: list[int], first: int, last: int, events: list[Event]) -> int:
        """Appends the events of as many pieces from `first` as make whole elements; the first piece not taken."""
        for cut in range(last, max(last - _EARLIER_CUTS, first + 1), -1):
            text = b"[" + data[starts[first] : ends[cut - 1]] + b"]"
            try:
                events += self._elements_of_run(text)
                return cut
            except DECODER_ERRORS as error:
                fault = fault_of(error)
            if 0 <= fault.at < len(text) - 1:
                break  # damage inside; an earlier cut would not help
        return first

    def _elements_of_run(self, array: bytes) -> list[Event]:
        try:
            return _EVENTS.decode(array)
        except (msgspec.ValidationError, UnicodeDecodeError):
            return self.elements(array)

    def _single(self, data: bytes, starts: list[int], ends: list[int], first: int) -> tuple[Event | None, int] | None:
        """(event at a piece or None if it is lost, where it ends); None when it may go on behind the last piece."""
        count = 1
        while True:
            last = min(first + count, len(starts))
            mended = mend(data[starts[first] : ends[last - 1]], _sound_object)
            fault = mended.fault
            if fault is None or not fault.is_cut:
                break
            if first + 1 < len(starts) and is_event(data[starts[first + 1] : ends[first + 1]]):
                break  # what is still open before a whole event was left open by damage
            if last == len(starts):
                return None
            count *= 2
        if mended.value is None:
            reason = "nested too deeply" if fault is not None and fault.is_deep else "damaged"
            self._builder.drop(reason)
            return next(iter(_event_ending(data, starts[first] + 1, ends[first])), None), ends[first]
        self._builder.repaired.update(mended.repairs)
        return self._event(mended.value), starts[first] + mended.used

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
