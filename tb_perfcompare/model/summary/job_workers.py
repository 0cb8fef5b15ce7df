"""Which recordings of a side are ranks of one job, and which the same program again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tb_perfcompare.model.summary.summary import Summary


def job_workers(summary: Summary) -> tuple[str, ...]:
    """(c,) the worker of the job whose each capture is: the worker of its file, or one for all captures.

    torch's handler names a file after its process. So the same program, run three times, seems to be three workers; but
    ranks of a job record at the same time. Workers are one if each recorded after another had ended and no recording
    tells of a job of several processes.
    """
    workers = tuple(capture.worker for capture in summary.captures)
    if len(set(workers)) < 2 or summary.ranks is not None or not _follow_each_other(summary):
        return workers
    return (workers[0],) * len(workers)


def _follow_each_other(summary: Summary) -> bool:
    steps, captures = summary.steps, summary.captures
    if any(name.startswith("distributed.") for name, _ in summary.environment):
        return False
    count = np.bincount(steps.capture, minlength=len(captures))
    if not count.all() or any(capture.clock_zero_ns is None for capture in captures):
        return False
    spans: dict[str, tuple[int, int]] = {}
    for number, capture in enumerate(captures):
        start_ns, total_ns = (column[steps.capture == number] for column in (steps.start_ns, steps.total_ns))
        zero_ns = capture.clock_zero_ns or 0
        begin, end = zero_ns + int(start_ns.min()), zero_ns + int((start_ns + total_ns).max())
        before = spans.get(capture.worker, (begin, end))
        spans[capture.worker] = min(before[0], begin), max(before[1], end)
    ordered = sorted(spans.values())
    return all(end <= begin for (_, end), (begin, _) in pairwise(ordered))
