"""Sentences of general findings: the amount, the entities that make it, clauses of single categories, advice."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import device_ratio
from tb_perfcompare.comparison.causes.evidence.amounts import total
from tb_perfcompare.comparison.causes.evidence.general_rules import (
    GENERAL,
    MAIN_SHARE,
    PYTHON,
    RECORDED,
    UTILIZATION_CHANGE,
    has_stacks,
    kernel_fact,
    more_recorded,
)
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.places.gaps_around import place_clause
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import moved_into_ranges
from tb_perfcompare.comparison.causes.evidence.places.recurring_steps import recurring_clause
from tb_perfcompare.comparison.causes.evidence.places.responsible_operator import responsible_operator
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.launch_sizes import OTHER_THREADS, typical_growth
from tb_perfcompare.comparison.causes.general_change import Change, Known
from tb_perfcompare.comparison.causes.loader_sentences import LOADING, WORKERS, loader_clauses, loads_itself
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, EntityRows, LedgerRow
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import (
    calls_text,
    many,
    number_text,
    numbers_text,
    percent_text,
    ratio_text,
    short,
    short_apart,
    signed_time,
    time_text,
    times_text,
)
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.summary.categories import CPU_EXEC, DATA_LOADER, StepCategory

AS_LONG = 0.25
"""Operators take as long as before if their own time changed by less than this share of the change of exposed CPU
time."""

SHAPES = "operators_by_shape"
"""Table that a recording without input shapes lacks."""

_BY_SIZE = (StepCategory.CPU_EXEC, StepCategory.KERNEL)
"""Categories whose time depends on the size of inputs."""

MOVED, MOVED_SHARE = "what calls them on either side: a closure of the optimizer, another place of the range", 0.5
"""What to look at if code moved into (out of) an annotated range, and share of the change of untraced time that the
range must have taken."""

_DEVICE_WORK = "the device work that runs at the same time"
"""What to look at if the device hides less of the host's work."""

NEARLY_ALL = 0.95
"""Share of a category's change from which the finding does not call it the remainder."""

MAX_GROWN = 2
"""Operators that are named for their own time."""

def amount_text(change: Change, known: Known) -> str:
    """How the sentence begins: "CPU time: +8.00 ms per step (25.0 → 33.0 ms)", or "Remaining CPU time: +5.00 ms per
    step" if other causes explain some of it."""
    subject = PYTHON if change.is_python else GENERAL[change.category].meaning
    by, whole_us = signed_time(change.delta_us), change.row.delta / known.unit
    if not change.whole and not (whole_us and NEARLY_ALL <= change.delta_us / whole_us <= 1):
        return f"Remaining {subject}: {by}{known.per}"
    amounts = times_text(change.row.baseline / known.unit, change.row.candidate / known.unit)
    return f"{subject[0].upper()}{subject[1:]}: {by}{known.per}{f' ({amounts})' if change.whole else ''}"


def entity_clauses(change: Change, known: Known) -> list[str]:
    """Clauses on the main entities, or on the largest of many small ones, and on those that offset them. Of the data
    loader, which is the only one, what is in it."""
    if change.category is StepCategory.DATALOADER and not any(call_count_changed(*one.calls) for one in change.main):
        return loader_clauses(change, known)
    largest = change.main or change.same_way[:1]
    names = [entity.path[1] for entity in (*largest, *change.opposed)]
    shown = dict(zip(names, short_apart(*names), strict=True))
    elsewhere = known.named if change.category is StepCategory.KERNEL else frozenset()
    clauses = [_entity_clause(entity, shown, known) for entity in change.main if entity.path[1] not in elsewhere]
    if change.inside is not None and not change.is_inside_main:
        clauses.insert(0, change.inside.clause)
    elif change.inside is not None and change.inside.caller:
        clauses.append(f"called in {short(change.inside.caller)}")
    if not change.is_one_sided or change.is_inside_main:
        if not change.main:
            clauses += [
                f"spread over many entries, largest: {_entity_clause(entity, shown, known)}"
                for entity in largest if entity.path[1] not in elsewhere
            ]  # fmt: skip
        rest = not_named(change.same_way, elsewhere)
        clauses += _one_sided_clauses(change.same_way.of_rows(rest[rest >= len(largest)]), change.delta_us, known)
    if change.opposed:
        clauses.append(f"offset by {' and '.join(_entity_clause(entity, shown, known) for entity in change.opposed)}")
    return clauses


