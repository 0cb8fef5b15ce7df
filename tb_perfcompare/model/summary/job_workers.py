"""Which recordings of a side are ranks of one job, and which the same program again."""

from __future__ import annotations

from itertools import pairwise

from tb_perfcompare.model.arrays import unique
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
    spans: dict[str, tuple[int, int]] = {}
    for number in unique(steps.capture).tolist():  # one without compared steps is no observation
        capture, own = captures[number], steps.capture == number
        if capture.clock_zero_ns is None:
            return False
        begin = capture.clock_zero_ns + int(steps.start_ns[own].min())
        end = capture.clock_zero_ns + int((steps.start_ns + steps.total_ns)[own].max())
        before = spans.get(capture.worker, (begin, end))
        spans[capture.worker] = min(before[0], begin), max(before[1], end)
    ordered = sorted(spans.values())
    return all(end <= begin for (_, end), (begin, _) in pairwise(ordered))
