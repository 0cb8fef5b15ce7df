"""Averages many ranks of a run into one summary whose size does not grow with their number.

A step of the job is the mean over its ranks. Pooling would place the steps of all ranks next to each other, so tables
of hundreds of ranks would be hundreds of times as wide. Instead a few summaries at a time are pooled and their columns
summed; figures of each rank are kept separately (model/summary/collectives.py). Docs: docs/method/ranks.md.
"""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from tb_perfcompare.analysis.pooling import column_sums as sums
from tb_perfcompare.analysis.pooling.pool import counter_units, pool, pooled_device, pooled_environment, pooled_metrics
from tb_perfcompare.analysis.pooling.pool_parts import with_changed_parts
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.amounts import amounts_of_work
from tb_perfcompare.model.summary.collectives import Collectives, RankSteps, joined
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.quick_dataclass import dataclass

JobStep = tuple[str, str]
"""(span, label)"""

BATCH = 8
"""Number of summaries that are pooled at a time."""

_CURVES_KEPT = 16
_NOT_BY_ALL = "not recorded by every rank"


@dataclass(slots=True)
class RankMean:
    """Accumulates summaries one by one, in the order of the run's files; `finish` returns their mean."""

    _waiting: list[Summary] = field(default_factory=list)
    _sums: Summary | None = None
    _job_steps: dict[JobStep, int] = field(default_factory=dict)
    _ranks: list[tuple[Summary, Ints, Collectives | None]] = field(default_factory=list)
    _count: list[int] = field(default_factory=list)

    @staticmethod
    def accepts(summary: Summary) -> bool:
        """Whether this is a trace's summary of one capture; others are few and small and are not averaged."""
        return summary.format == TRACE and len(summary.captures) == 1

    def add(self, summary: Summary) -> None:
        self._waiting.append(summary)
        if len(self._waiting) >= BATCH:
            self._add_batch()

    def finish(self) -> Summary | None:
        """Returns the mean over ranks; None without summaries. Raises SelectionError if ranks cannot be pooled."""
        self._add_batch()
        total = self._sums
        if total is None:
            return None
        self._sums = None
        count = np.array(self._count, dtype=np.int64)
        mean = _mean(total, count)
        mean = self._with_facts(mean)
        kept = np.flatnonzero(count == count.max())
        ranks = self._rank_steps()
        if len(kept) < len(count):
            from tb_perfcompare.analysis.pooling.select import without_steps

            missing = {int(at): _NOT_BY_ALL for at in np.flatnonzero(count < count.max())}
            mean = without_steps(mean, missing)
        return replace(mean, ranks=ranks)

    def _add_batch(self) -> None:
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        for summary in batch:
            self._keep_rank(summary)
        slim = [_slim(summary) for summary in batch]
        pooled = pool([*([] if self._sums is None else [self._sums]), *slim])
        names = [
            (pooled.captures[at].span, label)
            for at, label in zip(pooled.steps.capture.tolist(), pooled.steps.label, strict=True)
        ]
        done = 0 if self._sums is None else len(self._sums.steps)
        for name in names[done:]:
            at = self._job_steps.setdefault(name, len(self._job_steps))
            if at == len(self._count):
                self._count.append(0)
            self._count[at] += 1
        into = np.array([self._job_steps[name] for name in names], dtype=np.int64)
        self._sums = _added(pooled, into, len(self._job_steps))

    def _keep_rank(self, summary: Summary) -> None:
        """Keeps the rank's figures: no tables, and arrays equal to the previous rank's are shared."""
        collectives = summary.collectives
        before = self._ranks[-1][2] if self._ranks else None
        if collectives is not None and before is not None and collectives.keys == before.keys:
            same = {
                name: getattr(before, name)
                for name in ("key", "step", "group_size")
                if np.array_equal(getattr(collectives, name), getattr(before, name))
            }
            collectives = replace(collectives, keys=before.keys, **same)
        owned = replace(
            summary.owned, category=np.arange(8, dtype=np.int8), key=(), name=(),
            time_ns=summary.owned.by_category(), plain_ns=np.zeros((0, 0), np.int64),
            calls=np.zeros((0, 0), np.int64), parts=None,
        )  # fmt: skip
        bare = replace(
            summary, owned=owned, groups={}, modules=None, work=None, call_tree=None, call_paths={}, memory=None,
            collectives=None, recommendations=(), notes=(), other_window=np.zeros(0, np.int64),
        )  # fmt: skip
        self._ranks.append((bare, amounts_of_work(summary), collectives))

    def _rank_steps(self) -> RankSteps:
        parts = [summary for summary, *_ in self._ranks]
        captures = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.steps) for part in parts])
        return RankSteps(
            capture=captures,
            span=tuple(part.captures[0].span for part in parts for _ in part.steps.label),
            label=tuple(label for part in parts for label in part.steps.label),
            total_ns=np.concatenate([part.steps.total_ns for part in parts]),
            owned_ns=np.concatenate([part.owned.time_ns for part in parts], axis=1),
            amounts=np.concatenate([amounts for _, amounts, _ in self._ranks], axis=1),
            collectives=joined([(own, len(part.steps)) for part, _, own in self._ranks]),
        )

    def _with_facts(self, mean: Summary) -> Summary:
        """Adds settings, metrics and notes of all ranks once, as repeated pooling would repeat them."""
        parts = [summary for summary, *_ in self._ranks]
        ranks = len({part.captures[0].worker for part in parts})
        message = (
            f"{ranks} ranks are averaged step by step: times rounded to nanoseconds, calls to whole numbers"
        )
        return replace(
            mean,
            device=pooled_device(parts),
            environment=pooled_environment(parts),
            device_metrics=pooled_metrics(parts),
            counters=_counters(parts, self._job_steps),
            notes=(*mean.notes, Note(NoteCode.RANKS_POOLED, message)),
        )


