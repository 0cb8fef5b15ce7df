"""The verdict on two sides, a small part of the work of a comparison, and what it was computed from."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from tb_perfcompare.comparison.alignment.alignment import Alignment, align
from tb_perfcompare.comparison.alignment.matched_share import matched_notes, with_matched
from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork, amount_of_work
from tb_perfcompare.comparison.checks.comparability import check_comparability
from tb_perfcompare.comparison.checks.profiler_options import one_sided_options
from tb_perfcompare.comparison.checks.recordings import with_itself
from tb_perfcompare.comparison.checks.same_work import same_work_checks
from tb_perfcompare.comparison.kinds.split import MixSplit, mix_check, mix_text
from tb_perfcompare.comparison.kinds.strata import Strata, strata_of, within_kinds
from tb_perfcompare.comparison.kinds.table import kinds_split
from tb_perfcompare.comparison.pace.decide import decided
from tb_perfcompare.comparison.pace.program import allow_little_common_work
from tb_perfcompare.comparison.pace.recorded_more import with_recorded_more
from tb_perfcompare.comparison.pace.split import CommonWork, common_work
from tb_perfcompare.comparison.pace.words.sentence import with_experiment, withheld
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.wording import verdict_word
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean
from tb_perfcompare.comparison.statistics.samples import observations, of_late_ranks
from tb_perfcompare.comparison.verdict.equal_amount import at_equal_amount
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.errors import NotComparable
from tb_perfcompare.model.arrays import Nanoseconds, each_side
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.quick_dataclass import dataclass

HOST_AHEAD = 0.9
"""Largest share of the time until their device work is done that the steps of a host take that runs ahead of it."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The headline of two sides, and what it was computed from: the sides with joined names, their texts by number,
    the alignment, the checks, notes on what was joined, the rows of the same work and kinds of iterations. `measured`:
    the headline that does not allow for the cost of profiler options of one side."""

    baseline: Summary
    candidate: Summary
    options: CompareOptions
    numbers: TextNumbers
    alignment: Alignment | None
    checks: tuple[Check, ...]
    notes: tuple[Note, ...]
    work: CommonWork
    kinds: MixSplit | None
    strata: Strata | None
    amount: AmountOfWork | None
    headline: Headline
    measured: Headline

    @cached_property
    def work_by_means(self) -> CommonWork:
        """The common work by means over ranks, which tables of operators, kernels and categories hold."""
        if not self.work.pooled:
            return self.work
        return common_work(
            self.baseline, self.candidate, self.options, self.strata, amount=self.amount, sampled=observations
        )

    @cached_property
    def in_other_window(self) -> Headline | None:
        """The headline by the other rule for step windows; None if that is not known for every step, or if the host's
        steps end long before their device work, which then sets the pace."""
        a, b, work, options = self.baseline, self.candidate, self.work, self.options
        if len(a.other_window) != len(a.steps) or len(b.other_window) != len(b.steps):
            return None
        if any(side.other_window.sum() < HOST_AHEAD * side.steps.total_ns.sum() for side in (a, b)):
            return None
        other = _headline(a, b, a.other_window, b.other_window, options, self.strata)
        times = each_side(lambda side: of_late_ranks(side).means(side.other_window).astype(np.float64), (a, b))
        if self.amount is not None:
            times = self.amount.at_level(times)
        is_timed = all((side > 0).all() for side in times)
        clocked = work.clocked.at(times) if work.clocked is not None and is_timed else None
        other = decided(other, replace(work, clocked=clocked), options, (a, b))
        return with_recorded_more(other, self.headline.recorded_more)


def judge_summaries(baseline: Summary, candidate: Summary, options: CompareOptions) -> Judged:
    """Judges two sides. Raises NotComparable if their step windows follow different rules, or if they measure different
    things."""
    _check_kinds(baseline, candidate)
    numbers = TextNumbers()
    baseline, candidate, notes = with_same_names(baseline, candidate)
    alignment = align(baseline, candidate)
    checks = check_comparability(baseline, candidate, numbers)
    if alignment is not None:
        checks = with_matched(checks, alignment)
        notes += matched_notes(alignment, baseline, candidate)
    if baseline.metric == STEP_TIME:
        checks += same_work_checks(baseline, candidate, alignment, numbers)
    kinds = kinds_split(baseline, candidate)
    strata = strata_of_sides(kinds, baseline, candidate, options)
    amount = None if strata is not None else amount_of_work((baseline, candidate))
    headline = headline_of_steps(baseline, candidate, options, strata)
    if amount is not None:
        headline = at_equal_amount(headline, amount, (baseline, candidate), options)
    work = common_work(baseline, candidate, options, strata, amount=amount)
    work = allow_little_common_work(work, headline, (baseline, candidate), options, strata, amount)
    headline = decided(headline, work, options, (baseline, candidate))
    if kinds is not None:
        checks += (mix_check(kinds, options.margin, directed=strata is None and headline.verdict.way != 0),)
        headline = replace(headline, reason=f"{headline.reason}; {mix_text(kinds)}")
    headline = with_experiment(_withheld_if_void(headline, checks), options.look)
    measured = headline
    headline = with_recorded_more(headline, one_sided_options(baseline, candidate))
    if compared_with_itself := with_itself(checks):
        sentence = f"{verdict_word(headline.verdict)}: {compared_with_itself}"
        headline = replace(headline, sentence=sentence, reason=f"{compared_with_itself}; {headline.reason}")
    return Judged(
        baseline, candidate, options, numbers, alignment, checks, notes, work, kinds, strata, amount,
        headline, measured,
    )  # fmt: skip


def _check_kinds(baseline: Summary, candidate: Summary) -> None:
    if baseline.window != candidate.window:
        raise NotComparable(
            f"the baseline uses {baseline.window} windows, the candidate {candidate.window} windows",
            hint="choose one --step-window for both",
        )
    if baseline.metric != candidate.metric:
        raise NotComparable(
            f"the baseline gives {baseline.metric}, the candidate {candidate.metric}".replace("_", " "),
            hint="compare two sources of one kind",
        )


def strata_of_sides(kinds: MixSplit | None, a: Summary, b: Summary, options: CompareOptions) -> Strata | None:
    """Kinds of the observations, if the kinds that both sides have cover enough of the time; else None."""
    if kinds is None:
        return None
    seen = each_side(observations, (a, b))
    times = each_side(lambda side, of: of.means(side.steps.total_ns), (a, b), seen)
    if any((side <= 0).any() for side in times) or (kinds.by_content and not kinds.is_same_mix):
        return None
    strata = strata_of(kinds, seen)
    within = within_kinds(times, (seen[0].capture, seen[1].capture), strata, options.alpha)
    return None if within is None else strata


def headline_of_steps(a: Summary, b: Summary, options: CompareOptions, strata: Strata | None = None) -> Headline:
    """The verdict on the step times as recorded, of single kinds of steps if there are `strata`."""
    return _headline(a, b, a.steps.total_ns, b.steps.total_ns, options, strata)


def _headline(
    a: Summary, b: Summary, a_ns: Nanoseconds, b_ns: Nanoseconds, options: CompareOptions, strata: Strata | None
) -> Headline:
    """Computes the verdict on observations, with the exact means over all steps (which the ledger splits)."""
    seen = each_side(observations, (a, b))
    none = np.zeros(0, dtype=np.int64)
    times = each_side(lambda side, of, ns: of.means(ns) if side.is_timed else none, (a, b), seen, (a_ns, b_ns))
    captures = each_side(lambda side, of: of.capture if side.is_timed else none, (a, b), seen)
    labels = each_side(lambda of: of.label, seen)
    headline = judge(times, captures, options, metric=a.metric, labels=labels, strata=strata)
    if not any(of.pooled for of in seen) or headline.delta is None:
        return headline
    mean_a, mean_b = exact_mean(a_ns), exact_mean(b_ns)
    return replace(
        headline,
        baseline=float(mean_a / 1000),
        candidate=float(mean_b / 1000),
        delta=float((mean_b - mean_a) / 1000),
        ratio=float(mean_b / mean_a) if mean_a > 0 else None,
    )


def _withheld_if_void(headline: Headline, checks: tuple[Check, ...]) -> Headline:
    """Withholds the verdict, not the figures, if a check on which it depends failed."""
    void = [check.detail for check in checks if check.status == "fail" and "verdict" in check.invalidates]
    if not void:
        return headline
    return withheld(replace(headline, verdict=Verdict.WITHHELD, reason="; ".join(void)))
