"""How a finding names changed operators: in which order, with how many calls, and where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum
from typing import NamedTuple

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.explained import Part
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import called_by_others
from tb_perfcompare.comparison.causes.evidence.places.recomputed import recomputed
from tb_perfcompare.comparison.causes.evidence.places.where_called import where_called
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import and_others, number_text, short, signed_time
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE, backward_of, is_backward, plain_name
from tb_perfcompare.model.names.work_kinds import FILLS, MOVING, MOVING_CALLERS, VIEWS, work_kind
from tb_perfcompare.model.summary.categories import OTHER
from tb_perfcompare.quick_dataclass import dataclass

MAX_NAMED = 3
"""Operators of each kind that a sentence names."""

MIN_DETAIL_SHARE = 0.25
"""Share of a finding's time from which a view or a copy is named before operators that compute."""

MIN_REPLACED_RATIO = 0.1
"""Least ratio of the smaller to the larger time for new and gone operators to count as a replacement, unless they
compute the same kind of work."""

MOST_TIME = 0.8
"""Share of the time from which operators of both sides are named before those of one side."""

NEW, GONE = ("New operator", "New operators"), ("Operator gone", "Operators gone")
MORE, FEWER, RECOUNTED = "More calls", "Fewer calls", "Call counts changed"
ONE_SIDED, CALLS = "one-sided", "calls"
SAID = dict.fromkeys((*NEW, *GONE), ONE_SIDED) | dict.fromkeys((MORE, FEWER, RECOUNTED), CALLS)
"""Title -> which operators need no label after it."""

MIN_GAPS_SHARE = 0.25
"""Share of a finding's change from which the gaps around the operators are mentioned."""

_MOVES = VIEWS | MOVING | MOVING_CALLERS | FILLS


@dataclass(frozen=True, slots=True)
class Changed:
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


class Groups(NamedTuple):
    """Operators that only the candidate has, that only the baseline has, and that both have."""

    new: list[Changed]
    gone: list[Changed]
    others: list[Changed]


def gaps_clause(gaps: Collection[Part], explains: Mapping[Part, float]) -> str:
    """Clause on untraced host time (if functions were recorded, on Python code) around the calls; "" if that is a small
    part of what a finding explains."""
    us, delta = fsum(explains[part] for part in gaps), fsum(explains.values())
    if not us or abs(us) < MIN_GAPS_SHARE * abs(delta):
        return ""
    what = "Python code" if (OTHER, "") in gaps else "untraced host time"
    if us * delta > 0 and abs(us) <= abs(delta):
        return f", {signed_time(us)} of it {what} around the calls"
    return f" ({signed_time(delta - us)} in the calls, {signed_time(us)} {what} around them)"


def in_naming_order(context: RuleContext, changed: list[Changed], settings: Collection[str]) -> Groups:
    """The operators in groups, each in the order in which they are named: those of a setting (or recomputed), then
    annotations, then operators that are also differentiated; those that run inside others, views and copies last. A
    function is named once, without its autograd range."""
    details = _details(changed)
    inner = called_by_others(context, {operator.name for operator in changed})
    forward = {backward_of(operator.name) for operator in changed} - {""}
    ranges = {f"{AUTOGRAD_RANGE}{operator.name}" for operator in changed}
    again = context.once(recomputed)
    ordered = sorted(
        (operator for operator in changed if operator.name not in ranges),
        key=lambda operator: (
            operator.is_in_both and operator.name not in again, operator.name not in settings,
            not operator.annotation, is_backward(operator.name),
            operator.name in details, operator.name in inner,
            plain_name(operator.name.rpartition("::")[2]) not in forward, -operator.total_us, operator.name,
        ),
    )  # fmt: skip
    return Groups(
        [operator for operator in ordered if not operator.calls.calls_a],
        [operator for operator in ordered if not operator.calls.calls_b],
        [operator for operator in ordered if operator.is_in_both],
    )


