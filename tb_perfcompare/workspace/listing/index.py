"""Lists the runs below the roots."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tb_perfcompare.comparison.pairing.pairing import Pair, RunShape, Selection, suggest_pairs
from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.sources.run_entries import PointEntry, RunEntry, WorkerEntry
from tb_perfcompare.sources.storage.file_systems import file_system, without_secrets
from tb_perfcompare.sources.storage.inside_only import FOLLOW, INSIDE, LINKS
from tb_perfcompare.sources.worker_names import is_named_after_rank
from tb_perfcompare.workspace.disk_cache.cache_keys import text_digest
from tb_perfcompare.workspace.inputs.run_files import side_of_run, unknown
from tb_perfcompare.workspace.inputs.sides import Side, Steps
from tb_perfcompare.workspace.sharing.background_refresh import Refreshed

_KEPT_S = 5.0
_PAUSE_S = 10.0
"""Ranks of a job write their files within less."""
_SECOND_DIGITS = 10
"""Digits of seconds since 1970; profilers append more for milliseconds or nanoseconds."""


@dataclass(frozen=True, slots=True)
class Root:
    """A directory to search for runs. `name`, if any, is put in front of the names of its runs."""

    path: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """All runs of all roots under unique names, the problems in listing them, the suggested pairs, and the points of
    histories."""

    runs: tuple[RunEntry, ...]
    problems: tuple[Note, ...]
    pairs: tuple[Pair, ...]
    points: tuple[PointEntry, ...] = ()

    @property
    def tag(self) -> str:
        """Hash that changes whenever a name, size or time does."""
        return text_digest(repr(self))[:16]


Scan = Callable[[Sequence[Root], bool], Listing]


class Index:
    """Lists the roots, at most every few seconds and never twice at once. Safe to use from several threads.

    inside  do not follow symbolic links that lead out of a root
    scan    function (roots, inside) -> Listing, for tests
    """

    def __init__(self, roots: Sequence[Root], *, inside: bool = False, scan: Scan | None = None) -> None:
        self._roots = tuple(roots)
        self._inside = inside
        scanned = scan or _scan
        self._listing = Refreshed(lambda: scanned(self._roots, inside), kept_s=_KEPT_S)

    def listing(self, *, rescan: bool = False) -> Listing:
        """Returns the runs, problems and pairs below the roots. `rescan` scans again now, unless a slow scan has just
        been done. A root that cannot be listed becomes a problem in the listing; it raises nothing."""
        return self._listing.get(force=rescan)

    def side(self, selection: Selection, steps: Steps | None = None, launches: str | None = None) -> Side:
        """Returns the files of a run, as they are on disk now, with the kernel listing or ncu export called `launches`.
        Raises SelectionError, listing the existing names."""
        run = self._run(selection.run)
        attached = None if launches is None else self._run(launches)
        return side_of_run(run, selection.worker, selection.span, steps, attached)

    def _run(self, name: str) -> RunEntry:
        for rescan in (False, True):  # it may have appeared since the last scan
            runs = self.listing(rescan=rescan).runs
            for run in runs:
                if run.name == name:
                    return run
        raise unknown("run", name, [run.name for run in runs])


def _scan(roots: Iterable[Root], inside: bool) -> Listing:
    runs: dict[str, RunEntry] = {}
    problems: list[Note] = []
    points: dict[str, PointEntry] = {}
    for root in roots:
        try:
            index = find_runs(root.path, file_system(root.path, root.path if inside else ""))
        except InputError as error:
            message = f"{error.reason}; {error.hint}" if error.hint else error.reason
            problems.append(Note(NoteCode.FILE_FAILED, message, root.name or without_secrets(root.path)))
            continue
        for run in index.runs:
            name = _run_name(root, run, index.root)
            if name in runs:
                message = "another run has the same name; only the first is listed"
                problems.append(Note(NoteCode.DUPLICATE_KEYS, message, name))
                continue
            runs[name] = replace(run, name=name)
            problems += [
                replace(note, where=f"{name}/{note.where}" if note.where else name) for note in run.problems
            ]
        problems += index.problems
        for point in index.points:
            named = _named_point(root, point)
            points.setdefault(named.name, named)
    ordered = tuple(runs[name] for name in sorted(runs))
    shapes = [shape_of(run) for run in ordered if run.name not in points]  # points are compared within a history
    listed = tuple(points[name] for name in sorted(points))
    return Listing(ordered, tuple(problems), suggest_pairs(shapes), listed)


def shape_of(run: RunEntry) -> RunShape:
    """Returns the properties of a run that pairing uses: worker and span names, the newest file time, and the workers
    in time order if each was recorded after the one before."""
    files = [file for worker in run.workers for span in worker.spans for file in span.files]
    return RunShape(
        run.name, tuple((worker.name, tuple(span.label for span in worker.spans)) for worker in run.workers),
        max((file.mtime_ns for file in files), default=0), _in_turns(run),
    )  # fmt: skip


def _in_turns(run: RunEntry) -> tuple[str, ...]:
    """Workers in the order of the times in their file names, if a pause lies between any two; else ()."""
    if any(is_named_after_rank(worker.name) for worker in run.workers):
        return ()
    recorded = sorted((*_recorded_s(worker), worker.name) for worker in run.workers)
    in_turns = all(later[0] > earlier[1] + _PAUSE_S for earlier, later in itertools.pairwise(recorded))
    return tuple(name for *_, name in recorded) if in_turns else ()


def _recorded_s(worker: WorkerEntry) -> tuple[float, float]:
    """First and last time in the file names of a worker, in seconds since 1970; (0, inf) if any has none."""
    stamps = [int(span.stamp or 0) for span in worker.spans]
    first, last = (stamp / 10 ** max(len(str(stamp)) - _SECOND_DIGITS, 0) for stamp in (min(stamps), max(stamps)))
    return (first, last) if len(str(min(stamps))) >= _SECOND_DIGITS else (0.0, math.inf)


def _run_name(root: Root, run: RunEntry, root_path: str) -> str:
    if not root.name:
        return run.name
    return root.name if run.path == root_path else f"{root.name}/{run.name}"


def _named_point(root: Root, point: PointEntry) -> PointEntry:
    if not root.name:
        return point
    series = root.name if point.name == point.file.name else f"{root.name}/{point.series}"
    return PointEntry(f"{root.name}/{point.name}", series, point.file)


def links_stay_inside() -> bool:
    """Whether LINKS is `inside`; links below a log directory are followed by default. No request creates a link, but
    every user with write access to the log directory can. LINKS=inside stops them from exposing files elsewhere that
    only the server's user may read. Raises PerfCompareError for an unknown value."""
    given = os.environ.get(LINKS, "") or FOLLOW
    if given not in (FOLLOW, INSIDE):
        raise PerfCompareError(f"{LINKS} is {given[:80]!r}", hint=f"it must be {FOLLOW} or {INSIDE}")
    return given == INSIDE
