"""Other operators are called: new ones, gone ones, some more often. Calls are counted, so that no noise hides them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tb_perfcompare.comparison.causes.detectors.other_work import is_backward
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Explained, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.host_time import called_otherwise
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, Key, RuleContext, total
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_columns import STATUSES, EntityRows
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import calls_text, many, numbers_text, short, signed_time
from tb_perfcompare.model.api_calls import GRAPH_LAUNCH, calls
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.summary.summary import Summary

STEADY = 0.5
"""An operator belongs to the program if at least this share of its side's steps call it."""

NAMED = 2
"""Operators that the sentence names of each kind."""

REPLACED = 0.1
"""New and gone operators are a replacement if the smaller time is at least this share of the larger."""

HOST, KERNEL = "CPU Exec", "Kernel"

_NAMES = {"More calls": "more_calls", "Fewer calls": "fewer_calls"}
"""Titles that say the same as another rule, and are called like it."""


@dataclass(frozen=True, slots=True)
class _Changed:
    """An operator with another number of calls: those, its time with what it calls, and what the calls explain; or an
    annotation, such as an optimizer's step: what the program itself calls the work."""

    name: str
    calls: Amount
    explains: dict[Part, float]
    annotation: bool = False

    @property
    def delta_us(self) -> float:
        return sum(self.explains.values())

    @property
    def is_in_both(self) -> bool:
        return bool(self.calls.calls_a and self.calls.calls_b)

    @property
    def total_us(self) -> float:
        return self.calls.us_a + self.calls.us_b


def changed_operator_rules(pair: RuleContext, explained: Explained) -> Iterator[Cause]:
    """One finding for all operators whose calls differ, unless other causes explain it. None where operators are
    recorded on one side only, or where graphs are replayed."""
    found = explained.rules
    operators = pair.amounts("operators", "host_total")
    if not _recorded(operators) or found & {"graph_lost", "graph_gained"} or _launches_graphs(pair):
        return
    steady = _steady(pair.baseline) | _steady(pair.candidate)
    counted = {
        key[0]: amount for key, amount in operators.items()
        if key[0] in steady and called_otherwise(amount.calls_a, amount.calls_b)
    }  # fmt: skip
    host = pair.entities(HOST)
    own = {name: host[at] for at, name in enumerate(host.key) if name in counted}
    kernels = _kernels(pair, counted)
    changed = [
        _Changed(name, amount, _explained(pair, own.get(name), kernels.get(name, {}), amount.more_calls))
        for name, amount in counted.items()
    ]
    if changed:
        changed += _annotations(pair, host, operators)
    # work that moved into the loader's processes, or is hidden behind the device, owns no time of the step
    changed = [one for one in changed if one.delta_us]
    if found & {"more_calls", "fewer_calls"}:
        changed = [one for one in changed if not one.is_in_both]
    if not changed:
        return
    changed.sort(key=lambda one: (not one.annotation, is_backward(one.name), -one.total_us, one.name))
    explains: dict[Part, float] = {}
    for one in changed:
        for part, us in one.explains.items():
            explains[part] = explains.get(part, 0.0) + us
    delta = sum(explains.values())
    # a small change of the program is worth a line only where nothing else is found
    if abs(delta) < pair.least_us and (found or all(one.is_in_both for one in changed)):
        return
    new = [one for one in changed if not one.calls.calls_a]
    gone = [one for one in changed if not one.calls.calls_b]
    others = [one for one in changed if one.is_in_both]
    first = (new or gone or others)[0]
    clauses = [*_named("new", new), *_named("gone", gone), *_recounted(others)]
    title = _title(new, gone, others)
    sentence = f"{title}: {signed_time(delta)} per step; {'; '.join(clauses)}."
    told = cause(
        pair, OPERATORS_CHANGED, first.name, "all", delta, sentence,
        tuple(
            Evidence("ledger", f"{HOST} / {one.name}") if one.annotation else Evidence("operators", one.name)
            for one in (*new[:1], *gone[:1], *others[:1])
        ),
        explains=explains, name=_NAMES.get(title, ""),
    )  # fmt: skip
    if not explained.covers(told):
        yield told


