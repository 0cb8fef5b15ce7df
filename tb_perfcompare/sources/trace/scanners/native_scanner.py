"""Scanner based on the compiled module `_scanner`, which reads blocks of valid events.

Blocks are cut as in PythonScanner. The compiled part reads up to the first element that it does not understand (damage,
or oddities that only Python can read); PythonScanner reads that and the next few, then the compiled part continues.
Damage is thus handled in one place, and both scanners give equal columns. Metadata, counter events and measured ranges
are passed to the same ColumnBuilder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tb_perfcompare.model.device import FLOW_CATEGORIES, MEMORY_EVENT_NAME, OPERATOR_ARROWS
from tb_perfcompare.model.events import ArgKind, EventTable
from tb_perfcompare.sources.native import _scanner
from tb_perfcompare.sources.trace.columns.arguments import SLOTS
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered, assemble
from tb_perfcompare.sources.trace.columns.column_builder import COMPLETE, COUNTER, METADATA, METADATA_ARG, ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.columns.interleaving import Insertion, Rows, interleaved
from tb_perfcompare.sources.trace.columns.measured_ranges import RANGE
from tb_perfcompare.sources.trace.columns.native_columns import decode_columns
from tb_perfcompare.sources.trace.repair.element_boundaries import skip_between
from tb_perfcompare.sources.trace.repair.salvage import ScanProgress
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

_LETTERS = {ArgKind.INT: b"i", ArgKind.FLOAT: b"f", ArgKind.JSON: b"j"}
_MANY = 500_000
"""Above this many events, free memory is returned to the system before the last columns are made."""
_RARE = 8 << 10
"""One damaged element per this many valid bytes is repaired by itself and scanned like the others."""
_MAX_SOUND_BYTES = 16 * _RARE
"""Credit for damaged elements, so that a few may be close together."""
_ODD_BYTES = 2 << 10
"""Bytes read by Python if damaged elements are closer together; _MORE times as many each time."""
_MORE = 4


class NativeScanner(PythonScanner):
    """PythonScanner whose valid blocks are read by compiled code."""

    def __init__(self) -> None:
        scan = self._scan = new_scan()
        self._placed = _PlacedBuilder(lambda: scan.counts[1:])
        super().__init__(builder=self._placed)
        self._sound_bytes, self._odd_bytes = _MAX_SOUND_BYTES, _ODD_BYTES

    @property
    def seen(self) -> int:
        return self._scan.counts[0] + super().seen

    def finish(self) -> tuple[EventTable, Gathered]:
        is_large = self._scan.counts[1] > _MANY
        # no variable for intermediate results, so that columns are freed while others are made
        columns = [interleaved(decode_columns(self._scan.finish()), self._placed.gather(), self._placed.insertions)]
        if is_large:
            _scanner.trim()
        return assemble(columns.pop())

    def _block(self, data: bytes, start: int, cut: int) -> ScanProgress:
        end = self._scan.take(data, start, cut)
        self._sound_bytes = min(self._sound_bytes + (end if end >= 0 else -1 - end) - start, _MAX_SOUND_BYTES)
        if end < 0:
            self._take_handed()
            return self._foreign(data, skip_between(data, -1 - end), cut)
        if end == cut:
            self._take_handed()
            return ScanProgress(cut, False)
        is_sure = self._scan.ends_with_event or not self._salvager.has_lost_events
        closed = self._salvager.array_end(data, end) if is_sure else -1
        self._scan.settle(closed >= 0)
        if closed < 0:  # a stray bracket
            return super()._block(data, start, cut)
        self._take_handed()
        return ScanProgress(closed, True)

    def _foreign(self, data: bytes, start: int, cut: int) -> ScanProgress:
        """Takes at least the element at `start`, which the compiled part does not understand.

        It is taken by itself, or together with following bytes if such elements are frequent.
        """
        if self._sound_bytes >= _RARE:
            self._sound_bytes, self._odd_bytes = self._sound_bytes - _RARE, _ODD_BYTES
            element = self._salvager.next_element(data, start, cut)
            if element is not None:
                self._take_texts(element.texts)
                return ScanProgress(element.end, element.ended)
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

    def _closed(self, data: bytes, start: int, array: bytes) -> ScanProgress | None:
        bracket = start + len(array) - 2  # `array` has one additional bracket at its start
        if not self._salvager.closes(data, bracket, array):
            return None
        end = self._scan.take(data, start, bracket)
        self._take_handed()
        if end == bracket:
            return ScanProgress(bracket + 1, True)
        if end >= 0:  # it stopped at a bracket that the decoder accepts
            self._scan.settle(False)
        else:
            start = -1 - end
        return super()._closed(data, start, b"[" + data[start : bracket + 1])

    def _take_handed(self) -> None:
        elements = self._scan.handed()
        if elements:
            self._builder.add(self._salvager.elements(elements))


class _PlacedBuilder(ColumnBuilder):
    """ColumnBuilder that remembers after which rows of the compiled scan its own rows belong."""

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
    """A compiled scan, configured with the columns to read."""
    seed = int.from_bytes(os.urandom(8), "little")  # random: no file can be crafted to cause hash collisions
    return _scanner.Scan(*_CONFIGURATION, seed)


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("ascii") for text in texts)


_HANDED = [(METADATA, name) for name in METADATA_ARG] + [(COUNTER, ""), (COMPLETE, RANGE)]
_CONFIGURATION = (
    _encoded(key for _, key in SLOTS),
    b"".join(_LETTERS[column.kind] for column, _ in SLOTS),
    MEMORY_EVENT_NAME.encode("ascii"),
    _encoded(sorted(FLOW_CATEGORIES)),
    _encoded(sorted(OPERATOR_ARROWS)),
    _encoded(phase for phase, _ in _HANDED),
    _encoded(name for _, name in _HANDED),
)
