"""Pairs the processes of the two tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.quick_dataclass import dataclass

Numbers = dict[str, int]
"""Worker -> number."""


@dataclass(frozen=True, slots=True)
class WorkerName:
    """A worker and its rank (None: not known)."""

    name: str
    rank: int | None = None


def numbered_workers(
    normal: Sequence[WorkerName], abnormal: Sequence[WorkerName]
) -> tuple[Numbers, Numbers, tuple[ProcessPair, ...]]:
    """(numbers of normal, numbers of abnormal, the pairs to compare).

    Workers are paired by rank, then by name; if one is left on each side, and not both ranks are known, these two as
    well. The numbers are the ranks if every worker has a rank of its own, else consecutive numbers.
    """
    groups, rest_normal, rest_abnormal = match_workers(normal, abnormal)
    if len(rest_normal) == len(rest_abnormal) == 1 and None in (rest_normal[0].rank, rest_abnormal[0].rank):
        groups.append((rest_normal.pop(), rest_abnormal.pop()))
    normal_numbers, abnormal_numbers = Numbers(), Numbers()
    by_rank = all(_own_ranks(side) for side in (normal, abnormal)) and all(a.rank == b.rank for a, b in groups)
    for number, (a, b) in enumerate(groups):
        normal_numbers[a.name] = abnormal_numbers[b.name] = a.rank if by_rank and a.rank is not None else number
    for side, alone in ((normal_numbers, rest_normal), (abnormal_numbers, rest_abnormal)):
        for worker in alone:
            counted = max([-1, *normal_numbers.values(), *abnormal_numbers.values()]) + 1
            side[worker.name] = worker.rank if by_rank and worker.rank is not None else counted
    word = "rank" if by_rank else "worker"
    names = [{number: name for name, number in side.items()} for side in (normal_numbers, abnormal_numbers)]
    pairs = tuple(
        ProcessPair(pair.normal, pair.abnormal, word, (names[0][pair.normal], names[1][pair.abnormal]))
        for pair in all_pairs(list(normal_numbers.values()), list(abnormal_numbers.values()))
    )
    return normal_numbers, abnormal_numbers, pairs


def match_workers(
    normal: Sequence[WorkerName], abnormal: Sequence[WorkerName]
) -> tuple[list[tuple[WorkerName, WorkerName]], list[WorkerName], list[WorkerName]]:
    """(workers with the same rank or else the same name, in the order of normal; the others of normal; of abnormal).
    A rank or name that occurs twice on one side matches nothing, because it is ambiguous."""
    partners: dict[int, int] = {}
    for by_rank in (True, False):
        left = _unique(normal, by_rank, skip=partners.keys())
        right = _unique(abnormal, by_rank, skip=partners.values())
        partners |= {index: right[key] for key, index in left.items() if key in right}
    return (
        [(normal[index], abnormal[partners[index]]) for index in sorted(partners)],
        [worker for index, worker in enumerate(normal) if index not in partners],
        [worker for index, worker in enumerate(abnormal) if index not in partners.values()],
    )


def _unique(workers: Sequence[WorkerName], by_rank: bool, skip: Collection[int]) -> dict[str | int, int]:
    """Rank or name -> index of the one worker that has it."""
    places: dict[str | int, list[int]] = defaultdict(list)
    for index, worker in enumerate(workers):
        key = worker.rank if by_rank else worker.name
        if key is not None and index not in skip:
            places[key].append(index)
    return {key: indexes[0] for key, indexes in places.items() if len(indexes) == 1}


def _own_ranks(workers: Sequence[WorkerName]) -> bool:
    ranks = {worker.rank for worker in workers}
    return None not in ranks and len(ranks) == len(workers)


@dataclass(frozen=True, slots=True)
class ProcessPair:
    """Two pids; `strict` if the pair is the same process on both sides.

    word    what the numbers are: "pid", or "worker" and "rank" for traces
    names   names of the two workers of traces, "" for processes
    """

    normal: int
    abnormal: int
    word: str = "pid"
    names: tuple[str, str] = ("", "")

    @property
    def strict(self) -> bool:
        """Whether the same process was recorded twice."""
        return self.normal == self.abnormal

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of the sides in a report."""
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
    """All pairs: every process that is on both sides, then each remaining one of normal with each remaining one of
    abnormal."""
    both = sorted(set(normal) & set(abnormal))
    only_normal, only_abnormal = sorted(set(normal) - set(both)), sorted(set(abnormal) - set(both))
    return (*(ProcessPair(pid, pid) for pid in both), *(ProcessPair(a, b) for a in only_normal for b in only_abnormal))


def alone(normal: Sequence[int], abnormal: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Processes of each side that are in no pair of `all_pairs`: those of one side if the other has none left."""
    only_normal, only_abnormal = sorted(set(normal) - set(abnormal)), sorted(set(abnormal) - set(normal))
    return (() if only_abnormal else tuple(only_normal)), (() if only_normal else tuple(only_abnormal))


def chosen_pair(
    normal: Sequence[int], abnormal: Sequence[int], normal_pid: int, abnormal_pid: int, word: str = "pid"
) -> ProcessPair:
    """Returns the pair of these two. Raises SelectionError if a side has no such process."""
    for side, pids, pid in (("normal", normal, normal_pid), ("abnormal", abnormal, abnormal_pid)):
        if pid not in pids:
            there = ", ".join(str(own) for own in sorted(pids)[:10])
            raise SelectionError(f"the {side} side has no {word} {pid}", hint=f"there are: {there}")
    return ProcessPair(normal_pid, abnormal_pid, word)
