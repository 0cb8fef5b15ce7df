"""Ranks whose counted work changed beyond that of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

from tb_perfcompare.comparison.causes.detectors.ranks.late_rank import find_late_rank
from tb_perfcompare.comparison.causes.detectors.ranks.own_work import WORK_COUNTED, WORK_GIVEN, own_shares, own_work
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.uneven_work import WorkChange
from tb_perfcompare.comparison.result.finding import Evidence


def uneven_work_rules(context: RuleContext) -> Iterator[Cause]:
    """Causes: ranks whose counted work changed beyond that of the others. If the others wait for them, that is part of
    the late rank's cause. They have no time if the mean over ranks changed the other way."""
    job = context.job
    if job is None or not job.has_several:
        return
    late = context.once(find_late_rank)
    if late is not None and late.finding.confidence == WORK_COUNTED:
        return
    works = {longer: job.works_in(context.least_us, longer) for longer in (True, False)}
    found = [_uneven_work(context, job, those, longer) for longer, those in works.items() if those]
    yield from sorted(found, key=lambda one: (len(one.finding.subject), one.finding.subject))  # mirrors, rank by rank


def _uneven_work(context: RuleContext, job: Job, works: Mapping[int, WorkChange], longer: bool) -> Cause:
    explains = own_shares(context, job, works, longer)
    delta = fsum(explains.values()) if explains else None
    most = max(works, key=lambda number: (float(job.beyond_us([number], longer).sum()), -number))
    does, named, evidence = own_work(context, job, most, longer)
    key = job.keys[most]
    where = f"most on {key}" if does and len(works) > 1 else ""

    def sentence(own: Explains) -> str:
        of_mean = f": {change_text(own)} per step (mean over ranks)" if own else ""
        return f"{'; '.join(filter(None, (f'{job.work_text(works)}{of_mean}', where, does, named)))}."

    return cause(
        context, UNEVEN_WORK, key, "all", delta, sentence, (Evidence("ranks", key), *evidence), explains=explains
    )


UNEVEN_WORK = Rule(
    names=("uneven_work",),
    meaning="one rank does more (less) work than before, the others do not",
    when="[Counted work](ranks.md#counted-work) of a rank changed beyond that of the others, and its own time as well. "
    "If the others wait for it, `late_rank` says so instead",
    tables=("ranks",),
    look_at=WORK_GIVEN,
    confidence=WORK_COUNTED,
    find=uneven_work_rules,
    rank=4,
)
