"""What some ranks do beyond the others: the category, what they do in it, their part of the mean over ranks."""

from __future__ import annotations

from collections.abc import Iterable

from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.uneven_work import ExtraWork, extra_work
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import signed_time
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS

NAMED, _MAX_NAMED = 0.25, 3
"""Share of a rank's extra work from which a part of it is named, and most parts that are."""

WORK_COUNTED = "certain: the work of each rank is counted; its time is measured"
"""Confidence of findings on counted work."""

WORK_GIVEN = "what each rank is given: its share of the samples, batch size, sequence lengths; calls of one rank alone"
"""What to look at then."""


def own_work(context: RuleContext, job: Job, rank: int, longer: bool) -> tuple[str, str, list[Evidence]]:
    """Clauses on the category in which a rank takes most beyond the others, and on what it does in it."""
    own = job.beyond_us([rank], longer)
    most = int(own.argmax())
    if own[most] <= context.least_us:
        return "", "", []
    extra = [work for work in _extra_work(context, job, rank, longer) if work.category == CATEGORY_LABELS[most]]
    named = [work for work in extra if work.us >= NAMED * own[most]][:_MAX_NAMED]
    evidence = [Evidence("ledger", f"{work.category} / {work.key}") for work in named]
    does = f"{category_words(CATEGORY_LABELS[most])} {signed_time(own[most])} vs {job.others}"
    return does, ", ".join(work.text for work in named), evidence


def _extra_work(context: RuleContext, job: Job, rank: int, longer: bool) -> tuple[ExtraWork, ...]:
    a, b = job.pairs[rank]
    if longer:
        return () if b is None else extra_work(context.candidate, job.b, b, context.baseline, job.a, a)
    return () if a is None else extra_work(context.baseline, job.a, a, context.candidate, job.b, b)


def own_shares(context: RuleContext, job: Job, numbers: Iterable[int], longer: bool) -> dict[Part, float]:
    """Part of each category's change that some ranks' own work makes: in the mean over ranks, by its share."""
    sign, ranks, own = 1 if longer else -1, len(job.b if longer else job.a), job.beyond_us(numbers, longer)
    return {
        (label, ""): sign * min(us / ranks, abs(context.exposed(label)))
        for label, us in zip(CATEGORY_LABELS, own.tolist(), strict=True)
        if us > context.least_us and sign * context.exposed(label) > 0
    }
