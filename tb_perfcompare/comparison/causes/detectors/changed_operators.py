"""Changed operators: new, gone, or called a different number of times. Calls are counted, so noise does not hide
them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import fsum

from tb_perfcompare.comparison.causes.detectors.changed_operator_calls import (
    MIN_STEPS_SHARE,
    both_recorded,
    explained_time,
    gaps_of_calls,
    hidden_by_machine,
    in_most_steps,
    kernels_of,
    launches_graphs,
)
from tb_perfcompare.comparison.causes.detectors.changed_operator_words import (
    FEWER,
    MORE,
    SAID,
    Changed,
    Groups,
    gaps_clause,
    in_naming_order,
    naming_clauses,
    take_most,
    title_of,
)
from tb_perfcompare.comparison.causes.detectors.machine.of_machine import OF_MACHINE
from tb_perfcompare.comparison.causes.detectors.more_calls import MORE_CALLS
from tb_perfcompare.comparison.causes.detectors.ranks.collectives import COLLECTIVE_SLOWER
from tb_perfcompare.comparison.causes.detectors.replaced_calls import evidence_on
from tb_perfcompare.comparison.causes.detectors.synchronization import SYNCHRONIZATION, waiting_operator
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Explains, Part
from tb_perfcompare.comparison.causes.evidence.general_rules import RECORDED, more_recorded
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, recounted_operators
from tb_perfcompare.comparison.causes.evidence.known_settings import (
    is_recounted_update,
    known_setting,
    setting_of_arguments,
    telling,
)
from tb_perfcompare.comparison.causes.evidence.places.annotations import mostly_in
from tb_perfcompare.comparison.causes.evidence.places.growing import KEPT, growing_clause
from tb_perfcompare.comparison.causes.evidence.places.recomputed import in_hooks, recomputed
from tb_perfcompare.comparison.causes.evidence.places.recurring_steps import recurring_operators
from tb_perfcompare.comparison.causes.evidence.places.where_called import after_update, inside_clause, modules_clause
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import EntityRows
from tb_perfcompare.comparison.result.wording import signed_time
from tb_perfcompare.model.api_calls import WAIT
from tb_perfcompare.model.names.collective_names import is_collective_operator
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.summary.categories import CPU_EXEC, OTHER

MIN_OPPOSITE_RATIO = 0.1
"""Least ratio of the smaller to the larger sum at which increases and decreases get separate findings."""

MIN_ONE_SIDED, MIN_ONE_SIDED_SHARE = 4, 0.1
"""At least this many one-sided operators, with at least this share of the change, are reported in addition to waits
that explain it. Only reading back a result adds fewer."""

_NAMES = {MORE: "more_calls", FEWER: "fewer_calls"}
"""Titles that mean the same as another rule, and that rule's name."""


def changed_operator_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """One finding for all operators whose calls differ, unless other causes explain it. None if operators are
    recorded on one side only, or if graphs are replayed."""
    every, rules = [operator for operator in _changed(context) if not _is_told(operator, explained)], explained.rules
    # work in loader processes or hidden behind the device has no exposed time
    changed = [operator for operator in every if operator.delta_us]
    # a change too small to matter is reported only if nothing else is found
    least_us = context.least_us if rules or all(operator.is_in_both for operator in changed) else 0.0
    parts = _by_direction(context, changed) if changed else []
    finding_on = partial(_cause_of, context, is_all=len(parts) == 1, of_more_work=bool(rules & set(MORE_CALLS.names)))
    for number, part in enumerate(parts):
        if not explained.covers_time(_with_hooks(context, part, _time(part))):
            change = finding_on(_left(context, part, explained), explained=None if number else explained)
            if abs(change.finding.change_us) >= least_us:
                yield change
            continue
        # the waits account for the time that they expose; new operators in it are still reported by count, and so
        # are calls that decide the verdict
        waits = SYNCHRONIZATION.names[0] in rules and _matters(context, part)
        decides = context.headline.counted is not None and rules <= OF_MACHINE and not number
        if waits or decides:
            yield finding_on(part, is_counted=True)
    if rules & OF_MACHINE and (hidden := hidden_by_machine(context, every)):
        yield finding_on(hidden, is_counted=True)


def _changed(context: RuleContext) -> list[Changed]:
    """Operators and annotations whose calls differ."""
    operators = context.amounts("operators", "host_total")
    if not both_recorded(operators) or launches_graphs(context):
        return []
    steady = in_most_steps(context.baseline) | in_most_steps(context.candidate)
    certain = recounted_operators(context)
    recurring = recurring_operators(context.baseline) ^ recurring_operators(context.candidate)
    counted = {
        key[0]: amount for key, amount in operators.items()
        if (key[0] in recurring and not (amount.calls_a and amount.calls_b))
        or (key[0] in steady and (key[0] in certain or call_count_changed(amount.calls_a, amount.calls_b)))
    }  # fmt: skip
    host = context.entities(CPU_EXEC)
    own = {name: host[at] for at, name in enumerate(host.key) if name in counted}
    kernels = kernels_of(context, counted)
    changed = [
        Changed(name, amount, explained_time(context, name, own.get(name), kernels.get(name, {}), amount))
        for name, amount in counted.items()
    ]
    return changed + (_annotations(context, host, operators) if changed else [])