def _slim(summary: Summary) -> Summary:
    """Drops what is kept separately for each rank."""
    aligned = len(summary.other_window) == len(summary.steps)
    other = summary.other_window if aligned else np.zeros(len(summary.steps), dtype=np.int64)
    return replace(
        summary, environment=(), device_metrics=(), counters=None, collectives=None, launches=None, other_window=other
    )


def _added(summary: Summary, into: Ints, count: int) -> Summary:
    """Sums the columns of each step of the job."""
    first = np.full(count, len(into), dtype=np.int64)
    np.minimum.at(first, into, np.arange(len(into)))

    def add(matrix: Ints) -> Ints:
        return sums.added(matrix, into, count)

    def in_job_steps(split: SplitTime) -> SplitTime:
        return split.with_cells(split.row, into[split.step], split.time_ns, split.calls)

    added = with_changed_parts(
        sums.with_columns(summary, add, add, add), in_job_steps, lambda tree: sums.added_tree(tree, into)
    )
    steps, parts, memory = added.steps, summary.owned.parts, added.memory
    if memory is not None:
        curves = sorted(memory.curves, key=lambda curve: -curve.peak_allocated)[:_CURVES_KEPT]
        memory = replace(memory, curves=tuple(sorted(curves, key=lambda curve: curve.capture)))
    dropped = {
        (summary.captures[step.capture].span, step.label, step.reason): step for step in reversed(summary.dropped)
    }
    return replace(
        added,
        steps=replace(
            summary.steps.only(first),
            total_ns=steps.total_ns, launches=steps.launches, backlog_ns=steps.backlog_ns,
        ),
        dropped=tuple(sorted(dropped.values(), key=lambda step: (step.capture, step.label))),
        owned=replace(added.owned, parts=None if parts is None else in_job_steps(parts)),
        memory=memory,
    )  # fmt: skip


def _mean(total: Summary, ranks: Ints) -> Summary:
    def modules(split: SplitTime) -> SplitTime:
        """Averages time by module; keys are (path, category label)."""
        return sums.mean_split(split, ranks, lambda key: (sums.CATEGORY_NUMBERS[key[-1]], *key[:-1]))

    mean = sums.with_columns(
        replace(total, owned=sums.in_nested_order(total.owned)),
        lambda sum_: sums.mean_of(sum_, ranks),
        lambda sum_: sums.mean_calls(sum_, ranks),
        lambda sum_: sums.closing_means(sum_, ranks),
    )
    parts = total.owned.parts
    if parts is not None:
        parts = sums.mean_split(parts, ranks, lambda key: (sums.CATEGORY_NUMBERS[key[0]], *key[1:]))
    return replace(
        with_changed_parts(
            mean, lambda split: sums.mean_split(split, ranks), lambda tree: sums.mean_tree(tree, ranks), modules
        ),
        other_window=mean.other_window if total.other_window.all() else total.other_window[:0],
        owned=replace(mean.owned, parts=parts),
    )


def _counters(parts: list[Summary], job_steps: dict[JobStep, int]) -> CounterSeries | None:
    """Averages each counter over the ranks that have a value; deviations as of parts with equal duration."""
    units = counter_units([part.counters for part in parts])
    if not units:
        return None
    rows = {key: row for row, key in enumerate(units)}
    shape = (len(rows), len(job_steps))
    mean, square, coverage, ranks = (np.zeros(shape) for _ in range(4))
    samples = np.zeros(shape, dtype=np.int64)
    for part in parts:
        own = part.counters
        if own is None:
            continue
        into = [job_steps[part.captures[0].span, label] for label in part.steps.label]
        same = [at for at, key in enumerate(own.keys) if own.units[at] == units[key]]
        place = np.ix_([rows[own.keys[at]] for at in same], into)
        has = np.isfinite(own.mean[same])
        mean[place] += np.where(has, own.mean[same], 0.0)
        square[place] += np.where(has, np.nan_to_num(own.sd[same]) ** 2, 0.0)
        coverage[place] += np.nan_to_num(own.coverage[same])
        samples[place] += np.maximum(own.samples[same], 0)
        ranks[place] += has
    with np.errstate(invalid="ignore", divide="ignore"):
        return CounterSeries(
            tuple(units), tuple(units.values()), np.where(ranks > 0, mean / ranks, np.nan),
            np.where(ranks > 0, np.sqrt(square / ranks), np.nan), coverage / len(parts), samples,
        )  # fmt: skip

