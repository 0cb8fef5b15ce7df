"""Series of runs below a log directory: which there are, and the history of one.

Documented in docs/guide/history.md. Points are written by workspace/record_point.py.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter

from tb_perfcompare.comparison.history import SeriesHistory, history_of
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import InputError, SelectionError, choices
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.saved.history import PointFacts
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.recognition.format_sniffers import REMEMBERED_FILES
from tb_perfcompare.sources.run_entries import FileEntry
from tb_perfcompare.sources.saved.event_file import read_point
from tb_perfcompare.sources.storage.file_systems import file_system, is_address
from tb_perfcompare.sources.storage.one_state import one_state
from tb_perfcompare.workspace.listing.index import Listing


@dataclass(frozen=True, slots=True)
class SeriesPoints:
    """The points of one series that could be read, in time order, with what each is called as a run (None for one
    whose summary this version cannot read); and those that could not be read."""

    series: str
    runs: tuple[str | None, ...]
    history: SeriesHistory
    problems: tuple[Note, ...]


def series_of(listing: Listing) -> dict[str, int]:
    """Series -> how many points it has, by name."""
    return dict(sorted(Counter(point.series for point in listing.points).items()))


def series_history(listing: Listing, series: str, options: CompareOptions | None = None) -> SeriesPoints:
    """Raises SelectionError for a series there is not. A point that cannot be read is a problem."""
    entries = [point for point in listing.points if point.series == series]
    if not entries:
        known = list(series_of(listing))
        hint = choices(series, known) if known else "record one: tb-perfcompare record RUN --into LOGDIR"
        raise SelectionError(f"there is no series called {series!r}", hint=hint)
    names = {run.name for run in listing.runs}
    found: list[tuple[PointFacts, str]] = []
    problems: list[Note] = []
    for entry in entries:
        try:
            found.append((_known_point(entry.file), entry.name))
        except InputError as error:
            problems.append(Note(NoteCode.FILE_FAILED, str(error).removeprefix(f"{error.path}: "), entry.name))
    found.sort(key=lambda one: (one[0].at_s, one[0].label, one[1]))
    history = history_of([point for point, _ in found], options)
    runs = [name if name in names else None for _, name in found]
    return SeriesPoints(series, tuple(runs[len(runs) - len(history.points) :]), history, tuple(problems))


class LatestHistory:
    """The history asked for last, as long as its listing is the latest: a long one is fetched in pages. Safe to use
    from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[Listing, SeriesPoints] | None = None

    def of(self, listing: Listing, series: str) -> SeriesPoints:
        """Raises as series_history does."""
        with self._lock:
            known = self._known
        if known is not None and known[0] is listing and known[1].series == series:
            return known[1]
        found = series_history(listing, series)
        with self._lock:
            self._known = (listing, found)
        return found


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def _known_point(file: FileEntry) -> PointFacts:
    files = file_system(file.path, file.within)
    with one_state(files, None if is_address(file.path) else {file.path: file.state}) as fs:
        return read_point(file.path, fs)
