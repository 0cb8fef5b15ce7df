"""The same operators called more or less often: layers, micro-batches, iterations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from tb_perfcompare.comparison.causes.detectors.launching import graph_lost
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount, Key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, recounted_operators
from tb_perfcompare.comparison.causes.evidence.inputs import OTHER_SIZE, by_inputs, growth, most_alike
from tb_perfcompare.comparison.causes.evidence.places.annotations import annotations_around, mostly_in
from tb_perfcompare.comparison.causes.evidence.places.gaps_around import gaps_between
from tb_perfcompare.comparison.causes.evidence.places.growing import KEPT, growing_clause
from tb_perfcompare.comparison.causes.evidence.places.recomputed import in_backward_alone
from tb_perfcompare.comparison.causes.evidence.places.where_called import inside_clause, modules_clause, where_called
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text, drawn_by_chance
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, shared_part
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.wording import numbers_text, ratio_text, short
from tb_perfcompare.model.api_calls import WAIT, calls
from tb_perfcompare.model.arrays import median
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.work_kinds import UNINFORMATIVE
from tb_perfcompare.model.summary.categories import CPU_EXEC, NOTHING_RECORDED, OTHER, RUNTIME

IN_BOTH = 0.8
"""Share of the calls that operators of both sides must make. A rewritten program has other operators."""

MAX_OPERATORS = 0.5
"""Share of those operators that must be called more (less) often."""

RATIO_TOLERANCE, MIN_AGREEING_SHARE = 0.25, 0.6
"""The logarithms of MIN_AGREEING_SHARE of their ratios must be within RATIO_TOLERANCE of the median's. Layers and
micro-batches reach 0.9 in recordings, operators that are written out at most 0.51."""

OWN_CAUSE_RATIO = 1.5
"""An entity whose calls grew this many times more than the work has its own cause."""

PIECES = 10
"""Least ratio of input elements by which the calls of one side are pieces of the other's."""

LOOP = "a Python loop over elements, rows or samples: index and compute whole tensors"
"""What to look at if one side makes more calls on pieces."""

GRADIENTS = "torch.no_grad(), detach() and requires_grad around models and parameters that need no gradients"
"""What to look at if only the backward pass makes more calls."""

MIX = "the mix of iterations, such as prefills and decodes (table Kinds)"
"""What to look at if kinds of iterations occur more (less) often."""

MODULES = "the code that builds and calls these modules"
"""What to look at if modules are named."""


def more_calls_rules(context: RuleContext) -> Iterator[Cause]:
    """More of the same work: most operators are called more often by about the same ratio. It explains the time of
    these calls. None if a graph did that work on the side that calls fewer."""
    if context.once(graph_lost):
        return
    # compiled regions are no work of their own: more of them have their own rule (compiled_regions.py)
    operators = {key: one for key, one in context.amounts("operators", "host_total").items() if not is_compiled(key[0])}
    moved = _moved(context, operators)
    if not moved:
        return
    often = [_log_call_ratio(one.calls_a, one.calls_b) for one in moved.values()]
    usual = float(median(often))
    if sum(abs(one - usual) <= RATIO_TOLERANCE * abs(usual) for one in often) < MIN_AGREEING_SHARE * len(often):
        return
    sign = 1 if usual > 0 else -1
    called_more = _counted(context, sign, usual)
    between = _between(context, sign, called_more)
    counts = called_more | between
    counted = math.fsum(counts.values())
    if sign * counted < context.least_us:
        return
    order = _largest_first(context, moved, sign)
    (name, *_), more = order[0], sign > 0
    where = ", all in the backward pass" if context.once(in_backward_alone) else mostly_in(context, called_more)
    title = f"{'More' if more else 'Fewer'} calls{where}"
    recounted = f"{len(moved)} of {len(operators)} operators run {'more' if more else 'less'} often"
    size, modules = _log_size_ratio(context, moved), modules_clause(context, sign)
    growing = growing_clause(context, {key[0]: amount for key, amount in moved.items()}, [key[0] for key in order])
    if growing:
        how, look_at = f"{growing}; {recounted}", KEPT
    else:
        example = _example(context, name, moved[order[0]])
        how = f"{recounted}, typically {ratio_text(math.exp(usual))}{_on_inputs(size)}, e.g. {example}"
        look_at = _looked_at(context, sign * size, modules)
    inside = inside_clause(context, math.fsum(amount.more_calls for amount in moved.values()))

    def sentence(own: Explains) -> str:
        gaps = change_text({part: own[part] for part in between})
        of_it = f", {gaps} of it untraced host time between the calls" if between else ""
        return f"{title}: {change_text(own)} per step{of_it}; {how}{modules}{inside}."

    yield cause(
        context, MORE_CALLS, name, "all", counted, sentence,
        (Evidence("operators", name),), explains=counts, confidence=_by_chance(context, math.expm1(usual)),
        look_at=look_at,
    )  # fmt: skip


