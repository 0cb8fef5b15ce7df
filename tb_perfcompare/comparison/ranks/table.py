"""Table of ranks: one run against the other, rank by rank. Definitions: docs/method/ranks.md."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.ranks.changes import own_changes, rank_changes
from tb_perfcompare.comparison.ranks.figures import RankFigures, rank_figures
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.sentences import RankRow, rank_sentences
from tb_perfcompare.comparison.ranks.sides import is_numbered, names_of, ranks_of
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS
from tb_perfcompare.comparison.statistics.entity_tests import floor_ns
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.units import Better

NAME = "ranks"

ONE_WORKER = "only one worker on each side; comparing ranks takes several"
NO_JOB = "the workers recorded one after another: they are captures of one program, not ranks of a job"
NO_STEPS = "no step times of several workers"

_RANK_WHAT = "rank number if all ranks are known and distinct, else the worker's name"
_OWN_NOTE = "Ranks run side by side: their times do not add up (docs/method/ranks.md)."


_MEASURES: tuple[tuple[Column, ...], ...] = (
    columns.triple("own", "Own work", "Step time without exposed communication"),
    columns.triple(
        "exposed_waiting", "Waiting",
        "Exposed communication, as far as it can be waiting: at most the waiting of the same step; empty: not measured",
    ),
    columns.triple(
        "other_communication", "Other comm.",
        "Exposed communication beyond the exposed waiting, such as transfer; all of it if waiting is not measured",
    ),
    columns.sides(
        columns.fraction, "overlap", "Overlap",
        "fraction of the collective time overlapped by compute kernels; empty: not measured, {side}",
        better=Better.HIGHER,
    ),
    columns.triple(
        "waiting", "All waiting",
        "Time in collectives beyond the shortest duration on any rank of the same collective; empty: not measured",
        shown=False,
    ),
    columns.triple("transfer", "Transfer", "Time in collectives without waiting; empty: not measured", shown=False),
    columns.triple("exposed", "Exposed comm.", "Communication not overlapped by any kernel or copy", shown=False),
    columns.triple("kernel", "Kernel", "Exposed time of kernels", shown=False),
    columns.triple("host", "Host", "Exposed time of API calls, data loading and operators on the host", shown=False),
    columns.triple("other", "Other", "Untraced time: no events recorded", shown=False),
    columns.triple("median", "Median", "Median step time", shown=False),
    columns.triple(
        "waited_for", "Waited for", "Waiting of the other ranks beyond this rank's own; empty: not measured",
        shown=False,
    ),
    columns.sides(
        columns.fraction, "matched", "Matched", "fraction of the collective time matched with another rank, {side}",
        better=Better.HIGHER, shown=False,
    ),
)  # fmt: skip
"""Columns of each measure: three of a time, two of a fraction. Names without the side are those of RankFigures."""


OWN_SHARE = 0.5
"""Share of a rank's excess that its own work has to have changed by; else the others changed. With two ranks the excess
of one is the opposite of the other's."""


def _name(measure: tuple[Column, ...]) -> str:
    return measure[0].name.removeprefix("baseline_")


def _figure(measure: tuple[Column, ...], figures: RankFigures | None) -> float | None:
    return None if figures is None else getattr(figures, _name(measure))


_COLUMNS = (
    columns.key("rank", "Rank", _RANK_WHAT),
    *columns.triple("", "Step", "Step time"),
    columns.fraction(
        "shift", "Typical Δ", "change of the typical step (Hodges-Lehmann), as in the headline",
        role="percent", better=Better.LOWER,
    ),
    columns.text(
        "verdict", "Verdict",
        "verdict by the headline's rules on this rank's steps; slower or faster also needs q at most alpha",
    ),
    *columns.triple("beyond", "Excess", "Own work beyond the median of the other ranks in the same step", shown=False),
    columns.text(
        "stands_out", "Stands out",
        "slower, faster: this rank's own work changed differently from the others': significantly (q of the excess at "
        "most alpha), beyond the threshold, and beyond the spread of the others; others slower, others faster: "
        "likewise, but less than half of it is a change of this rank's own; more work, less work: its time did "
        "not, but its counted work did; like the others: otherwise; empty: not tested",
    ),
    *(column for measure in _MEASURES for column in measure),
    columns.fraction("shift_low", "Δ from", "lower end of the confidence interval; empty: too few steps", shown=False),
    columns.fraction("shift_high", "Δ to", "upper end of the confidence interval; empty: too few steps", shown=False),
    columns.number("p", "p", "", "two-sided p of the rank's step times; empty with one step on each side", shown=False),
    columns.number(
        "q", "q", "", "adjusted p: false discovery rate among ranks with this q or a smaller one (Benjamini-Hochberg)",
        shown=False,
    ),
    columns.number(
        "beyond_q", "q of the excess", "", "p of the excess, adjusted for the number of ranks (Holm)",
        shown=False,
    ),
    *columns.sides(
        columns.count, "steps", "Steps", "number of admitted steps of the rank in the {side}", shown=False
    ),
    *columns.sides(columns.text, "worker", "Worker", "name of the worker in the {side}", shown=False),
    columns.STATUS,
)  # fmt: skip


