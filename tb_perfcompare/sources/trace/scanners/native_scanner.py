"""Scanner over the compiled module `_scanner`, which takes whole blocks of sound events.

A block is cut as PythonScanner cuts it. The compiled part takes it up to the first element that it does not understand
(damage, and oddities that only Python knows how to read); PythonScanner reads that with the next few, and the compiled
part goes on behind them. So what becomes of damage is decided in one place, and both scanners give equal columns.
Metadata, counter events and measured ranges are handed to the same ColumnBuilder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tb_perfcompare.model.device import FLOW_CATEGORIES, MEMORY_EVENT_NAME, OPERATOR_ARROWS
from tb_perfcompare.model.events import ArgKind
from tb_perfcompare.sources.native import _scanner
from tb_perfcompare.sources.trace.columns.arguments import SLOTS
from tb_perfcompare.sources.trace.columns.assemble_columns import Columns, assemble
from tb_perfcompare.sources.trace.columns.column_builder import COMPLETE, COUNTER, METADATA, METADATA_ARG, ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.columns.interleaving import Insertion, Rows, interleaved
from tb_perfcompare.sources.trace.columns.measured_ranges import RANGE
from tb_perfcompare.sources.trace.columns.native_columns import decode_columns
from tb_perfcompare.sources.trace.repair.element_boundaries import skip_between
from tb_perfcompare.sources.trace.scanners.python_scanner import Fed, PythonScanner

_LETTERS = {ArgKind.INT: b"i", ArgKind.FLOAT: b"f", ArgKind.JSON: b"j"}
_MANY = 500_000
"""Above this many events, free memory goes back to the system before the last columns are made."""
_RARE = 8 << 10
"""One element per this many sound bytes is repaired alone and scanned like the others."""
_MOST_SOUND_BYTES = 16 * _RARE
"""Allows a few of them close together."""
_ODD_BYTES = 2 << 10
"""Bytes read by Python where such elements are closer, _MORE times as many each time."""
_MORE = 4


class NativeScanner(PythonScanner):
    """PythonScanner whose sound blocks are read by compiled code."""

    def __init__(self) -> None:
        scan = self._scan = new_scan()
        self._placed = _PlacedBuilder(lambda: scan.counts[1:])
        super().__init__(builder=self._placed)
        self._sound_bytes, self._odd_bytes = _MOST_SOUND_BYTES, _ODD_BYTES

    @property
    def seen(self) -> int:
        return self._scan.counts[0] + super().seen

    def finish(self) -> Columns:
        is_large = self._scan.counts[1] > _MANY
        # no name for what is found on the way, so that columns can be given back while others are made
        found = [interleaved(decode_columns(self._scan.finish()), self._placed.gather(), self._placed.insertions)]
        if is_large:
            _scanner.trim()
        return assemble(found.pop())

    def _block(self, data: bytes, start: int, cut: int) -> Fed:
        end = self._scan.take(data, start, cut)
        self._sound_bytes = min(self._sound_bytes + (end if end >= 0 else -1 - end) - start, _MOST_SOUND_BYTES)
        if end < 0:
            self._take_handed()
            return self._foreign(data, skip_between(data, -1 - end), cut)
        if end == cut:
            self._take_handed()
            return Fed(cut, False)
        is_sure = self._scan.ends_with_event or not self._salvager.has_lost_events
        closed = self._salvager.array_end(data, end) if is_sure else -1
        self._scan.settle(closed >= 0)
        if closed < 0:  # a stray bracket
            return super()._block(data, start, cut)
        self._take_handed()
        return Fed(closed, True)

    def _foreign(self, data: bytes, start: int, cut: int) -> Fed:
        """Takes at least what begins at `start`, which the compiled part does not understand: alone, or with what is
        behind it where that happens often."""
        if self._sound_bytes >= _RARE:
            self._sound_bytes, self._odd_bytes = self._sound_bytes - _RARE, _ODD_BYTES
            found = self._salvager.next_element(data, start, cut)
            if found is not None:
                self._take_texts(found.texts)
                return Fed(found.end, found.ended)
        else:
            self._odd_bytes *= _MORE
        while (border := data.find(self._border, start + self._odd_bytes, cut) if self._border else -1) >= 0:
            fed = super()._block(data, start, border + 1)
            if fed.ended or fed.end > start:
                return fed
            self._odd_bytes *= _MORE
        return super()._block(data, start, cut)

    def _take_texts(self, texts: Iterable[bytes]) -> None:
        """Takes repaired events."""
        for text in texts:
            if self._scan.take(text, 0, len(text)) == len(text):
                self._take_handed()
            elif (event := self._salvager.event(text)) is not None:
                self._builder.add([event])

    def _closed(self, data: bytes, start: int, array: bytes) -> Fed | None:
        bracket = start + len(array) - 2  # `array` has one bracket more than the data in front
        if not self._salvager.closes(data, bracket, array):
            return None
        end = self._scan.take(data, start, bracket)
        self._take_handed()
        if end == bracket:
            return Fed(bracket + 1, True)
        if end >= 0:  # it sees a bracket that the decoder does not
            self._scan.settle(False)
        else:
            start = -1 - end
        return super()._closed(data, start, b"[" + data[start : bracket + 1])

    def _take_handed(self) -> None:
        elements = self._scan.handed()
        if elements:
            self._builder.add(self._salvager.elements(elements))


class _PlacedBuilder(ColumnBuilder):
    """ColumnBuilder that remembers behind which rows of another scan its own belong."""

    def __init__(self, others: Callable[[], Rows]) -> None:
        super().__init__()
        self._others = others
        self.insertions: list[Insertion] = []

    def add(self, events: Sequence[Event]) -> None:
        before = self.kept
        super().add(events)
        rows = self.kept[0] - before[0], self.kept[1] - before[1], self.kept[2] - before[2]
        if any(rows):
            self.insertions.append(Insertion(self._others(), rows))


def new_scan() -> _scanner.Scan:
    """One of the columns that are read."""
    handed = [(METADATA, name) for name in METADATA_ARG] + [(COUNTER, ""), (COMPLETE, RANGE)]
    return _scanner.Scan(
        _encoded(key for _, key in SLOTS),
        b"".join(_LETTERS[column.kind] for column, _ in SLOTS),
        MEMORY_EVENT_NAME.encode("ascii"),
        _encoded(sorted(FLOW_CATEGORIES)),
        _encoded(sorted(OPERATOR_ARROWS)),
        _encoded(phase for phase, _ in handed),
        _encoded(name for _, name in handed),
        int.from_bytes(os.urandom(8), "little"),  # file contents cannot be made to collide
    )


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("ascii") for text in texts)
