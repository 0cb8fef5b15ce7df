"""Workers of two traces as numbered processes: those that play the same part get the same number."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.comparison.pairing.pairing import WorkerName, match_workers
from tb_perfcompare.comparison.strict.processes import ProcessPair, all_pairs

Numbers = dict[str, int]
"""Worker -> number."""


def numbered_workers(
    normal: Sequence[WorkerName], abnormal: Sequence[WorkerName]
) -> tuple[Numbers, Numbers, tuple[ProcessPair, ...]]:
    """(numbers of normal, numbers of abnormal, the pairs to compare).

    Workers go together by rank, then by name; where one is left on each side, and not both ranks are known, these two
    as well. The numbers are the ranks where every worker has one of its own, else they are counted.
    """
    found = match_workers(normal, abnormal)
    groups = [(match.baseline, match.candidate) for match in found.matches]
    left, right = list(found.only_baseline), list(found.only_candidate)
    if len(left) == len(right) == 1 and None in (left[0].rank, right[0].rank):
        groups.append((left.pop(), right.pop()))
    ours, theirs = Numbers(), Numbers()
    by_rank = all(_own_ranks(side) for side in (normal, abnormal)) and all(a.rank == b.rank for a, b in groups)
    for number, (a, b) in enumerate(groups):
        ours[a.name] = theirs[b.name] = a.rank if by_rank and a.rank is not None else number
    for side, alone in ((ours, left), (theirs, right)):
        for worker in alone:
            counted = max([-1, *ours.values(), *theirs.values()]) + 1
            side[worker.name] = worker.rank if by_rank and worker.rank is not None else counted
    word = "rank" if by_rank else "worker"
    names = [{number: name for name, number in side.items()} for side in (ours, theirs)]
    pairs = tuple(
        ProcessPair(pair.normal, pair.abnormal, word, (names[0][pair.normal], names[1][pair.abnormal]))
        for pair in all_pairs(list(ours.values()), list(theirs.values()))
    )
    return ours, theirs, pairs


def _own_ranks(workers: Sequence[WorkerName]) -> bool:
    ranks = {worker.rank for worker in workers}
    return None not in ranks and len(ranks) == len(workers)
