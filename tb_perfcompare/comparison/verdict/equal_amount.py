"""The verdict where the amount of work varies from step to step: by step times at equal amount, or by the amount."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.result.headline import AmountFacts, Basis, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.model.summary.summary import Summary

OF_EQUAL_WORK = " at equal work"


def at_equal_amount(
    recorded: Headline, amount: AmountOfWork, sides: tuple[Summary, Summary], options: CompareOptions
) -> Headline:
    """Returns the headline of the step times at equal amount, with the means as recorded, which the ledger splits."""
    seen = observations(sides[0]), observations(sides[1])
    one, two = amount.times_ns
    equal = judge(
        one, amount.captures[0], two, amount.captures[1], options, metric=recorded.metric,
        labels=(seen[0].label, seen[1].label), of=OF_EQUAL_WORK,
    )  # fmt: skip
    times = [of.means(side.steps.total_ns).astype(np.float64) for of, side in zip(seen, sides, strict=True)]
    change = amount.change(options.alpha)
    means = [float(side.mean()) for side in amount.amounts]
    shown = AmountFacts(
        amount.operator, amount.of, means[0], means[1], fraction_of(change.theta), fraction_of(change.low),
        fraction_of(change.high), change.p, change.is_clear, fraction_of(amount.in_time((times[0], times[1]))),
        amount.explained,
    )  # fmt: skip
    return replace(
        equal, baseline=recorded.baseline, candidate=recorded.candidate, delta=recorded.delta, ratio=recorded.ratio,
        recorded=recorded.recorded, amount=shown,
    )  # fmt: skip


def by_amount(headline: Headline, options: CompareOptions) -> Headline:
    """Lets the amount of work decide a verdict that steps at equal amount leave without a direction: if the amount
    differs clearly, and the step as recorded changes the same way, or would at the least that the program allows."""
    amount, rest = headline.amount, headline.program or headline.shift
    if amount is None or rest is None or headline.verdict not in (Verdict.SAME, Verdict.INCONCLUSIVE):
        return headline
    way = 1 if amount.estimate > 0 else -1
    limit = math.log1p(options.margin)
    least = math.log1p(amount.low if way > 0 else amount.high)
    effect = math.log1p(amount.in_time)
    if not amount.differs or way * effect <= limit or way * least <= 0:
        return headline
    of_rest = math.log1p(rest.low if way > 0 else rest.high)
    of_amount = effect * least / math.log1p(amount.estimate)
    as_recorded = headline.recorded is not None and headline.recorded.verdict.way == way
    if not as_recorded and way * (of_amount + of_rest) <= limit:
        return headline
    return replace(headline, verdict=Verdict.SLOWER if way > 0 else Verdict.FASTER, basis=Basis.AMOUNT)
