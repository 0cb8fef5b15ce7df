"""Observations: a step of the job counts once, not once per rank.

Ranks of one job run their steps together, so n ranks do not make n independent observations. If every worker
recorded the same steps, a step's time is the mean over workers, which preserves the mean over all steps and thus the
ledger. At what speed the machine ran shows the rank that the others wait for: its device may be the only slow one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Floats, Ints, row_medians, unique
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

LATE, MOST_STEPS = 0.05, 0.75
"""Share of the step that the work of a late rank takes longer than that of the median other one, and share of the steps
in which it is the last: ranks that are alike are better known by their mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """o observations of one side.

    group     (s,) int64 observation that each admitted step belongs to
    capture   (o,) int32 span that the observation was recorded in, numbered from 0
    label     o texts: number of the step
    pooled    True if an observation is the mean over workers
    uneven    True if workers recorded different steps, which are then observations of their own
    late      (o,) step of the worker that stands for each observation; None if the mean over workers does
    """

    group: Ints
    capture: CaptureIndex
    label: tuple[str, ...]
    pooled: bool
    uneven: bool
    late: Ints | None = None

    def means(self, values: Ints) -> Ints:
        """(..., s) values per step -> (..., o) means per observation, rounded to whole nanoseconds."""
        if not self.pooled:
            return values
        flat = values.reshape(-1, values.shape[-1])
        return np.rint(mean_per_observation(flat, self)).astype(np.int64).reshape(*values.shape[:-1], len(self.label))


def observations(summary: Summary) -> Samples:
    """Groups the steps of a side into observations."""
    steps, of_job = summary.steps, job_workers(summary)
    workers = {of_job[capture] for capture in unique(steps.capture).tolist()}
    alone = Samples(np.arange(len(steps), dtype=np.int64), steps.capture, steps.label, False, False)
    if len(workers) < 2:
        return alone
    of_captures = job_spans(summary)
    spans = {span: number for number, span in enumerate(dict.fromkeys(of_captures))}
    span_of = np.array([spans[of_captures[capture]] for capture in steps.capture.tolist()], dtype=np.int32)
    if summary.ranks is not None:  # its steps are means over the workers already
        return Samples(alone.group, span_of, steps.label, True, False)
    keys = list(zip(span_of.tolist(), steps.label, strict=True))
    index = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    group = np.array([index[key] for key in keys], dtype=np.int64)
    if (np.bincount(group) != len(workers)).any():
        return Samples(alone.group, span_of, alone.label, False, True)
    capture_of = np.array([span for span, _ in index], dtype=np.int32)
    return Samples(group, capture_of, tuple(label for _, label in index), True, False)


def of_late_ranks(summary: Summary) -> Samples:
    """The same observations, each by the step of the rank that the others wait for, if it is one rank that they wait
    for in most steps; else by the mean over workers, as if only means are known."""
    seen, waiting = observations(summary), summary.owned.by_category()[StepCategory.COMMUNICATION]
    if not seen.pooled or summary.ranks is not None or not waiting.any():
        return seen
    own = summary.steps.total_ns - waiting
    order = np.lexsort((own, seen.group)).reshape(len(seen.label), -1)
    late, of_job = order[:, -1], job_workers(summary)
    number = {worker: rank for rank, worker in enumerate(dict.fromkeys(of_job))}
    often = np.bincount([number[of_job[capture]] for capture in summary.steps.capture[late].tolist()]).max()
    beyond = own[late] - row_medians(own[order[:, :-1]])
    if often < MOST_STEPS * len(late) or beyond.sum() < LATE * summary.steps.total_ns[late].sum():
        return seen
    return replace(seen, late=late)


def mean_per_observation(values: Ints, samples: Samples) -> Floats:
    """(r, s) values per step -> (r, o) float64 means over the steps (ranks) of each observation."""
    if samples.late is not None:
        return values[:, samples.late].astype(np.float64)
    if not samples.pooled:
        return values.astype(np.float64)
    size = len(samples.label)
    sums = [np.bincount(samples.group, weights=row, minlength=size) for row in values]
    means: Floats = np.array(sums).reshape(len(values), size) / np.bincount(samples.group, minlength=size)
    return means


def counted_steps(summary: Summary) -> tuple[int, int]:
    """(compared steps, all recorded steps) of a side for display: a step of a job counts once, however many ranks
    recorded it."""
    seen = observations(summary)
    if not seen.pooled:
        return len(summary.steps), len(summary.steps) + len(summary.dropped)
    places = zip(summary.steps.capture.tolist(), summary.steps.label, strict=True)
    spans = job_spans(summary)
    kept = {(spans[capture], label) for capture, label in places}
    dropped = {(spans[step.capture], step.label) for step in summary.dropped}
    return len(seen.label), len(kept | dropped)