def _is_told(operator: Changed, explained: Explained) -> bool:
    """Whether other causes are about the calls of an operator."""
    of_all = operator.is_in_both and not explained.rules.isdisjoint(MORE_CALLS.names)
    slower = is_collective_operator(operator.name) and not explained.rules.isdisjoint(COLLECTIVE_SLOWER.names)
    return of_all or slower or explained.has_most_calls(operator.name, operator.calls.more_calls)


def _matters(context: RuleContext, changed: list[Changed]) -> bool:
    """Whether operators that only one side has, and that do not wait for the device, make a substantial part of the
    change."""
    waiting = context.callers(WAIT)
    one_sided = [operator.delta_us for operator in changed if not operator.is_in_both and operator.name not in waiting]
    share = fsum(one_sided) / context.delta_us if context.delta_us else 0.0
    return len(one_sided) >= MIN_ONE_SIDED and share >= MIN_ONE_SIDED_SHARE


def _by_direction(context: RuleContext, changed: list[Changed]) -> list[list[Changed]]:
    """Increases and decreases as separate groups, the larger first, if each makes a substantial part, because a sum
    would hide both; else one group. New operators stay with those they replaced."""
    one_sided = [operator for operator in changed if not operator.is_in_both]
    replaced = {bool(operator.calls.calls_a) for operator in one_sided} == {False, True}
    units = [one_sided] if replaced else []
    units += [[operator] for operator in changed if operator.is_in_both or not replaced]
    sums = [fsum(operator.delta_us for operator in unit) for unit in units]
    more, less = (fsum(us for us in sums if sign * us > 0) * sign for sign in (1, -1))
    if min(more, less) < max(context.least_us, MIN_OPPOSITE_RATIO * max(more, less)):
        return [changed]
    parts = [
        [operator for unit, us in zip(units, sums, strict=True) if sign * us > 0 for operator in unit]
        for sign in (1, -1)
    ]
    if more == less:  # exchanged sides keep the order
        return sorted(parts, key=lambda part: (all(one.is_in_both for one in part), min(one.name for one in part)))
    return parts if more > less else parts[::-1]


def _cause_of(
    context: RuleContext, changed: list[Changed], *, is_all: bool, of_more_work: bool, is_counted: bool = False,
    explained: Explained | None = None,
) -> Cause:  # fmt: skip
    """One finding on these operators. `of_more_work`: another finding says which modules and calls are more;
    `is_counted`: another cause accounts for the time. `explained`: the finding also explains the gaps around the
    operators, if other causes do not."""
    amounts = {operator.name: operator.calls for operator in changed}
    own = _time(changed)
    around = gaps_of_calls(context, set(amounts), own, explained) if explained is not None else {}
    explains = _with_hooks(context, changed, own | around)
    delta = fsum(explains.values())
    every = new, gone, others = in_naming_order(context, changed, telling(context, amounts))
    is_again = _are_recomputed(context, changed, delta)
    about = Groups([], [], others) if is_again or take_most(others, (*new, *gone)) else every
    named = [operator.name for group in every for operator in group]
    growing = "" if of_more_work else growing_clause(context, amounts, named)
    again = f"Activations are {'' if delta > 0 else 'no longer '}recomputed in the backward pass"
    rule, title = (RECOMPUTATION, again) if is_again else (OPERATORS_CHANGED, title_of(about, delta))
    look_at = "" if is_again else _looked_at(context, amounts, around, growing)
    calls_first = not (about.new or about.gone)
    # the title, right before the names, already says what changed
    follows = is_counted and not (calls_first and (new or gone))
    clauses = naming_clauses(context, every, calls_first=calls_first, said=SAID.get(title, "both" if follows else ""))
    title += mostly_in(context, own) or _after_update(context, about)
    inside = "" if is_again else inside_clause(context, total(amounts.values()).more_calls)
    modules = "" if of_more_work else modules_clause(context, delta)

    def sentence(own: Explains) -> str:
        time = f": {change_text(own)} per step{gaps_clause(around, own)}"
        if is_counted:
            time = " per step" if follows and not (new and gone) else ""
        what = "; ".join([*clauses, *filter(None, (growing,))])
        return f"{title}{time}{': ' if follows else '; '}{what}{inside}{modules}."

    return cause(
        context, rule, (about.new or about.gone or about.others)[0].name, "all", None if is_counted else delta,
        sentence, _rows_of(context, changed, every, delta),
        explains={} if is_counted else explains, name=_NAMES.get(title, "") if is_all else "", look_at=look_at,
        calls={operator.name: operator.calls.more_calls for operator in changed},
        how=f"casts and copies {signed_time(delta)}: {'; '.join(clauses)}",
    )  # fmt: skip


