"""Ranks wait longer in collectives, for one that is late."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.detectors.ranks.exposed_collectives import (
    MAIN_SHARE,
    Split,
    exposed_collectives,
    splits,
)
from tb_perfcompare.comparison.causes.detectors.ranks.own_work import WORK_COUNTED, WORK_GIVEN, own_shares, own_work
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.ranks.uneven_work import WorkChange
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import times_text
from tb_perfcompare.model.summary.categories import COMMUNICATION


def late_rank_rules(context: RuleContext) -> Iterator[Cause]:
    """The late rank, if there is one."""
    found = context.once(find_late_rank)
    if found is not None:
        yield found


def find_late_rank(context: RuleContext) -> Cause | None:
    """The cause if ranks wait longer (less) for others; None if that is not most of the change, and no rank's counted
    work explains it, or if more (fewer) collectives make the change."""
    collectives, job, (before, after) = context.once(exposed_collectives), context.job, context.once(splits)
    if collectives is None or collectives.are_mainly_more or job is None or before is None or after is None:
        return None
    waiting, longer = after.waiting_us - before.waiting_us, after.collective_us - before.collective_us
    is_main = context.is_clear(COMMUNICATION) and abs(waiting) >= MAIN_SHARE * abs(longer)
    is_counted = abs(waiting) >= context.least_us and _works_of_late(context, job, (before, after), waiting > 0)
    if waiting * collectives.exposed_us <= 0 or not (is_main or is_counted):
        return None
    return _late_rank(context, job, (before, after), collectives.largest, waiting)


def _works_of_late(context: RuleContext, job: Job, splits: tuple[Split, Split], longer: bool) -> dict[int, WorkChange]:
    """Ranks whose counted work grew (shrank) beyond that of the others, the late one first; empty if that is not one
    of them."""
    late, works = job.number_of(splits[longer].late, longer), job.works_in(context.least_us, longer)
    return {late: works.pop(late)} | works if late in works else {}


def _late_rank(context: RuleContext, job: Job, splits: tuple[Split, Split], first: str, waiting: float) -> Cause:
    """Cause: what takes the late rank longer than the other ranks, and did not before."""
    before, after = splits
    longer, exposed = waiting > 0, context.exposed(COMMUNICATION)
    late = job.number_of((after if longer else before).late, longer)
    works = _works_of_late(context, job, splits, longer)
    does, named, evidence = own_work(context, job, late, longer)
    # of times that are within their spread, the counted work explains the waiting alone
    is_main = abs(waiting) >= MAIN_SHARE * abs(after.collective_us - before.collective_us)
    explained = exposed if is_main else min(waiting, exposed, key=abs)
    explains = {(COMMUNICATION, ""): explained} | own_shares(context, job, works or [late], longer)
    whose = "these ranks'" if len(works) > 1 else "the late rank's"
    key, does = job.keys[late], ": ".join(filter(None, (does, named)))

    def sentence(own: Explains) -> str:
        its_work = {part: us for part, us in own.items() if part != (COMMUNICATION, "")}
        of_it = f"; that includes {change_text(its_work)} of {whose} own work (mean over ranks)" if its_work else ""
        return (
            f"{f'{job.work_text(works)}; ranks' if works else 'Ranks'} "
            f"wait {'longer' if longer else 'less'} in collectives: {change_text(own)} per step{of_it}; "
            f"{key} {'is' if longer else 'was'} late{f' ({does})' if does else ''}; per step and rank, waiting "
            f"{times_text(before.waiting_us, after.waiting_us)}, transfer "
            f"{times_text(before.transfer_us, after.transfer_us)}."
        )

    return cause(
        context, LATE_RANK, key, COMMUNICATION, fsum(explains.values()), sentence,
        (Evidence("ranks", key), Evidence("communication", first), *evidence),
        confidence=WORK_COUNTED if works else "", explains=explains,
        look_at=WORK_GIVEN if works else LATE_RANK.look_at.replace("that rank", key),
    )  # fmt: skip


LATE_RANK = Rule(
    names=("late_rank",),
    meaning="ranks wait for one of them",
    when="All workers recorded the same steps. [Waiting](ranks.md#waiting-and-transfer) makes half of the change, and "
    "a larger number of collectives does not. The late rank is the one that waits least",
    tables=("communication",),
    look_at="what that rank does before its collectives: data loading, uneven work, a slower device",
    confidence="the others wait for the rank with the shortest collectives",
    find=late_rank_rules,
    rank=2,
)
