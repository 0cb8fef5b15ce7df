"""Changed operators: new, gone, replaced, or called a different number of times. Calls are counted, so noise does not
hide them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from math import fsum
from typing import NamedTuple

from tb_perfcompare.comparison.causes.detectors.collectives import COLLECTIVE_SLOWER
from tb_perfcompare.comparison.causes.detectors.more_calls import MORE_CALLS, more_calls_rules, times_as_often
from tb_perfcompare.comparison.causes.detectors.other_work import is_backward
from tb_perfcompare.comparison.causes.detectors.synchronization import SYNCHRONISATION, waiting_operator
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Explained, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.fastest_calls import fastest_calls
from tb_perfcompare.comparison.causes.evidence.gaps_around import gaps_around, is_of_gaps
from tb_perfcompare.comparison.causes.evidence.host_time import (
    CPU_EXEC,
    call_count_changed,
    is_same_runtime,
    recounted_operators,
)
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, has_same_inputs, other_inputs, values_of
from tb_perfcompare.comparison.causes.evidence.known_settings import (
    is_recounted_update,
    known_setting,
    setting_of_arguments,
    telling,
)
from tb_perfcompare.comparison.causes.evidence.moved_inside import called_by_others
from tb_perfcompare.comparison.causes.evidence.recomputed import AUTOGRAD, in_hooks, recomputed
from tb_perfcompare.comparison.causes.evidence.replaced_operators import (
    MOVED_CALL_RATIO,
    Place,
    Replacement,
    backward_of,
    plain_name,
    replacements,
)
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, Key, RuleContext, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.where_called import (
    KEPT,
    after_update,
    annotations_around,
    growing_clause,
    inside_clause,
    modules_clause,
    mostly_in,
    where_called,
)
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow
from tb_perfcompare.comparison.result.wording import calls_text, many, number_text, numbers_text, short, signed_time
from tb_perfcompare.model.api_calls import GRAPH_LAUNCH, LAUNCH, WAIT
from tb_perfcompare.model.api_calls import calls as is_role
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.names import is_collective_operator
from tb_perfcompare.model.names.work_kinds import FILLS, MOVING, MOVING_CALLERS, VIEWS, work_kind
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, StepCategory, Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_STEPS_SHARE = 0.5
"""Share of its side's steps that have to call an operator for it to belong to the program."""

MAX_REPLACED_NAMED = 4
"""Operators named on either side of a replacement."""

MAX_NAMED = 3
"""Operators of each kind that a sentence names."""

MIN_DETAIL_SHARE = 0.25
"""Share of a finding's time from which a view or a copy is named before operators that compute."""

MIN_REPLACED_RATIO = 0.1
"""Least ratio of the smaller to the larger time for new and gone operators to count as a replacement, unless they
compute the same kind of work."""

MIN_OPPOSITE_RATIO = 0.1
"""Least ratio of the smaller to the larger sum at which increases and decreases get separate findings."""

MOST_TIME = 0.8
"""Share of the time from which operators of both sides are named before those of one side."""

MIN_ONE_SIDED, MIN_ONE_SIDED_SHARE = 4, 0.1
"""At least this many one-sided operators, with at least this share of the change, are reported in addition to waits
that explain it. Only reading back a result adds fewer."""

LARGER, AS_FAST = 2.0, 1.25
"""Least ratio of the times per call, and largest ratio of the fastest calls, by which additional calls take longer than
those that both sides make."""

MIN_GAPS_SHARE = 0.25
"""Share of a finding's change from which the gaps around the operators are mentioned."""

KERNEL, OTHER = (CATEGORY_LABELS[category] for category in (StepCategory.KERNEL, StepCategory.OTHER))

AS_MEASURED = "; their time is measured"
"""End of the confidence of findings on some operators: others need not have become slower with them."""

_MOVES = VIEWS | MOVING | MOVING_CALLERS | FILLS

_OF_MACHINE = {"host_interrupted", "host_pace", "waiting_threads", "device_interrupted", "device_pace"}
"""Rules that explain the time of calls, not their number."""

_NAMES = {"More calls": "more_calls", "Fewer calls": "fewer_calls"}
"""Titles that mean the same as another rule, and that rule's name."""


