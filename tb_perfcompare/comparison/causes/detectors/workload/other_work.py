"""Different work: input shapes or types that differ throughout explain what no other cause explains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import fsum

from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE, is_paced
from tb_perfcompare.comparison.causes.detectors.workload.alignment import ALIGNMENT
from tb_perfcompare.comparison.causes.detectors.workload.difference import OtherWork
from tb_perfcompare.comparison.causes.detectors.workload.other_inputs import other_shapes, other_types
from tb_perfcompare.comparison.causes.detectors.workload.other_launches import other_launches
from tb_perfcompare.comparison.causes.evidence.amounts import total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Part, changes_of
from tb_perfcompare.comparison.causes.evidence.inputs import values_of_layers
from tb_perfcompare.comparison.causes.evidence.places.growing import GROWN_INPUTS, growing_inputs
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.checks.shared_work import SOME_WORK
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.wording import short, signed_time
from tb_perfcompare.model.summary.categories import (
    CATEGORY_LABELS,
    COMMUNICATION,
    CPU_EXEC,
    DATA_LOADER,
    KERNEL,
    MEMCPY,
    MEMSET,
    OTHER,
)

FOLLOWING = 0.1
"""Least share of the step's change that few calls with other inputs must explain beside a replaced operator, whose
results they work on."""

_FROM_OUTSIDE = {DATA_LOADER, COMMUNICATION}
"""Categories in which the step waits for something outside of it."""

_TABLES = (("operators", CPU_EXEC, "host_total"), ("kernels", KERNEL, "total"))
"""Tables with the rows of a category, and what they measure."""

MOST = 0.5
"""Share of the change from which one operator or kernel is named."""

_ON_DEVICE = (KERNEL, MEMCPY, MEMSET)

_REPLACED, _COPIES = frozenset({"operator_replaced"}), frozenset({"layout_copies"})

CASTS = frozenset({
    "aten::to", "aten::_to_copy", "aten::copy_", "aten::empty_strided", "aten::type_as", "ToCopyBackward",
    "autograd::engine::evaluate_function: ToCopyBackward",
})  # fmt: skip
"""Operators that convert types, also by autograd."""

MAX_PARTS = 2
"""Number of parts, largest first, that a sentence describes."""


def find_other_work(context: RuleContext) -> OtherWork | None:
    """Returns how the inputs differ, None if they do not or were not recorded. Other inputs bring casts and copies,
    so half of the calls in common is enough."""
    operators = context.amounts("operators", "host_total").values()
    least = sum(min(operator.calls_a, operator.calls_b) for operator in operators)
    if not least or least < SOME_WORK * sum(max(operator.calls_a, operator.calls_b) for operator in operators):
        return None
    return other_types(context) or other_shapes(context) or other_launches(context)


def other_work_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """Yields at most one cause: the work differs."""
    other = context.once(find_other_work)
    if other is None or (not other.of_types and explained.rules & set(ALIGNMENT.names)):
        return
    remaining = _remaining_cause(context, other, explained)
    if remaining is not None:
        yield remaining


def _remaining_cause(context: RuleContext, other: OtherWork, explained: Explained) -> Cause | None:
    """The cause, with the change that no other cause explains, and with what single operators explain that have
    these inputs; None if that needs no telling."""
    if other.is_as_large and context.headline.verdict is Verdict.INCONCLUSIVE:
        return None  # as many rows for each expert, but for one or two: the check on inputs says so
    parts = explained.of_rules(_rule(other).names) + (_casts(explained) if other.of_types else ())
    of_parts = fsum(part.finding.change_us for part in parts)
    left_us = _left_without_interruptions(context, explained)
    if abs(left_us) >= context.least_us and left_us and other.may_explain(left_us):
        return _whole(context, other, left_us + of_parts, {}, parts, explained, " without interruptions")
    left = _left(context, other, explained)
    delta = fsum(left.values())
    follows = other.few and not explained.rules.isdisjoint(_REPLACED)  # from the replacement
    least_us = max(context.least_us, FOLLOWING * abs(context.delta_us) if follows else 0.0)
    explains_some = abs(delta) >= least_us and other.may_explain(delta)
    if follows and not explains_some:
        return None
    outweighed = abs(delta) >= context.least_us and not explains_some and not other.may_explain(context.delta_us)
    if explains_some or (parts and not outweighed):
        return _whole(context, other, delta + of_parts, left, parts, explained)
    if outweighed:
        return _outweighed(context, other, left, delta)
    if other.by_chance:
        return None
    as_long = abs(context.delta_us) < context.least_us or context.headline.verdict is Verdict.SAME
    result = "the step takes as long all the same" if as_long else "other causes explain the step's change"
    return _cause(context, other, None, f"{other.how}; {result}", other.look_at, of_categories(left))


def _whole(
    context: RuleContext, other: OtherWork, delta_us: float, left: Mapping[str, float], parts: tuple[Cause, ...],
    explained: Explained, steps: str = "",
) -> Cause:  # fmt: skip
    """The cause with what is left and its parts. `steps`: which steps, if not those recorded."""
    why, look_at = _why(context, other)
    of_parts = [part.how for part in sorted(parts, key=lambda part: -abs(part.finding.change_us)) if part.how]
    mostly, row = _largest_entry(context, delta_us, explained)
    if row and short(row[0].row) in f"{other.how}{why}":
        mostly = ""
    text = _clauses(f"{signed_time(delta_us)} per step{steps}", other.how, *(of_parts[:MAX_PARTS] or [mostly]), why)
    explains = total_by_key(chain(of_categories(left).items(), *(part.explains.items() for part in parts)))
    further = chain(row, *(part.finding.evidence for part in parts))
    return _cause(context, other, delta_us, text, look_at, explains, parts, further, of_the_step=not steps)


def _rule(other: OtherWork) -> Rule:
    return DATA_TYPE_CHANGED if other.of_types else WORKLOAD_CHANGED


def _cause(
    context: RuleContext, other: OtherWork, delta_us: float | None, text: str, look_at: str,
    explains: Mapping[Part, float], parts: tuple[Cause, ...] = (), further: Iterable[Evidence] = (), *,
    of_the_step: bool = True,
) -> Cause:  # fmt: skip
    what = "Data types changed" if other.of_types else "Workload changed"
    return cause(
        context, _rule(other), other.operator, "all", delta_us, f"{what}: {text}.",
        tuple(dict.fromkeys((other.evidence, *further))), confidence=other.confidence, look_at=look_at,
        explains=explains, includes=parts, of_the_step=of_the_step,
    )  # fmt: skip


def _left(context: RuleContext, other: OtherWork, explained: Explained) -> dict[str, float]:
    """Category -> change that other causes leave to the inputs. Of waiting for data or ranks they take at most the
    square of their growth."""
    left = explained.left(context, CATEGORY_LABELS)
    # rounded: b / a and 1 / (a / b) differ in the last bit, but swapped sides negate the cause exactly
    square = 1.0 if other.ratio is None else round(max(other.ratio, 1 / other.ratio) ** 2, 9)
    for label in _FROM_OUTSIDE:
        limit = min(context.exposed_times(label)) * (square - 1)
        left[label] = max(-limit, min(limit, left[label]))
    if other.ratio is None and left[OTHER] * fsum(left[label] for label in _ON_DEVICE) > 0:
        left[OTHER] = 0.0  # other types make kernels longer, which hides more of the host, not less
    return left


def _why(context: RuleContext, other: OtherWork) -> tuple[str, str]:
    """Where the other inputs are from, and what to look at: a layer that is called with other values, inputs that
    grow from step to step, or unknown."""
    layer = values_of_layers(context)
    if layer is not None:
        return f"{short(layer.operator)} is called {layer.clause} on the same inputs", layer.look_at
    growing = "" if other.ratio is None else growing_inputs(context)
    return (growing, GROWN_INPUTS) if growing else ("", other.look_at)


def _outweighed(context: RuleContext, other: OtherWork, left: dict[str, float], delta: float) -> Cause:
    """The cause if the step changed against the size of the inputs: it takes only device time that changed with
    them."""
    assert other.ratio is not None
    against_inputs = {label: us for label in _ON_DEVICE if (us := left[label]) * (other.ratio - 1) > 0}
    device = fsum(against_inputs.values())
    matters = abs(device) >= context.least_us
    of_device = f"{signed_time(device)} device time per step; " if matters else ""
    noise = "the spread of the steps or " if context.headline.verdict is Verdict.INCONCLUSIVE else ""
    noise = "the pace of the machine or " if is_paced(context, delta) else noise
    still = f"the step still changes by {signed_time(delta)}, so {noise}another change outweighs it"
    text = f"{of_device}{other.how}; {still}"
    return _cause(
        context, other, device if matters else None, text, other.look_at,
        of_categories(against_inputs if matters else {}),
    )  # fmt: skip


def _casts(explained: Explained) -> tuple[Cause, ...]:
    """Causes that are about casts and copies: these change with the types."""
    return tuple(
        cause for cause in explained.causes if cause.finding.rule in _COPIES
        or fsum(abs(more) for name, more in cause.calls.items() if name in CASTS)
        > MOST * fsum(map(abs, cause.calls.values()))
    )  # fmt: skip


def _largest_entry(context: RuleContext, delta_us: float, explained: Explained) -> tuple[str, tuple[Evidence, ...]]:
    """Clause on the operator or kernel that makes most of a change, as far as other causes do not explain it, with its
    row; "" and no row if none does."""
    changes = {
        (label, name): us for _, label, _ in _TABLES for name, us in changes_of(context, label).items()
        if us * delta_us > 0
    }  # fmt: skip
    left = explained.rests(context, changes)
    us, name, table = max((
        (abs(left[label, name]), name, table) for table, of, measure in _TABLES
        for label, name in left if label == of and (name,) in context.amounts(table, measure)
    ), default=(0.0, "", ""))  # fmt: skip
    if us < MOST * abs(delta_us) or not us:
        return "", ()
    return f"mostly in {short(name)} ({signed_time(math.copysign(us, delta_us))})", (Evidence(table, name),)


def _clauses(*clauses: str) -> str:
    return "; ".join(filter(None, clauses))


def _left_without_interruptions(context: RuleContext, explained: Explained) -> float:
    """The least that causes leave of the change of uninterrupted steps; 0 if nothing or if such steps are not known.
    Causes use times as recorded, with interruptions."""
    change_us = context.uninterrupted_us
    left_us = change_us - explained.total(without=MACHINE_PACE.names)
    return left_us if left_us * change_us > 0 else 0.0


WORKLOAD_CHANGED = Rule(
    names=("workload_changed",),
    meaning="other input shapes: batch size, sequence length, image size",
    when="Many operator calls have other input shapes (without shapes: kernels launch more or fewer threads "
    "throughout). It explains the rest of the change",
    tables=("operators_by_shape", "kernels"),
    look_at="batch size, sequence length, image size and padding of both runs; compare runs on the same input",
    confidence="certain: the shapes are recorded",
    find_rest=other_work_rules,
    order=6,
)
DATA_TYPE_CHANGED = Rule(
    names=("data_type_changed",),
    meaning="other element types",
    when="Many operator calls have other input types. It does not explain waits for data or ranks, or untraced host "
    "time that grew with device time",
    tables=("operators_by_shape",),
    look_at="autocast, model.half()/bfloat16() and TF32 settings of both runs",
    confidence="certain: the types are recorded",
    find_rest=other_work_rules,
    order=6,
)
