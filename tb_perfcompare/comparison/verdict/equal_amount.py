"""The verdict where the amount of work varies from step to step: by step times at equal amount, or by the amount."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.summary.summary import Summary

OF_EQUAL_WORK = " at equal work"


def at_equal_amount(
    recorded: Headline, amount: AmountOfWork, sides: tuple[Summary, Summary], options: CompareOptions
) -> Headline:
    """Returns the headline of the step times at equal amount, with the means as recorded, which the ledger splits."""
    seen = each_side(observations, sides)
    equal = judge(
        amount.times_ns, amount.captures, options, metric=recorded.metric,
        labels=each_side(lambda of: of.label, seen), of=OF_EQUAL_WORK,
    )  # fmt: skip
    times = each_side(lambda of, side: of.means(side.steps.total_ns).astype(np.float64), seen, sides)
    return replace(
        equal, baseline=recorded.baseline, candidate=recorded.candidate, delta=recorded.delta, ratio=recorded.ratio,
        recorded=recorded.recorded, amount=amount.facts(times, options.alpha),
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
