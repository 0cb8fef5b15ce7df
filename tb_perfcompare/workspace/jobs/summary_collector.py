"""Collects the summaries of one side as they arrive: kept separately, or averaged on arrival for many ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import Side

if TYPE_CHECKING:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

MANY_RANKS = 33
"""From this many workers, a side's tables hold means over ranks, so that memory does not grow with their number."""


def is_many(side: Side) -> bool:
    """Whether to average the side's ranks on arrival. Not with a launches or counters file, as those are matched
    capture by capture."""
    return side.launches is None and side.counters is None and len({file.worker for file in side.files}) >= MANY_RANKS


class SummaryCollector:
    """Takes the results for the files of a side in any order and processes them in the order of the files."""

    def __init__(self, *, many: bool) -> None:
        self._fold = _rank_mean() if many else None
        self._early: dict[int, Summary] = {}
        self._next = 0
        self._kept: list[Summary] = []
        self._failed: dict[int, InputError] = {}

    def take(self, at: int, answer: Summary | InputError) -> None:
        """Takes the summary of file number `at`, or its error."""
        if isinstance(answer, InputError):
            self._failed[at] = answer
        else:
            self._early[at] = answer
        while self._next in self._early or self._next in self._failed:
            summary = self._early.pop(self._next, None)
            self._next += 1
            if summary is None:
                continue
            if self._fold is not None and self._fold.accepts(summary):
                self._fold.add(summary)
            else:
                self._kept.append(summary)

    def finish(self) -> tuple[tuple[Summary, ...], dict[int, InputError]]:
        """Returns (the summaries, errors by file number). Raises SelectionError for ranks that cannot be pooled."""
        folded = None if self._fold is None else self._fold.finish()
        return (*(() if folded is None else (folded,)), *self._kept), dict(sorted(self._failed.items()))


def _rank_mean() -> RankMean:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

    return RankMean()