@dataclass(frozen=True, slots=True)
class _Changed:
    """An operator whose number of calls changed: its calls, its time including callees, and the time that the calls
    explain. Or an annotation (such as an optimizer's step), the program's own name for work."""

    name: str
    calls: Amount
    explains: dict[Part, float]
    annotation: bool = False

    @property
    def delta_us(self) -> float:
        return fsum(self.explains.values())

    @property
    def is_in_both(self) -> bool:
        return bool(self.calls.calls_a and self.calls.calls_b)

    @property
    def total_us(self) -> float:
        return self.calls.us_a + self.calls.us_b


class _Groups(NamedTuple):
    """Operators that only the candidate has, that only the baseline has, and that both have."""

    new: list[_Changed]
    gone: list[_Changed]
    others: list[_Changed]


def replaced(pair: RuleContext) -> list[Replacement]:
    """Operators in whose place others are called; none if operators are recorded on one side only, if graphs are
    replayed, or if code is compiled."""
    operators = pair.amounts("operators", "host_total")
    if not _recorded(operators) or _launches_graphs(pair) or not is_same_runtime(pair):
        return []
    steady = _in_most_steps(pair.baseline) | _in_most_steps(pair.candidate)
    changed = {
        key[0] for key, amount in operators.items() if call_count_changed(amount.calls_a, amount.calls_b)
    } & steady
    if not changed or any(map(is_compiled, changed)):
        return []
    operator_names = {key[0] for key in operators}
    return replacements(pair, times_as_often(pair), lambda name: name in steady or name not in operator_names)


def with_replaced_calls(pair: RuleContext) -> frozenset[str]:
    """Operators whose own time follows from calls in them that were replaced."""
    return frozenset().union(*(one.changed_around for one in pair.once(replaced)))


def replaced_operator_rules(pair: RuleContext) -> Iterator[Cause]:
    """One finding for each operator in whose place others are called, whatever their times."""
    explained = Explained(pair.once(_more_calls).causes)
    for replacement in pair.once(replaced):
        change = _replacement(pair, replacement, explained)
        explained.add(change)
        yield change


def _replacement(pair: RuleContext, replacement: Replacement, explained: Explained) -> Cause:
    """The finding on a replacement. `explained`: what more calls and the replacements before it explain."""
    names = {one.frame.key[2] for top in replacement.all for one in top.walk()}
    operators = {key[0] for key in pair.amounts("operators", "host_total")}
    same = {name for name in replacement.moved if has_same_inputs(pair, name)}
    explains = pair.once(_more_calls).rests(pair, replacement.explains(pair.unit, without=same))
    calls_of = replacement.operator_calls()
    where = mostly_in(pair, explains)
    around = _gaps(pair, names, replacement.explains(pair.unit), explained)
    explains |= around
    delta, more = fsum(explains.values()), sum(calls_of.values())
    look_at, rule = known_setting(_amounts(pair, names)), ""
    if replacement.parent:
        where = f" in {short(replacement.parent)}"
        if inputs := other_inputs(pair, replacement.parent):
            where, look_at, rule = f"{where}, {inputs.clause}", INPUTS, inputs.rule
        elif called := values_of(pair, replacement.parent):
            where, look_at = f"{where}, {called.clause}", called.look_at
    count, _, what = many(abs(more), "operator call").partition(" ")
    calls = f", {count} {'more' if more > 0 else 'fewer'} {what}" if more else ""
    went, came = (_places_text(pair, side, operators) for side in (replacement.went, replacement.came))
    first = max(replacement.went, key=lambda place: (not place.is_backward, place.frame.baseline, place.name))
    new = max(replacement.came, key=lambda place: (not place.is_backward, place.frame.candidate, place.name))
    time, how = f"{signed_time(delta)} per step{_gaps_clause(around, delta)}", f"{went} → {came}"
    how += inside_clause(pair, more)
    return cause(
        pair, OPERATOR_REPLACED, first.frame.key[2], "all", delta, f"Operator replaced{where}: {time}{calls}; {how}.",
        tuple(_evidence(place.frame.key[2], of_operator=place.frame.key[2] in operators) for place in (first, new)),
        name=rule, look_at=look_at, explains=explains, calls=calls_of, how=f"operator replaced: {how}",
    )  # fmt: skip


