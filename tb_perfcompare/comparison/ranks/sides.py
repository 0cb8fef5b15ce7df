"""Ranks of one side, with their steps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import (
    AnyInts,
    CaptureIndex,
    Flags,
    Ints,
    Ints32,
    Nanoseconds,
    is_run_start,
    max_by_target,
    median,
    min_by_target,
)
from tb_perfcompare.model.summary.amounts import amounts_of_work
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.collectives import Collectives, Message, message
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

Pairs = list[tuple[int | None, int | None]]
"""Position of each rank in the baseline and in the candidate, None if a side lacks it."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """r workers of one side with s steps in all. Each step belongs to one worker.

    workers   r names, in the order of their ranks, or of the files
    numbers   r ranks, None for a worker whose rank is not known
    columns   r arrays: the steps of each worker
    common    (r, j) the j steps that every worker recorded, the same step of the job in each column; j may be 0
    capture   (s,) int32 span that each step was recorded in, numbered from 0
    total_ns  (s,) length of each step
    owned_ns  (8, s) its categories
    amounts   (4, s) its work, as in model/summary/amounts.py
    waiting   None without collectives
    """

    workers: tuple[str, ...]
    numbers: tuple[int | None, ...]
    columns: tuple[NDArray[np.intp], ...]
    common: NDArray[np.intp]
    capture: CaptureIndex
    total_ns: Nanoseconds
    owned_ns: Nanoseconds
    amounts: Ints
    waiting: _Waiting | None

    def __len__(self) -> int:
        return len(self.workers)

    @property
    def own_work_ns(self) -> Ints:
        """(s,) step time without exposed communication, which does not depend on other ranks."""
        own_ns: Ints = self.total_ns - self.owned_ns[StepCategory.COMMUNICATION]
        return own_ns


def ranks_of(summary: Summary) -> Ranks:
    """Collects the workers of a side with their steps."""
    capture, span, job_step, total_ns, owned_ns, communication = _steps(summary)
    known: dict[str, int | None] = {}
    of_job = job_workers(summary)
    for worker, recorded in zip(of_job, summary.captures, strict=True):
        known.setdefault(worker, recorded.rank)
    if None not in known.values() and len(set(known.values())) == len(known):
        known = dict(sorted(known.items(), key=lambda item: item[1] or 0))
    workers = tuple(known)
    index = {worker: rank for rank, worker in enumerate(workers)}
    rank_of = np.array([index[worker] for worker in of_job], dtype=np.int64)[capture]
    number = {name: index for index, name in enumerate(dict.fromkeys(span))}
    return Ranks(
        workers=workers,
        numbers=tuple(known.values()),
        columns=tuple(np.flatnonzero(rank_of == rank) for rank in range(len(workers))),
        common=_common(rank_of, job_step, len(workers)),
        capture=np.array([number[name] for name in span], dtype=np.int32),
        total_ns=total_ns,
        owned_ns=owned_ns,
        amounts=amounts_of_work(summary) if summary.ranks is None else summary.ranks.amounts,
        waiting=None if communication is None else split_waiting(communication, job_step, capture),
    )


def joined(a: Ranks, b: Ranks) -> tuple[list[str], Pairs]:
    """Joins the ranks of both sides: by rank if all ranks are known and distinct, else by the workers' names."""
    numbered = is_numbered(a) and is_numbered(b)
    names = [names_of(side, numbered) for side in (a, b)]
    index_a, index_b = ({name: index for index, name in enumerate(side)} for side in names)
    keys = list(dict.fromkeys([*names[0], *names[1]]))
    return keys, [(index_a.get(key), index_b.get(key)) for key in keys]


def is_numbered(side: Ranks) -> bool:
    """Whether the numbers of all ranks are known and distinct."""
    return None not in side.numbers and len(set(side.numbers)) == len(side)


def names_of(side: Ranks, numbered: bool) -> list[str]:
    """Names of the ranks, by number or by worker."""
    return [f"rank {rank}" for rank in side.numbers] if numbered else list(side.workers)


