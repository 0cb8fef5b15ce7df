"""Summaries on disk, so that a second opening of a run reads kilobytes instead of gigabytes.

One file per summary: its arrays and, as JSON, everything else (saved/columnar.py), and a digest of the key and both,
without which nothing is looked at. The key is what the summary depends on: the input's size, time, first and last
bytes, the options, this package's code and the format. Entries are written beside their place and moved there, so that
readers never see half of one and two processes cannot disturb each other; an entry that is not what was written, or
whose parts do not fit together, is removed and the input read anew. Nothing here ever fails a comparison: a cache that
cannot be used is none.
Documented in docs/internals/reliability.md.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from tb_perfcompare._version import __version__
from tb_perfcompare.workspace.disk_cache.cache_keys import code, described
from tb_perfcompare.workspace.disk_cache.cache_place import DEFAULT_LIMIT_BYTES, user_place
from tb_perfcompare.workspace.disk_cache.comparison_cache import ComparisonCache
from tb_perfcompare.workspace.disk_cache.disk_store import DIGEST_BYTES, SUMMARY, CacheFacts, DiskStore, digest_of
from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.workspace.inputs.sides import CaptureFile
    from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob

FORMAT = 4
"""Changes when entries written before cannot be read any more."""

WORTH_KEEPING_BYTES = 256 * 2**10
"""Smaller inputs are read again as fast as their entry."""


class SummaryCache:
    """Entries below one directory. Safe to use from several threads and processes; construction touches nothing.

    comparisons  the finished comparisons, in the same directory and below the same limit
    known        what a list of runs tells of those that were read
    """

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._entries = DiskStore(directory, limit_bytes)
        self.comparisons = ComparisonCache(self._entries)
        self.known = KnownRuns(self._entries)

    def get(self, job: SummaryJob) -> Summary | None:
        """The summary of the job as it would be computed now; None if it is not there or cannot be read."""
        if job.file.bytes < WORTH_KEEPING_BYTES:
            return None
        try:
            path = self._path(job)
        except OSError:
            return None
        found = self._entries.read(path, lambda stored, size: _read(stored, size, path))
        return None if found is None else _relabelled(found, job.file)

    def put(self, job: SummaryJob, summary: Summary) -> None:
        """Keeps the summary if there is room for it and the directory can be written."""
        if job.file.bytes < WORTH_KEEPING_BYTES or len(summary.captures) != 1:
            return
        try:
            path = self._path(job)
            self._entries.write(path, lambda out: _write(out, path, summary))
        except OSError:
            return

    def facts(self) -> CacheFacts:
        """Raises OSError if the directory exists and cannot be listed."""
        return self._entries.facts()

    def clear(self) -> CacheFacts:
        """Removes every entry; says what was there. Raises OSError if one cannot be removed."""
        return self._entries.clear()

    def _path(self, job: SummaryJob) -> Path:
        return self._entries.path(_key(job), SUMMARY)


def user_cache(environment: Mapping[str, str] = os.environ) -> SummaryCache | None:
    """The user's cache; None when it is switched off. Raises PerfCompareError for a limit that is no number."""
    place = user_place(environment)
    return None if place is None else SummaryCache(*place)


def _key(job: SummaryJob) -> str:
    """Everything a summary depends on but its names. Raises OSError."""
    parts = [FORMAT, __version__, code(), *described(job, names=False)]
    digest = hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:40]


def _relabelled(summary: Summary, file: CaptureFile) -> Summary:
    """The same summary under the names it is asked for now."""
    (capture,) = summary.captures
    named = replace(capture, run=file.run, worker=file.worker, span=file.span)
    return replace(summary, source=file.source, captures=(named,))


def _write(out: IO[bytes], path: Path, summary: Summary) -> None:
    from tb_perfcompare.sources.saved.columnar import packed

    body = packed(summary)
    out.write(body)
    out.write(digest_of(path, body))


def _read(stored: BinaryIO, size: int, path: Path) -> Summary:
    """Raises ValueError, and what comparing odd values raises, for anything but what was written."""
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.model.summary.summary_validation import misfit
    from tb_perfcompare.sources.saved.columnar import unpacked

    body = stored.read(max(0, size - DIGEST_BYTES))
    if stored.read(DIGEST_BYTES) != digest_of(path, body):
        raise ValueError("another digest")
    found = unpacked(body, Summary)
    if wrong := misfit(found):
        raise ValueError(wrong)
    return found
