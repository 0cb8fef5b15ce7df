"""The time of collectives split into the transfer itself and waiting for other ranks.

No two machines' clocks agree, so only lengths are used: of one collective, found on several ranks, the shortest is what
the transfer takes, and what the others take longer they wait. The same collective on two ranks is the n-th call of one
name in one process group in one step (docs/method/ranks.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.summary.collectives import Collectives

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """Nanoseconds of each of s steps of any rank.

    plain    (s,) summed lengths of the collectives
    matched  (s,) part of that which was found on at least one other rank
    waiting  (s,) part of `matched` that is waiting; the rest is the transfer
    """

    plain: Ints
    matched: Ints
    waiting: Ints


def split_waiting(found: Collectives, job_step: Ints) -> Waiting:
    """`job_step` (s,) numbers the steps so that one step of the job has one number on all ranks, and no two steps of a
    rank the same."""
    steps, keys = len(job_step), len(found.keys)
    order = np.lexsort((found.key, found.step))  # stable: calls of one key keep their order
    step, key, dur = found.step[order], found.key[order], found.dur_ns[order]
    first, ordinal, count = _runs(step * keys + key)
    # one row per (step of a rank, key): do all ranks that have the key there call it equally often?
    place, member = np.unique(job_step[step[first]] * keys + key[first], return_inverse=True)
    ranks = np.bincount(member, minlength=len(place))
    most, least = np.zeros(len(place), dtype=np.int64), np.full(len(place), np.iinfo(np.int64).max)
    np.maximum.at(most, member, count)
    np.minimum.at(least, member, count)
    size = found.group_size[place % keys]
    usable = (ranks > 1) & (most == least) & ((size <= 0) | (ranks <= size))
    group = np.repeat(member, count)
    chosen = np.flatnonzero(usable[group])
    matched, waiting = np.zeros(steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
    if len(chosen):
        same = group[chosen] * (int(ordinal.max()) + 1) + ordinal[chosen]
        _, call = np.unique(same, return_inverse=True)
        transfer = np.full(int(call.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(transfer, call, dur[chosen])
        np.add.at(matched, step[chosen], dur[chosen])
        np.add.at(waiting, step[chosen], dur[chosen] - transfer[call])
    plain = np.zeros(steps, dtype=np.int64)
    np.add.at(plain, step, dur)
    return Waiting(plain, matched, waiting)


def _runs(code: Ints) -> tuple[Ints, Ints, Ints]:
    """Of sorted codes: (where each run of equal ones begins, the place of each within its run, the length of each
    run)."""
    if not len(code):
        return code, code, code
    first = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
    count = np.diff(np.append(first, len(code)))
    ordinal: Ints = np.arange(len(code), dtype=np.int64) - np.repeat(first, count)
    return first, ordinal, count
