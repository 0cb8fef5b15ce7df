"""Runs among the files of one directory, and in single files."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.files import DEFAULT_SPAN
from tb_perfcompare.model.formats import BASELINE, TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.number_text import listed
from tb_perfcompare.sources.content_detection import is_unnamed_trace, runs_in_file, stated_rank
from tb_perfcompare.sources.job_folders import split_by_job
from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME, REMEMBERED_FILES, TRACE_FILE, is_point
from tb_perfcompare.sources.run_entries import FileEntry, PointEntry, RunEntry, RunIndex, SpanEntry, WorkerEntry
from tb_perfcompare.sources.storage.filesystem import FileStat, FileSystem, LocalFileSystem
from tb_perfcompare.sources.storage.inside_only import REFUSED
from tb_perfcompare.sources.storage.one_state import one_state
from tb_perfcompare.sources.worker_names import rank_of

if TYPE_CHECKING:
    from tb_perfcompare.model.saved.baseline import SavedFacts

TRACE_NAME = "<worker>[.<number>].pt.trace.json[.gz]"

NAMES_SHOWN = 10


def runs_of_directory(name: str, relative: str, path: str, entries: Sequence[FileStat], fs: FileSystem) -> RunIndex:
    """Finds the runs among the entries of one directory, `relative` to the log directory."""
    problems = [
        Note(NoteCode.FILE_FAILED, REFUSED, path_below(relative, entry.name))
        for entry in entries
        if entry.problem == REFUSED and TRACE_FILE.fullmatch(entry.name) is None  # run_of_traces reports traces
    ]
    run = run_of_traces(name, path, entries, fs)
    runs = [] if run is None else [run]
    loose, jobs = loose_files(entries, fs), dict[str, dict[str, FileStat]]()
    if run is None:
        jobs, unnamed = split_by_job(unnamed_traces(entries, fs), lambda file: stated_rank(file, fs))
        loose = sorted([*loose, *unnamed], key=lambda entry: entry.name)
        runs += runs_of_jobs(name, relative, path, jobs, is_alone=not loose)
    points = [
        PointEntry(path_below(relative, file.name), name, entry_of(file)) for file in loose if is_point(file.name)
    ]
    takes_name = run is None and not jobs and len(loose) - len(points) == 1  # points keep their names
    for file in loose:
        below = path_below(relative, file.name)
        try:
            runs += loose_runs(name if takes_name and not is_point(file.name) else below, file, fs)
        except InputError as error:
            problems.append(Note(NoteCode.FILE_FAILED, str(error).removeprefix(f"{error.path}: "), below))
    return RunIndex(path, tuple(runs), tuple(problems), tuple(points))


def path_below(relative: str, name: str) -> str:
    """Path of an entry of a directory, `relative` to the log directory."""
    return f"{relative}/{name}" if relative else name


def entry_of(file: FileStat) -> FileEntry:
    return FileEntry(file.path, file.name, file.bytes, file.mtime_ns, version=file.version, link_root=file.link_root)


def loose_files(entries: Iterable[FileStat], fs: FileSystem) -> list[FileStat]:
    """Files in a directory that are runs by content, sorted by name."""
    return [entry for entry in _not_named_like_traces(entries) if runs_in_file(entry, fs)[2]]


def unnamed_traces(entries: Iterable[FileStat], fs: FileSystem) -> list[FileStat]:
    """Files in a directory that are traces by content but not by name, and of no other format, sorted by name."""
    unnamed = (entry for entry in _not_named_like_traces(entries) if is_unnamed_trace(entry, fs))
    return [entry for entry in unnamed if not runs_in_file(entry, fs)[2]]


def _not_named_like_traces(entries: Iterable[FileStat]) -> Iterator[FileStat]:
    for entry in sorted(entries, key=lambda entry: entry.name):
        if not TRACE_FILE.fullmatch(entry.name) and not entry.is_dir and not entry.problem:
            yield entry


def loose_runs(name: str, file: FileStat, fs: FileSystem, *, any_name: bool = False) -> list[RunEntry]:
    """One entry for each run in a file recognized by content, [] for other files.

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
        entry = replace(entry_of(file), part=part)
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


def runs_of_jobs(
    name: str, relative: str, path: str, jobs: Mapping[str, Mapping[str, FileStat]], *, is_alone: bool
) -> Iterator[RunEntry]:
    """Runs of jobs with one file for each rank.

    A job alone in its directory has the directory's name; other jobs have a name below it.
    """
    for common, ranks in jobs.items():
        workers = tuple(
            WorkerEntry(worker, rank_of(worker), (SpanEntry(DEFAULT_SPAN, "", (entry_of(file),)),))
            for worker, file in sorted(ranks.items())
        )
        if is_alone and len(jobs) == 1:
            yield RunEntry(name, path, workers)
        else:
            yield RunEntry(path_below(relative, common), f"{path.rstrip('/')}/{common}", workers)


def _saved_run(name: str, file: FileStat, facts: SavedFacts) -> RunEntry:
    workers: dict[str, list[SpanEntry]] = {}
    ranks: dict[str, int | None] = {}
    for part, capture in enumerate(facts.captures, start=1):
        entry = replace(entry_of(file), name=capture.file.path, part=part, run=facts.run)
        workers.setdefault(capture.worker, []).append(SpanEntry(capture.span, "", (entry,)))
        ranks.setdefault(capture.worker, capture.rank)
    worker_entries = tuple(WorkerEntry(worker, ranks[worker], tuple(spans)) for worker, spans in workers.items())
    return RunEntry(name, file.path, worker_entries, format=BASELINE, saved=facts)


def run_of_traces(name: str, path: str, entries: Sequence[FileStat], fs: FileSystem) -> RunEntry | None:
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
    others = [entry.name for entry in unnamed_traces(entries, fs)]
    if others:
        problems.append(Note(NoteCode.OTHER_TRACES, _not_named(others)))
    return RunEntry(name, path, workers, tuple(problems))


def _not_named(names: Sequence[str]) -> str:
    count = "1 trace is skipped because of its name" if len(names) == 1 else (
        f"{len(names):,} traces are skipped because of their names"
    )
    return f"{count}: {listed(names, NAMES_SHOWN)}; only files named {TRACE_NAME} are read"


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
        spans.append(SpanEntry(label, stamp, tuple(map(entry_of, files))))
    return tuple(spans)
