"""Splits the time of collectives into transfer and waiting for other ranks.

Of a collective found on several ranks, the shortest duration is the transfer; the rest of the others' durations is
waiting. The same collective on two ranks is the n-th call of one operation (name, type, message size) in one process
group in one step, provided that the calls can have run together: a collective ends on all ranks at about the same
time, so the median distance of the ends is the offset of the two clocks, and with it removed the calls must overlap
(docs/method/ranks.md).
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Nanoseconds, median
from tb_perfcompare.model.summary.collectives import Collectives
from tb_perfcompare.quick_dataclass import dataclass

CLOCK_SLACK_NS = 50_000
"""Approximate drift between the clocks of two machines over a recording."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """Nanoseconds in each of s steps of any rank. Collectives of a rank that run at the same time count once.

    plain    (s,) time in which a collective runs
    matched  (s,) part of that in which one runs that was found on at least one other rank
    waiting  (s,) part of `matched` in which one waits; the rest is the transfer
    """

    plain: Ints
    matched: Ints
    waiting: Ints


@dataclass(frozen=True, slots=True, eq=False)
class MatchedCalls:
    """m calls that were found on at least one other rank: `place` (m,) in the Collectives, `transfer_ns` (m,)."""

    place: Ints
    transfer_ns: Nanoseconds


def matched_calls(communication: Collectives, job_step: Ints, clock: AnyInts) -> MatchedCalls:
    """Finds the calls that several ranks recorded. `job_step` (s,) numbers the steps so that one step of the job has
    one number on all ranks, and no two steps of a rank the same; `clock` (s,) numbers the recordings that they are
    in."""
    keys = len(communication.keys)
    order = np.lexsort((communication.key, communication.step))  # stable: calls of one key keep their order
    step, key, dur = communication.step[order], communication.key[order], communication.dur_ns[order]
    start = communication.start_ns[order]
    first, ordinal, count = _runs(step * keys + key)
    # one row per (step of a rank, key): do all ranks that have the key there call it equally often?
    place, member = np.unique(job_step[step[first]] * keys + key[first], return_inverse=True)
    ranks = np.bincount(member, minlength=len(place))
    most, least = np.zeros(len(place), dtype=np.int64), np.full(len(place), np.iinfo(np.int64).max)
    np.maximum.at(most, member, count)
    np.minimum.at(least, member, count)
    size = communication.group_size[place % keys]
    usable = (ranks > 1) & (most == least) & ((size <= 0) | (ranks <= size))
    group = np.repeat(member, count)
    chosen = np.flatnonzero(usable[group])
    call = np.zeros(0, dtype=np.int64)
    if len(chosen):
        same = group[chosen] * (int(ordinal.max()) + 1) + ordinal[chosen]
        _, call = np.unique(same, return_inverse=True)
        meets = _meet(call, clock[step[chosen]].astype(np.int64), start[chosen], dur[chosen])
        chosen, call = chosen[meets], call[meets]
    transfer = np.full(int(call.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(transfer, call, dur[chosen])
    return MatchedCalls(order[chosen], transfer[call])


def split_waiting(communication: Collectives, job_step: Ints, clock: AnyInts) -> Waiting:
    """Splits the time of collectives; arguments as for matched_calls."""
    steps, found = len(job_step), matched_calls(communication, job_step, clock)
    step, start, dur = communication.step, communication.start_ns, communication.dur_ns
    own = found.place
    return Waiting(
        _covered(step, start, dur, steps),
        _covered(step[own], start[own], dur[own], steps),
        _covered(step[own], start[own], dur[own] - found.transfer_ns, steps),
    )


def _covered(step: Ints, start: Nanoseconds, dur: Nanoseconds, steps: int) -> Ints:
    """(steps,) nanoseconds covered by the union of the intervals in each step."""
    covered = np.zeros(steps, dtype=np.int64)
    if not len(step):
        return covered
    order = np.lexsort((start, step))
    step, start, end = step[order], start[order], (start + dur)[order]
    first = np.flatnonzero(np.concatenate([[True], step[1:] != step[:-1]]))
    # places the steps one after the other, so that no interval reaches into the next step
    count = np.diff(np.append(first, len(step)))
    length = np.maximum.reduceat(end, first) - start[first]
    shift = np.repeat(np.cumsum(length) - length - start[first], count)
    start, end = start + shift, end + shift
    before = np.concatenate([[0], np.maximum.accumulate(end)[:-1]])
    np.add.at(covered, step, np.maximum(end - np.maximum(start, before), 0))
    return covered


def _meet(call: Ints, clock: Ints, start: Nanoseconds, dur: Nanoseconds) -> Flags:
    """(m,) whether all members of a call can have run together: they overlap, or are no further apart than the
    longest of them takes."""
    order = np.lexsort((clock, call))
    call, clock, end = call[order], clock[order], (start + dur)[order]
    first = np.flatnonzero(np.concatenate([[True], call[1:] != call[:-1]]))
    of_call = np.cumsum(np.concatenate([[True], call[1:] != call[:-1]])) - 1
    apart = end - end[first][of_call]
    pair = clock[first][of_call] * (int(clock.max()) + 1) + clock
    by_pair = np.argsort(pair, kind="stable")
    bounds = np.flatnonzero(np.diff(pair[by_pair])) + 1
    shift = np.empty(len(pair), dtype=np.int64)
    for some in np.split(by_pair, bounds):
        shift[some] = int(median(apart[some]))
    end = end - shift
    began = end - dur[order]
    gap = np.maximum.reduceat(began, first) - np.minimum.reduceat(end, first)
    longest = np.maximum.reduceat(dur[order], first)
    out = np.empty(len(call), dtype=np.bool_)
    out[order] = (gap <= longest + CLOCK_SLACK_NS)[of_call]
    return out


def _runs(code: Ints) -> tuple[Ints, Ints, Ints]:
    """For sorted codes: (start of each run of equal ones, position of each within its run, length of each run)."""
    if not len(code):
        return code, code, code
    first = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
    count = np.diff(np.append(first, len(code)))
    ordinal: Ints = np.arange(len(code), dtype=np.int64) - np.repeat(first, count)
    return first, ordinal, count
