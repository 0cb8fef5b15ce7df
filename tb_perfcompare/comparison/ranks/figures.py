"""Figures of one rank of one side, microseconds per step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.ranks.sides import Ranks
from tb_perfcompare.model.arrays import Ints, median
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.quick_dataclass import dataclass

_HOST = [StepCategory.RUNTIME, StepCategory.DATALOADER, StepCategory.CPU_EXEC]


@dataclass(frozen=True, slots=True)
class RankFigures:
    """Means over the rank's admitted steps; None means "not measured".

    worker        its name
    steps         number of steps
    step_us, median_us  their mean and median length
    own_us        step without exposed communication
    exposed_us    exposed communication
    exposed_waiting_us, other_communication_us  the same, split in two: at most the waiting of the step; the rest
    kernel_us, host_us, other_us  exposed time of kernels; of API calls, data loading and host operators; untraced time
    transfer_us, waiting_us  time of the collectives that were found on other ranks, split in two
    matched       share of the collectives found on other ranks in the time of all collectives
    waited_for_us  how much longer the other ranks wait than this one, in steps that all recorded
    overlap       share of the time in collectives in which a kernel computes
    """

    worker: str
    steps: int
    step_us: float
    median_us: float
    own_us: float
    exposed_us: float
    kernel_us: float
    host_us: float
    other_us: float
    other_communication_us: float
    exposed_waiting_us: float | None = None
    transfer_us: float | None = None
    waiting_us: float | None = None
    matched: float | None = None
    waited_for_us: float | None = None
    overlap: float | None = None


def rank_figures(side: Ranks) -> list[RankFigures | None]:
    """Figures of every rank, None for a rank without admitted steps."""
    waited_for = _waited_for(side)
    return [
        _figures(side, rank, columns, waited_for[rank]) if len(columns) else None
        for rank, columns in enumerate(side.columns)
    ]


def _figures(side: Ranks, rank: int, columns: NDArray[np.intp], waited_for: float | None) -> RankFigures:
    owned = side.owned_ns[:, columns]
    exposed_ns = owned[StepCategory.COMMUNICATION]
    exposed_waiting_ns = np.zeros_like(exposed_ns)
    transfer = waiting = matched = overlap = None
    if side.waiting is not None:
        plain = int(side.waiting.plain[columns].sum())
        matched_ns = int(side.waiting.matched[columns].sum())
        matched = matched_ns / plain if plain else None
        if matched_ns:
            waiting = _mean(side.waiting.waiting[columns])
            exposed_waiting_ns = np.minimum(side.waiting.waiting[columns], exposed_ns)
            transfer = _mean(side.waiting.matched[columns] - side.waiting.waiting[columns])
        busy, hidden = int(side.waiting.busy_ns[columns].sum()), side.waiting.hidden_ns[columns]
        overlap = int(hidden.sum()) / busy if busy and (hidden >= 0).all() else None
    return RankFigures(
        worker=side.workers[rank],
        steps=len(columns),
        step_us=_mean(side.total_ns[columns]),
        median_us=float(median(side.total_ns[columns])) / 1000,
        own_us=_mean(side.own_work_ns[columns]),
        exposed_us=_mean(exposed_ns),
        kernel_us=_mean(owned[StepCategory.KERNEL]),
        host_us=_mean(owned[_HOST].sum(axis=0)),
        other_us=_mean(owned[StepCategory.OTHER]),
        other_communication_us=_mean(exposed_ns - exposed_waiting_ns),
        exposed_waiting_us=None if waiting is None else _mean(exposed_waiting_ns),
        transfer_us=transfer,
        waiting_us=waiting,
        matched=matched,
        waited_for_us=waited_for,
        overlap=overlap,
    )


def _waited_for(side: Ranks) -> list[float | None]:
    if side.waiting is None or len(side) < 2 or not side.waiting.matched[side.common].any():
        return [None] * len(side)
    own = side.waiting.waiting[side.common].mean(axis=1) / 1000
    others = (own.sum() - own) / (len(side) - 1)
    waited: list[float | None] = (others - own).tolist()
    return waited


def _mean(values: Ints) -> float:
    return float(values.mean()) / 1000