def _more_calls(pair: RuleContext) -> Explained:
    """What more (fewer) calls of all work explain."""
    return Explained(more_calls_rules(pair))


def _evidence(name: str, *, of_operator: bool) -> Evidence:
    """Row of an operator, or of an annotation."""
    return Evidence("operators", name) if of_operator else Evidence("ledger", f"{CPU_EXEC} / {name}")


def _amounts(pair: RuleContext, names: Collection[str]) -> dict[str, Amount]:
    operators = pair.amounts("operators", "host_total")
    changed = {name: operators[(name,)] for name in names if (name,) in operators}
    return {name: amount for name, amount in changed.items() if amount.more_calls}


def _gaps_clause(gaps: Mapping[Part, float], delta: float) -> str:
    us = fsum(gaps.values())
    if not us or abs(us) < MIN_GAPS_SHARE * abs(delta):
        return ""
    if us * delta > 0 and abs(us) <= abs(delta):
        return f", {signed_time(us)} of it untraced host time around the calls"
    return f" ({signed_time(delta - us)} in the calls, {signed_time(us)} untraced host time around them)"


def _places_text(pair: RuleContext, places: list[Place], operators: Collection[str]) -> str:
    """Places by name: "aten::mul (36 calls), aten::item (4, waiting for the device) and 2 others": annotations, then
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
    calls = [abs(sum(one.more_calls for one in group)) for _, group in forward[:MAX_REPLACED_NAMED]]
    listed = ", ".join(
        f"{short(name)} ({count}{_waiting(pair, group)})"
        for (name, group), count in zip(forward, _counts(calls, ""), strict=False)
    )
    rest = len(forward) - MAX_REPLACED_NAMED
    return listed + (f" and {many(rest, 'other')}" if rest > 0 else "")


def _waiting(pair: RuleContext, places: Iterable[Place]) -> str:
    """Clause on places in each of which the host waits for the device, "" for others."""
    waiting = pair.callers(WAIT).keys()
    waits = all(any(one.frame.key[2] in waiting for one in place.walk()) for place in places)
    return ", waiting for the device" if waits else ""


def changed_operator_rules(pair: RuleContext, explained: Explained) -> Iterator[Cause]:
    """One finding for all operators whose calls differ, unless other causes explain it. None if operators are
    recorded on one side only, or if graphs are replayed."""
    changed, rules = _unexplained(pair, explained), explained.rules
    # a change too small to matter is reported only if nothing else is found
    least_us = pair.least_us if rules or all(operator.is_in_both for operator in changed) else 0.0
    parts = _by_direction(pair, changed) if changed else []
    finding_on = partial(_cause_of, pair, is_all=len(parts) == 1, of_more_work=bool(rules & set(MORE_CALLS.names)))
    for number, part in enumerate(parts):
        if not explained.covers_time(_with_hooks(pair, part, _time(part))):
            change = finding_on(_left(pair, part, explained), explained=None if number else explained)
            if abs(change.finding.change_us) >= least_us:
                yield change
            continue
        # the waits account for the time that they expose; new operators in it are still reported by count, and so
        # are calls that decide the verdict
        waits = SYNCHRONISATION.names[0] in rules and _matters(pair, part)
        decides = pair.headline.counted is not None and rules <= _OF_MACHINE and not number
        if waits or decides:
            yield finding_on(part, is_counted=True)


def _unexplained(pair: RuleContext, explained: Explained) -> list[_Changed]:
    """Operators and annotations whose calls differ, unless other causes are about them."""
    operators = pair.amounts("operators", "host_total")
    if not _recorded(operators) or _launches_graphs(pair):
        return []
    steady = _in_most_steps(pair.baseline) | _in_most_steps(pair.candidate)
    certain = recounted_operators(pair)
    counted = {
        key[0]: amount for key, amount in operators.items()
        if key[0] in steady and (key[0] in certain or call_count_changed(amount.calls_a, amount.calls_b))
    }  # fmt: skip
    host = pair.entities(CPU_EXEC)
    own = {name: host[at] for at, name in enumerate(host.key) if name in counted}
    kernels = _kernels(pair, counted)
    changed = [
        _Changed(name, amount, _explained(pair, name, own.get(name), kernels.get(name, {}), amount))
        for name, amount in counted.items()
    ]
    if changed:
        changed += _annotations(pair, host, operators)
    # work in loader processes or hidden behind the device has no exposed time
    return [operator for operator in changed if operator.delta_us and not _is_told(operator, explained)]


def _is_told(operator: _Changed, explained: Explained) -> bool:
    """Whether other causes are about the calls of an operator."""
    of_all = operator.is_in_both and not explained.rules.isdisjoint(MORE_CALLS.names)
    slower = is_collective_operator(operator.name) and not explained.rules.isdisjoint(COLLECTIVE_SLOWER.names)
    return of_all or slower or explained.has_most_calls(operator.name, operator.calls.more_calls)


def _matters(pair: RuleContext, changed: list[_Changed]) -> bool:
    """Whether operators that only one side has, and that do not wait for the device, make a substantial part of the
    change."""
    waiting = pair.callers(WAIT)
    one_sided = [operator.delta_us for operator in changed if not operator.is_in_both and operator.name not in waiting]
    share = fsum(one_sided) / pair.delta_us if pair.delta_us else 0.0
    return len(one_sided) >= MIN_ONE_SIDED and share >= MIN_ONE_SIDED_SHARE


def _by_direction(pair: RuleContext, changed: list[_Changed]) -> list[list[_Changed]]:
    """Increases and decreases as separate groups, the larger first, if each makes a substantial part, because a sum
    would hide both; else one group. New operators stay with those they replaced."""
    one_sided = [operator for operator in changed if not operator.is_in_both]
    replaced = {bool(operator.calls.calls_a) for operator in one_sided} == {False, True}
    units = [one_sided] if replaced else []
    units += [[operator] for operator in changed if operator.is_in_both or not replaced]
    sums = [fsum(operator.delta_us for operator in unit) for unit in units]
    more, less = (fsum(us for us in sums if sign * us > 0) * sign for sign in (1, -1))
    if min(more, less) < max(pair.least_us, MIN_OPPOSITE_RATIO * max(more, less)):
        return [changed]
    parts = [
        [operator for unit, us in zip(units, sums, strict=True) if sign * us > 0 for operator in unit]
        for sign in (1, -1)
    ]
    if more == less:  # exchanged sides keep the order
        return sorted(parts, key=lambda part: (all(one.is_in_both for one in part), min(one.name for one in part)))
    return parts if more > less else parts[::-1]


def _cause_of(
    pair: RuleContext, changed: list[_Changed], *, is_all: bool, of_more_work: bool, is_counted: bool = False,
    explained: Explained | None = None,
) -> Cause:  # fmt: skip
    """One finding on these operators. `of_more_work`: another finding says which modules and calls are more;
    `is_counted`: another cause accounts for the time. `explained`: the finding also explains the gaps around the
    operators, if other causes do not."""
    amounts = {operator.name: operator.calls for operator in changed}
    own = _time(changed)
    around = _gaps(pair, set(amounts), own, explained) if explained is not None else {}
    explains = _with_hooks(pair, changed, own | around)
    delta = fsum(explains.values())
    every = new, gone, others = _in_order(pair, changed, telling(amounts))
    is_again = _are_recomputed(pair, changed, delta)
    about = _Groups([], [], others) if is_again or _take_most(others, (*new, *gone)) else every
    named = [operator.name for group in every for operator in group]
    growing = "" if of_more_work else growing_clause(pair, amounts, named)
    if is_again:
        rule, look_at = RECOMPUTATION, ""
        title = f"Activations are {'' if delta > 0 else 'no longer '}recomputed in the backward pass"
    else:
        rule, title = OPERATORS_CHANGED, _title(about, delta)
        look_at = known_setting(amounts) or (KEPT if growing else setting_of_arguments(pair))
    calls_first = not (about.new or about.gone)
    sentence = f"{title}{mostly_in(pair, own) or _after_update(pair, about)}"
    if not is_counted:
        sentence += f": {signed_time(delta)} per step{_gaps_clause(around, delta)}"
    # the title, right before the names, already says that they are new or gone
    follows = is_counted and not calls_first
    clauses = _clauses(pair, every, calls_first=calls_first, labelled=not follows or bool(new and gone))
    sentence += f"{': ' if follows else '; '}{'; '.join([*clauses, *filter(None, (growing,))])}"
    sentence += "" if is_again else inside_clause(pair, total(amounts.values()).more_calls)
    return cause(
        pair, rule, (about.new or about.gone or about.others)[0].name, "all", None if is_counted else delta,
        f"{sentence}{'' if of_more_work else modules_clause(pair, delta)}.",
        _rows_of(pair, changed, every, delta),
        explains={} if is_counted else explains, name=_NAMES.get(title, "") if is_all else "", look_at=look_at,
        calls={operator.name: operator.calls.more_calls for operator in changed},
        how=f"casts and copies {signed_time(delta)}, {'; '.join(clauses)}",
    )  # fmt: skip


def _after_update(pair: RuleContext, about: _Groups) -> str:
    """Clause on operators that only one side has, if they run after the optimizer's step; "" if not."""
    if bool(about.new) == bool(about.gone):
        return ""
    side = pair.candidate if about.new else pair.baseline
    return after_update(side, [operator.name for operator in (*about.new, *about.gone) if not operator.annotation])


