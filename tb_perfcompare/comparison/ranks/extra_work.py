"""Extra work of one rank: the operators, calls and kernels that it does beyond the other ranks."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.ranks.sides import Ranks
from tb_perfcompare.comparison.result.wording import short, signed_time
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass

_UNNAMED = (StepCategory.COMMUNICATION, StepCategory.DATALOADER)
"""Categories whose entities are not named: waiting is not work, and for the loader the category says everything."""


@dataclass(frozen=True, slots=True)
class ExtraWork:
    """One entity of a category: microseconds per step beyond the other ranks, in addition to any excess in the other
    run. `is_alone`: no other rank has it, and no rank had it in the other run."""

    category: str
    key: str
    us: float
    is_alone: bool

    @property
    def text(self) -> str:
        """Extra work in words: "aten::sort +60.0 ms, new on this rank alone"."""
        return f"{short(self.key)} {signed_time(self.us)}{', new on this rank alone' if self.is_alone else ''}"


def extra_work(
    side: Summary, ranks: Ranks, rank: int, before: Summary, ranks_before: Ranks, rank_before: int | None
) -> tuple[ExtraWork, ...]:
    """What takes this rank of a side longer than the others and did not in the other run, largest first;
    communication and unowned time are left out. Empty if tables hold means over many ranks."""
    now = _by_rank(side, ranks, rank)
    then = {} if rank_before is None else _by_rank(before, ranks_before, rank_before)
    extra = []
    for (category, key), (own, others) in now.items():
        once, once_others = then.get((category, key), (0.0, 0.0))
        us = (own - others) - (once - once_others)
        if us > 0 and category not in _UNNAMED and key != NOTHING_RECORDED:
            extra.append(ExtraWork(CATEGORY_LABELS[category], key, us, not (others or once or once_others)))
    return tuple(sorted(extra, key=lambda work: (-work.us, work.category, work.key)))


def _by_rank(summary: Summary, ranks: Ranks, rank: int) -> dict[tuple[int, str], tuple[float, float]]:
    """(category, entity) -> microseconds per step on this rank, and on the others on average, in steps of all ranks."""
    if summary.ranks is not None or len(ranks) < 2 or not ranks.common.shape[1]:
        return {}
    owned = summary.owned
    mean = np.stack([owned.time_ns[:, columns].mean(axis=1) / 1000 for columns in ranks.common], axis=1)
    others = (mean.sum(axis=1) - mean[:, rank]) / (len(ranks) - 1)
    entities = zip(owned.category.tolist(), owned.key, strict=True)
    return dict(zip(entities, zip(mean[:, rank].tolist(), others.tolist(), strict=True), strict=True))
