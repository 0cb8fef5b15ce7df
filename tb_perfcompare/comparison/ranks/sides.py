"""Ranks of one side, with their steps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.ranks.waiting import Waiting, matched_calls, split_waiting
from tb_perfcompare.model.arrays import CaptureIndex, Ints, Ints32, Nanoseconds
from tb_perfcompare.model.collective_messages import Message, message
from tb_perfcompare.model.summary.collectives import Collectives
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass


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
    busy_ns, hidden_ns  (s,) as in model/summary/collectives.py, None without collectives
    waiting   None without collectives
    """

    workers: tuple[str, ...]
    numbers: tuple[int | None, ...]
    columns: tuple[NDArray[np.intp], ...]
    common: NDArray[np.intp]
    capture: CaptureIndex
    total_ns: Nanoseconds
    owned_ns: Nanoseconds
    busy_ns: Nanoseconds | None
    hidden_ns: Nanoseconds | None
    waiting: Waiting | None

    def __len__(self) -> int:
        return len(self.workers)

    @property
    def own_work_ns(self) -> Ints:
        """(s,) step time without exposed communication, which does not depend on other ranks."""
        found: Ints = self.total_ns - self.owned_ns[StepCategory.COMMUNICATION]
        return found


def ranks_of(summary: Summary) -> Ranks:
    """Collects the workers of a side with their steps."""
    captures = summary.captures
    capture, label, total_ns, owned_ns, communication = _steps(summary)
    known: dict[str, int | None] = {}
    of_job, spans_of_job = job_workers(summary), job_spans(summary)
    for worker, recorded in zip(of_job, captures, strict=True):
        known.setdefault(worker, recorded.rank)
    if None not in known.values() and len(set(known.values())) == len(known):
        known = dict(sorted(known.items(), key=lambda item: item[1] or 0))
    workers = tuple(known)
    index = {worker: rank for rank, worker in enumerate(workers)}
    rank_of = np.array([index[worker] for worker in of_job], dtype=np.int64)[capture]
    names = [(spans_of_job[at], text) for at, text in zip(capture.tolist(), label, strict=True)]
    numbers, job_step = _job_steps(names)
    spans = {span: number for number, span in enumerate(dict.fromkeys(span for span, _ in numbers))}
    return Ranks(
        workers=workers,
        numbers=tuple(known.values()),
        columns=tuple(np.flatnonzero(rank_of == rank) for rank in range(len(workers))),
        common=_common(rank_of, job_step, len(workers)),
        capture=np.array([spans[span] for span, _ in names], dtype=np.int32),
        total_ns=total_ns,
        owned_ns=owned_ns,
        busy_ns=None if communication is None else communication.busy_ns,
        hidden_ns=None if communication is None else communication.hidden_ns,
        waiting=None if communication is None else split_waiting(communication, job_step, capture),
    )


def transfers_of(summary: Summary) -> Mapping[tuple[str, str, str], tuple[int, int]]:
    """Key of a row by message -> (calls that several ranks recorded, nanoseconds of their transfers), summed over
    all ranks. Operations such as all-to-all are left out: ranks do not agree on the size of their messages."""
    capture, label, _, _, communication = _steps(summary)
    if communication is None or len(set(job_workers(summary))) < 2:
        return {}
    spans = job_spans(summary)
    names = [(spans[at], text) for at, text in zip(capture.tolist(), label, strict=True)]
    found = matched_calls(communication, _job_steps(names)[1], capture)
    key, keys = communication.key[found.place], len(communication.keys)
    calls = np.bincount(key, minlength=keys).tolist()
    time = np.zeros(keys, dtype=np.int64)
    np.add.at(time, key, found.transfer_ns)
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


def _job_steps(names: list[tuple[str, str]]) -> tuple[dict[tuple[str, str], int], Ints]:
    """(number of each step of the job, by span and label; (s,) number of the job's step for each step)."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return numbers, np.array([numbers[name] for name in names], dtype=np.int64)


def _steps(summary: Summary) -> tuple[Ints32, tuple[str, ...], Ints, Ints, Collectives | None]:
    """(capture, label, length, categories, collectives) of the steps of all ranks."""
    kept = summary.ranks
    if kept is not None:
        return kept.capture, kept.label, kept.total_ns, kept.owned_ns, kept.collectives
    steps = summary.steps
    return steps.capture, steps.label, steps.total_ns, summary.owned.by_category(), summary.collectives


def _common(rank_of: Ints, job_step: Ints, ranks: int) -> NDArray[np.intp]:
    """(r, j) steps of the job that all ranks recorded, in the order of their first rank."""
    steps = int(job_step.max(initial=-1)) + 1
    column = np.full((ranks, steps), -1, dtype=np.intp)
    column[rank_of, job_step] = np.arange(len(job_step))
    return column[:, (column >= 0).all(axis=0)]
