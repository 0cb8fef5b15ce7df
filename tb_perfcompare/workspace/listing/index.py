"""Lists the runs below the roots, and finds the files that a run name or a path means."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tb_perfcompare.comparison.pairing.pairing import Pair, RunShape, Selection, suggest_pairs
from tb_perfcompare.comparison.result.options import ExperimentLook
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError, choices
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import FORMATS, LISTING, NCU, TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.discover import find_runs, parse_source, without_part
from tb_perfcompare.sources.perf_data.file_names import companion_files
from tb_perfcompare.sources.run_entries import PointEntry, RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.sources.saved.manifest import read_manifest
from tb_perfcompare.sources.storage.file_systems import file_system, without_secrets
from tb_perfcompare.sources.storage.inside_only import FOLLOW, INSIDE, LINKS
from tb_perfcompare.sources.worker_names import is_named_after_rank
from tb_perfcompare.workspace.disk_cache.cache_keys import text_digest
from tb_perfcompare.workspace.inputs.sides import CaptureFile, RecordedExperiment, Side, Steps, with_current_state
from tb_perfcompare.workspace.sharing.background_refresh import Refreshed

_KEPT_S = 5.0
_PAUSE_S = 10.0
"""Ranks of a job write their files within less."""
_SECOND_DIGITS = 10
"""Digits of seconds since 1970; profilers append more for milliseconds or nanoseconds."""
_PARENT = regex(r"[/\\][^/\\]+$")


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
        files = _select(
            run, selection.worker, selection.span, shown=f"{run.name}/", described=f"run {run.name!r}", source=run.name
        )
        attached = None if launches is None else with_current_state(_launches_of(self._run(launches)))
        side = Side(
            run.name, tuple(map(with_current_state, files)), steps, attached, notes=run.problems,
            experiment=_experiment(run),
        )  # fmt: skip
        return _as_saved(side, run)

    def _run(self, name: str) -> RunEntry:
        for rescan in (False, True):  # it may have appeared since the last scan
            runs = self.listing(rescan=rescan).runs
            for run in runs:
                if run.name == name:
                    return run
        raise _unknown("run", name, [run.name for run in runs])


def side_from_path(
    path: str, worker: str | None, span: str | None, steps: Steps | None = None, launches: str | None = None,
    counters: str | None = None,
) -> Side:  # fmt: skip
    """Returns the files that a user means by a path: a run's directory, one file, or `FILE#2` for the second run of a
    file; narrowed to a worker and a span. `launches` is the path of a kernel listing or ncu export to attach,
    `counters` the path of a file of counter samples taken during the recording.

    Raises InputError if nothing can be read there, SelectionError for unknown workers and spans."""
    run, files = _files_at(path, worker, span)
    side = Side(
        without_secrets(path), tuple(files), steps, None if launches is None else launches_from_path(launches),
        None if counters is None else counters_from_path(counters), notes=run.problems,
        experiment=_experiment(run),
    )  # fmt: skip
    return _as_saved(side, run)


def _as_saved(side: Side, run: RunEntry) -> Side:
    """For a saved baseline, returns the side with the baseline's steps and launches, unless the side has its own, and
    with its kind and `all_steps`; any other side unchanged."""
    saved = run.saved
    if saved is None:
        return side
    launches = side.launches
    if launches is None and saved.launches:
        launches = replace(side.files[0], name=saved.launches, part=len(saved.captures) + 1)
    return replace(
        side, steps=side.steps or saved.steps, kind=saved.kind, launches=launches, all_steps=saved.all_steps
    )


def _experiment(run: RunEntry) -> RecordedExperiment | None:
    """Returns the experiment that recorded a run: its manifest is in the parent directory and names this run as a
    variant; None for other runs."""
    if run.format != TRACE:
        return None
    link_root = run.workers[0].spans[0].file.link_root
    directory = _PARENT.sub("", run.path)
    try:
        manifest = read_manifest(directory, file_system(directory, link_root))
    except InputError:  # a file of another tool with the manifest's name
        return None
    if manifest is None or run.name.rpartition("/")[2] not in {variant.name for variant in manifest.variants}:
        return None
    look = ExperimentLook(manifest.rounds(), manifest.most_rounds, manifest.level, manifest.alpha)
    return RecordedExperiment(directory, look)


def launches_from_path(path: str) -> CaptureFile:
    """Returns the kernel listing or ncu export at a path, without checking its content. Raises SelectionError for more
    than one file."""
    _, files = _files_at(path, None, None)
    if len(files) != 1:
        raise SelectionError(f"{path} is not a kernel listing: it holds {len(files)} files", hint="give one file")
    return files[0]


def counters_from_path(path: str) -> CaptureFile:
    """Returns the counters file at a path, without checking its content. Raises InputError if it cannot be opened."""
    fs, shown = file_system(path), without_secrets(path)
    try:
        facts = fs.stat(path)
    except OSError as error:
        raise InputError(shown, f"cannot be opened: {error.strerror or error}", hint="check the name") from error
    return CaptureFile(
        fs.absolute(path), shown, fs.basename(path), facts.bytes, facts.mtime_ns, "", "", "", None, shown,
        version=facts.version,
    )  # fmt: skip


def _files_at(path: str, worker: str | None, span: str | None) -> tuple[RunEntry, list[CaptureFile]]:
    fs = file_system(path)
    run = parse_source(path, fs)
    file_path, part = without_part(fs.absolute(path), fs)
    path = without_secrets(path)
    is_file = any(
        file.path == run.path == file_path for named in run.workers for entry in named.spans for file in entry.files
    )
    folder = path if part is None else path.removesuffix(f"#{part}")
    shown = path if is_file else folder.rstrip("/") + "/"
    return run, _select(run, worker, span, shown=shown, described=path, source=path, shown_whole=is_file)


def _launches_of(run: RunEntry) -> CaptureFile:
    """Returns the file of a run that is a kernel listing or an ncu export. Raises SelectionError for other formats."""
    if run.format not in (LISTING, NCU):
        hint = f"name a run that is {FORMATS[LISTING].with_article} or {FORMATS[NCU].with_article}"
        what = FORMATS[run.format].with_article
        raise SelectionError(f"the run {run.name!r} is {what}: it has no figures to attach", hint=hint)
    (worker,) = run.workers
    return span_file(run, worker, worker.spans[0])


def span_file(run: RunEntry, worker: WorkerEntry, span: SpanEntry) -> CaptureFile:
    """Returns the file of one span, ready to be read."""
    return _capture(run, worker, span, f"{run.name}/{span.file.name}", run.name)


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


def _select(
    run: RunEntry, worker: str | None, span: str | None, *, shown: str, described: str, source: str,
    shown_whole: bool = False,
) -> list[CaptureFile]:  # fmt: skip
    """Returns the run's files of a worker (None: all) and a span (None: all), in worker and span order. Raises
    SelectionError for unknown ones."""
    workers = [entry for entry in run.workers if worker is None or entry.name == worker]
    if not workers:
        raise _unknown(f"worker in {described}", str(worker), [entry.name for entry in run.workers])
    chosen = [(entry, part) for entry in workers for part in entry.spans if span is None or part.label == span]
    if not chosen:
        labels = dict.fromkeys(part.label for entry in workers for part in entry.spans)
        raise _unknown(f"span in {described}", str(span), list(labels))
    return [
        _capture(run, entry, part, shown if shown_whole else shown + part.file.name, source)
        for entry, part in chosen
    ]


def _capture(run: RunEntry, worker: WorkerEntry, span: SpanEntry, shown: str, source: str) -> CaptureFile:
    file = span.file
    return CaptureFile(
        file.path, shown, file.name, file.bytes, file.mtime_ns, file.run or run.name, worker.name, span.label,
        worker.rank, source, file.part, companion_files(file.path, file_system(file.path, file.link_root)),
        file.version, file.link_root,
    )  # fmt: skip


def _unknown(what: str, name: str, known: list[str]) -> SelectionError:
    return SelectionError(f"there is no {what} called {name!r}", hint=choices(name, known))


def links_stay_inside() -> bool:
    """Whether LINKS is `inside`; links below a log directory are followed by default. No request creates a link, but
    every user with write access to the log directory can. LINKS=inside stops them from exposing files elsewhere that
    only the server's user may read. Raises PerfCompareError for an unknown value."""
    given = os.environ.get(LINKS, "") or FOLLOW
    if given not in (FOLLOW, INSIDE):
        raise PerfCompareError(f"{LINKS} is {given[:80]!r}", hint=f"it must be {FOLLOW} or {INSIDE}")
    return given == INSIDE