def _rows_of(pair: RuleContext, changed: list[_Changed], groups: _Groups, delta: float) -> tuple[Evidence, ...]:
    """Rows of the first operator of each group, and of the one that waits for the device more (less) often."""
    waiting, _ = waiting_operator(pair, 1 if delta > 0 else -1)
    shown = (*(group[0] for group in groups if group), *(one for one in changed if one.name == waiting))
    return tuple(dict.fromkeys(_evidence(one.name, of_operator=not one.annotation) for one in shown))


def _time(changed: Iterable[_Changed]) -> dict[Part, float]:
    """Part -> time that the calls of these operators explain; several may have parts of one kernel."""
    return total_by_key(part for operator in changed for part in operator.explains.items())


def _with_hooks(pair: RuleContext, changed: Iterable[_Changed], explains: dict[Part, float]) -> dict[Part, float]:
    """Adds what the hooks take that recompute these operators."""
    is_again = _are_recomputed(pair, changed, fsum(explains.values()))
    return explains | in_hooks(pair, explains) if is_again else explains


def _are_recomputed(pair: RuleContext, changed: Iterable[_Changed], delta: float) -> bool:
    """Whether operators of both sides run again in the backward pass, or no longer do."""
    again = pair.once(recomputed)
    return fsum(again.get(operator.name, 0.0) for operator in changed if operator.is_in_both) * delta > 0


