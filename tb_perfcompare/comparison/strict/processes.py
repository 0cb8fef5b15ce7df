"""Which process of one table is compared with which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tb_perfcompare.errors import SelectionError


@dataclass(frozen=True, slots=True)
class ProcessPair:
    """Two pids; `strict` when the pair is the same process on both sides.

    word    what the numbers are: "pid", or "worker" and "rank" for traces
    names   names of the two workers of traces, "" for processes
    """

    normal: int
    abnormal: int
    word: str = "pid"
    names: tuple[str, str] = ("", "")

    @property
    def strict(self) -> bool:
        """The same process was recorded twice."""
        return self.normal == self.abnormal

    @property
    def labels(self) -> tuple[str, str]:
        """What the sides are called in a report."""
        if self.strict:
            return "normal", "abnormal"
        return f"normal_{self.word}_{self.normal}", f"abnormal_{self.word}_{self.abnormal}"

    @property
    def described(self) -> str:
        """Both processes in a few words, such as "pid 11 against 12"."""
        other = "" if self.strict else f" against {self.abnormal}"
        names = " against ".join(dict.fromkeys(name for name in self.names if name))
        return f"{self.word} {self.normal}{other}{f' ({names})' if names else ''}"


def all_pairs(normal: Sequence[int], abnormal: Sequence[int]) -> tuple[ProcessPair, ...]:
    """Every process that is on both sides, then each remaining one of normal with each remaining one of abnormal."""
    both = sorted(set(normal) & set(abnormal))
    left, right = sorted(set(normal) - set(both)), sorted(set(abnormal) - set(both))
    return (*(ProcessPair(pid, pid) for pid in both), *(ProcessPair(a, b) for a in left for b in right))


def alone(normal: Sequence[int], abnormal: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Processes of either side that no pair of `all_pairs` has: those of one side when the other has none left."""
    left, right = sorted(set(normal) - set(abnormal)), sorted(set(abnormal) - set(normal))
    return (() if right else tuple(left)), (() if left else tuple(right))


def chosen_pair(
    normal: Sequence[int], abnormal: Sequence[int], normal_pid: int, abnormal_pid: int, word: str = "pid"
) -> ProcessPair:
    """The pair of these two. Raises SelectionError when a side has no such process."""
    for side, pids, pid in (("normal", normal, normal_pid), ("abnormal", abnormal, abnormal_pid)):
        if pid not in pids:
            there = ", ".join(str(own) for own in sorted(pids)[:10])
            raise SelectionError(f"the {side} side has no {word} {pid}", hint=f"there are: {there}")
    return ProcessPair(normal_pid, abnormal_pid, word)
