"""Parts of uninterrupted steps that changed, if steps as recorded hide the program's change."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE
from tb_perfcompare.comparison.causes.detectors.machine.recording import costlier_to_record
from tb_perfcompare.comparison.causes.detectors.replaced_calls import with_replaced_calls
from tb_perfcompare.comparison.causes.detectors.slower_operator import (
    MAIN_SHARE,
    OPERATOR_SLOWER,
    layout_clause,
    look_at_range,
    what_is_slower,
)
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained
from tb_perfcompare.comparison.causes.evidence.general_rules import GENERAL, PYTHON, category_words
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import UNINTERRUPTED_TABLE, Evidence, UninterruptedPart
from tb_perfcompare.comparison.result.wording import percent_text, short, signed_time, times_text
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED, StepCategory

MAX_NAMED = 3
"""Parts of a step that a sentence names."""


def uninterrupted_rules(context: RuleContext) -> Iterator[Cause]:
    """The part that makes half of a program's change in uninterrupted steps, if interruptions are most of the change
    of recorded operators."""
    part = _dominant_part(context)
    if part is not None and part.entity != NOTHING_RECORDED:
        yield _uninterrupted(context, part)


def uninterrupted_rest_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """Time between events, unless operators that only one side calls explain most of it; or the largest parts of the
    change, if no rule explains it."""
    whole, part = context.uninterrupted_us, _dominant_part(context)
    if part is not None and part.entity == NOTHING_RECORDED:
        of_operators = explained.by_category().get(part.category, 0.0)
        if abs(of_operators) < MAIN_SHARE * abs(part.delta_us):
            yield _uninterrupted(context, part)
            return
    if abs(whole) < context.least_us or not whole or explained.rules - {*MACHINE_PACE.names}:
        return
    parts = sorted(_grown_parts(context), key=lambda part: (-abs(part.delta_us), part.category, part.entity))
    grown = parts[:MAX_NAMED]
    if abs(math.fsum(part.delta_us for part in grown)) < MAIN_SHARE * abs(whole):
        return
    clauses = [
        f"{category_words(part.category) if part.entity == NOTHING_RECORDED else short(part.entity)} "
        f"{signed_time(part.delta_us)} ({times_text(*part.us)})"
        for part in grown
    ]
    yield cause(
        context, UNINTERRUPTED_REST, grown[0].entity, grown[0].category, whole,
        f"CPU time without interruptions: {signed_time(whole)} per step; {', '.join(clauses)}.",
        (Evidence(UNINTERRUPTED_TABLE, grown[0].entity),), explains={}, of_the_step=False,
    )  # fmt: skip


def _grown_parts(context: RuleContext) -> list[UninterruptedPart]:
    """Parts that changed in the program's direction in all captures."""
    way = context.uninterrupted_us
    return [part for part in context.uninterrupted if part.gap * way > 0 and part.delta_us * way > 0]


def _dominant_part(context: RuleContext) -> UninterruptedPart | None:
    """The part, called as often on both sides if it is called, that makes half of the change; None if there is none.
    If recording costs more, annotations do not count, because they are Python code."""
    whole = context.uninterrupted_us
    inner = context.once(with_replaced_calls)
    often = [
        part for part in _grown_parts(context)
        if min(part.us) > 0 and part.entity not in inner
        and (part.entity == NOTHING_RECORDED or not call_count_changed(*part.calls))
    ]  # fmt: skip
    if costlier_to_record(context, whole):
        often = [part for part in often if context.amount("operators", "host_self", part.entity) is not NOTHING]
    most = max(often, key=lambda part: (abs(part.delta_us), part.category, part.entity), default=None)
    return most if most is not None and abs(most.delta_us) >= max(MAIN_SHARE * abs(whole), context.least_us) else None


def _uninterrupted(context: RuleContext, part: UninterruptedPart) -> Cause:
    whole = context.uninterrupted_us
    category = StepCategory(CATEGORY_LABELS.index(part.category))
    rule, subject, look_at = GENERAL[category], GENERAL[category].meaning, ""
    if category is StepCategory.CPU_EXEC:
        is_range = context.amount("operators", "host_self", part.entity) is NOTHING
        rule = OPERATOR_SLOWER
        subject = what_is_slower(whole > 0, is_range=is_range)
        look_at = look_at_range(context, None) if is_range else ""
    elif category is StepCategory.OTHER and part.entity != NOTHING_RECORDED:
        subject = PYTHON
    named = "" if part.entity == NOTHING_RECORDED else f"{short(part.entity)} "
    sentence = (
        f"{subject[0].upper()}{subject[1:]}: {named}{signed_time(part.delta_us)} per step without interruptions "
        f"({times_text(*part.us)}), {percent_text(part.delta_us / whole)} of the program's change"
        f"{layout_clause(context, part.entity)}."
    )
    return cause(
        context, UNINTERRUPTED, part.entity, part.category, part.delta_us, sentence,
        (Evidence(UNINTERRUPTED_TABLE, part.entity),),
        name=rule.names[-1 if whole < 0 else 0], look_at=look_at or rule.look_at, of_the_step=False,
        explains={(part.category, part.entity): part.delta_us},
    )  # fmt: skip


UNINTERRUPTED = Rule(
    names=("operator_slower", "operator_faster"),
    meaning="one operator is slower on the host, without interruptions",
    when="The program is slower, but recorded steps do not show it. One operator makes half of the change of "
    "[uninterrupted steps](program_or_machine.md#interruptions-and-stalls). Other parts of the step have the "
    "names `data_loader` and `unrecorded_time`",
    look_at="",
    confidence="captures of the two sides do not overlap, interruptions left out",
    find=uninterrupted_rules,
    rank=2,
    same_work=True,
)
UNINTERRUPTED_REST = Rule(
    names=("host_time",),
    meaning="CPU time without interruptions",
    when="As in the row above, but up to three parts of the step together make half, and no other rule finds a cause",
    look_at="these operators and the Python code around them",
    confidence="captures of the two sides do not overlap, interruptions left out",
    find_rest=uninterrupted_rest_rules,
    order=6,
    same_work=True,
)