def _looked_at(context: RuleContext, size: float, modules: str) -> str:
    """`size`: ln of the ratio of elements per call, of the side with more calls to the other."""
    if context.kinds is not None and context.kinds.is_mostly_mix:
        return MIX
    if context.once(in_backward_alone):
        return GRADIENTS
    if size <= -math.log(PIECES):
        return LOOP
    return MODULES if modules else ""


def _moved(context: RuleContext, operators: Mapping[Key, Amount]) -> dict[Key, Amount]:
    """Operators of both sides whose calls moved in the direction of all; none if the sides have many others, or if few
    moved."""
    both = {key: amount for key, amount in operators.items() if amount.calls_a and amount.calls_b}
    called, called_by_both = (
        math.fsum(one.calls_a + one.calls_b for one in part.values()) for part in (operators, both)
    )
    sign = round(math.fsum(one.more_calls for one in both.values()), 6)  # thirds of calls may cancel out
    certain = recounted_operators(context) if calls_alike(context) else None
    moved = {
        key: amount for key, amount in both.items()
        if sign * amount.more_calls > 0 and (certain is None or key[0] in certain)
    }  # fmt: skip
    return moved if called_by_both >= IN_BOTH * called and len(moved) >= MAX_OPERATORS * len(both) else {}


def _largest_first(context: RuleContext, moved: Mapping[Key, Amount], sign: int) -> list[Key]:
    """Operators of the forward pass first, copies and fills last, by device time in the direction of the change, then
    by host time."""
    device = context.amounts("operators", "device_self")

    def weight(key: Key) -> tuple[bool, bool, float, float, Key]:
        device_us = sign * device.get(key, NOTHING).delta_us
        return not is_backward(key[0]), key[0] not in UNINFORMATIVE, device_us, moved[key].us_a + moved[key].us_b, key

    return sorted(moved, key=weight, reverse=True)


def _example(context: RuleContext, name: str, calls: Amount) -> str:
    where = where_called(context, [(name, calls)])
    return f"{short(name)} {numbers_text(calls.calls_a, calls.calls_b)} times per step{f', {where}' if where else ''}"


def _by_chance(context: RuleContext, more: float) -> str:
    """Confidence of this change of calls if steps of random length make as much; "" otherwise."""
    amount = context.headline.amount
    return drawn_by_chance(context) if amount is not None and amount.low <= more <= amount.high else ""


def _log_size_ratio(context: RuleContext, moved: Iterable[Key]) -> float:
    """Typical logarithm of the ratio of these operators' input elements; 0 if shapes were not recorded."""
    ratios = []
    for name, *_ in moved:
        rows = by_inputs(context.amounts_of(name, "operators_by_shape", "host_total"))
        gone = [shape for (_, shape), one in rows.items() if not one.calls_b]
        new = [shape for (_, shape), one in rows.items() if not one.calls_a]
        ratios += [math.log(growth(*most_alike(gone, new)))] if gone and new else [0.0] if rows else []
    return float(median(ratios)) if ratios else 0.0


def _on_inputs(size: float) -> str:
    """Clause on the size of their inputs, if it changed: the same work in smaller pieces, or more of it."""
    return f" with {ratio_text(math.exp(size))} the elements each" if abs(size) >= math.log1p(OTHER_SIZE) else ""


def calls_alike(context: RuleContext) -> bool:
    """Whether operators are called as often on both sides, by name."""
    operators = context.columns("operators", "host_total")
    return shared_part(operators.calls_a, operators.calls_b) >= SIMILAR_WORK