def _details(changed: Collection[Changed]) -> set[str]:
    """Views, copies and fills that take little of the time."""
    least = MIN_DETAIL_SHARE * fsum(abs(operator.delta_us) for operator in changed)
    return {operator.name for operator in changed if operator.name in _MOVES and abs(operator.delta_us) < least}


def naming_clauses(context: RuleContext, groups: Groups, *, calls_first: bool, said: str) -> list[str]:
    """Clauses that name operators of each group and where they are called, with labels unless the title said what they
    are (a value of SAID, or "both"). Views, copies and fills that come with new operators are not worth a name."""
    new, gone, others = groups
    if not calls_first:
        details = _details([*new, *gone, *others])
        others = [operator for operator in others if operator.name not in details]
    labeled = bool(new and gone) or said in ("", CALLS)
    one_sided = [
        f"{f'{word} per step: ' if labeled else ''}{_one_sided(group)}"
        for word, group in (("new", new), ("gone", gone)) if group
    ]  # fmt: skip
    label = "" if calls_first and said in (CALLS, "both") else "calls per step: "
    calls = [f"{label}{_recounted(others)}"] if others else []
    named = (*new[:MAX_NAMED], *gone[:MAX_NAMED], *others[:MAX_NAMED])
    where = where_called(context, [(operator.name, operator.calls) for operator in named if not operator.annotation])
    return [*((*calls, *one_sided) if calls_first else (*one_sided, *calls)), *filter(None, (where,))]


def take_most(others: Collection[Changed], one_sided: Collection[Changed]) -> bool:
    """Whether operators of both sides take nearly all of the time, and those of one side compute no layer or loss: they
    are details, such as how another version of PyTorch writes an operator."""
    if any(work_kind(operator.name) for operator in one_sided):
        return False
    times = [fsum(abs(operator.delta_us) for operator in group) for group in (others, one_sided)]
    return times[0] >= MOST_TIME * fsum(times) > 0


def title_of(groups: Groups, delta: float) -> str:
    """Title in the direction of `delta`: a new operator saves no time, and one that is gone costs none."""
    new, gone, others = groups
    if new and gone:
        times = sorted(sum(operator.total_us for operator in group) for group in (new, gone))
        alike = {work_kind(operator.name) for operator in new} & {work_kind(operator.name) for operator in gone} - {""}
        is_replaced = alike or times[0] >= MIN_REPLACED_RATIO * times[1]
        return "Operators replaced" if is_replaced else "Operators changed"
    if new:
        return "Operators changed" if delta < 0 else NEW[len(new) > 1]
    if gone:
        return "Operators changed" if delta > 0 else GONE[len(gone) > 1]
    more = {operator.calls.more_calls > 0 for operator in others}
    return RECOUNTED if len(more) > 1 else MORE if more == {True} else FEWER


def _one_sided(group: list[Changed]) -> str:
    """Names one-sided operators: "3 aten::softplus, 9 aten::mul and 9 others"."""
    named = [counted_name(one.calls.calls_a + one.calls.calls_b, one.name) for one in group[:MAX_NAMED]]
    return f"{', '.join(named)}{and_others(len(group) - MAX_NAMED)}"


def counted_name(calls: float, name: str) -> str:
    """Calls of an operator: "9 aten::mul", "0.5 aten::sort"."""
    return f"{_calls(calls)} {short(name)}"


def _calls(calls: float) -> str:
    """A number of calls, with two decimals at most: "9", "84.4", "0.23"."""
    text = number_text(round(calls, 2) or calls)
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _recounted(group: list[Changed]) -> str:
    """Names operators of both sides with their calls: "aten::mul 3 → 9"."""
    named = ", ".join(
        f"{short(operator.name)} {_calls(operator.calls.calls_a)} → {_calls(operator.calls.calls_b)}"
        for operator in group[:MAX_NAMED]
    )
    return f"{named}{and_others(len(group) - MAX_NAMED)}"
