"""The elements of `traceEvents` -> columns, a stretch of bytes at a time.

Scanner is what the driver (document.py) needs of a reader of events; PythonScanner is the one that needs no compiler.
It cuts its stretch where an event seems to end and lets the decoder prove the cut: text that begins at an event and
decodes as the inside of an array ends at the end of an event.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Protocol

import msgspec

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.assemble_columns import Columns, assemble
from tb_perfcompare.sources.trace.columns.column_builder import ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.repair.element_boundaries import DECODER_ERRORS, array_close, is_event, skip_between
from tb_perfcompare.sources.trace.repair.salvage import Salvager

_DECODED_BYTES = 1 << 20  # decoded in one go: enough events to amortise a column's fixed cost, few enough to stay cheap
_BORDER = re.compile(rb"\}\s*,\s*(?P<next>\{)\s*\"[^\"\\]{1,32}\"\s*:")
_MOST_BORDERS = 64
_EVENTS = msgspec.json.Decoder(list[Event])


@dataclass(frozen=True, slots=True)
class Fed:
    """How far a scanner came: data[:end] is done with. `ended`: the array was closed right before `end`. `data`: what
    to go on in instead of what was given: before that, what was taken on trust comes back."""

    end: int
    ended: bool
    data: bytes | None = None


class Scanner(Protocol):
    """Reads the elements of one traceEvents array.

    `feed` is called with bytes that begin (at `start`) where an element, a comma or the closing bracket is due. It
    takes whole elements and says where it stopped; the caller presents the rest again with more bytes behind it, the
    last time with `final`. Nothing in the bytes makes it raise. `finish` is called once, after the last feed.

    Counter events (`ph` C) it does not interpret: it hands all of them, in file order and decoded as `Event`, to a
    CounterBuilder (counter_events.py), whose columns are `Columns.counters`. They count in `seen` and in nothing else.
    """

    def feed(self, data: bytes, start: int, final: bool) -> Fed: ...

    @property
    def seen(self) -> int:
        """Elements taken so far."""
        ...

    def finish(self) -> Columns: ...


class PythonScanner:
    """Scanner over msgspec: a block of events lives as objects only until its columns are taken."""

    def __init__(self, *, builder: ColumnBuilder | None = None) -> None:
        self._builder = builder or ColumnBuilder()
        self._salvager = Salvager(self._builder)
        self._border = b""
        self._worth_trying = _DECODED_BYTES

    @property
    def seen(self) -> int:
        return self._builder.seen

    def finish(self) -> Columns:
        return assemble(self._builder.gather())

    def feed(self, data: bytes, start: int, final: bool) -> Fed:
        position = start
        stretch = _DECODED_BYTES
        while True:
            position = skip_between(data, position)
            cut = self._cut(data, position, min(position + stretch, len(data)))
            if cut > position:
                fed = self._block(data, position, cut)
                if fed.ended:
                    return fed
                if fed.end > position:
                    position, stretch = fed.end, _DECODED_BYTES
                    self._worth_trying = _DECODED_BYTES
                    continue
            if position + stretch >= len(data):
                return self._rest(data, position, final)
            stretch *= 2  # an event is longer than the stretch, or the cut was inside one

    def _cut(self, data: bytes, start: int, stop: int) -> int:
        """Where the last event seems to end in data[start:stop], which begins at an event; -1 if nowhere.

        The bytes between two events repeat within a file, so they are learnt and searched for from the back.
        """
        found = data.rfind(self._border, start, stop) if self._border else -1
        if found < 0 and self._learn(data, start, stop):
            found = data.rfind(self._border, start, stop)
        return found + 1 if found >= 0 else -1

    def _learn(self, data: bytes, start: int, stop: int) -> bool:
        """Takes as border the bytes between a whole event and the next one, with the first key of that."""
        latest = start
        for border in islice(_BORDER.finditer(data, start, stop), _MOST_BORDERS):
            end = border.start() + 1
            # the event at `start` may hold objects, or be damaged: then a later one shows the border
            if is_event(data[start:end]) or is_event(data[latest:end]):
                self._border = border.group()
                return True
            latest = border.start("next")
        return False

    def _block(self, data: bytes, start: int, cut: int) -> Fed:
        """Takes data[start:cut], which begins at an event and should end with one."""
        text = b"".join((b"[", memoryview(data)[start:cut], b"]"))
        try:
            events = _EVENTS.decode(text)
        except DECODER_ERRORS:
            return self._odd_block(data, start, cut, text)
        self._builder.add(events)
        return Fed(cut, False)

    def _odd_block(self, data: bytes, start: int, cut: int, text: bytes) -> Fed:
        """A block that failed: the array closes inside it, its events have odd members, the cut is wrong, or damage."""
        closed = array_close(text)
        if closed == len(text):
            self._builder.add(self._salvager.elements(text))
            return Fed(cut, False)
        if closed:
            fed = self._closed(data, start, text[:closed])
            if fed is not None:
                return fed
        salvaged = self._salvager.salvage(data, start, cut)
        self._builder.add(salvaged.events)
        return Fed(salvaged.end, salvaged.ended)

    def _closed(self, data: bytes, start: int, array: bytes) -> Fed | None:
        """Takes an array that the decoder saw closed, unless what follows in `data` shows a stray bracket."""
        bracket = start + len(array) - 2  # `array` has one bracket more than the data in front
        if not self._salvager.closes(data, bracket, array):
            return None
        try:
            events = _EVENTS.decode(array)
        except DECODER_ERRORS:
            events = self._salvager.elements(array)
        self._builder.add(events)
        return Fed(bracket + 1, True)

    def _rest(self, data: bytes, start: int, final: bool) -> Fed:
        """The bytes behind the last cut: an event that is not whole yet, or the end of the array."""
        size = len(data) - start
        if not size or (size < self._worth_trying and not final):
            return Fed(start, False)
        text = b"[" + data[start:]
        closed = array_close(text)
        if closed:
            fed = self._closed(data, start, text[:closed])
            if fed is not None:
                return fed
        if not final:
            self._worth_trying = 2 * size
            return Fed(start, False)
        salvaged = self._salvager.salvage(data, start, len(data))
        self._builder.add(salvaged.events)
        return Fed(salvaged.end, salvaged.ended)