def _left(pair: RuleContext, changed: list[_Changed], explained: Explained) -> list[_Changed]:
    """The operators with what other causes leave of their time."""
    time = _time(changed)
    share = {part: us / time[part] if time[part] else 0.0 for part, us in explained.rests(pair, time).items()}
    return [
        replace(operator, explains={part: us * share[part] for part, us in operator.explains.items()})
        for operator in changed
    ]


def _gaps(
    pair: RuleContext, names: AbstractSet[str], explains: Mapping[Part, float], explained: Explained
) -> dict[Part, float]:
    """Change of the gaps around these operators, and in the innermost annotation that contains most of the time, as far
    as no other cause explains it."""
    left = explained.left(pair, (OTHER,))[OTHER]
    gaps = gaps_around(pair, names, explains.values())
    around = {part: min(us, left, key=abs) for part, us in gaps.items() if us * left > 0}
    name = next(iter(annotations_around(pair, explains)), "")
    us = fsum(row.delta for row in pair.entities(CPU_EXEC) if row.path[1] == name) / pair.unit
    is_new = (CPU_EXEC, name) not in explains and not explained.entities(CPU_EXEC, {name: us})
    if is_new and us * fsum(explains.values()) > 0 and is_of_gaps(pair, us, explains.values()):
        around[CPU_EXEC, name] = us
    return around


