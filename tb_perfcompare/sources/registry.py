"""Recognizes the format of a file and reads it. The module of a reader is imported only when it reads."""

from __future__ import annotations

import codecs
from typing import Any

from tb_perfcompare.errors import InputError, UnrecognisedFormat, unreadable
from tb_perfcompare.model.formats import ANSWERS, BASELINE, CYCLES, FORMATS, LISTING, NCU, TRACE
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.answers import AnswersRecording
from tb_perfcompare.model.recordings.cycles import CycleRecording
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.saved.baseline import SavedSummary
from tb_perfcompare.sources.answers.lines import why_not_answers
from tb_perfcompare.sources.recognition.format_sniffers import TRACE_FILE, WHY_NOT, why_not_events
from tb_perfcompare.sources.storage.blocks import read_head
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

Recording = TraceRecording | AnswersRecording | LaunchRecording | CycleRecording | SavedSummary
"""All types a reader may return."""

_WHY_NOT = {ANSWERS: why_not_answers, **WHY_NOT}
"""As WHY_NOT, for every format. Asked in this order; the first that does not decline counts."""


def recognize(path: str, fs: FileSystem = LOCAL) -> str:
    """The format of a file, a key of model/formats.py.

    Raises UnrecognisedFormat with the reasons why it is none of the formats that usually have this extension,
    InputError if the file cannot be opened.
    """
    try:
        with fs.open(path) as file:
            head = read_head(file)
    except OSError as error:
        raise unreadable(path, error) from error
    name = fs.basename(path)
    reasons = {}
    if TRACE_FILE.fullmatch(name) is not None and not why_not_events(name, head):
        return TRACE  # asking the others takes longer than reading the head
    for form, why_not in _WHY_NOT.items():
        reasons[form] = why_not(name, head)
        if not reasons[form]:
            return form
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnrecognisedFormat(path, "is UTF-16", hint="convert it to UTF-8; a shell may have written it with >")
    stem = name.removesuffix(".gz")
    likely = [form for form, described in FORMATS.items() if stem.endswith(described.endings)] or [TRACE]
    reason = "; ".join(f"not {FORMATS[form].with_article}: {reasons[form]}" for form in likely)
    raise UnrecognisedFormat(path, reason, hint="give a file as the profiler wrote it")


def read(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None,
    part: int = 1,
) -> Recording:  # fmt: skip
    """Reads one file of any format.

    `name` replaces the path in facts and notes; its basename if None. `part` selects a run in a file that holds
    several.
    """
    return read_format(recognize(path, fs), path, part, fs=fs, report=report, want_hash=want_hash, name=name)


def read_format(form: str, path: str, part: int, *, fs: FileSystem, **options: Any) -> Recording:
    """Reads one file of a known format, with the options of `read`."""
    if form == BASELINE:
        from tb_perfcompare.sources.saved.baseline_file import read_saved

        return read_saved(path, part, fs)  # facts, names and notes are those of the saved run
    if form == ANSWERS:
        from tb_perfcompare.sources.answers.reader import read_answers

        return read_answers(path, part=part, fs=fs, **options)
    if part != 1:
        message = f"{FORMATS[form].with_article} is one run, there is no number {part}"
        raise InputError(path, message, hint=f"leave out #{part}")
    if form == LISTING:
        from tb_perfcompare.sources.ncu.kernel_listing import read_listing

        return read_listing(path, fs=fs, **options)
    if form == NCU:
        from tb_perfcompare.sources.ncu.csv_export import read_ncu

        return read_ncu(path, fs=fs, **options)
    if form == CYCLES:
        from tb_perfcompare.sources.perf_data.csv_tables import read_cycles

        return read_cycles(path, fs=fs, **options)
    from tb_perfcompare.sources.trace.torch_profiler import read_trace

    return read_trace(path, fs=fs, **options)
