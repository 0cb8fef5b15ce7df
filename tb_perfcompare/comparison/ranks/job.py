"""The ranks of both sides, joined, with what each does more or less than before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tb_perfcompare.comparison.ranks.sides import Pairs, Ranks, joined, ranks_of
from tb_perfcompare.comparison.ranks.uneven_work import WorkChange, uneven_work, work_text
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

_ALIKE = 0.5
"""Least ratio of any rank's change to the mean at which ranks changed alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Ranks of both sides, joined: a key, a pair and the change of work for each."""

    a: Ranks
    b: Ranks
    keys: list[str]
    pairs: Pairs
    works: list[WorkChange | None]

    @property
    def has_several(self) -> bool:
        """Whether both sides have several ranks."""
        return min(len(self.a), len(self.b)) > 1

    @property
    def others(self) -> str:
        """What the ranks besides one are called."""
        return "the other rank" if max(len(self.a), len(self.b)) == 2 else "the other ranks"

    def work_text(self, works: Mapping[int, WorkChange]) -> str:
        """Clause on what some ranks do more (less) than before."""
        return work_text(self.keys, works, sum(None not in pair for pair in self.pairs))

    def number_of(self, rank: int, of_candidate: bool) -> int:
        """Number of the pair with this rank of a side."""
        return [pair[of_candidate] for pair in self.pairs].index(rank)

    def works_in(self, least_us: float, longer: bool) -> dict[int, WorkChange]:
        """Number of the pair -> change of work, if it is more (less) and takes at least so much longer (shorter)."""
        return {
            number: work for number, work in enumerate(self.works)
            if work is not None and work.is_more == longer and self.beyond_us([number], longer).sum() >= least_us
        }  # fmt: skip

    def changed_alike(self, category: StepCategory) -> bool:
        """Whether the ranks' time in a category changed alike, not on one of them."""
        a, b = (
            [side.owned_ns[category, columns].mean() for columns in side.columns] for side in (self.a, self.b)
        )
        changes = [float(b[y] - a[x]) for x, y in self.pairs if x is not None and y is not None]
        mean = float(np.mean(changes)) if changes else 0.0
        return not mean or min(change / mean for change in changes) >= _ALIKE

    def beyond_us(self, numbers: Iterable[int], longer: bool) -> Floats:
        """(8,) microseconds per step by category, without communication, that these ranks take longer than the others
        on the side that takes longer, in addition to any excess on the other side. Zero unless the ranks of both sides
        have steps in common."""
        own = np.zeros(len(CATEGORY_LABELS))
        if not all(side.common.shape[1] for side in (self.a, self.b)):
            return own
        for number in numbers:
            for sign, side, rank in zip((-1, 1), (self.a, self.b), self.pairs[number], strict=True):
                if rank is not None:
                    mean = side.owned_ns[:, side.common].mean(axis=2) / 1000
                    others = (mean.sum(axis=1) - mean[:, rank]) / (len(side) - 1)
                    own += (sign if longer else -sign) * (mean[:, rank] - others)
        own[StepCategory.COMMUNICATION] = 0.0
        return own


def job_of(baseline: Summary, candidate: Summary, options: CompareOptions) -> Job | None:
    """The ranks of two sides with steps; None if neither has several."""
    sides = baseline, candidate
    if baseline.metric != STEP_TIME or not all(side.is_timed for side in sides):
        return None
    if max(len(set(job_workers(side))) for side in sides) < 2:
        return None
    a, b = ranks_of(baseline), ranks_of(candidate)
    keys, pairs = joined(a, b)
    return Job(a, b, keys, pairs, uneven_work(a, b, pairs, options))
