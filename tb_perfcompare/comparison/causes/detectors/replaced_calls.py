"""Operators in whose place others are called: written out, fused, or in a loop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from math import fsum

from tb_perfcompare.comparison.causes.detectors.changed_operator_calls import (
    both_recorded,
    gaps_of_calls,
    in_most_steps,
    launches_graphs,
)
from tb_perfcompare.comparison.causes.detectors.changed_operator_words import counted_name, gaps_clause
from tb_perfcompare.comparison.causes.detectors.more_calls import more_calls_rules, times_as_often
from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Explains
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, is_same_runtime
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, has_same_inputs, other_inputs, values_of
from tb_perfcompare.comparison.causes.evidence.known_settings import PARENTS, known_setting
from tb_perfcompare.comparison.causes.evidence.places.annotations import mostly_in
from tb_perfcompare.comparison.causes.evidence.places.replaced_operators import replacements
from tb_perfcompare.comparison.causes.evidence.places.replacement import Place, Replacement
from tb_perfcompare.comparison.causes.evidence.places.where_called import inside_clause
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import and_others, many, short
from tb_perfcompare.model.api_calls import WAIT
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.summary.categories import CPU_EXEC

MAX_REPLACED_NAMED = 4
"""Operators named on either side of a replacement."""


def replaced(context: RuleContext) -> list[Replacement]:
    """Operators in whose place others are called; none if operators are recorded on one side only, if graphs are
    replayed, or if code is compiled."""
    operators = context.amounts("operators", "host_total")
    if not both_recorded(operators) or launches_graphs(context) or not is_same_runtime(context):
        return []
    steady = in_most_steps(context.baseline) | in_most_steps(context.candidate)
    changed = {
        key[0] for key, amount in operators.items() if call_count_changed(amount.calls_a, amount.calls_b)
    } & steady
    if not changed or any(map(is_compiled, changed)):
        return []
    operator_names = {key[0] for key in operators}
    return replacements(context, times_as_often(context), lambda name: name in steady or name not in operator_names)


def with_replaced_calls(context: RuleContext) -> frozenset[str]:
    """Operators whose own time follows from calls in them that were replaced."""
    return frozenset().union(*(one.changed_around for one in context.once(replaced)))


def replaced_operator_rules(context: RuleContext) -> Iterator[Cause]:
    """One finding for each operator in whose place others are called, whatever their times."""
    explained = Explained(context.once(_more_calls).causes)
    for replacement in context.once(replaced):
        change = _replacement(context, replacement, explained)
        explained.add(change)
        yield change


def _replacement(context: RuleContext, replacement: Replacement, explained: Explained) -> Cause:
    """The finding on a replacement. `explained`: what more calls and the replacements before it explain."""
    names = {one.frame.key[2] for top in replacement.all for one in top.walk()}
    operators = {key[0] for key in context.amounts("operators", "host_total")}
    same = {name for name in replacement.moved if has_same_inputs(context, name)}
    explains = context.once(_more_calls).rests(context, replacement.explains(context.unit, without=same))
    calls_of = replacement.operator_calls()
    where = mostly_in(context, explains)
    around = gaps_of_calls(context, names, replacement.explains(context.unit), explained)
    explains |= around
    delta, more = fsum(explains.values()), sum(calls_of.values())
    look_at, rule = PARENTS.get(replacement.parent) or known_setting(context, _amounts(context, names)), ""
    if replacement.parent:
        where = f" in {short(replacement.parent)}"
        if inputs := other_inputs(context, replacement.parent):
            where, look_at, rule = f"{where}, {inputs.clause}", INPUTS, inputs.rule
        elif called := values_of(context, replacement.parent):
            where, look_at = f"{where}, {called.clause}", called.look_at
    count, _, what = many(abs(more), "operator call").partition(" ")
    calls = f", {count} {'more' if more > 0 else 'fewer'} {what}" if more else ""
    subject, what_changed = _what_changed(context, replacement, operators)
    first = max(replacement.went, key=lambda place: (not place.is_backward, place.frame.baseline, place.name))
    new = max(replacement.came, key=lambda place: (not place.is_backward, place.frame.candidate, place.name))
    how = f"{what_changed}{inside_clause(context, more)}"

    def sentence(own: Explains) -> str:
        return f"{subject} replaced{where}: {change_text(own)} per step{gaps_clause(around, own)}{calls}; {how}."

    return cause(
        context, OPERATOR_REPLACED, first.frame.key[2], "all", delta, sentence,
        tuple(evidence_on(place.frame.key[2], of_operator=place.frame.key[2] in operators) for place in (first, new)),
        name=rule, look_at=look_at, explains=explains, calls=calls_of, how=f"{subject.lower()} replaced: {how}",
    )  # fmt: skip


def _more_calls(context: RuleContext) -> Explained:
    """What more (fewer) calls of all work explain."""
    return Explained(more_calls_rules(context))


def evidence_on(name: str, *, of_operator: bool) -> Evidence:
    """Row of an operator, or of an annotation."""
    return Evidence("operators", name) if of_operator else Evidence("ledger", f"{CPU_EXEC} / {name}")


def _amounts(context: RuleContext, names: Collection[str]) -> dict[str, Amount]:
    operators = context.amounts("operators", "host_total")
    changed = {name: operators[(name,)] for name in names if (name,) in operators}
    return {name: amount for name, amount in changed.items() if amount.more_calls}


def _what_changed(context: RuleContext, replacement: Replacement, operators: Collection[str]) -> tuple[str, str]:
    """What was replaced, and by what: ("Optimizer", "SGD → AdamW"), ("Module", "8 LayerNorm → 8 RMSNorm, in them
    8 aten::layer_norm → 8 aten::rms_norm")."""
    if replacement.optimizers is not None:
        return "Optimizer", " → ".join(", ".join(sorted(names)) for names in replacement.optimizers)
    text = _change_text(context, replacement.went, replacement.came, operators)
    if not replacement.is_of_modules:
        return "Operator", text
    went, came = ([one for top in side for one in top.operators()] for side in (replacement.went, replacement.came))
    return "Module", f"{text}, in them {_change_text(context, went, came, operators)}"


def _change_text(
    context: RuleContext, went: list[Place], came: list[Place], operators: Collection[str]
) -> str:  # fmt: skip
    return " → ".join(_places_text(context, side, operators) or "none" for side in (went, came))


def _places_text(context: RuleContext, places: list[Place], operators: Collection[str]) -> str:
    """Places by name: "36 aten::mul, 4 aten::item (waiting for the device) and 2 others": annotations, then
    operators, largest first. Operators of the backward pass only if there are no others."""
    names: dict[str, list[Place]] = {}
    for place in places:
        names.setdefault(place.recorded_name, []).append(place)
    ordered = sorted(
        names.items(),
        key=lambda item: (
            item[1][0].frame.key[2] in operators,
            -sum(max(one.frame.baseline, one.frame.candidate) for one in item[1]), item[0],
        ),
    )  # fmt: skip
    forward = [item for item in ordered if not item[1][0].is_backward] or ordered
    listed = ", ".join(
        f"{counted_name(abs(sum(one.more_calls for one in group)), name)}{_waiting(context, group)}"
        for name, group in forward[:MAX_REPLACED_NAMED]
    )
    return f"{listed}{and_others(len(forward) - MAX_REPLACED_NAMED)}"


def _waiting(context: RuleContext, places: Iterable[Place]) -> str:
    """" (waiting for the device)" if the host does so at each of these places, else ""."""
    waiting = context.callers(WAIT).keys()
    waits = all(any(one.frame.key[2] in waiting for one in place.walk()) for place in places)
    return " (waiting for the device)" if waits else ""


OPERATOR_REPLACED = Rule(
    names=("operator_replaced",),
    meaning="an operator was replaced by others (written out, fused, in a loop), or a module or optimizer by another",
    when="At the same place inside one parent operator, some operators run less often and others more often. Not if "
    "the parent has other inputs",
    tables=("operators",),
    confidence="certain: calls are counted",
    find=replaced_operator_rules,
    rank=3,
    of_library=True,
)