def clauses_of_category(change: Change, known: Known) -> tuple[Sequence[str], str, Sequence[Evidence]]:
    """Clauses that only changes of this category have ("" for none), what to look at, and evidence for the clauses."""
    category, delta_us, look_at = change.category, change.delta_us, advice(change, known)
    recurring = recurring_clause(*known.sides, category, delta_us) if known.per else ""
    match category:
        case StepCategory.OTHER:
            explained_us = change.row.delta / known.unit - delta_us
            beyond_us = 2 * explained_us if explained_us * delta_us > 0 else 0.0  # causes may explain the place, too
            place = place_clause(*known.sides, delta_us + beyond_us)
            if not change.is_python:
                return (place, recurring), look_at, ()
            recorded = _recorded_calls(change.same_way)
            return (recorded, place, recurring), RECORDED if recorded else "", ()
        case StepCategory.CPU_EXEC:
            hidden = _hidden(known, delta_us, category)
            grown = "" if hidden or len(change.same_way) else _own_growth(known, delta_us)
            return (hidden, grown, recurring), _DEVICE_WORK if hidden else look_at, ()
        case StepCategory.DATALOADER:
            if hidden := _hidden(known, delta_us, category):
                return (hidden,), _DEVICE_WORK, ()
            of_workers = recurring and not loads_itself(known, delta_us)
            return (recurring,), WORKERS if of_workers else look_at, ()
        case StepCategory.RUNTIME:
            operator, clause = responsible_operator(*known.sides, delta_us) or ("", "")
            return (recurring, clause), look_at, [Evidence("operators", operator)] if operator else ()
        case StepCategory.KERNEL if known.detected.same_inputs:
            return (recurring, _of_all_kernels(known.context, delta_us)), look_at, ()
    return (recurring,), look_at, ()


def moved_range(change: Change, known: Known) -> str:
    """The annotated range that took (gave) most of the untraced time, with the operators around that, from (to) the
    rest of the step; "" if none did."""
    own, delta_us = moved_us(known) if change.category is StepCategory.OTHER else {}, change.delta_us
    name = max(own, key=lambda name: (abs(own[name]), name), default="")
    return name if -own.get(name, 0.0) * np.sign(delta_us) >= MOVED_SHARE * abs(delta_us) else ""


def moved_text(name: str, change: Change, known: Known) -> str:
    """Sentence on code that moved into (out of) this range, by the sum of what the range and the rest of the step take
    longer."""
    own_us, moved = moved_us(known)[name], known.context.once(moved_into_ranges)[name]
    calls, way = many(abs(moved), "operator call"), "into" if moved > 0 else "out of"
    return (
        f"Code moved {way} {short(name)}, {calls}: {signed_time(own_us + change.delta_us)} per step; its own time "
        f"{signed_time(own_us)}, untraced host time elsewhere {signed_time(change.delta_us)}."
    )


def moved_us(known: Known) -> dict[str, float]:
    """Range into (out of) which code moved -> change of its own time, microseconds per step."""
    moved = known.context.once(moved_into_ranges)
    rows = known.context.entities(CPU_EXEC) if moved else ()
    return {row.path[1]: row.delta / known.unit for row in rows if row.path[1] in moved}


def _hidden(known: Known, delta_us: float, category: StepCategory) -> str:
    """Clause if operators, or loading, take as long as before: then the device hides another part of their time; else
    ""."""
    of_operators, context = category is StepCategory.CPU_EXEC, known.context
    times = context.amounts("operators", "host_self") if of_operators else context.own_times(DATA_LOADER)
    whole = total(times.values())
    longer_us = whole.delta_us * np.sign(delta_us)
    if not all(side.device.count for side in known.sides) or not times or longer_us >= AS_LONG * abs(delta_us):
        return ""
    more, who = "less" if delta_us > 0 else "more", "operators take" if of_operators else "it takes"
    return f"{more} of it is hidden behind device work: in all, {who} {times_text(whole.us_a, whole.us_b)}"


def _of_all_kernels(context: RuleContext, delta_us: float) -> str:
    """Clause on what all kernels have in common: the ratio of their times, or of their threads; "" if nothing."""
    growth = typical_growth(context)
    if growth * delta_us > 0 and abs(growth) >= math.log1p(OTHER_THREADS):
        return f"the typical kernel launches {ratio_text(math.exp(growth))} the threads"
    uniform = device_ratio(context)
    each = "" if uniform is None else ratio_text(uniform)
    return f"kernels {each} per launch across the board, as from another clock or device" if each else ""


