"""The series of runs below a log directory, and the history of each.

Documented in docs/guide/history.md. Points are written by workspace/record_point.py.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter

from tb_perfcompare.comparison.history import SeriesHistory, history_of
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
    """The readable points of one series in time order, each with its run name (None if this version cannot read its
    summary), and the points that could not be read."""

    series: str
    runs: tuple[str | None, ...]
    history: SeriesHistory
    problems: tuple[Note, ...]


def series_of(listing: Listing) -> dict[str, int]:
    """Series name -> number of points, sorted by name."""
    return dict(sorted(Counter(point.series for point in listing.points).items()))


def series_history(listing: Listing, series: str) -> SeriesPoints:
    """Reads the history of a series; points that cannot be read are listed as problems. Raises SelectionError for an
    unknown series."""
    entries = [point for point in listing.points if point.series == series]
    if not entries:
        existing = list(series_of(listing))
        hint = choices(series, existing) if existing else "record one: tb-perfcompare record RUN --into LOGDIR"
        raise SelectionError(f"there is no series called {series!r}", hint=hint)
    names = {run.name for run in listing.runs}
    points: list[tuple[PointFacts, str]] = []
    problems: list[Note] = []
    for entry in entries:
        try:
            points.append((_read_point(entry.file), entry.name))
        except InputError as error:
            problems.append(Note(NoteCode.FILE_FAILED, str(error).removeprefix(f"{error.path}: "), entry.name))
    points.sort(key=lambda entry: (entry[0].at_s, entry[0].label, entry[1]))
    history = history_of([point for point, _ in points])
    runs = [name if name in names else None for _, name in points]
    return SeriesPoints(series, tuple(runs[len(runs) - len(history.points) :]), history, tuple(problems))


class LatestHistory:
    """Keeps the most recent history until the listing changes, as a long history is fetched in several pages. Safe to
    use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: tuple[Listing, SeriesPoints] | None = None

    def of(self, listing: Listing, series: str) -> SeriesPoints:
        """Returns the history of a series in the listing. Raises what series_history raises."""
        with self._lock:
            latest = self._latest
        if latest is not None and latest[0] is listing and latest[1].series == series:
            return latest[1]
        points = series_history(listing, series)
        with self._lock:
            self._latest = (listing, points)
        return points


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def _read_point(file: FileEntry) -> PointFacts:
    files = file_system(file.path, file.link_root)
    with one_state(files, None if is_address(file.path) else {file.path: file.state}) as fs:
        return read_point(file.path, fs)
