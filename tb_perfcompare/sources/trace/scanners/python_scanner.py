"""Reads the elements of `traceEvents` into columns, piece by piece.

PythonScanner needs no compiled code; the other scanners are derived from it. It cuts its input where an event seems to
end, and the decoder verifies the cut: text that starts at an event and decodes as the inside of an array ends at the
end of an event.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered, assemble
from tb_perfcompare.sources.trace.columns.column_builder import ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.repair.element_boundaries import DECODER_ERRORS, array_close, is_event, skip_between
from tb_perfcompare.sources.trace.repair.salvage import Salvager, ScanProgress

_DECODED_BYTES = 1 << 20  # decoded at once: enough events to amortise the fixed cost of columns
_BORDER = regex(rb"\}\s*,\s*(?P<next>\{)\s*\"[^\"\\]{1,32}\"\s*:")
_MAX_BORDERS = 64
_EVENTS = msgspec.json.Decoder(list[Event])


class PythonScanner:
    """Reads the elements of one traceEvents array with msgspec: events of a block exist as objects only until they are
    in columns.

    Counter events (`ph` C) are not interpreted: all scanners pass them, in file order and decoded as `Event`, to a
    CounterBuilder (counter_events.py), whose columns become `Gathered.counters`. They count only in `seen`.
    """

    def __init__(self, *, builder: ColumnBuilder | None = None) -> None:
        self._builder = builder or ColumnBuilder()
        self._salvager = Salvager(self._builder)
        self._border = b""
        self._worth_trying = _DECODED_BYTES

    @property
    def seen(self) -> int:
        """Number of elements taken so far."""
        return self._builder.counts.seen

    def finish(self) -> tuple[EventTable, Gathered]:
        """(columns of the events, other columns and counts); called once, after the last feed."""
        return assemble(self._builder.gather())

    def feed(self, data: bytes, start: int, final: bool) -> ScanProgress:
        """Takes complete elements of data[start:], where an element, a comma or the closing bracket is expected at
        `start`; the caller presents the rest again followed by more bytes, the last time with `final`. No bytes make it
        raise."""
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
            stretch *= 2  # an event is longer than the piece, or the cut was inside an event

    def _cut(self, data: bytes, start: int, stop: int) -> int:
        """Where the last event seems to end in data[start:stop], which starts at an event; -1 if nowhere.

        The bytes between two events repeat within a file, so they are learned once and searched for from the end.
        """
        border = data.rfind(self._border, start, stop) if self._border else -1
        if border < 0 and self._learn(data, start, stop):
            border = data.rfind(self._border, start, stop)
        return border + 1 if border >= 0 else -1

    def _learn(self, data: bytes, start: int, stop: int) -> bool:
        """Learns the border: the bytes between a complete event and the next one, including the first key of that."""
        latest = start
        for border in islice(_BORDER.finditer(data, start, stop), _MAX_BORDERS):
            end = border.start() + 1
            # the event at `start` may contain objects, or be damaged: then a later event shows the border
            if is_event(data[start:end]) or is_event(data[latest:end]):
                self._border = border.group()
                return True
            latest = border.start("next")
        return False

    def _block(self, data: bytes, start: int, cut: int) -> ScanProgress:
        """Takes data[start:cut], which starts at an event and should end with one."""
        text = b"".join((b"[", memoryview(data)[start:cut], b"]"))
        try:
            events = _EVENTS.decode(text)
        except DECODER_ERRORS:
            return self._odd_block(data, start, cut, text)
        self._take(events, text)
        return ScanProgress(cut, False)

    def _take(self, events: list[Event], text: bytes) -> None:
        """Takes events, decoded from this array."""
        self._builder.add(events)

    def _odd_block(self, data: bytes, start: int, cut: int, text: bytes) -> ScanProgress:
        """Takes a block that failed to decode.

        The array closes in it, members have odd types, the cut is wrong, or there is damage.
        """
        closed = array_close(text)
        if closed == len(text):
            self._builder.add(self._salvager.elements(text))
            return ScanProgress(cut, False)
        if closed:
            fed = self._closed(data, start, text[:closed])
            if fed is not None:
                return fed
        return self._salvager.salvage(data, start, cut)

    def _closed(self, data: bytes, start: int, array: bytes) -> ScanProgress | None:
        """Takes an array that the decoder saw closed.

        None if the `data` after it show that the bracket is a stray one.
        """
        bracket = start + len(array) - 2  # `array` has one additional bracket at its start
        if not self._salvager.closes(data, bracket, array):
            return None
        try:
            events = _EVENTS.decode(array)
        except DECODER_ERRORS:
            self._builder.add(self._salvager.elements(array))
        else:
            self._take(events, array)
        return ScanProgress(bracket + 1, True)

    def _rest(self, data: bytes, start: int, final: bool) -> ScanProgress:
        """Takes the bytes after the last cut: an incomplete event, or the end of the array."""
        size = len(data) - start
        if not size or (size < self._worth_trying and not final):
            return ScanProgress(start, False)
        text = b"[" + data[start:]
        closed = array_close(text)
        if closed:
            fed = self._closed(data, start, text[:closed])
            if fed is not None:
                return fed
        if not final:
            self._worth_trying = 2 * size
            return ScanProgress(start, False)
        return self._salvager.salvage(data, start, len(data))
