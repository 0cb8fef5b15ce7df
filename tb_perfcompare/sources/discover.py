"""Finds runs below a log directory: traces by file name, other formats by their first bytes.

A run is a directory that directly contains at least one `<worker>[.<stamp>].pt.trace.json[.gz]`; its name is its path
below the log directory with `/`, or the basename of the log directory itself. A worker is one process, a span one of
its profiling windows: spans are numbered from 1 in numerical order of their stamps; a file without stamp is the span
`default`.

A kernel listing, a per-cycle table and a saved baseline are one run each; a file of saved torch-tb-profiler answers is
one or several: `NAME#1`, `NAME#2`, ... A baseline has the workers and spans of the run it was saved from. A point of a
history is read like a baseline and is always named after its file. Any other such file takes the name of its directory
if it is the only one there and there are no traces, else its own name appended to the directory's.

In a directory without files named like traces, files that are traces by content are runs in the same way, or one run if
their names differ only in ranks. Next to files named like traces they are only mentioned in a note. Runs in one
directory that are ranks or iterations of one job are joined (job_folders.py). A directory that is asked for itself is
also one run if only a count in the names differs (trace_0.json, trace_1.json).
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.files import DEFAULT_SPAN
from tb_perfcompare.model.formats import BASELINE, TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.number_text import listed
from tb_perfcompare.sources.content_detection import is_unnamed_trace, possible_stem, runs_in_file, stated_rank
from tb_perfcompare.sources.job_folders import captures_of_one, join_parts, split_by_job
from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME, REMEMBERED_FILES, TRACE_FILE, is_point
from tb_perfcompare.sources.run_entries import FileEntry, PointEntry, RunEntry, RunIndex, SpanEntry, WorkerEntry
from tb_perfcompare.sources.storage.addresses import without_secrets
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileStat, FileSystem, LocalFileSystem
from tb_perfcompare.sources.storage.inside_only import REFUSED
from tb_perfcompare.sources.storage.one_state import one_state

if TYPE_CHECKING:
    from tb_perfcompare.model.saved.baseline import SavedFacts

_JSON_FILE = regex(r"(?P<stem>.+?)(?:\.pt\.trace)?\.json(?:\.gz)?", re.DOTALL)
_NAMES = (
    "the name must end in .json or .json.gz, .jsonl for saved answers, .txt for a kernel listing, "
    ".csv for a perf_data table or an ncu export, .baseline for a saved baseline"
)
_TRACE_NAME = "<worker>[.<number>].pt.trace.json[.gz]"
_NAMES_SHOWN = 10
OTHER_NAMES = "tables and ncu exports end in .csv, kernel listings in .txt, saved answers in .jsonl"
_PART = regex(r"(?P<path>.+)#(?P<part>[1-9]\d{0,5})", re.DOTALL)
_EXPLICIT_RANK = regex(r"(?:rank|worker)[-_]?(\d+)", re.IGNORECASE)
# five or more digits after a host name are a process id: the profiler's default worker name
_TRAILING_RANK = regex(r"(?<!\d)(\d{1,4})$")


def find_runs(root: str, fs: FileSystem = LOCAL) -> RunIndex:
    """Finds all runs at and below `root`, including nested ones. Follows links; visits each directory once.

    Raises InputError if `root` itself cannot be listed; failures below it become problems.
    """
    root = fs.absolute(root)
    facts = _facts(root, fs)
    if not facts.is_dir:
        raise InputError(without_secrets(root), "not a directory", hint="give the directory that holds the runs")
    runs: list[RunEntry] = []
    problems: list[Note] = []
    points: list[PointEntry] = []
    first_path: dict[Hashable, str] = {facts.identity: "."}
    # real directories before links, so that a directory keeps its own name and a link to it is the alias
    pending: deque[tuple[str, FileStat]] = deque([("", facts)])
    links: deque[tuple[str, FileStat]] = deque()
    while pending or links:
        relative, directory = pending.popleft() if pending else links.popleft()
        if relative:
            canonical = first_path.setdefault(directory.identity, relative)
            if canonical != relative:
                message = f"the same directory as {canonical}, listed there only"
                problems.append(Note(NoteCode.DUPLICATE_KEYS, message, relative))
                continue
        try:
            entries = fs.entries(directory.path)
        except OSError as error:
            if not relative:
                raise _unreadable(root, error) from error
            problems.append(Note(NoteCode.FILE_FAILED, f"cannot be listed: {error.strerror or error}", relative))
            continue
        name = relative or fs.basename(root)
        found = _runs_of_directory(name, relative, directory.path, entries, fs)
        runs += found.runs
        problems += found.problems
        points += found.points
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir and TRACE_FILE.fullmatch(entry.name) is None:
                (links if entry.is_link else pending).append((_joined(relative, entry.name), entry))
    runs = sorted(join_parts(runs, fs.basename(root)), key=lambda run: run.name)
    return RunIndex(root, tuple(runs), tuple(problems), tuple(points))


def _runs_of_directory(
    name: str, relative: str, path: str, entries: Sequence[FileStat], fs: FileSystem
) -> RunIndex:
    """Finds the runs among the entries of one directory, `relative` to the log directory."""
    problems = [
        Note(NoteCode.FILE_FAILED, REFUSED, _joined(relative, entry.name))
        for entry in entries
        if entry.problem == REFUSED and TRACE_FILE.fullmatch(entry.name) is None  # _run reports traces
    ]
    run = _run(name, path, entries, fs)
    runs = [] if run is None else [run]
    loose, jobs = _loose_files(entries, fs), dict[str, dict[str, FileStat]]()
    if run is None:
        jobs, unnamed = split_by_job(
            _unnamed_traces(entries, fs), lambda file: stated_rank(file, fs)
        )
        loose = sorted([*loose, *unnamed], key=lambda entry: entry.name)
        runs += _jobs(name, relative, path, jobs, is_alone=not loose)
    points = [PointEntry(_joined(relative, file.name), name, _entry(file)) for file in loose if is_point(file.name)]
    takes_name = run is None and not jobs and len(loose) - len(points) == 1  # points keep their names
    for file in loose:
        below = _joined(relative, file.name)
        try:
            runs += _loose_runs(name if takes_name and not is_point(file.name) else below, file, fs)
        except InputError as error:
            problems.append(Note(NoteCode.FILE_FAILED, str(error).removeprefix(f"{error.path}: "), below))
    return RunIndex(path, tuple(runs), tuple(problems), tuple(points))


def _joined(relative: str, name: str) -> str:
    return f"{relative}/{name}" if relative else name


def parse_source(path: str, fs: FileSystem = LOCAL) -> RunEntry:
    """Finds the run that a user means by `path`.

    It is a run's directory, or one file ending in .json or .json.gz (worker and span from its name, else its stem and
    `default`), or one file of another format. `path#2` is the second run in a file that holds several, or in a
    directory that contains only such a file; without a number it is the first.

    Raises InputError for paths without a trace, SelectionError (listing the runs) for a directory of several runs and
    for a run number that does not exist.
    """
    absolute, part = without_part(fs.absolute(path), fs)
    job = _job_at(absolute, fs)
    if job is not None:
        return job
    facts = _facts(absolute, fs)
    if not facts.is_dir:
        return _single_file(absolute, facts, part, fs)
    try:
        entries = fs.entries(absolute)
    except OSError as error:
        raise _unreadable(absolute, error) from error
    run = _run(fs.basename(absolute), absolute, entries, fs)
    if run is not None:
        return _part_of(path, [run], part)
    loose = _loose_files(entries, fs)
    if len(loose) == 1:
        return _part_of(path, _loose_runs(fs.basename(absolute), loose[0], fs), part)
    runs = find_runs(absolute, fs).runs
    if len(runs) == 1:
        return _part_of(path, list(runs), part)
    unnamed = _unnamed_traces(entries, fs)
    captures = captures_of_one(unnamed) if len(runs) == len(unnamed) else {}
    if captures:
        return next(_jobs(fs.basename(absolute), "", absolute, {"": captures}, is_alone=True))
    nested = [run.name for run in runs]
    if nested:
        hint = f"give one of them, e.g. {_below(path, nested[0])}"
        held = listed(nested, _NAMES_SHOWN)
        raise SelectionError(f"{without_secrets(path)} is not a run but holds runs: {held}", hint=hint)
    files = sorted(entry.name for entry in entries if not entry.is_dir and _JSON_FILE.fullmatch(entry.name))
    hint = f"trace files are named {_TRACE_NAME}; {OTHER_NAMES}"
    if files:
        hint = f"give one file by name, e.g. {_below(path, files[0])}"
    raise InputError(without_secrets(path), "no recordings here or below", hint=hint)


def _job_at(path: str, fs: FileSystem) -> RunEntry | None:
    """Finds one of several jobs in a directory by its listed path, which ends in the common part of its parts'
    names."""
    folder, _, common = path.rpartition("/")
    try:
        fs.stat(path)
    except OSError:
        with contextlib.suppress(OSError, InputError):
            names = [entry.name for entry in fs.entries(folder)]
            beginning = re.split(r"[-_.]", common)[0]
            if common not in names and any(name.startswith(beginning) for name in names):
                return next((run for run in find_runs(folder, fs).runs if run.path == path), None)
    return None


def rank_of(worker: str) -> int | None:
    """Rank in a worker's name: `rank-3`, `rank_3`, `worker3`, or up to four digits at the end; None without one."""
    match = _EXPLICIT_RANK.search(worker) or _TRAILING_RANK.search(worker)
    return int(match.group(1)) if match else None


