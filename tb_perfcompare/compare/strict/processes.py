"""Which process of one table is compared with which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tb_perfcompare.errors import SelectionError


@dataclass(frozen=True, slots=True)
class ProcessPair:
    """Two pids; `strict` when the pair is the same process on both sides."""

    normal: int
    abnormal: int

    @property
    def strict(self) -> bool:
        """The same process was recorded twice."""
        return self.normal == self.abnormal

    @property
    def labels(self) -> tuple[str, str]:
        """What the sides are called in a report."""
        if self.strict:
            return "normal", "abnormal"
        return f"normal_pid_{self.normal}", f"abnormal_pid_{self.abnormal}"


def all_pairs(normal: Sequence[int], abnormal: Sequence[int]) -> tuple[ProcessPair, ...]:
    """Every process that is on both sides, then each remaining one of normal with each remaining one of abnormal."""
    both = sorted(set(normal) & set(abnormal))
    left, right = sorted(set(normal) - set(both)), sorted(set(abnormal) - set(both))
    return (*(ProcessPair(pid, pid) for pid in both), *(ProcessPair(a, b) for a in left for b in right))


def chosen_pair(normal: Sequence[int], abnormal: Sequence[int], normal_pid: int, abnormal_pid: int) -> ProcessPair:
    """The pair of these two. Raises SelectionError when a table has no such process."""
    for side, pids, pid in (("normal", normal, normal_pid), ("abnormal", abnormal, abnormal_pid)):
        if pid not in pids:
            there = ", ".join(str(own) for own in sorted(pids)[:10])
            raise SelectionError(f"the {side} table has no pid {pid}", hint=f"there are: {there}")
    return ProcessPair(normal_pid, abnormal_pid)