def transfers_of(summary: Summary) -> Mapping[tuple[str, str, str], tuple[int, int]]:
    """Key of a row by message -> (calls that several ranks recorded, nanoseconds of their transfers), summed over
    all ranks. Operations such as all-to-all are left out: ranks do not agree on the size of their messages."""
    capture, _, job_step, _, _, communication = _steps(summary)
    if communication is None or len(set(job_workers(summary))) < 2:
        return {}
    place, transfer_ns = _matched_calls(communication, job_step, capture)
    key, keys = communication.key[place], len(communication.keys)
    calls = np.bincount(key, minlength=keys).tolist()
    time = np.zeros(keys, dtype=np.int64)
    np.add.at(time, key, transfer_ns)
    out: dict[tuple[str, str, str], tuple[int, int]] = {}
    of_keys = zip(communication.keys, communication.group_size.tolist(), calls, time.tolist(), strict=True)
    for (operation, _), ranks, often, ns in of_keys:
        sent = _message(operation, ranks) if often else None
        if sent is not None:
            before = out.get(sent.key, (0, 0))
            out[sent.key] = before[0] + often, before[1] + ns
    return out


def _message(operation: str, ranks: int) -> Message | None:
    """Parses an operation such as "allreduce Float 1,024 1,024"; None for other texts."""
    parts = operation.split(" ")
    if len(parts) != 4 or not all(part.replace(",", "").isdecimal() for part in parts[2:]):
        return None
    sent, received = (int(part.replace(",", "")) for part in parts[2:])
    return message(parts[0], parts[1], sent, received, ranks)


def _steps(summary: Summary) -> tuple[Ints32, list[str], Ints, Ints, Ints, Collectives | None]:
    """(capture, span, number of the job's step, length, categories, collectives) of the steps of all ranks."""
    kept, steps, spans = summary.ranks, summary.steps, job_spans(summary)
    capture, label = (steps.capture, steps.label) if kept is None else (kept.capture, kept.label)
    span = [spans[number] for number in capture.tolist()]
    numbers: dict[tuple[str, str], int] = {}
    job_step = np.array(
        [numbers.setdefault(name, len(numbers)) for name in zip(span, label, strict=True)], dtype=np.int64
    )
    if kept is not None:
        return capture, span, job_step, kept.total_ns, kept.owned_ns, kept.collectives
    return capture, span, job_step, steps.total_ns, summary.owned.by_category(), summary.collectives


def _common(rank_of: Ints, job_step: Ints, ranks: int) -> NDArray[np.intp]:
    """(r, j) steps of the job that all ranks recorded, in the order of their first rank."""
    steps = int(job_step.max(initial=-1)) + 1
    column = np.full((ranks, steps), -1, dtype=np.intp)
    column[rank_of, job_step] = np.arange(len(job_step))
    return column[:, (column >= 0).all(axis=0)]


