"""Tells ranks of one job from repeated starts of one program among the captures of a side.

torch's handler names a file after its process, so a program started three times looks like three workers, and a job of
two ranks like six. Ranks of a job record at the same time, and each rank once.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.summary.summary import Summary


def job_workers(summary: Summary) -> tuple[str, ...]:
    """(c,) each capture's worker in the job.

    It is the file's worker; for a restarted program, the worker of the first start with the same rank or position.
    """
    launch_of = _launches(summary)
    places = Counter[int]()
    position: dict[str, tuple[int | str, int]] = {}  # process -> (launch, rank or index in it)
    for capture in sorted(summary.captures, key=lambda capture: capture.worker):
        if capture.worker in launch_of and capture.worker not in position:
            launch, rank = launch_of[capture.worker]
            position[capture.worker] = launch, places[launch] if rank is None else rank
            places[launch] += 1
    first = {place: worker for worker, (launch, place) in position.items() if launch == 0}
    return tuple(
        first.get(position[capture.worker][1], capture.worker) if capture.worker in position else capture.worker
        for capture in summary.captures
    )


def job_spans(summary: Summary) -> tuple[str, ...]:
    """(c,) each capture's span in the job; for a restarted program, prefixed with a worker of that start."""
    launch_of = _launches(summary)
    names = {launch: worker for worker, (launch, _) in sorted(launch_of.items(), reverse=True)}
    return tuple(
        f"{names[launch_of[capture.worker][0]]}/{capture.span}" if capture.worker in launch_of else capture.span
        for capture in summary.captures
    )


def _launches(summary: Summary) -> dict[str, tuple[int, int | None]]:
    """Process -> (index of the program's start, rank if the trace states it).

    Empty if all processes were started together or their order is unknown.
    """
    if len({capture.worker for capture in summary.captures}) < 2 or summary.ranks is not None:
        return {}
    spans = _recording_intervals(summary)
    if not spans:
        return {}
    ordered = sorted(spans, key=lambda worker: (spans[worker], worker))
    if not summary.is_of_a_job:
        begins, ends = (np.array([spans[worker][at] for worker in ordered], dtype=np.int64) for at in (0, 1))
        is_restart = begins[1:] >= np.maximum.accumulate(ends)[:-1]
        number = np.cumsum([0, *is_restart]).tolist()
        return {worker: (at, None) for worker, at in zip(ordered, number, strict=True)} if is_restart.any() else {}
    ranks = {capture.worker: capture.rank for capture in summary.captures}
    if None in ranks.values():
        return {}
    seen = Counter[int | None]()
    launches: dict[str, tuple[int, int | None]] = {}
    for worker in ordered:
        launches[worker] = seen[ranks[worker]], ranks[worker]
        seen[ranks[worker]] += 1
    return launches if max(seen.values()) > 1 else {}


def _recording_intervals(summary: Summary) -> dict[str, tuple[int, int]]:
    """Process -> (start of its first compared step, end of its last) in nanoseconds since 1970.

    Empty if any capture's clock is unknown. Processes without compared steps are left out.
    """
    steps, spans = summary.steps, dict[str, tuple[int, int]]()
    for number in unique(steps.capture).tolist():
        capture, own = summary.captures[number], steps.capture == number
        if capture.clock_zero_ns is None:
            return {}
        begin = capture.clock_zero_ns + int(steps.start_ns[own].min())
        end = capture.clock_zero_ns + int((steps.start_ns + steps.total_ns)[own].max())
        before = spans.get(capture.worker, (begin, end))
        spans[capture.worker] = min(before[0], begin), max(before[1], end)
    return spans
