"""Collects the summaries of a side while its files are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import Side
from tb_perfcompare.workspace.jobs.summary_jobs import LoadedSide, failure_note

if TYPE_CHECKING:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

MANY_RANKS = 33
"""From this many workers, a side's tables hold means over ranks, so that memory does not grow with their number."""


def has_many_ranks(side: Side) -> bool:
    """Whether to average the side's ranks on arrival. Not with a launches or counters file, as those are matched
    capture by capture."""
    return side.launches is None and side.counters is None and len({file.worker for file in side.files}) >= MANY_RANKS


class SummaryCollector:
    """Takes the results for the files of a side in any order and processes them in the order of the files."""

    def __init__(self, *, many: bool) -> None:
        self._rank_mean = _new_rank_mean() if many else None
        self._early: dict[int, Summary] = {}
        self._next = 0
        self._kept: list[Summary] = []
        self._failed: dict[int, InputError] = {}

    def take(self, number: int, answer: Summary | InputError) -> None:
        """Takes the summary of the file with this number, or its error."""
        if isinstance(answer, InputError):
            self._failed[number] = answer
        else:
            self._early[number] = answer
        while self._next in self._early or self._next in self._failed:
            summary = self._early.pop(self._next, None)
            self._next += 1
            if summary is None:
                continue
            if self._rank_mean is not None and self._rank_mean.accepts(summary):
                self._rank_mean.add(summary)
            else:
                self._kept.append(summary)

    def finish(self) -> tuple[tuple[Summary, ...], dict[int, InputError]]:
        """Returns (the summaries, errors by file number). Raises SelectionError for ranks that cannot be pooled."""
        mean = None if self._rank_mean is None else self._rank_mean.finish()
        return (*(() if mean is None else (mean,)), *self._kept), dict(sorted(self._failed.items()))


def _new_rank_mean() -> RankMean:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

    return RankMean()


def loaded_side(side: Side, summaries: tuple[Summary, ...], failed: Mapping[int, InputError]) -> LoadedSide:
    """Returns the side's summaries to compare, with a note for each failed file. Raises InputError if all failed."""
    if not summaries:
        raise _all_failed(side, list(failed.values()))
    pooled, notes = without_host_alone(summaries)
    failures = tuple(failure_note(side.files[number], error) for number, error in failed.items())
    return LoadedSide(side, pooled, (*failures, *notes))


def _all_failed(side: Side, errors: Sequence[InputError]) -> InputError:
    first = errors[0]
    if len(errors) == 1:
        return first
    reason = f"none of its {len(errors)} files can be read; the first: {first.path}: {first.reason}"
    return InputError(side.source, reason, hint=first.hint)


def without_host_alone(summaries: Sequence[Summary]) -> tuple[tuple[Summary, ...], tuple[Note, ...]]:
    """Returns (summaries to pool, one note per summary left out); each summary has one capture. If any worker recorded
    device work, traces without any are left out, except those recorded in a distributed job."""
    with_device = {summary.captures[0].worker for summary in summaries if summary.has_device}
    kept, notes = [], []
    for summary in summaries:
        capture = summary.captures[0]
        if summary.format != TRACE or not with_device or capture.worker in with_device or summary.is_of_a_job:
            kept.append(summary)
            continue
        message = f"left out: it recorded no device work, other workers did; --worker {capture.worker} compares it"
        notes.append(Note(NoteCode.HOST_ALONE, message, capture.file.path))
    return tuple(kept), tuple(notes)