def is_named_after_rank(worker: str) -> bool:
    """Whether a worker's name says "rank" or "worker" and a number; others may end in a process id."""
    return _EXPLICIT_RANK.search(worker) is not None


def without_part(path: str, fs: FileSystem = LOCAL) -> tuple[str, int | None]:
    """Splits `path#number` into (path, number); (path, None) if a file or directory has that literal name."""
    matched = _PART.fullmatch(path)
    if matched is None:
        return path, None
    try:
        fs.stat(path)
    except OSError:
        return matched["path"], int(matched["part"])
    return path, None


def _part_of(path: str, runs: list[RunEntry], part: int | None) -> RunEntry:
    if part is None or part <= len(runs):
        return runs[(part or 1) - 1]
    names = listed((run.name for run in runs), _NAMES_SHOWN)
    raise SelectionError(f"{without_secrets(path)}: there is no run number {part}", hint=f"there are: {names}")


def _below(path: str, name: str) -> str:
    return f"{without_secrets(path).rstrip('/')}/{name}"


def _entry(file: FileStat) -> FileEntry:
    return FileEntry(file.path, file.name, file.bytes, file.mtime_ns, version=file.version, link_root=file.link_root)


def _facts(path: str, fs: FileSystem) -> FileStat:
    try:
        return fs.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: OSError) -> InputError:
    hint = "check its permissions" if isinstance(error, PermissionError) else "check the path"
    return InputError(without_secrets(path), error.strerror or str(error), hint=hint)


