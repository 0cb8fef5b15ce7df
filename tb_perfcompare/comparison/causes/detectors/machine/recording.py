"""Cost of recording: the profiler's own work, options that were on for one side only, and autograd's graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.detectors.machine.pace import is_paced
from tb_perfcompare.comparison.causes.evidence.amounts import total, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Explains
from tb_perfcompare.comparison.causes.evidence.general_rules import has_stacks
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.checks.profiler_options import WITH_1_8, option_differences, options_alone
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text, signed_time
from tb_perfcompare.model.environment import AUTOGRAD_GRAPH, AUTOGRAD_UNUSED
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE
from tb_perfcompare.model.summary.categories import CPU_EXEC, OTHER, PROFILER_WORK, RUNTIME
from tb_perfcompare.model.summary.summary import Summary

MAIN_SHARE = 0.5
"""Share of the host's exposed change that no other cause may explain."""

RECORDING = (CPU_EXEC, RUNTIME, OTHER)
"""Categories that contain the profiler's unrecorded work."""


_OF_OPERATORS = (CPU_EXEC, OTHER)
"""Categories that contain autograd's unrecorded work."""

RECOMPUTED = frozenset({"recomputation", "recomputation_gone"})
"""Findings on what is computed again, for which autograd records further nodes."""

_LEAF = "::AccumulateGrad"
"""End of the name of autograd's functions of parameters, which no operator records."""

MIN_UNUSED = 0.2
"""Least change of unused nodes, relative to those that the backward pass runs: a metric of the loss takes a few."""

OPERATOR_SLOWER = ("operator_slower", "operator_faster")
"""Findings that explain the time of uninterrupted steps better than the recording does."""


def profiler_work_rules(context: RuleContext) -> Iterator[Cause]:
    """The profiler's own recorded work grew."""
    rows = [row for row in context.entities(OTHER) if row.path[1] == PROFILER_WORK]
    delta = sum(row.delta for row in rows) / context.unit
    if abs(delta) < context.least_us:
        return
    flags = "; ".join(option_differences(*context.sides))

    def sentence(own: Explains) -> str:
        return (
            f"Profiler overhead: {change_text(own)} per step, as recorded by the profiler"
            f"{f'; recording options differ: {flags}' if flags else ''}."
        )

    yield cause(
        context, PROFILER_OVERHEAD, PROFILER_WORK, OTHER, delta, sentence,
        (Evidence("ledger", f"{OTHER} / {PROFILER_WORK}"),), explains={(OTHER, PROFILER_WORK): delta},
    )  # fmt: skip


def recording_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """The slower side recorded more options. Without the profiler's overhead events its cost looks like host time,
    so this is the likely cause of what no other cause explains, unless the devices are of different kinds: that
    alone changes host time."""
    if context.baseline.device.kind != context.candidate.device.kind:
        return
    flags = "; ".join(option_differences(*context.sides))
    change_us = context.uninterrupted_us
    if costlier_to_record(context, change_us) and abs(change_us) >= context.least_us:
        if not explained.rules & {*OPERATOR_SLOWER}:
            sentence = (
                f"Probably profiler overhead: {signed_time(change_us)} host time per step without interruptions; "
                f"recording options differ: {flags}."
            )
            yield cause(
                context, MORE_RECORDED, PROFILER_WORK, OTHER, change_us, sentence, (Evidence("environment", ""),),
                explains=of_categories(total_by_key((part.category, part.delta_us) for part in context.uninterrupted)),
                of_the_step=False,
            )  # fmt: skip
        return
    # Python functions recorded on one side only are new between its operators for that reason
    other = has_stacks(context.baseline) != has_stacks(context.candidate)
    moved = {
        label: us for label, us in explained.left(context, RECORDING).items()
        if context.is_clear(label) or (other and label == OTHER)
    }  # fmt: skip
    delta = fsum(moved.values())
    if not costlier_to_record(context, delta):
        return
    if abs(delta) < max(context.least_us, MAIN_SHARE * abs(fsum(context.exposed(label) for label in moved))):
        return
    sentence = (
        f"Probably profiler overhead: {signed_time(delta)} host time per step; recording options differ: {flags}."
    )
    yield cause(
        context, MORE_RECORDED, PROFILER_WORK, OTHER, delta, sentence, (Evidence("environment", ""),),
        explains=of_categories(moved),
    )  # fmt: skip