def _annotations(pair: RuleContext, host: EntityRows, operators: Mapping[Key, Amount]) -> list[_Changed]:
    """Annotations that only one side has, in most of its steps. Compiled regions have a rule of their own."""
    known = {key[0] for key in operators}
    alone = host.picked(host.status != STATUSES.index("both"))
    return [
        _Changed(
            row.path[1], Amount(*row.calls, row.baseline / pair.unit, row.candidate / pair.unit),
            {(HOST, row.path[1]): row.delta / pair.unit}, annotation=True,
        )
        for row in alone
        if row.path[1] not in known and sum(row.calls) >= STEADY and not is_compiled(row.path[1])
    ]  # fmt: skip


def _recorded(operators: Mapping[Key, Amount]) -> bool:
    """Whether both sides recorded operators at all."""
    return any(one.calls_a for one in operators.values()) and any(one.calls_b for one in operators.values())


def _launches_graphs(pair: RuleContext) -> bool:
    """Whether graphs are launched: a replayed graph calls no operators, so that theirs say little."""
    graphs = total(pair.called(lambda name: calls(GRAPH_LAUNCH, name)).values())
    return bool(graphs.calls_a or graphs.calls_b)


def _steady(summary: Summary) -> set[str]:
    """Operators that are called in most steps."""
    table = summary.groups.get("operators")
    if table is None:
        return set()
    often = (table.calls > 0).mean(axis=1) >= STEADY
    return {key[0] for key, enough in zip(table.keys, often.tolist(), strict=True) if enough}


def _explained(
    pair: RuleContext, own: LedgerRow | None, kernels: Mapping[Key, Amount], more_calls: float
) -> dict[Part, float]:
    """The exposed time on the host, and of the kernels launched, that more or fewer calls make."""
    found: dict[Part, float] = {} if own is None else {(HOST, own.path[1]): pair.counted_us(own)}
    for (kernel, *_), amount in kernels.items():
        us = amount.counted_us
        if us * more_calls > 0:
            found[KERNEL, kernel] = us
    return found


def _kernels(pair: RuleContext, operators: Collection[str]) -> dict[str, dict[Key, Amount]]:
    by_operator: dict[str, dict[Key, Amount]] = {}
    for key, amount in pair.amounts("kernels_by_operator").items() if operators else ():
        if key[1] in operators:
            by_operator.setdefault(key[1], {})[key] = amount
    return by_operator


def _title(new: list[_Changed], gone: list[_Changed], others: list[_Changed]) -> str:
    times = sorted(sum(one.total_us for one in group) for group in (new, gone))
    if new and gone and times[0] >= REPLACED * times[1]:
        return "Operators replaced"
    if new and not gone:
        return "New operators" if len(new) > 1 else "New operator"
    if gone and not new:
        return "Operators gone" if len(gone) > 1 else "Operator gone"
    if new and gone:
        return "Other operators"
    more = [one for one in others if one.calls.more_calls > 0]
    return "More calls" if len(more) == len(others) else "Fewer calls" if not more else "Other numbers of calls"


def _named(word: str, group: list[_Changed]) -> Iterator[str]:
    """ "new: aten::softplus (3 calls per step), aten::mul (9 calls per step) and 9 others"."""
    if not group:
        return
    named = ", ".join(
        f"{short(one.name)} ({calls_text(one.calls.calls_a + one.calls.calls_b, ' per step')})" for one in group[:NAMED]
    )
    yield f"{word}: {named}{_others(group)}"


def _recounted(group: list[_Changed]) -> Iterator[str]:
    if not group:
        return
    named = ", ".join(
        f"{short(one.name)} {numbers_text(one.calls.calls_a, one.calls.calls_b)}" for one in group[:NAMED]
    )
    yield f"calls per step: {named}{_others(group)}"


def _others(group: list[_Changed]) -> str:
    rest = len(group) - NAMED
    return f" and {many(rest, 'other')}" if rest > 0 else ""


OPERATORS_CHANGED = Rule(
    names=("operators_changed",),
    meaning="operators are new, gone, replaced or called another number of times",
    when="operators that at least half of a side's steps call, whose calls per step differ by half a call and a fifth, "
    "and whose time on the host or device nothing else explains; a change that does not matter only where nothing else "
    "is told. Named `more_calls` (`fewer_calls`) if no operator is new or gone and all run more (less) often",
    needs="operators of both sides",
    look_at="what the program does otherwise: layers, losses, metrics, hooks, the optimizer, library versions",
    confidence="certain: calls are counted; their time is as measured",
    find_rest=changed_operator_rules,
    order=4,
    rank=4,
)
