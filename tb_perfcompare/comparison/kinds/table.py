"""Table of the kinds of iterations (prefill and decode, batch sizes): how often each occurs, its time, and its
effect on the mean."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.kinds.split import MixSplit, split_mix
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Row, Table
from tb_perfcompare.comparison.result.wording import signed_time
from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tb_perfcompare.model.arrays import median
from tb_perfcompare.model.names.kinds import are_by_content, kinds_of
from tb_perfcompare.model.summary.summary import Summary

NAME = "iteration_kinds"

_COLUMNS = (
    columns.key("kind", "Kind", "text of the iteration's marker with its numbers binned; without a text, the "
                "content that only some iterations have"),
    *columns.sides(columns.count, "count", "Count", "number of iterations in the {side}"),
    *columns.sides(columns.fraction, "share", "Share", "fraction of the {side}'s iterations"),
    *columns.sides(columns.time, "mean_us", "Mean", "mean time of an iteration of this kind in the {side}"),
    columns.time("mean_delta_us", "Mean Δ", "mean time of an iteration of this kind, candidate minus baseline",
                 role="delta"),
    *columns.sides(columns.time, "us", "", "share of the kind x its mean: its part of the {side}'s mean iteration",
                   sided=True, shown=False),
    columns.time("delta_us", "Δ", "share of the kind x its mean, candidate minus baseline; all kinds sum to the "
                 "change of the mean iteration", role="delta", shown=False),
    *columns.sides(columns.time, "median_us", "Median", "median time of an iteration in the {side}", shown=False),
    columns.time("time_effect_us", "Δ by time", "part of the change of the mean iteration from the time of this "
                 "kind, at the baseline's mix; with `Δ by mix` of all kinds it sums to the change", role="delta"),
    columns.time("mix_effect_us", "Δ by mix", "part of the change of the mean iteration from how often the kind "
                 "occurs", role="delta"),
    *columns.interval("", ""),
    columns.q("kinds"),
    columns.STATUS,
)  # fmt: skip


def kinds_split(a: Summary, b: Summary) -> MixSplit | None:
    """The change by kinds; None if markers have no texts, are all of one kind, or differ between the sides."""
    if not a.steps.text or not b.steps.text or not len(a.steps) or not len(b.steps):
        return None
    if a.iterations is not None and b.iterations is not None and a.iterations.chosen.unit != b.iterations.chosen.unit:
        return None
    by_content = are_by_content((*a.steps.text, *b.steps.text))
    if by_content and {*a.steps.text} != {*b.steps.text}:
        return None  # what one side never does is a change of the program
    recordings = [(number, capture) for number, side in enumerate((a, b)) for capture in side.steps.capture.tolist()]
    kinds = kinds_of((*a.steps.text, *b.steps.text), recordings)
    of_sides = kinds[: len(a.steps)], kinds[len(a.steps) :]
    return split_mix(of_sides, (a.steps.total_ns, b.steps.total_ns), by_content=by_content)


def iteration_kinds_table(a: Summary, b: Summary, split: MixSplit | None, alpha: float) -> Table | None:
    """Table with one row per kind, the most frequent first; None without a split."""
    if split is None:
        return None
    tested = [
        _tested(a, b, steps_a, steps_b, alpha)
        for steps_a, steps_b in zip(split.baseline, split.candidate, strict=True)
    ]
    p = np.array([test[0] for test in tested if test is not None])
    q = iter(q_values(p).tolist() if len(p) else ())
    rows: list[Row] = []
    for index, kind in enumerate(split.kinds):
        sides = [
            summary.steps.total_ns[own] / 1000
            for summary, own in ((a, split.baseline[index]), (b, split.candidate[index]))
        ]
        n, m = map(len, sides)
        mean = [float(side.mean()) if len(side) else None for side in sides]
        medians = [median(side) if len(side) else None for side in sides]
        within = [float(side.sum()) / len(summary.steps) for side, summary in zip(sides, (a, b), strict=True)]
        test = tested[index]
        rows.append((
            kind, n, m, n / len(a.steps), m / len(b.steps), *mean,
            None if mean[0] is None or mean[1] is None else mean[1] - mean[0], *within, within[1] - within[0], *medians,
            int(split.time_ns[index]) / 1000, int(split.mix_ns[index]) / 1000,
            *((None, None, None) if test is None else test[1:]), None if test is None else next(q),
            columns.status(n > 0, m > 0),
        ))  # fmt: skip
    return Table(NAME, "Kinds of iterations", _COLUMNS, tuple(rows), (_note(split),))


def _note(split: MixSplit) -> str:
    by_time, by_mix = (signed_time(int(effect.sum()) / 1000) for effect in (split.time_ns, split.mix_ns))
    return f"The mean iteration changes by {signed_time(split.total_ns / 1000)}: {by_time} by time, {by_mix} by mix."


def _tested(
    a: Summary, b: Summary, steps_a: np.ndarray, steps_b: np.ndarray, alpha: float
) -> tuple[float, float, float | None, float | None] | None:
    """p and the shift of one kind in microseconds with its interval; None for a one-sided kind."""
    if not len(steps_a) or not len(steps_b):
        return None
    captures = a.steps.capture[steps_a], b.steps.capture[steps_b]
    test = row_shifts(a.steps.total_ns[None, steps_a], b.steps.total_ns[None, steps_b], captures, alpha)
    ends = [float(end[0]) / 1000 if np.isfinite(end[0]) else None for end in (test.low, test.high)]
    return float(test.p[0]), float(test.shift[0]) / 1000, ends[0], ends[1]