def autograd_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """Autograd records the graph of a backward pass that never comes: inference without no_grad(). Its work is in every
    operator, so it is the likely cause of what no other cause explains."""
    graphs = [dict(side.environment).get(AUTOGRAD_GRAPH) for side in context.sides]
    if any(name.startswith("autograd::") for name, *_ in context.amounts("operators", "host_total")):
        yield from _unused_nodes(context, explained)
        return
    if {*graphs} != {"recorded", "not recorded"}:
        return
    came = graphs[1] == "recorded"
    left = {label: us for label, us in explained.left(context, _OF_OPERATORS).items() if (us > 0) == came}
    delta = fsum(left.values())
    matters = abs(delta) >= context.least_us
    at_most = "up to " if is_paced(context, delta) else ""
    sentence = (
        f"Autograd {'records' if came else 'no longer records'} a graph that no backward pass uses"
        f"{f': {at_most}{signed_time(delta)} per step' if matters else ''}."
    )
    yield cause(
        context, AUTOGRAD_RECORDS, "autograd", CPU_EXEC, delta if matters else None, sentence,
        (Evidence("environment", AUTOGRAD_GRAPH),), name=AUTOGRAD_RECORDS.names[0 if came else 1],
        explains=of_categories(left) if matters else {},
    )  # fmt: skip


def _unused_nodes(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """A side records more nodes that its backward passes, which run as many, do not use. Checkpointing does so when it
    computes activations again."""
    used = total(
        amount for (name, *_), amount in context.amounts("operators", "host_total").items()
        if name.startswith(AUTOGRAD_RANGE) and not name.endswith(_LEAF)
    )  # fmt: skip
    rates = [_unused_per_used(side) for side in context.sides]
    is_known = all(map(math.isfinite, rates)) and not call_count_changed(used.calls_a, used.calls_b)
    if not is_known or explained.rules & RECOMPUTED:
        return
    one, two = used.calls_a * rates[0], used.calls_b * rates[1]
    if call_count_changed(one, two) and abs(two - one) >= MIN_UNUSED * max(used.calls_a, used.calls_b):
        more = two > one
        sentence = (
            f"Autograd records {'more' if more else 'fewer'} nodes that no backward pass uses: "
            f"{numbers_text(round(one), round(two))} per step."
        )
        yield cause(
            context, AUTOGRAD_RECORDS, "autograd", CPU_EXEC, None, sentence,
            (Evidence("environment", AUTOGRAD_UNUSED),), name=AUTOGRAD_RECORDS.names[0 if more else 1],
            confidence="certain: nodes are counted",
        )  # fmt: skip


def _unused_per_used(side: Summary) -> float:
    """Nodes of autograd that no backward pass runs, per node that one does, in the mean of captures; NaN if unknown."""
    shares = [float(text) for text in dict(side.environment).get(AUTOGRAD_UNUSED, "").split(", ") if text]
    rates = [share / (1 - share) for share in shares if share < 1]
    return fsum(rates) / len(rates) if rates else math.nan


def costlier_to_record(context: RuleContext, delta: float) -> bool:
    """Whether more was recorded on the slower side."""
    if is_of_1_8_alone(context, delta):
        return True
    one, two = (len(options_alone(*sides)) for sides in _both_ways(context))
    return one != two and (one > two) == (delta > 0)


def is_of_1_8_alone(context: RuleContext, delta: float) -> bool:
    """Whether the profiler of PyTorch 1.8 recorded the slower side alone."""
    return WITH_1_8 in options_alone(*_both_ways(context)[0 if delta > 0 else 1])


def _both_ways(context: RuleContext) -> tuple[tuple[Summary, Summary], tuple[Summary, Summary]]:
    return context.sides, (context.candidate, context.baseline)


_LOOK_AT = "record both runs with the same options; with_stack and profile_memory cost the most"

PROFILER_OVERHEAD = Rule(
    names=("profiler_overhead",),
    meaning="the profiler's own work",
    when="The profiler's overhead events take more time",
    look_at=_LOOK_AT,
    confidence="certain: the profiler records its own work",
    find=profiler_work_rules,
    rank=2,
)
MORE_RECORDED = Rule(
    names=("profiler_overhead",),
    meaning="the profiler records more",
    when="Without overhead events (CPU traces): the slower side recorded more options, and other rules explain less "
    "than half of the host's change. Not between different kinds of devices",
    look_at=_LOOK_AT,
    confidence="other changes of host time would look the same",
    find_rest=recording_rules,
    order=3,
)
AUTOGRAD_RECORDS = Rule(
    names=("autograd_recorded", "autograd_off"),
    meaning="autograd records a graph that no backward pass uses",
    when="Sequence numbers of operators advance on one side only, and neither side runs a backward pass. It explains "
    "the rest of the host's time outside API calls. Or backward passes use as many nodes, but others are recorded",
    tables=("operators",),
    look_at="torch.no_grad() or torch.inference_mode() around inference, validation, rollouts and target networks",
    confidence="certain: the operators' sequence numbers are recorded; the size is what no other cause explains",
    find_rest=autograd_rules,
    order=5,
)
