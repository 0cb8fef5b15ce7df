"""Observations: a step of the job counts once, not once per rank.

Ranks of one job run their steps together, so n ranks do not make n independent observations. If every worker
recorded the same steps, a step's time is the mean over workers, which preserves the mean over all steps and thus the
ledger.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Floats, Ints, unique
from tb_perfcompare.model.summary.job_workers import job_spans, job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """o observations of one side.

    group     (s,) int64 observation that each admitted step belongs to
    capture   (o,) int32 span that the observation was recorded in, numbered from 0
    label     o texts: number of the step
    pooled    True if an observation is the mean over workers
    uneven    True if workers recorded different steps, which are then observations of their own
    """

    group: Ints
    capture: CaptureIndex
    label: tuple[str, ...]
    pooled: bool
    uneven: bool

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


def mean_per_observation(values: Ints, samples: Samples) -> Floats:
    """(r, s) values per step -> (r, o) float64 means over the steps (ranks) of each observation."""
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
