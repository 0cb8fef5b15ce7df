"""What is known of the steps of each rank where the tables of a side hold means over many ranks."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Nanoseconds
from tb_perfcompare.model.summary.collectives import Collectives


@dataclass(frozen=True, slots=True, eq=False)
class RankSteps:
    """s steps of all ranks of a side, rank by rank.

    capture      (s,) int32 index into Summary.captures
    span         s texts, that of the capture
    label        s texts
    total_ns     (s,) int64
    owned_ns     (8, s) int64 exposed time of the categories
    collectives  of these steps, None without any
    """

    capture: CaptureIndex
    span: tuple[str, ...]
    label: tuple[str, ...]
    total_ns: Nanoseconds
    owned_ns: Nanoseconds
    collectives: Collectives | None

    def of_job_steps(self, kept: Set[tuple[str, str]]) -> RankSteps:
        """Those whose (span, label) is among these."""
        names = zip(self.span, self.label, strict=True)
        columns = np.flatnonzero([name in kept for name in names]).astype(np.intp)
        return RankSteps(
            self.capture[columns],
            tuple(self.span[at] for at in columns.tolist()),
            tuple(self.label[at] for at in columns.tolist()),
            self.total_ns[columns],
            self.owned_ns[:, columns],
            None if self.collectives is None else self.collectives.of_steps(columns),
        )
