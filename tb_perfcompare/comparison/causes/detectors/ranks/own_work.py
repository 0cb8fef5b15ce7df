"""What some ranks do beyond the others: the category, what they do in it, their part of the mean over ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.general_rules import category_words
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.uneven_work import ExtraWork, extra_work
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import ratio_text, signed_time
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, COMMUNICATION, StepCategory

NAMED, _MAX_NAMED = 0.25, 3
"""Share of a rank's extra work from which a part of it is named, and most parts that are."""

_SLOWER, _MAIN_SHARE = math.log1p(0.03), 0.5
"""Least change of a rank's pace, and share of its extra time that the pace must explain, to be named."""

_ON_HOST = (StepCategory.RUNTIME, StepCategory.CPU_EXEC, StepCategory.OTHER)

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
    does = f"{category_words(CATEGORY_LABELS[most])} {signed_time(own[most])} vs {job.others}"
    pace = _own_pace(context, most, own[most], longer)
    extra = [work for work in _extra_work(context, job, rank, longer) if work.category == CATEGORY_LABELS[most]]
    named = [work for work in extra if work.us >= NAMED * own[most]][:_MAX_NAMED]
    if pace and (most == StepCategory.KERNEL or not named):  # a slow device slows few kernels by the most time
        return does, pace, [Evidence("common_work", "")]
    evidence = [Evidence("ledger", f"{work.category} / {work.key}") for work in named]
    return does, ", ".join(work.text for work in named), evidence


def _own_pace(context: RuleContext, category: int, own_us: float, longer: bool) -> str:
    """Clause on the pace of the same work on the late ranks, if that is most of what takes them longer; else ""."""
    of = "device" if category == StepCategory.KERNEL else "host" if category in _ON_HOST else ""
    # what the host does may have been hidden
    among = [CATEGORY_LABELS[category]] if of == "device" else CATEGORY_LABELS
    usual_us = math.fsum(context.exposed_times(label)[not longer] for label in among if label != COMMUNICATION)
    for pace in context.headline.paces:
        way = math.log1p(pace.estimate) * (1 if longer else -1)
        slower_us = math.expm1(way) * usual_us if way >= _SLOWER else 0.0
        if pace.of == of and not pace.unusable and slower_us >= _MAIN_SHARE * own_us:
            return f"the same {'kernels' if of == 'device' else 'operators'} {ratio_text(math.exp(way))}"
    return ""


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
