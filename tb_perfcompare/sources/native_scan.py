"""Scanner over the compiled module `_scanner`, which takes whole blocks of sound events.

A block is cut as PythonScanner cuts it. The compiled part takes all of it or nothing; where it takes nothing (damage,
and oddities that only Python knows how to read), PythonScanner reads the block. So what becomes of damage is decided in
one place, and both scanners give equal columns. Metadata and counter events are handed to the same ColumnBuilder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tb_perfcompare.model.device import FLOW_CATEGORIES, MEMORY_EVENT_NAME, OPERATOR_ARROWS
from tb_perfcompare.model.events import ArgKind
from tb_perfcompare.sources import _scanner
from tb_perfcompare.sources.arguments import SLOTS
from tb_perfcompare.sources.columns import COUNTER, METADATA, METADATA_ARG, PYTHON_FUNCTIONS, ColumnBuilder
from tb_perfcompare.sources.event import Event
from tb_perfcompare.sources.gathered import Columns, put_together
from tb_perfcompare.sources.interleaving import Insertion, Rows, interleaved
from tb_perfcompare.sources.native_columns import gathered
from tb_perfcompare.sources.scan import Fed, PythonScanner

INTERFACE = 2
"""Of the compiled module that this one is written for."""

if getattr(_scanner, "INTERFACE", None) != INTERFACE:
    raise ImportError("it is of another version of this package; install the package again")

_LETTERS = {ArgKind.INT: b"i", ArgKind.FLOAT: b"f", ArgKind.JSON: b"j"}
_NOT_UNDERSTOOD = -1


class NativeScanner(PythonScanner):
    """PythonScanner whose sound blocks are read by compiled code."""

    def __init__(self, *, skip_python_functions: bool = False) -> None:
        scan = self._scan = _new_scan(skip_python_functions)
        self._placed = _PlacedBuilder(lambda: scan.counts[1:], skip_python_functions=skip_python_functions)
        super().__init__(builder=self._placed)

    @property
    def seen(self) -> int:
        return self._scan.counts[0] + super().seen

    def finish(self) -> Columns:
        native = gathered(self._scan.finish())
        return put_together(interleaved(native, self._placed.gather(), self._placed.insertions))

    def _block(self, data: bytes, start: int, cut: int) -> Fed:
        end = self._scan.take(data, start, cut)
        if end == _NOT_UNDERSTOOD:
            return super()._block(data, start, cut)
        if end == cut:
            self._take_handed()
            return Fed(cut, False)
        closed = self._salvager.array_end(data, end)
        self._scan.settle(closed >= 0)
        if closed < 0:  # a stray bracket
            return super()._block(data, start, cut)
        self._take_handed()
        return Fed(closed, True)

    def _closed(self, data: bytes, start: int, array: bytes) -> Fed | None:
        bracket = start + len(array) - 2  # `array` has one bracket more than the data in front
        if self._salvager.array_end(data, bracket) < 0 or self._scan.take(data, start, bracket) != bracket:
            return super()._closed(data, start, array)
        self._take_handed()
        return Fed(bracket + 1, True)

    def _take_handed(self) -> None:
        elements = self._scan.handed()
        if elements:
            self._builder.add(self._salvager.elements(elements))


class _PlacedBuilder(ColumnBuilder):
    """ColumnBuilder that remembers behind which rows of another scan its own belong."""

    def __init__(self, others: Callable[[], Rows], *, skip_python_functions: bool) -> None:
        super().__init__(skip_python_functions=skip_python_functions)
        self._others = others
        self.insertions: list[Insertion] = []

    def add(self, events: Sequence[Event]) -> None:
        before = self.kept
        super().add(events)
        rows = self.kept[0] - before[0], self.kept[1] - before[1], self.kept[2] - before[2]
        if any(rows):
            self.insertions.append(Insertion(self._others(), rows))


def _new_scan(skip_python_functions: bool) -> _scanner.Scan:
    handed = [(METADATA, name) for name in METADATA_ARG] + [(COUNTER, "")]
    return _scanner.Scan(
        _encoded(key for _, key in SLOTS),
        b"".join(_LETTERS[column.kind] for column, _ in SLOTS),
        MEMORY_EVENT_NAME.encode("ascii"),
        _encoded(sorted(FLOW_CATEGORIES)),
        _encoded(sorted(OPERATOR_ARROWS)),
        _encoded(sorted(PYTHON_FUNCTIONS) if skip_python_functions else ()),
        _encoded(phase for phase, _ in handed),
        _encoded(name for _, name in handed),
        int.from_bytes(os.urandom(8), "little"),  # file contents cannot be made to collide
    )


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("ascii") for text in texts)
