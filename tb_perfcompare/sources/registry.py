"""Chooses the reader for a file. Readers are asked in order; each one that declines says why.

A reader's module is imported only when it reads.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tb_perfcompare.errors import InputError, UnrecognisedFormat, unreadable
from tb_perfcompare.model.formats import ANSWERS, BASELINE, CYCLES, LISTING, NCU, TITLES, TRACE
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.answers import AnswersRecording
from tb_perfcompare.model.recordings.cycles import CycleRecording
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.saved.baseline import SavedSummary
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.answers.lines import why_not_answers
from tb_perfcompare.sources.recognition.format_sniffers import (
    TRACE_FILE,
    why_not_baseline,
    why_not_cycles,
    why_not_events,
    why_not_listing,
    why_not_ncu,
    why_not_trace,
)
from tb_perfcompare.sources.storage.blocks import read_head
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

Recording = TraceRecording | AnswersRecording | LaunchRecording | CycleRecording | SavedSummary
"""All types a reader may return."""


class Read(Protocol):
    """Reads one run of a file: the only one, or the `part`-th of several."""

    def __call__(
        self, path: str, /, *, fs: FileSystem, report: Reporter, want_hash: bool, name: str | None, part: int
    ) -> Recording: ...


@dataclass(frozen=True, slots=True)
class Reader:
    """One format, by its key in model/formats.py.

    `why_not(file name, first uncompressed bytes)` says why a file is not of the format, "" if it is.
    """

    format: str
    why_not: Callable[[str, bytes], str]
    read: Read


def _check_only_part(path: str, what: str, part: int) -> None:
    """Raises InputError for a part other than 1 of a file whose format holds one run."""
    if part != 1:
        raise InputError(path, f"{what} is one run, there is no number {part}", hint=f"leave out #{part}")


def _read_baseline(
    path: str, /, *, fs: FileSystem, report: Reporter, want_hash: bool, name: str | None, part: int
) -> SavedSummary | LaunchRecording:
    from tb_perfcompare.sources.saved.baseline_file import read_saved

    return read_saved(path, part, fs)  # facts, names and notes are those of the saved run


def _read_answers(path: str, /, **options: Any) -> AnswersRecording:
    from tb_perfcompare.sources.answers.reader import read_answers

    return read_answers(path, **options)


def _read_listing(path: str, /, *, part: int, **options: Any) -> LaunchRecording:
    from tb_perfcompare.sources.ncu.kernel_listing import read_listing

    _check_only_part(path, "a listing", part)
    return read_listing(path, **options)


def _read_ncu(path: str, /, *, part: int, **options: Any) -> LaunchRecording:
    from tb_perfcompare.sources.ncu.csv_export import read_ncu

    _check_only_part(path, "an export", part)
    return read_ncu(path, **options)


def _read_cycles(path: str, /, *, part: int, **options: Any) -> CycleRecording:
    from tb_perfcompare.sources.perf_data.csv_tables import read_cycles

    _check_only_part(path, "a table", part)
    return read_cycles(path, **options)


def _read_trace(path: str, /, *, part: int, **options: Any) -> TraceRecording:
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    _check_only_part(path, "a trace", part)
    return read_trace(path, **options)


READERS: tuple[Reader, ...] = (
    Reader(BASELINE, why_not_baseline, _read_baseline),
    Reader(ANSWERS, why_not_answers, _read_answers),
    Reader(LISTING, why_not_listing, _read_listing),
    Reader(NCU, why_not_ncu, _read_ncu),
    Reader(CYCLES, why_not_cycles, _read_cycles),
    Reader(TRACE, why_not_trace, _read_trace),
)
"""Asked in this order; the first that does not decline reads the file. The trace reader accepts any .json by its
name."""


def recognise(path: str, fs: FileSystem = LOCAL) -> Reader:
    """The reader for a file.

    Raises UnrecognisedFormat with the reasons of the readers that usually read files with this extension, InputError if
    the file cannot be opened.
    """
    try:
        with fs.open(path) as file:
            head = read_head(file)
    except OSError as error:
        raise unreadable(path, error) from error
    name = fs.basename(path)
    reasons = {}
    is_trace = TRACE_FILE.fullmatch(name) is not None and not why_not_events(name, head)
    for reader in READERS[-1:] if is_trace else READERS:  # asking the others takes longer than reading the head
        reason = reader.why_not(name, head)
        if not reason:
            return reader
        reasons[reader.format] = reason
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnrecognisedFormat(path, "is UTF-16", hint="convert it to UTF-8; a shell may have written it with >")
    stem = name.removesuffix(".gz")
    likely = next((formats for ending, formats in _BY_ENDING.items() if stem.endswith(ending)), (TRACE,))
    reason = "; ".join(f"not {_WITH_ARTICLE[form]}: {reasons[form]}" for form in likely)
    raise UnrecognisedFormat(path, reason, hint="give a file as the profiler wrote it")


_WITH_ARTICLE = {form: title if form == ANSWERS else f"a {title}" for form, title in TITLES.items()} | {
    NCU: f"an {TITLES[NCU]}"
}
_BY_ENDING: Mapping[str, tuple[str, ...]] = {
    ".json": (TRACE,),
    ".jsonl": (ANSWERS,),
    ".ndjson": (ANSWERS,),
    ".csv": (CYCLES, NCU),
    ".txt": (LISTING,),
    ".log": (LISTING,),
    ".lst": (LISTING,),
}
"""File extension -> formats that usually have it; only their reasons for declining are reported."""


def read(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None,
    part: int = 1,
) -> Recording:  # fmt: skip
    """Reads one file of any format.

    `name` replaces the path in facts and notes; its basename if None. `part` selects a run in a file that holds
    several.
    """
    return recognise(path, fs).read(path, fs=fs, report=report, want_hash=want_hash, name=name, part=part)