_CLOCK_SLACK_NS = 50_000
"""Approximate drift between the clocks of two machines over a recording."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """Nanoseconds in each of s steps of any rank. Collectives of a rank that run at the same time count once.

    Of a collective found on several ranks, the shortest duration is the transfer; the rest of the others' durations is
    waiting. The same collective on two ranks is the n-th call of one operation (name, type, message size) in one
    process group in one step, provided that the calls can have run together: a collective ends on all ranks at about
    the same time, so the median distance of the ends is the offset of the two clocks, and with it removed the calls
    must overlap (docs/method/ranks.md).

    busy_ns, hidden_ns  (s,) as in model/summary/collectives.py
    plain    (s,) time in which a collective runs
    matched  (s,) part of that in which one runs that was found on at least one other rank
    waiting  (s,) part of `matched` in which one waits; the rest is the transfer
    """

    busy_ns: Nanoseconds
    hidden_ns: Nanoseconds
    plain: Ints
    matched: Ints
    waiting: Ints


def _matched_calls(communication: Collectives, job_step: Ints, clock: AnyInts) -> tuple[Ints, Nanoseconds]:
    """((m,) places in the Collectives of the calls that several ranks recorded, (m,) time of their transfers).

    `job_step` (s,) numbers the steps so that one step of the job has one number on all ranks, and no two steps of a
    rank the same; `clock` (s,) numbers the recordings that they are in.
    """
    keys = len(communication.keys)
    order = np.lexsort((communication.key, communication.step))  # stable: calls of one key keep their order
    step, key, dur = communication.step[order], communication.key[order], communication.dur_ns[order]
    start = communication.start_ns[order]
    first, ordinal, count = _runs(step * keys + key)
    # one row per (step of a rank, key): do all ranks that have the key there call it equally often?
    step_and_key, member = np.unique(job_step[step[first]] * keys + key[first], return_inverse=True)
    ranks = np.bincount(member, minlength=len(step_and_key))
    most, least = (of(count, member, len(step_and_key)) for of in (max_by_target, min_by_target))
    size = communication.group_size[step_and_key % keys]
    usable = (ranks > 1) & (most == least) & ((size <= 0) | (ranks <= size))
    group = np.repeat(member, count)
    chosen = np.flatnonzero(usable[group])
    call = np.zeros(0, dtype=np.int64)
    if len(chosen):
        same = group[chosen] * (int(ordinal.max()) + 1) + ordinal[chosen]
        _, call = np.unique(same, return_inverse=True)
        meets = _meet(call, clock[step[chosen]].astype(np.int64), start[chosen], dur[chosen])
        chosen, call = chosen[meets], call[meets]
    transfer = min_by_target(dur[chosen], call, int(call.max(initial=-1)) + 1)
    return order[chosen], transfer[call]


def split_waiting(communication: Collectives, job_step: Ints, clock: AnyInts) -> _Waiting:
    """Splits the time of collectives; arguments as for _matched_calls."""
    steps, (own, transfer) = len(job_step), _matched_calls(communication, job_step, clock)
    step, start, dur = communication.step, communication.start_ns, communication.dur_ns
    return _Waiting(
        communication.busy_ns,
        communication.hidden_ns,
        _covered(step, start, dur, steps),
        _covered(step[own], start[own], dur[own], steps),
        _covered(step[own], start[own], dur[own] - transfer, steps),
    )


def _covered(step: Ints, start: Nanoseconds, dur: Nanoseconds, steps: int) -> Ints:
    """(steps,) nanoseconds covered by the union of the intervals in each step."""
    covered = np.zeros(steps, dtype=np.int64)
    if not len(step):
        return covered
    order = np.lexsort((start, step))
    step, start, end = step[order], start[order], (start + dur)[order]
    first, _, count = _runs(step)
    # places the steps one after the other, so that no interval reaches into the next step
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
    starts = is_run_start(call)
    first, of_call = np.flatnonzero(starts), np.cumsum(starts) - 1
    apart = end - end[first][of_call]
    pair = clock[first][of_call] * (int(clock.max()) + 1) + clock
    by_pair = np.argsort(pair, kind="stable")
    shift = np.empty(len(pair), dtype=np.int64)
    for some in np.split(by_pair, _runs(pair[by_pair])[0][1:]):
        shift[some] = int(median(apart[some]))
    end = end - shift
    began = end - dur[order]
    gap = np.maximum.reduceat(began, first) - np.minimum.reduceat(end, first)
    longest = np.maximum.reduceat(dur[order], first)
    out = np.empty(len(call), dtype=np.bool_)
    out[order] = (gap <= longest + _CLOCK_SLACK_NS)[of_call]
    return out


def _runs(code: Ints) -> tuple[Ints, Ints, Ints]:
    """For sorted codes: (start of each run of equal ones, position of each within its run, length of each run)."""
    first = np.flatnonzero(is_run_start(code))
    count = np.diff(np.append(first, len(code)))
    ordinal: Ints = np.arange(len(code), dtype=np.int64) - np.repeat(first, count)
    return first, ordinal, count