def _own_growth(known: Known, delta_us: float) -> str:
    """Clause on the operators whose own time changed most, if the device now hides more or less of others."""
    own = known.context.amounts("operators", "host_self")
    way = np.sign(delta_us)
    largest = sorted(own, key=lambda key: (-own[key].delta_us * way, key))[:MAX_GROWN]
    grown = [f"{short(key[0])} ({signed_time(own[key].delta_us)})" for key in largest if own[key].delta_us * way > 0]
    change = "grew" if delta_us > 0 else "shrank"
    return f"own time, hidden or not, {change} most in {' and '.join(grown)}" if grown else ""


def _recorded_calls(functions: EntityRows) -> str:
    """Clause on many more (fewer) calls of Python functions: recording each takes time, too; "" if they are few."""
    more = more_recorded(functions)
    takes = f"{number_text(abs(more))} {'more' if more > 0 else 'fewer'} calls are recorded, which takes time, too"
    return takes if more else ""


def advice(change: Change, known: Known) -> str:
    """What to look at; with the recording options that would show more, if a side lacks them: sizes of inputs for
    operators and kernels that take longer, Python functions between operators and in annotated ranges."""
    loads = change.category is StepCategory.DATALOADER and loads_itself(known, change.delta_us)
    operators = known.context.amounts("operators", "host_total")
    in_ranges = any((entity.path[1],) not in operators for entity in change.main)
    by_host = loads or change.category is StepCategory.OTHER or (change.category is StepCategory.CPU_EXEC and in_ranges)
    sized = change.category in _BY_SIZE
    shapes = [sized and side.format == TRACE and SHAPES not in side.groups for side in known.sides]
    stacks = [by_host and not has_stacks(side) for side in known.sides]
    plain = LOADING if loads else GENERAL[change.category].look_at or ("the sizes of inputs" if any(shapes) else "")
    options = [
        option for option, sides in (("record_shapes=True", shapes), ("with_stack=True", stacks)) if any(sides)
    ]  # fmt: skip
    if not options:
        return plain
    lacking = [name for name, *lacks in zip(SIDES, shapes, stacks, strict=True) if any(lacks)]
    who = "" if len(lacking) == len(SIDES) else f"the {lacking[0]} "
    record = f"record {who}with {' and '.join(options)}"
    first, comma, rest = plain.partition(", ")
    return f"{first} ({record}){comma}{rest}" if plain else record


def not_named(rows: EntityRows, named: Collection[str]) -> NDArray[np.int64]:
    return np.flatnonzero(np.array([key not in named for key in rows.key], dtype=bool))


def _one_sided_clauses(rest: EntityRows, delta_us: float, known: Known) -> list[str]:
    """Clauses on many small one-sided entities, if together they make a quarter of the change."""
    out, least = [], MAIN_SHARE * abs(delta_us) * known.unit
    for status, words, side in (("added", "are new", 1), ("removed", "are gone", 0)):
        group = np.flatnonzero(rest.status == STATUSES.index(status))
        total = sum(abs(rest.delta[group]).tolist())
        if len(group) > 1 and total >= least:
            calls = sum(rest.calls[side][group].tolist())
            out.append(f"{len(group)} others {words} ({_time(total, known)} in total, {calls_text(calls, known.per)})")
    return out


def _time(amount: int, known: Known) -> str:
    return time_text(amount / known.unit)


def _entity_clause(entity: LedgerRow, shown: Mapping[str, str], known: Known) -> str:
    """Clause on an entity, under its name in `shown`."""
    delta_us = entity.delta / known.unit
    name = shown[entity.path[1]]
    calls_a, calls_b = entity.calls
    if entity.status == "added":
        return f"{name} is new ({_time(entity.candidate, known)}, {calls_text(calls_b, known.per)})"
    if entity.status == "removed":
        return f"{name} is gone ({_time(entity.baseline, known)}, {calls_text(calls_a, known.per)})"
    if not calls_a and not calls_b:
        how = "called outside the steps"
    elif calls_a == calls_b:
        how = calls_text(calls_a, known.per)
    else:
        how = f"{numbers_text(calls_a, calls_b)} calls{known.per}"
        by_count = abs(entity.count_effect) >= abs(entity.rate_effect)
        how += ", mostly from the number of calls" if by_count else ", mostly from time per call"
    return f"{name} {signed_time(delta_us)} ({how}{_utilization(entity.path[1], known)})"


def _utilization(kernel: str, known: Known) -> str:
    """Clause on utilization: "; DRAM 62% → 31%" if a kernel's utilization was measured and moved."""
    out = ""
    for fact, word in (("tensor_active", "tensor pipe"), ("dram_active", "DRAM")):
        x, y = (kernel_fact(side, kernel, fact) for side in known.sides)
        if x is not None and y is not None and abs(y - x) >= UTILIZATION_CHANGE:
            out += f"; {word} {percent_text(x)} → {percent_text(y)}"
    return out
