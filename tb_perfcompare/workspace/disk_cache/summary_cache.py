"""Summaries on disk, so that opening a run again reads kilobytes instead of gigabytes.

One file per summary: its arrays, everything else as JSON (saved/columnar.py), and a digest of the key and both, which
is checked before anything is decoded. The key covers what the summary depends on: the input's size, time and samples of
its content, the options and this package's code. Entries are written under a temporary name and moved into
place, so that readers never see a partial one and processes do not interfere; a damaged entry is removed and its input
read again. A cache that cannot be used never makes a comparison fail.
Documented in docs/internals/reliability.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tb_perfcompare.workspace.disk_cache.cache_keys import entry_key
from tb_perfcompare.workspace.disk_cache.comparison_cache import ComparisonCache
from tb_perfcompare.workspace.disk_cache.disk_store import DEFAULT_LIMIT_BYTES, SUMMARY, DiskStore, user_place
from tb_perfcompare.workspace.disk_cache.known_runs import KnownRuns

if TYPE_CHECKING:
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.workspace.inputs.sides import CaptureFile
    from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob

WORTH_KEEPING_BYTES = 256 * 2**10
"""Smaller inputs are read as fast as an entry would be, and are not cached."""


class SummaryCache:
    """Summaries in one directory. Safe to use from several threads and processes; construction touches no files.

    comparisons  cache of finished comparisons, in the same directory and under the same size limit
    known        facts that run lists show about files that were read
    """

    def __init__(self, directory: str | os.PathLike[str], limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._entries = DiskStore(directory, limit_bytes)
        self.comparisons = ComparisonCache(self._entries)
        self.known = KnownRuns(self._entries)

    def get(self, job: SummaryJob) -> Summary | None:
        """The cached summary of a job, under the names it has now; None if it is missing or cannot be read."""
        if job.file.bytes < WORTH_KEEPING_BYTES:
            return None
        try:
            summary = self._entries.read(self._path(job), _read)
        except OSError:
            return None
        return None if summary is None else _relabeled(summary, job.file)

    def put(self, job: SummaryJob, summary: Summary) -> None:
        """Writes the summary, if it is of one capture and its input is large enough; ignores write errors."""
        if job.file.bytes < WORTH_KEEPING_BYTES or len(summary.captures) != 1:
            return
        from tb_perfcompare.sources.saved.columnar import packed

        try:
            self._entries.write(self._path(job), packed(summary))
        except OSError:
            return

    def _path(self, job: SummaryJob) -> Path:
        return self._entries.path(entry_key(job, names=False), SUMMARY)


def user_cache(environment: Mapping[str, str] = os.environ) -> SummaryCache | None:
    """Returns the user's cache, None if it is switched off. Raises PerfCompareError if the limit is not a number."""
    place = user_place(environment)
    return None if place is None else SummaryCache(*place)


def _relabeled(summary: Summary, file: CaptureFile) -> Summary:
    """Returns the summary with the source, run, worker and span names of the current request."""
    (capture,) = summary.captures
    named = replace(capture, run=file.run, worker=file.worker, span=file.span)
    return replace(summary, source=file.source, captures=(named,))


def _read(body: bytes) -> Summary:
    """Reads a summary. Raises ValueError, or what validating odd values raises, if the entry is damaged."""
    from tb_perfcompare.model.summary.summary import Summary
    from tb_perfcompare.model.summary.summary_validation import inconsistency
    from tb_perfcompare.sources.saved.columnar import unpacked

    summary = unpacked(body, Summary)
    if wrong := inconsistency(summary):
        raise ValueError(wrong)
    return summary