def _in_order(pair: RuleContext, changed: list[_Changed], settings: Collection[str]) -> _Groups:
    """The operators in groups, each in the order in which they are named: those of a setting (or recomputed), then
    annotations, then operators that are also differentiated; those that run inside others, views and copies last. A
    function is named once, without its autograd range."""
    details = _details(changed)
    inner = called_by_others(pair, {operator.name for operator in changed})
    forward = {backward_of(operator.name) for operator in changed} - {""}
    ranges = {f"{AUTOGRAD}{operator.name}" for operator in changed}
    again = pair.once(recomputed)
    ordered = sorted(
        (operator for operator in changed if operator.name not in ranges),
        key=lambda operator: (
            operator.is_in_both and operator.name not in again, operator.name not in settings,
            not operator.annotation, is_backward(operator.name),
            operator.name in details, operator.name in inner,
            plain_name(operator.name.rpartition("::")[2]) not in forward, -operator.total_us, operator.name,
        ),
    )  # fmt: skip
    return _Groups(
        [operator for operator in ordered if not operator.calls.calls_a],
        [operator for operator in ordered if not operator.calls.calls_b],
        [operator for operator in ordered if operator.is_in_both],
    )


def _details(changed: Collection[_Changed]) -> set[str]:
    """Views, copies and fills that take little of the time."""
    least = MIN_DETAIL_SHARE * fsum(abs(operator.delta_us) for operator in changed)
    return {operator.name for operator in changed if operator.name in _MOVES and abs(operator.delta_us) < least}


def _clauses(pair: RuleContext, groups: _Groups, *, calls_first: bool, labelled: bool) -> list[str]:
    """Clauses that name operators of each group, with a label or none, and where they are called. Views, copies and
    fills that come with new operators are not worth a name."""
    new, gone, others = groups
    if not calls_first:
        details = _details([*new, *gone, *others])
        others = [operator for operator in others if operator.name not in details]
    one_sided = [
        f"{f'{word}: ' if labelled else ''}{_one_sided(group)}"
        for word, group in (("new", new), ("gone", gone)) if group
    ]  # fmt: skip
    calls = [f"calls per step: {_recounted(others)}"] if others else []
    named = (*new[:MAX_NAMED], *gone[:MAX_NAMED], *others[:MAX_NAMED])
    where = where_called(pair, [(operator.name, operator.calls) for operator in named if not operator.annotation])
    return [*((*calls, *one_sided) if calls_first else (*one_sided, *calls)), *filter(None, (where,))]


def _take_most(others: Collection[_Changed], one_sided: Collection[_Changed]) -> bool:
    """Whether operators of both sides take nearly all of the time, and those of one side compute no layer or loss: they
    are details, such as how another version of PyTorch writes an operator."""
    if any(work_kind(operator.name) for operator in one_sided):
        return False
    times = [fsum(abs(operator.delta_us) for operator in group) for group in (others, one_sided)]
    return times[0] >= MOST_TIME * fsum(times) > 0


def _annotations(pair: RuleContext, host: EntityRows, operators: Mapping[Key, Amount]) -> list[_Changed]:
    """Annotations that only one side has, in most of its steps, and steps of optimizers that one side makes more often.
    Compiled regions have their own rule."""
    called = {key[0] for key in operators}
    found = []
    for row in host:
        name, calls = row.path[1], Amount(*row.calls, row.baseline / pair.unit, row.candidate / pair.unit)
        if name in called or is_compiled(name):
            continue
        if row.status != "both" and sum(row.calls) >= MIN_STEPS_SHARE:
            found.append(_Changed(name, calls, {(CPU_EXEC, name): row.delta / pair.unit}, annotation=True))
        elif is_recounted_update(name, calls):
            found.append(_Changed(name, calls, {(CPU_EXEC, name): pair.counted_us(row)}, annotation=True))
    return found


def _recorded(operators: Mapping[Key, Amount]) -> bool:
    """Whether both sides recorded operators at all."""
    amounts = operators.values()
    return any(amount.calls_a for amount in amounts) and any(amount.calls_b for amount in amounts)


def _launches_graphs(pair: RuleContext) -> bool:
    """Whether graphs are launched: a replayed graph calls no operators, so their counts mean little."""
    graphs = total(pair.called(GRAPH_LAUNCH).values())
    return bool(graphs.calls_a or graphs.calls_b)


def _in_most_steps(summary: Summary) -> set[str]:
    """Operators that are called in most steps."""
    table = summary.groups.get("operators")
    if table is None:
        return set()
    often = (table.calls > 0).mean(axis=1) >= MIN_STEPS_SHARE
    return {key[0] for key, enough in zip(table.keys, often.tolist(), strict=True) if enough}


