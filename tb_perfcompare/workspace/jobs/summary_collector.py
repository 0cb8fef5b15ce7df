"""Summaries of one side as they come in: kept one by one, or of many ranks folded into one at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.inputs.sides import Side

if TYPE_CHECKING:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

MANY_RANKS = 33
"""From so many workers on a side its tables hold means over them, so that memory does not grow with their number."""


def is_many(side: Side) -> bool:
    """Whether the side is folded. Files given with it are matched capture by capture, so that it is not then."""
    return side.launches is None and side.counters is None and len({file.worker for file in side.files}) >= MANY_RANKS


class SummaryCollector:
    """Takes the answers about the files of a side in any order and uses them in that of the files."""

    def __init__(self, *, many: bool) -> None:
        self._fold = _rank_mean() if many else None
        self._early: dict[int, Summary] = {}
        self._next = 0
        self._kept: list[Summary] = []
        self._failed: dict[int, InputError] = {}

    def take(self, at: int, answer: Summary | InputError) -> None:
        """What became of the file with this number."""
        if isinstance(answer, InputError):
            self._failed[at] = answer
        else:
            self._early[at] = answer
        while self._next in self._early or self._next in self._failed:
            summary = self._early.pop(self._next, None)
            self._next += 1
            if summary is None:
                continue
            if self._fold is not None and self._fold.takes(summary):
                self._fold.add(summary)
            else:
                self._kept.append(summary)

    def finish(self) -> tuple[tuple[Summary, ...], dict[int, InputError]]:
        """(the summaries, errors by number of the file). Raises SelectionError for ranks that cannot be pooled."""
        folded = None if self._fold is None else self._fold.finish()
        return (*(() if folded is None else (folded,)), *self._kept), dict(sorted(self._failed.items()))


def _rank_mean() -> RankMean:
    from tb_perfcompare.analysis.pooling.rank_mean import RankMean

    return RankMean()
