"""What a listing consists of: runs, their workers, spans and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.filesystem import FileState

if TYPE_CHECKING:
    from tb_perfcompare.model.saved.baseline import SavedFacts


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A stored file.

    `path` opens it, `name` is relative to the run's directory, `part` is the number of the run in a file that holds
    several. For a saved baseline, `name` is that of the summarized file, `run` that of its run, and `part` the number
    of the capture. `version` and `link_root` are as in filesystem.FileStat.
    """

    path: str
    name: str
    bytes: int
    mtime_ns: int
    part: int = 1
    run: str = ""
    version: str = ""
    link_root: str = ""

    @property
    def state(self) -> FileState:
        """A value that changes whenever the content does."""
        return self.bytes, self.mtime_ns, self.version


@dataclass(frozen=True, slots=True)
class SpanEntry:
    """One profiling window. `stamp` is the number in the file name as written ("" for none); `files` starts with the
    file to read, followed by older files with the same stamp."""

    label: str
    stamp: str
    files: tuple[FileEntry, ...]

    @property
    def file(self) -> FileEntry:
        return self.files[0]


@dataclass(frozen=True, slots=True)
class WorkerEntry:
    """One process; `rank` is None unless its name states it."""

    name: str
    rank: int | None
    spans: tuple[SpanEntry, ...]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One directory of traces, or one file of another format; `format` is a key of model/formats.py, `saved` the
    metadata of a saved baseline."""

    name: str
    path: str
    workers: tuple[WorkerEntry, ...]
    problems: tuple[Note, ...] = ()
    format: str = TRACE
    saved: SavedFacts | None = None


@dataclass(frozen=True, slots=True)
class PointEntry:
    """A point of a history: its name as a run, the name of its directory, and its file."""

    name: str
    series: str
    file: FileEntry


@dataclass(frozen=True, slots=True)
class RunIndex:
    """Runs below `root`, sorted by name (code points); `problems` are directories that could not be listed. `points`
    are those of histories, including points whose summary this version cannot read, which are not in `runs`."""

    root: str
    runs: tuple[RunEntry, ...]
    problems: tuple[Note, ...] = ()
    points: tuple[PointEntry, ...] = ()