def _looked_at(
    context: RuleContext, amounts: Mapping[str, Amount], around: Collection[Part], growing: str
) -> str:  # fmt: skip
    """What to look at: a setting that these operators tell, what grows, or a recording without functions if these take
    much of the time."""
    recorded = RECORDED if (OTHER, "") in around and more_recorded(context.entities(OTHER)) else ""
    return known_setting(context, amounts) or (KEPT if growing else setting_of_arguments(context)) or recorded


def _after_update(context: RuleContext, about: Groups) -> str:
    """Clause on operators that only one side has, if they run after the optimizer's step; "" if not."""
    if bool(about.new) == bool(about.gone):
        return ""
    side = context.candidate if about.new else context.baseline
    return after_update(side, [operator.name for operator in (*about.new, *about.gone) if not operator.annotation])


def _rows_of(context: RuleContext, changed: list[Changed], groups: Groups, delta: float) -> tuple[Evidence, ...]:
    """Rows of the first operator of each group, and of the one that waits for the device more (less) often."""
    waiting, _ = waiting_operator(context, 1 if delta > 0 else -1)
    shown = (*(group[0] for group in groups if group), *(one for one in changed if one.name == waiting))
    return tuple(dict.fromkeys(evidence_on(one.name, of_operator=not one.annotation) for one in shown))


def _time(changed: Iterable[Changed]) -> dict[Part, float]:
    """Part -> time that the calls of these operators explain; several may have parts of one kernel."""
    return total_by_key(part for operator in changed for part in operator.explains.items())


def _with_hooks(context: RuleContext, changed: Iterable[Changed], explains: dict[Part, float]) -> dict[Part, float]:
    """Adds what the hooks take that recompute these operators."""
    is_again = _are_recomputed(context, changed, fsum(explains.values()))
    return explains | in_hooks(context, explains) if is_again else explains


def _are_recomputed(context: RuleContext, changed: Iterable[Changed], delta: float) -> bool:
    """Whether operators of both sides run again in the backward pass, or no longer do."""
    again = context.once(recomputed)
    return fsum(again.get(operator.name, 0.0) for operator in changed if operator.is_in_both) * delta > 0


def _left(context: RuleContext, changed: list[Changed], explained: Explained) -> list[Changed]:
    """The operators with what other causes leave of their time."""
    time = _time(changed)
    share = {part: us / time[part] if time[part] else 0.0 for part, us in explained.rests(context, time).items()}
    return [
        replace(operator, explains={part: us * share[part] for part, us in operator.explains.items()})
        for operator in changed
    ]


def _annotations(context: RuleContext, host: EntityRows, operators: Mapping[Key, Amount]) -> list[Changed]:
    """Annotations that only one side has, in most of its steps, and steps of optimizers that one side makes more often.
    Compiled regions have their own rule."""
    called = {key[0] for key in operators}
    found = []
    for row in host:
        name, calls = row.path[1], Amount(*row.calls, row.baseline / context.unit, row.candidate / context.unit)
        if name in called or is_compiled(name):
            continue
        if row.status != "both" and sum(row.calls) >= MIN_STEPS_SHARE:
            found.append(Changed(name, calls, {(CPU_EXEC, name): row.delta / context.unit}, annotation=True))
        elif is_recounted_update(name, calls):
            found.append(Changed(name, calls, {(CPU_EXEC, name): context.counted_us(row)}, annotation=True))
    return found


OPERATORS_CHANGED = Rule(
    names=("operators_changed",),
    meaning="operators are new, gone, replaced or called another number of times",
    when="Operators run more or less often in most steps, or one side's alone in every k-th, and no other rule "
    "explains it. If all run more often and none is new, the name is `more_calls`",
    tables=("operators",),
    confidence="certain: calls are counted",
    find_rest=changed_operator_rules,
    order=4,
    rank=4,
    of_library=True,
)
RECOMPUTATION = Rule(
    names=("recomputation", "recomputation_gone"),
    meaning="activations are recomputed in the backward pass (checkpointing)",
    when="Operators that compute run in the backward pass of one side only. The forward pass calls them as often on "
    "both sides",
    tables=("operators",),
    look_at="torch.utils.checkpoint, gradient_checkpointing_enable(), activation checkpointing of the training "
    "library; whether the memory it saves is needed",
    confidence="certain: calls are counted",
    find_rest=changed_operator_rules,
    order=4,
    rank=4,
)
