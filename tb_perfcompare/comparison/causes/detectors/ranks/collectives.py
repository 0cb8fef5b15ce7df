"""Collectives take longer themselves, or are no longer hidden behind kernels."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.detectors.ranks.exposed_collectives import (
    MAIN_SHARE,
    ExposedCollectives,
    exposed_collectives,
    splits,
)
from tb_perfcompare.comparison.causes.detectors.ranks.late_rank import find_late_rank
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.known_settings import look_at_collectives
from tb_perfcompare.comparison.causes.evidence.places.annotations import annotations_around
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.bus_bandwidth import bandwidth_text
from tb_perfcompare.comparison.ranks.sentences import changed_rank
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time, times_text
from tb_perfcompare.model.names.collective_names import is_collective_operator
from tb_perfcompare.model.summary.categories import COMMUNICATION, CPU_EXEC

NAMED = 0.25
"""Share of the change from which the operators that call the collectives are said to make a part of it."""

_ON_CPU = "the transfer itself, the same on all ranks; one rank whose CPU is busy slows it"
"""Confidence in slower collectives of gloo or MPI, whose transfers are threads of the ranks."""


def collective_rules(context: RuleContext) -> Iterator[Cause]:
    """The collectives' own part of exposed communication. It is significant, unless their number makes it; none if
    ranks wait for a late one."""
    collectives = context.once(exposed_collectives)
    if collectives is None or context.once(find_late_rank) is not None:
        return
    if not collectives.are_mainly_more and not context.is_clear(COMMUNICATION):
        return
    exposed, delta = collectives.exposed_us, collectives.amount.delta_us
    if abs(delta) >= MAIN_SHARE * abs(exposed) and delta * exposed >= 0:
        yield _slower_cause(context, collectives)
    elif collectives.on_device:  # host work is never hidden behind the host
        yield _overlap(context, collectives)


def _slower_cause(context: RuleContext, collectives: ExposedCollectives) -> Cause:
    amount, exposed, first = collectives.amount, collectives.exposed_us, collectives.largest
    more, slower = ("More", "slower") if exposed > 0 else ("Fewer", "faster")
    before, after = context.once(splits)
    ranks, transfer, confidence, look_at = "", None, "", COLLECTIVE_SLOWER.look_at
    if not collectives.on_device:
        confidence, look_at = _ON_CPU, f"other load on the cores of each rank; {look_at}"
    if before is None or after is None:
        several = context.job is not None and context.job.has_several
        alone = "no collective of one rank matches one of another" if several else "only one rank is compared"
        ranks = f"; {alone}: waiting for a late rank would look the same"
        confidence = "a late rank would look the same"
        look_at = f"{look_at}; {'the work of each rank (table ranks)' if several else 'compare all ranks'}"
    elif before.is_whole and after.is_whole:
        transfer = before.transfer_us, after.transfer_us
    if context.job is not None and (changed := changed_rank(context.job, context.least_us, context.options)):
        ranks += f"; {changed}"
    title, calls, what = f"Collectives are {slower}", "", ""
    explains: dict[Part, float] = {(COMMUNICATION, ""): exposed}
    if collectives.are_more:
        title, first = f"{more} collectives", collectives.largest_of_more
        explains |= _in_callers(context, exposed)
        calls = f"{numbers_text(amount.calls_a, amount.calls_b)} calls, "
        confidence = "certain: calls are counted"
        # gloo reduces all to scatter: only the operator tells
        others = (name for name, in (*context.amounts("communication"), *context.amounts("operators", "host_total")))
        look_at = look_at_collectives(first, others) or look_at
        around = _annotations_around(context, exposed)
        what = f" in {short(around[0])}" if around else ""
    times = amount.us_a, amount.us_b

    def sentence(own: Explains) -> str:
        return (
            f"{title}: {change_text(own)} exposed per step{_in_callers_clause(own)}; collectives take {calls}"
            f"{times_text(*times)} per step, mostly {short(first)}{what}"
            f"{bandwidth_text(context, times, transfer)}{ranks}."
        )

    return cause(
        context, COLLECTIVE_SLOWER, first, COMMUNICATION, fsum(explains.values()), sentence,
        (Evidence("communication", first),), confidence=confidence, look_at=look_at, explains=explains,
    )  # fmt: skip


def _in_callers(context: RuleContext, exposed: float) -> dict[Part, float]:
    """Time of the operators that call more (fewer) collectives, which are not named, and of the code around them in
    the innermost annotation."""
    around = _annotations_around(context, exposed)[:1]
    changes = {
        row.path: context.counted_us(row) if is_collective_operator(row.path[1]) else row.delta / context.unit
        for row in context.entities(CPU_EXEC) if is_collective_operator(row.path[1]) or row.path[1] in around
    }  # fmt: skip
    return {(CPU_EXEC, path[1]): us for path, us in changes.items() if us * exposed > 0}


def _annotations_around(context: RuleContext, exposed: float) -> list[str]:
    """Annotations that most of the collectives' time is in, innermost first."""
    return annotations_around(context, {(CPU_EXEC, ""): exposed})


def _in_callers_clause(explains: Explains) -> str:
    """Clause on the part in the code that calls collectives; "" if it is small."""
    us = fsum(part_us for (category, _), part_us in explains.items() if category != COMMUNICATION)
    is_named = abs(us) >= NAMED * abs(fsum(explains.values()))
    return f", {signed_time(us)} of it in the code that calls them" if is_named else ""


def _overlap(context: RuleContext, collectives: ExposedCollectives) -> Cause:
    amount, exposed, first = collectives.amount, collectives.exposed_us, collectives.largest
    lost = exposed > 0
    calls = numbers_text(amount.calls_a, amount.calls_b)
    recounted = f"{calls} calls, " if call_count_changed(amount.calls_a, amount.calls_b) else ""

    def sentence(own: Explains) -> str:
        return (
            f"Communication is now {'exposed' if lost else 'hidden'}: {change_text(own)} exposed per step, "
            f"{'less' if lost else 'more'} overlap with compute; collectives take {recounted}"
            f"{times_text(amount.us_a, amount.us_b)} per step, mostly {short(first)}."
        )

    return cause(
        context, OVERLAP_LOST, first, COMMUNICATION, exposed, sentence, (Evidence("communication", first),)
    )  # fmt: skip


COLLECTIVE_SLOWER = Rule(
    names=("collective_slower", "collective_faster"),
    meaning="collectives take longer themselves",
    when="Exposed communication grew, half of it because collectives take longer. With one rank per side, a late rank "
    "looks the same",
    tables=("communication",),
    look_at="network and topology, message sizes (table communication_by_message)",
    confidence="the transfer itself, the same on all ranks",
    find=collective_rules,
    rank=2,
)
OVERLAP_LOST = Rule(
    names=("overlap_lost", "overlap_gained"),
    meaning="communication is exposed: less overlap with compute",
    when="Exposed communication grew, less than half of it because collectives take longer",
    tables=("communication",),
    look_at="overlap with the backward pass: bucket sizes, streams, find_unused_parameters, parameter order",
    confidence="what runs alongside the collectives changed, not mainly their own time",
    find=collective_rules,
    rank=2,
)