def _single_file(path: str, facts: FileStat, part: int | None, fs: FileSystem) -> RunEntry:
    name = fs.basename(path)
    matched = TRACE_FILE.fullmatch(name)
    runs = _loose_runs(name, facts, fs, any_name=True) if matched is None else []
    if runs:
        return _part_of(path, runs, part)
    if matched is not None:
        worker, stamp = matched["worker"], matched["stamp"] or ""
    else:
        json = _JSON_FILE.fullmatch(name)
        stem = json["stem"] if json is not None else possible_stem(name)  # the readers report other names
        if stem is None:
            raise InputError(without_secrets(path), "not a trace file by its name", hint=_NAMES)
        worker, stamp = stem, ""
    label = "1" if stamp else DEFAULT_SPAN
    span = SpanEntry(label, stamp, (_entry(replace(facts, path=path, name=name)),))
    return _part_of(path, [RunEntry(name, path, (WorkerEntry(worker, rank_of(worker), (span,)),))], part)


def _loose_files(entries: Iterable[FileStat], fs: FileSystem) -> list[FileStat]:
    """Files in a directory that are runs by content, sorted by name."""
    return [entry for entry in _not_named_like_traces(entries) if runs_in_file(entry, fs)[2]]


def _unnamed_traces(entries: Iterable[FileStat], fs: FileSystem) -> list[FileStat]:
    """Files in a directory that are traces by content but not by name, and of no other format, sorted by name."""
    unnamed = (entry for entry in _not_named_like_traces(entries) if is_unnamed_trace(entry, fs))
    return [entry for entry in unnamed if not runs_in_file(entry, fs)[2]]


def _not_named_like_traces(entries: Iterable[FileStat]) -> Iterator[FileStat]:
    for entry in sorted(entries, key=lambda entry: entry.name):
        if not TRACE_FILE.fullmatch(entry.name) and not entry.is_dir and not entry.problem:
            yield entry


