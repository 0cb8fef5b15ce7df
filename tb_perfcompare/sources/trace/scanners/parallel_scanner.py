"""NativeScanner that scans stretches of a file in several threads.

A stretch ends where an event seems to end, and is given to a thread before it is known to start at an event. It does
if the previous stretch was read completely, which is checked when the stretches are merged in file order. Everything
after an incomplete stretch (damage, the end of the list, text like a border inside a string) is read again by one
thread. The result therefore equals that of one thread, for any bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.native import _scanner
from tb_perfcompare.sources.trace.repair.element_boundaries import skip_between
from tb_perfcompare.sources.trace.repair.salvage import ScanProgress
from tb_perfcompare.sources.trace.scanners.native_scanner import NativeScanner, new_scan

_ALONE_BYTES = 2 << 20
"""Bytes that one thread reads at the start of a file, since many files are no longer, and again after damage."""
_WORTH_A_THREAD = 256 << 10
"""Shorter stretches wait for the next one."""
_MORE_THAN_THREADS = 1
"""Additional stretches queued, so that no thread is idle."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """data[start:cut], in which events seem to start at `begin` and to end at `cut`."""

    data: bytes
    start: int
    begin: int
    cut: int


@dataclass(frozen=True, slots=True)
class _Scanned:
    """A thread's result: it read `whole` stretches completely, and stopped at `end` in the next one."""

    scan: _scanner.Scan
    handed: Sequence[bytes]
    whole: int
    end: int = 0


@dataclass(frozen=True, slots=True)
class _PendingStretch:
    stretches: tuple[_Stretch, ...]
    taken: Future[_Scanned]


class ParallelScanner(NativeScanner):
    """Scanner whose stretches are scanned in `count` of the `threads`, which the caller shuts down."""

    def __init__(self, threads: ThreadPoolExecutor, count: int) -> None:
        super().__init__()
        self._threads, self._most = threads, count + _MORE_THAN_THREADS
        self._alone_bytes = 0
        self._waiting: list[_Stretch] = []
        self._under_way: deque[_PendingStretch] = deque()
        self._idle: list[_scanner.Scan] = []

    def feed(self, data: bytes, start: int, final: bool) -> ScanProgress:
        if self._alone_bytes < _ALONE_BYTES:
            fed = super().feed(data, start, final)
            self._alone_bytes += fed.end - start
            return fed
        begin = skip_between(data, start)
        cut = self._cut(data, begin, len(data))
        if cut > begin:
            self._waiting.append(_Stretch(data, start, begin, cut))
            start = cut
        is_last = final or len(data) - start >= self._worth_trying
        if is_last or sum(stretch.cut - stretch.begin for stretch in self._waiting) >= _WORTH_A_THREAD:
            self._begin()
        back = self._settle(0 if is_last else self._most)
        if back:
            data = back + data[start:]
            fed = super().feed(data, 0, final)
            return ScanProgress(fed.end, fed.ended, data)
        return super().feed(data, start, final) if is_last else ScanProgress(start, False)

    def _foreign(self, data: bytes, start: int, cut: int) -> ScanProgress:
        self._alone_bytes = 0
        return super()._foreign(data, start, cut)

    def _begin(self) -> None:
        """Submits the waiting stretches to a thread."""
        if self._waiting:
            scan, stretches = self._idle.pop() if self._idle else new_scan(), tuple(self._waiting)
            self._under_way.append(_PendingStretch(stretches, self._threads.submit(_take, scan, stretches)))
            self._waiting.clear()

    def _settle(self, most: int) -> bytes:
        """Merges finished results until at most `most` are pending.

        Returns the bytes that must be read again, up to the end of the last stretch.
        """
        while self._under_way and (len(self._under_way) > most or self._under_way[0].taken.done()):
            first = self._under_way.popleft()
            taken = first.taken.result()
            self._scan.absorb(taken.scan)
            self._idle.append(taken.scan)
            for elements in taken.handed:
                self._builder.add(self._salvager.elements(elements))
            if taken.whole < len(first.stretches):
                return self._give_back(first.stretches[taken.whole :], taken.end)
        return b""

    def _give_back(self, stretches: Sequence[_Stretch], end: int) -> bytes:
        """Text of these stretches, from `end` in the first, and of all later ones, as if no thread had scanned them."""
        self._alone_bytes = 0
        behind = [stretch for under_way in self._under_way for stretch in under_way.stretches]
        for under_way in self._under_way:
            under_way.taken.cancel()
        wait(under_way.taken for under_way in self._under_way)
        self._under_way.clear()
        first, *others = (*stretches, *behind, *self._waiting)
        self._waiting.clear()
        return b"".join([first.data[end : first.cut], *(later.data[later.start : later.cut] for later in others)])


def _take(scan: _scanner.Scan, stretches: Sequence[_Stretch]) -> _Scanned:
    """Scans stretches; runs in a thread."""
    handed: list[bytes] = []
    for number, stretch in enumerate(stretches):
        end = scan.take(stretch.data, stretch.begin, stretch.cut)
        if end >= 0 and end != stretch.cut:  # a bracket; the following text decides its meaning
            scan.settle(False)
            return _Scanned(scan, handed, number, stretch.begin)
        if elements := scan.handed():
            handed.append(elements)
        if end < 0:
            return _Scanned(scan, handed, number, -1 - end)
    return _Scanned(scan, handed, len(stretches))