def ranks_table(
    baseline: Summary, candidate: Summary, job: Job | None, headline: Headline, options: CompareOptions
) -> Table | str:
    """Builds the table, or returns why there is none."""
    if baseline.metric != STEP_TIME or not (baseline.is_timed and candidate.is_timed):
        return NO_STEPS
    if job is None:
        several = any(len({capture.worker for capture in side.captures}) > 1 for side in (baseline, candidate))
        return NO_JOB if several else ONE_WORKER
    a, b, pairs = job.a, job.b, job.pairs
    least_us = floor_ns(min(float(side.total_ns.mean()) for side in (a, b)), options) / 1000
    changes = rank_changes(a, b, pairs, options, withheld=headline.verdict is Verdict.WITHHELD)
    own = own_changes(job, least_us, options)
    figures_a, figures_b = rank_figures(a), rank_figures(b)
    rows = [
        RankRow(key, None if x is None else figures_a[x], None if y is None else figures_b[y], change, beyond)
        for key, (x, y), change, beyond in zip(job.keys, pairs, changes, own, strict=True)
    ]
    notes = rank_sentences(job, rows, headline)
    order = sorted(range(len(rows)), key=lambda index: (-_size(rows[index]), index))
    return Table(NAME, "Ranks", _COLUMNS, tuple(_cells(rows[index]) for index in order), notes)


def own_ranks(summary: Summary) -> Table | None:
    """Table of one run's ranks, in their order; None unless several workers have steps."""
    if summary.metric != STEP_TIME or not summary.is_timed or len(set(job_workers(summary))) < 2:
        return None
    ranks = ranks_of(summary)
    shown = (
        columns.key("rank", "Rank", _RANK_WHAT),
        columns.time("step_us", "Step", f"Step time; {columns.PER_STEP}"),
        *(_of_one_run(measure) for measure in _MEASURES),
        columns.count("steps", "Steps", "number of admitted steps of the rank"),
        columns.text("worker", "Worker", "name of the worker", shown=False),
    )
    rows = tuple(
        (name, figures.step_us, *(_figure(measure, figures) for measure in _MEASURES), figures.steps, figures.worker)
        for name, figures in zip(names_of(ranks, is_numbered(ranks)), rank_figures(ranks), strict=True)
        if figures is not None
    )
    return Table(NAME, "Ranks", shown, rows, (_OWN_NOTE,))


def _of_one_run(measure: tuple[Column, ...]) -> Column:
    """Column of a measure in the table of one run."""
    first = measure[0]
    what = first.description.replace(" of the baseline", "").replace(", baseline", "")
    return replace(first, name=_name(measure), label=first.label.removesuffix(" A"), description=what, role="plain")


def _size(row: RankRow) -> float:
    """Sort value of a row: the absolute change beyond the others, else that of the step time."""
    if row.own.delta_us is not None:
        return abs(row.own.delta_us)
    return abs(row.candidate.step_us - row.baseline.step_us) if row.baseline and row.candidate else 0.0


def _cells(row: RankRow) -> tuple[Cell, ...]:
    a, b, change, own_work = row.baseline, row.candidate, row.change, row.own
    measures: list[Cell] = []
    for measure in _MEASURES:
        pair = _figure(measure, a), _figure(measure, b)
        measures += _triple(*pair) if len(measure) == 3 else pair
    return (
        row.key,
        *_triple(None if a is None else a.step_us, None if b is None else b.step_us),
        change.shift,
        None if change.verdict is None else VERDICT_WORDS[change.verdict],
        *(own_work.baseline_us, own_work.candidate_us, own_work.delta_us),
        _stands_out(row),
        *measures,
        *(change.low, change.high, change.p, change.q),
        own_work.q,
        *(None if side is None else side.steps for side in (a, b)),
        *(None if side is None else side.worker for side in (a, b)),
        "both" if a is not None and b is not None else "removed" if b is None else "added",
    )


def _triple(x: float | None, y: float | None) -> tuple[Cell, Cell, Cell]:
    return x, y, None if x is None or y is None else y - x


def _stands_out(row: RankRow) -> str | None:
    own = row.own
    if own.is_clear and own.delta_us and row.baseline and row.candidate:
        words = ("slower", "faster") if own.delta_us > 0 else ("faster", "slower")
        is_its_own = (row.candidate.own_us - row.baseline.own_us) / own.delta_us >= OWN_SHARE
        return words[0] if is_its_own else f"others {words[1]}"
    if own.work is not None and own.work_shows:
        return own.work.word
    return None if own.q is None else "like the others"