def _explained(
    pair: RuleContext, operator: str, own: LedgerRow | None, kernels: Mapping[Key, Amount], calls: Amount
) -> dict[Part, float]:
    """Exposed time, on the host, of launches and of launched kernels, that more or fewer calls account for. Calls with
    another data type launch kernels of other names, so the change of all kernels together is the limit."""
    launched = total(kernels.values())
    counted = _launched_us(launched, calls)
    counted = max(counted, min(_of_shapes(pair, operator, calls), launched.delta_us, key=abs), key=abs)
    parts = {kernel: _launched_us(amount, amount) for (kernel, *_), amount in kernels.items()}
    parts = {kernel: us for kernel, us in parts.items() if us * calls.more_calls > 0}
    whole = fsum(parts.values())
    share = min(1.0, counted / whole) if whole * counted > 0 else 0.0
    host: dict[Part, float] = {} if own is None else {(CPU_EXEC, own.path[1]): _host_us(pair, own)}
    for name, amount in pair.api_calls_of(operator).items():
        if is_role(LAUNCH, name):
            host["Runtime", name] = replace(amount, calls_a=calls.calls_a, calls_b=calls.calls_b).counted_us
    shares = _exposed_shares(pair, parts) if share else {}
    return host | {(KERNEL, kernel): us * share * shares[kernel] for kernel, us in parts.items() if shares}


def _launched_us(launched: Amount, calls: Amount) -> float:
    """Device time that more or fewer calls account for: by count, or all of the change if most calls are new or gone,
    because the others do not tell how long these take."""
    fewer, more = sorted((calls.calls_a, calls.calls_b))
    if more >= MOVED_CALL_RATIO * fewer:
        return launched.delta_us
    return replace(launched, calls_a=calls.calls_a, calls_b=calls.calls_b).counted_us


def _host_us(pair: RuleContext, own: LedgerRow) -> float:
    """Host time that more or fewer calls account for: by count, or all of the change if the side with more calls takes
    LARGER times as long per call, but not in its fastest. Then the additional calls are the longer ones, such as copies
    of whole batches."""
    counted, delta = pair.counted_us(own), own.delta / pair.unit
    lows = pair.once(_fastest).get(own.path[1])
    if counted * delta <= 0 or lows is None or not all((*own.calls, own.baseline, own.candidate)):
        return counted
    ratio, fastest = own.candidate / own.calls[1] / (own.baseline / own.calls[0]), lows[1] / lows[0]
    if own.calls[1] < own.calls[0]:
        ratio, fastest = 1 / ratio, 1 / fastest
    return delta if ratio >= LARGER and fastest <= AS_FAST else counted


def _fastest(pair: RuleContext) -> dict[str, tuple[int, int]]:
    return {key[0]: lows for key, lows in fastest_calls(pair, "operators").items()}


def _exposed_shares(pair: RuleContext, kernels: Collection[str]) -> dict[str, float]:
    """Kernel -> share of the change of its time that is exposed: the rest runs beside work of other streams."""
    exposed = {row.path[1]: row.delta / pair.unit for row in pair.entities(KERNEL) if row.path[1] in kernels}
    shares = {}
    for kernel in kernels:
        change = pair.amount("kernels", "total", kernel).delta_us
        shares[kernel] = min(max(exposed.get(kernel, 0.0) / change, 0.0), 1.0) if change else 1.0
    return shares


def _of_shapes(pair: RuleContext, operator: str, calls: Amount) -> float:
    """Device time that more or fewer calls account for, shape by shape: twelve more products of large matrices take
    more than twelve of the usual ones. 0 if some shapes are called more often and others less."""
    shapes = [
        amount
        for amount in pair.amounts_of(operator, "operators_by_shape", "device_self").values()
        if amount.more_calls
    ]
    same_way = all(amount.more_calls * calls.more_calls > 0 for amount in shapes)
    return fsum(amount.counted_us for amount in shapes) if same_way else 0.0