def _loose_runs(name: str, file: FileStat, fs: FileSystem, *, any_name: bool = False) -> list[RunEntry]:
    """One entry for each run in a file recognised by content, [] for other files.

    Raises InputError for a saved baseline that cannot be read.
    """
    form, worker, runs = runs_in_file(file, fs, any_name=any_name)
    if not runs and not any_name and is_unnamed_trace(file, fs):
        matched = JSON_NAME.fullmatch(file.name)
        form, worker, runs = TRACE, matched["stem"] if matched else file.name, 1
    if form == BASELINE:
        return [_saved_run(name, file, _saved_facts(file, fs))]
    out = []
    for part in range(1, runs + 1):
        entry = replace(_entry(file), part=part)
        rank = rank_of(worker) if form == TRACE else None
        only = WorkerEntry(worker, rank, (SpanEntry(DEFAULT_SPAN, "", (entry,)),))
        out.append(RunEntry(f"{name}#{part}" if runs > 1 else name, file.path, (only,), format=form))
    return out


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def _saved_facts(file: FileStat, fs: FileSystem) -> SavedFacts:
    """Reads the metadata of a baseline or a point, in the state in which a local file was listed; stores describe files
    differently in listings. Cached for an unchanged file: hundreds of points of a series are listed repeatedly."""
    # imported here: the classes of summaries are most of the package
    from tb_perfcompare.sources.saved.baseline_file import read_facts, read_point_facts

    with one_state(fs, {file.path: file.state} if isinstance(fs, LocalFileSystem) else None) as files:
        return (read_point_facts if is_point(file.name) else read_facts)(file.path, files)


def _jobs(
    name: str, relative: str, path: str, jobs: Mapping[str, Mapping[str, FileStat]], *, is_alone: bool
) -> Iterator[RunEntry]:
    """Runs of jobs with one file for each rank.

    A job alone in its directory has the directory's name; other jobs have a name below it.
    """
    for common, ranks in jobs.items():
        workers = tuple(
            WorkerEntry(worker, rank_of(worker), (SpanEntry(DEFAULT_SPAN, "", (_entry(file),)),))
            for worker, file in sorted(ranks.items())
        )
        if is_alone and len(jobs) == 1:
            yield RunEntry(name, path, workers)
        else:
            yield RunEntry(_joined(relative, common), f"{path.rstrip('/')}/{common}", workers)


def _saved_run(name: str, file: FileStat, facts: SavedFacts) -> RunEntry:
    workers: dict[str, list[SpanEntry]] = {}
    ranks: dict[str, int | None] = {}
    for part, capture in enumerate(facts.captures, start=1):
        entry = replace(_entry(file), name=capture.file.path, part=part, run=facts.run)
        workers.setdefault(capture.worker, []).append(SpanEntry(capture.span, "", (entry,)))
        ranks.setdefault(capture.worker, capture.rank)
    worker_entries = tuple(WorkerEntry(worker, ranks[worker], tuple(spans)) for worker, spans in workers.items())
    return RunEntry(name, file.path, worker_entries, format=BASELINE, saved=facts)


def _run(name: str, path: str, entries: Sequence[FileStat], fs: FileSystem) -> RunEntry | None:
    """The run in a directory, or None if no file in it is named like a trace."""
    spans: dict[str, dict[str, list[FileStat]]] = {}
    problems: list[Note] = []
    for entry in entries:
        matched = TRACE_FILE.fullmatch(entry.name)
        if matched is None or entry.is_dir:
            continue
        if entry.problem:
            problems.append(Note(NoteCode.FILE_FAILED, entry.problem, entry.name))
            continue
        spans.setdefault(matched["worker"], {}).setdefault(matched["stamp"] or "", []).append(entry)
    if not spans:
        return None
    workers = tuple(
        WorkerEntry(worker, rank_of(worker), _spans(by_stamp, problems)) for worker, by_stamp in sorted(spans.items())
    )
    problems.sort(key=lambda note: note.where)
    others = [entry.name for entry in _unnamed_traces(entries, fs)]
    if others:
        problems.append(Note(NoteCode.OTHER_TRACES, _not_named(others)))
    return RunEntry(name, path, workers, tuple(problems))


def _not_named(names: Sequence[str]) -> str:
    count = "1 trace is skipped because of its name" if len(names) == 1 else (
        f"{len(names):,} traces are skipped because of their names"
    )
    return f"{count}: {listed(names, _NAMES_SHOWN)}; only files named {_TRACE_NAME} are read"


def _spans(by_stamp: dict[str, list[FileStat]], problems: list[Note]) -> tuple[SpanEntry, ...]:
    spans = []
    stamps = sorted((stamp for stamp in by_stamp if stamp), key=lambda stamp: (int(stamp), stamp))
    labels = [(DEFAULT_SPAN, "")] if "" in by_stamp else []
    labels += [(str(number), stamp) for number, stamp in enumerate(stamps, start=1)]
    for label, stamp in labels:
        files = sorted(by_stamp[stamp], key=lambda file: (-file.mtime_ns, file.name))
        for older in files[1:]:
            message = f"not read: {files[0].name} is the same span and newer"
            problems.append(Note(NoteCode.DUPLICATE_KEYS, message, older.name))
        spans.append(SpanEntry(label, stamp, tuple(map(_entry, files))))
    return tuple(spans)