def times_as_often(context: RuleContext) -> float:
    """Ratio of the candidate's to the baseline's amount of work, by the typical operator of both; 1 if most are
    called as often."""
    amounts = context.amounts("operators", "host_total").values()
    both = [amount for amount in amounts if amount.calls_a and amount.calls_b]
    moved = [amount for amount in both if call_count_changed(amount.calls_a, amount.calls_b)]
    if len(moved) < MAX_OPERATORS * len(both) or not moved:
        return 1.0
    return math.exp(float(median([_log_call_ratio(amount.calls_a, amount.calls_b) for amount in moved])))


def _log_call_ratio(before: float, after: float) -> float:
    """Logarithm of a ratio of calls. Exchanging the sides negates the median of logarithms, but does not invert that
    of ratios."""
    return math.log(after) - math.log(before)


def _counted(context: RuleContext, sign: int, usual: float) -> dict[tuple[str, str], float]:
    """Part -> change by count, for entities called more often, but less than OWN_CAUSE_RATIO times more than the work
    (`usual`, a logarithm)."""
    counted = {}
    for row in context.ledger.rows:
        if len(row.path) != 2 or not all(row.calls) or sign * (row.calls[1] - row.calls[0]) <= 0:
            continue
        if row.path[0] == RUNTIME and calls(WAIT, row.path[1]):
            continue
        if sign * (_log_call_ratio(row.calls[0], row.calls[1]) - usual) < math.log(OWN_CAUSE_RATIO):
            counted[row.path[0], row.path[1]] = max(context.counted_us(row), _by_shape(context, row, sign), key=abs)
    return counted


def _between(context: RuleContext, sign: int, called_more: Mapping[Part, float]) -> dict[Part, float]:
    """Part -> change of untraced host time by count, outside all annotations and in the innermost around the calls: the
    Python code that calls operators runs as often as they do. Outside, at most the change of the gaps between calls
    that are more (fewer). Without parts that changed little."""
    operators = context.columns("operators", "host_total")
    calls = math.fsum(operators.calls_a.tolist()), math.fsum(operators.calls_b.tolist())
    places = {(OTHER, NOTHING_RECORDED), *((CPU_EXEC, name) for name in annotations_around(context, called_more)[:1])}
    found = {}
    for row in (*context.entities(OTHER), *context.entities(CPU_EXEC)):
        part = row.path[0], row.path[1]
        if part in places and part not in called_more and context.is_clear(row.path[0]):
            counted = Amount(*calls, row.baseline / context.unit, row.candidate / context.unit).counted_us
            if row.path[0] == OTHER:
                counted = min(counted, _between_more(context, sign, counted), key=abs)
            if sign * counted >= context.least_us:
                found[part] = counted
    return found


def _between_more(context: RuleContext, sign: int, default: float) -> float:
    """Change of untraced time in the gaps between calls that are more (fewer); `default` if that is not known."""
    names = {row.path[1] for row in context.entities(CPU_EXEC) if sign * (row.calls[1] - row.calls[0]) > 0}
    between = gaps_between(context, names)
    return default if between is None else max(sign * between, 0.0) * sign


def _by_shape(context: RuleContext, row: LedgerRow, sign: int) -> float:
    """Change by count of an operator, summed over its shapes: added calls may be on larger inputs than the mean."""
    if row.path[0] != CPU_EXEC:
        return 0.0
    shapes = context.amounts_of(row.path[1], "operators_by_shape", "host_self").values()
    counted = math.fsum(shape.counted_us for shape in shapes if sign * shape.more_calls > 0)
    delta = row.delta / context.unit
    return min(counted, delta, key=abs) if counted * delta > 0 and counted * sign > 0 else 0.0


MORE_CALLS = Rule(
    names=("more_calls", "fewer_calls"),
    meaning="the same work is done more (less) often",
    when="Both sides run mostly the same operators, and half of these run more (less) often, by about the same ratio. "
    "It explains the change by count, also of untraced host time",
    tables=("operators",),
    look_at="number of layers, micro-batches, iterations or calls of the model per step",
    confidence="certain: calls are counted",
    find=more_calls_rules,
    rank=0,
)