def _kernels(pair: RuleContext, operators: Collection[str]) -> dict[str, dict[Key, Amount]]:
    by_operator: dict[str, dict[Key, Amount]] = {}
    for key, amount in pair.amounts("kernels_by_operator").items() if operators else ():
        if key[1] in operators:
            by_operator.setdefault(key[1], {})[key] = amount
    return by_operator


def _title(groups: _Groups, delta: float) -> str:
    """Title in the direction of `delta`: a new operator saves no time, and one that is gone costs none."""
    new, gone, others = groups
    if new and gone:
        times = sorted(sum(operator.total_us for operator in group) for group in (new, gone))
        alike = {work_kind(operator.name) for operator in new} & {work_kind(operator.name) for operator in gone} - {""}
        is_replaced = alike or times[0] >= MIN_REPLACED_RATIO * times[1]
        return "Operators replaced" if is_replaced else "Other operators"
    if new:
        return "Operators changed" if delta < 0 else "New operators" if len(new) > 1 else "New operator"
    if gone:
        return "Operators changed" if delta > 0 else "Operators gone" if len(gone) > 1 else "Operator gone"
    more = {operator.calls.more_calls > 0 for operator in others}
    return "Other numbers of calls" if len(more) > 1 else "More calls" if more == {True} else "Fewer calls"


def _one_sided(group: list[_Changed]) -> str:
    """Names one-sided operators: "aten::softplus (3 calls per step), aten::mul (9) and 9 others"."""
    calls = [operator.calls.calls_a + operator.calls.calls_b for operator in group[:MAX_NAMED]]
    counts = _counts(calls, " per step")
    named = [f"{short(operator.name)} ({count})" for operator, count in zip(group, counts, strict=False)]
    return f"{', '.join(named)}{_others_clause(group)}"


def _counts(calls: Sequence[float], per: str) -> list[str]:
    """Numbers of calls, of which the first says what they are: "3 calls per step", "9", "2"."""
    return [calls_text(calls[0], per), *map(number_text, calls[1:])]


def _recounted(group: list[_Changed]) -> str:
    """Names operators of both sides with their calls: "aten::mul 3 → 9"."""
    named = ", ".join(
        f"{short(operator.name)} {numbers_text(operator.calls.calls_a, operator.calls.calls_b)}"
        for operator in group[:MAX_NAMED]
    )
    return f"{named}{_others_clause(group)}"


def _others_clause(group: list[_Changed]) -> str:
    rest = len(group) - MAX_NAMED
    return f" and {many(rest, 'other')}" if rest > 0 else ""


OPERATOR_REPLACED = Rule(
    names=("operator_replaced",),
    meaning="an operator was replaced by others: written out, fused, or in a loop",
    when="At the same place inside one parent operator, some operators run less often and others more often. Not if "
    "one only wraps another, or if the parent has other inputs (`data_type_changed`, `workload_changed`)",
    needs="operators, on devices of one kind",
    tables=("operators",),
    confidence=f"certain: calls are counted, in the same place{AS_MEASURED}",
    find=replaced_operator_rules,
    rank=3,
    of_library=True,
)
OPERATORS_CHANGED = Rule(
    names=("operators_changed",),
    meaning="operators are new, gone, replaced or called another number of times",
    when="Operators run more or less often, and no other rule explains their time. Large increases and decreases are "
    "separate findings. If all run more (less) often and none is new or gone, the finding is `more_calls` "
    "(`fewer_calls`)",
    needs="operators; `with_stack` names the function that makes 80 % of the change of calls",
    tables=("operators",),
    confidence=f"certain: calls are counted{AS_MEASURED}",
    find_rest=changed_operator_rules,
    order=4,
    rank=4,
    of_library=True,
)
RECOMPUTATION = Rule(
    names=("recomputation", "recomputation_gone"),
    meaning="activations are recomputed in the backward pass (checkpointing)",
    when="Operators that compute run in the backward pass of one side only, at most as often as in the forward pass. "
    "The forward pass calls them as often on both sides",
    needs="operators",
    tables=("operators",),
    look_at="torch.utils.checkpoint, gradient_checkpointing_enable(), activation checkpointing of the training "
    "library; whether the memory it saves is needed",
    confidence=f"certain: calls are counted{AS_MEASURED}",
    find_rest=changed_operator_rules,
    order=4,
    rank=4,
)
