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
import re
from collections import deque
from collections.abc import Hashable
from dataclasses import replace

from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.files import DEFAULT_SPAN
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.number_text import listed
from tb_perfcompare.sources.content_detection import possible_stem
from tb_perfcompare.sources.directory_runs import (
    NAMES_SHOWN,
    TRACE_NAME,
    entry_of,
    loose_files,
    loose_runs,
    path_below,
    run_of_traces,
    runs_of_directory,
    runs_of_jobs,
    unnamed_traces,
)
from tb_perfcompare.sources.job_folders import captures_of_one, join_parts
from tb_perfcompare.sources.recognition.format_sniffers import TRACE_FILE
from tb_perfcompare.sources.run_entries import PointEntry, RunEntry, RunIndex, SpanEntry, WorkerEntry
from tb_perfcompare.sources.storage.addresses import without_secrets
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileStat, FileSystem
from tb_perfcompare.sources.worker_names import rank_of

_JSON_FILE = regex(r"(?P<stem>.+?)(?:\.pt\.trace)?\.json(?:\.gz)?", re.DOTALL)
_NAMES = (
    "the name must end in .json or .json.gz, .jsonl for saved answers, .txt for a kernel listing, "
    ".csv for a perf_data table or an ncu export, .baseline for a saved baseline"
)
OTHER_NAMES = "tables and ncu exports end in .csv, kernel listings in .txt, saved answers in .jsonl"
_PART = regex(r"(?P<path>.+)#(?P<part>[1-9]\d{0,5})", re.DOTALL)


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
        found = runs_of_directory(name, relative, directory.path, entries, fs)
        runs += found.runs
        problems += found.problems
        points += found.points
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir and TRACE_FILE.fullmatch(entry.name) is None:
                (links if entry.is_link else pending).append((path_below(relative, entry.name), entry))
    runs = sorted(join_parts(runs, fs.basename(root)), key=lambda run: run.name)
    return RunIndex(root, tuple(runs), tuple(problems), tuple(points))


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
    run = run_of_traces(fs.basename(absolute), absolute, entries, fs)
    if run is not None:
        return _part_of(path, [run], part)
    loose = loose_files(entries, fs)
    if len(loose) == 1:
        return _part_of(path, loose_runs(fs.basename(absolute), loose[0], fs), part)
    runs = find_runs(absolute, fs).runs
    if len(runs) == 1:
        return _part_of(path, list(runs), part)
    unnamed = unnamed_traces(entries, fs)
    captures = captures_of_one(unnamed) if len(runs) == len(unnamed) else {}
    if captures:
        return next(runs_of_jobs(fs.basename(absolute), "", absolute, {"": captures}, is_alone=True))
    nested = [run.name for run in runs]
    if nested:
        hint = f"give one of them, e.g. {_below(path, nested[0])}"
        held = listed(nested, NAMES_SHOWN)
        raise SelectionError(f"{without_secrets(path)} is not a run but holds runs: {held}", hint=hint)
    files = sorted(entry.name for entry in entries if not entry.is_dir and _JSON_FILE.fullmatch(entry.name))
    hint = f"trace files are named {TRACE_NAME}; {OTHER_NAMES}"
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
    names = listed((run.name for run in runs), NAMES_SHOWN)
    raise SelectionError(f"{without_secrets(path)}: there is no run number {part}", hint=f"there are: {names}")


def _below(path: str, name: str) -> str:
    return f"{without_secrets(path).rstrip('/')}/{name}"


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
    runs = loose_runs(name, facts, fs, any_name=True) if matched is None else []
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
    span = SpanEntry(label, stamp, (entry_of(replace(facts, path=path, name=name)),))
    return _part_of(path, [RunEntry(name, path, (WorkerEntry(worker, rank_of(worker), (span,)),))], part)
