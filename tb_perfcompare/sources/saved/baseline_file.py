"""Reads and writes saved baselines: a zip archive that starts with the baseline's metadata.

    baseline.json  SavedFacts; first, so that the file is recognized by its first bytes
    1              summary of the first capture (columnar.py)
    2, ...         summaries of the other captures; missing for a capture that could not be read
    launches       the launches that came with the run

A point of a history contains the same archive inside an event file (event_file.py) and is read like a baseline.

The same baseline gives the same bytes (with the same version of zlib): no times, no paths of the machine. Reading never
executes code from the file, checks sizes before allocating, and rejects inconsistent content.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import CorruptInput, InputError, unreadable
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.saved.baseline import SCHEMA, SavedFacts, SavedSummary
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency, launches_inconsistency
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.recognition.format_sniffers import BASELINE_HEADER, is_point
from tb_perfcompare.sources.saved import event_file
from tb_perfcompare.sources.saved.columnar import packed, structure_of, unpacked
from tb_perfcompare.sources.saved.msgspec_warmup import inspected
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

T = TypeVar("T")

MAX_BYTES = 1 << 30
"""Maximum unpacked size of one capture."""

MAX_HEADER_BYTES = 16 << 20
"""Maximum size of the metadata: enough for 50,000 captures."""

_LAUNCHES = "launches"
_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)
_REMEDY = "bring the file back as it was, or save it again: tb-perfcompare baseline save NAME RUN --replace"
# raised by zipfile and numpy for damaged files; zipfile raises NotImplementedError for an unknown compression
_DAMAGE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, KeyError, NotImplementedError,
    RuntimeError, ValueError, OverflowError, MemoryError,
)  # fmt: skip


def structure() -> str:
    """The value of SavedFacts.structure in baselines that this version can read."""
    return structure_of(SavedFacts, Summary, LaunchRecording)


def write_baseline(
    out: IO[bytes], facts: SavedFacts, summaries: Sequence[Summary | None], launches: LaunchRecording | None
) -> None:
    """Writes a baseline; `summaries` are those of `facts.captures`, None for a capture that could not be read."""
    with zipfile.ZipFile(out, "w") as archive:
        _put(archive, BASELINE_HEADER, msgspec.json.encode(facts))
        for number, summary in enumerate(summaries, start=1):
            if summary is not None:
                _put(archive, str(number), packed(summary))
        if launches is not None:
            _put(archive, _LAUNCHES, packed(launches))


def read_facts(path: str, fs: FileSystem = LOCAL) -> SavedFacts:
    """Reads a baseline's metadata. Raises InputError for another version, CorruptInput for a damaged file."""
    with _opened(path, fs) as archive:
        return _facts(archive, path)


def read_point_facts(path: str, fs: FileSystem = LOCAL) -> SavedFacts:
    """Reads the metadata of the baseline in a point of a history, without unpacking its summary.

    Raises InputError for another version, CorruptInput for a damaged file.
    """
    try:
        return _checked(event_file.saved_facts_text(path, fs), path)
    except _DAMAGE as error:
        raise _damaged(path, error) from error


def read_saved(path: str, part: int, fs: FileSystem = LOCAL) -> SavedSummary | LaunchRecording:
    """Reads the summary of the `part`-th capture, or the launches if `part` is one past the last capture.

    Raises the error that reading the capture raised when it was saved, InputError for another version, CorruptInput for
    a damaged file.
    """
    with _opened(path, fs) as archive:
        facts = _facts(archive, path)
        if part == len(facts.captures) + 1 and facts.launches:
            recording = _value(archive, _LAUNCHES, LaunchRecording)
            if wrong := launches_inconsistency(recording.launches):
                raise ValueError(wrong)
            return recording
        if not 1 <= part <= len(facts.captures):
            message = f"holds {many(len(facts.captures), 'capture')}, there is no number {part}"
            raise InputError(path, message, hint=f"give a number from 1 to {len(facts.captures)}")
        failed = facts.captures[part - 1].failed
        if failed is not None:
            kind = CorruptInput if failed.code == CorruptInput.code else InputError
            raise kind(path, failed.reason, place=failed.place, hint=failed.hint)
        summary = _value(archive, str(part), Summary)
        wrong = inconsistency(summary)
        if wrong:
            raise ValueError(wrong)
        return SavedSummary(facts, summary)


@contextmanager
def _opened(path: str, fs: FileSystem) -> Iterator[zipfile.ZipFile]:
    try:
        is_of_point = is_point(fs.basename(path))
        stored = event_file.opened_summary(path, fs) if is_of_point else fs.open(path)
        with stored as file, zipfile.ZipFile(file) as archive:
            yield archive
    except InputError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except _DAMAGE as error:
        raise _damaged(path, error) from error


def _damaged(path: str, error: Exception) -> CorruptInput:
    why = " ".join(str(error).split())[:200] or type(error).__name__
    if is_point(path):
        return CorruptInput(path, f"is a damaged point: {why}", hint=event_file.REMEDY)
    return CorruptInput(path, f"is a damaged baseline: {why}", hint=_REMEDY)


def _facts(archive: zipfile.ZipFile, path: str) -> SavedFacts:
    return _checked(_get(archive, BASELINE_HEADER, MAX_HEADER_BYTES), path)


def _checked(text: bytes, path: str) -> SavedFacts:
    """Decodes the metadata, after checking its version, on which everything else depends."""
    header = msgspec.json.decode(text, type=dict[str, Any])
    if header.get("schema") != SCHEMA or header.get("structure") != structure():
        by = str(header.get("version", "an unknown version"))[:40]
        what, again = "baseline", "save it again from its run, tb-perfcompare baseline save NAME RUN --replace"
        if is_point(path):
            what, again = "point", "record its run again, tb-perfcompare record RUN --into LOGDIR --series NAME"
        wrote, remedy = f"tb_perfcompare {by} wrote it, this is {__version__}", f"{again}, or use that version"
        if by == __version__:
            wrote, remedy = f"another build of tb_perfcompare {by} wrote it", again
        raise InputError(path, f"is a {what} of another layout: {wrote}", hint=remedy)
    facts = msgspec.json.decode(text, type=inspected(SavedFacts))
    if not any(capture.failed is None for capture in facts.captures):
        raise ValueError("it has no capture that was read")
    return facts


def _value(archive: zipfile.ZipFile, name: str, kind: type[T]) -> T:
    return unpacked(_get(archive, name, MAX_BYTES), kind)


def _get(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    entry = archive.getinfo(name)
    if entry.file_size > most:
        raise ValueError(f"{name} would unpack to {entry.file_size:,} bytes")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that is not used here")
    return archive.read(entry)


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _BEGINNING_OF_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same on every system
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, compresslevel=9)
