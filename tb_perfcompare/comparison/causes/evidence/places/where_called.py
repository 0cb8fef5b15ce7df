"""Where calls were added or lost: which ranks, how many steps, which annotation, which modules; and whether their
number grows from step to step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.cause import Part
from tb_perfcompare.comparison.causes.evidence.general_rules import function_of_calls
from tb_perfcompare.comparison.causes.evidence.host_time import CPU_EXEC, HOST, call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, RuleContext, total
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, number_text, numbers_text, short
from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, Ints, median, unique
from tb_perfcompare.model.input_shapes import input_elements
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.names import (
    OPTIMIZER_STEP,
    is_collective_annotation,
    is_loader,
    is_optimizer,
    is_step,
    is_wrapper,
    module_class,
)
from tb_perfcompare.model.names.work_kinds import work_kind
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.groups import CRITICAL_PATH
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tb_perfcompare.quick_dataclass import dataclass

SOME_STEPS = 0.6
"""Largest share of the steps with additional calls for these to be said to be in some steps."""

FEWEST_STEPS, GROWING_STEPS = 6, 0.85
"""Fewest steps of a capture, and share of them that must call an operator more often than the step before, for its
calls to grow from step to step. Of steps with random numbers of calls, half do."""

MAIN_SHARE = 0.5
"""Share of the additional calls that must grow, or of their time that must be in an annotation."""

MOST_STEPS = 0.5
"""Share of a side's steps that must call a module."""

ON_PATH = 0.5
"""Share of an annotation's own time that must be on the critical path for it to be on the step's thread."""

MAIN_CALLS = 0.5
"""Share of the step's additional operator calls that a finding must be about for the Python function that makes most of
them to be named (0.65 to 1 in recordings)."""

MOSTLY = 0.8
"""Share of all changes of calls that must go one way for a function that makes most of them to be looked for."""

WHOLE_STEP = 0.9
"""Share of the step, on both sides, from which an annotation does not tell where in the step."""

KEPT = (
    "what is kept from step to step: losses summed without .item() or .detach(), retain_graph=True; lists, states and "
    "caches that grow"
)
"""What to look at if calls grow from step to step."""

_MAX_NAMED = 3
_OF_LIBRARIES = (is_step, is_loader, is_optimizer, is_wrapper, is_collective_annotation, is_compiled)
_LIBRARIES = ("autograd::", "torch::", "torch.")


@dataclass(frozen=True, slots=True)
class Growth:
    """An operator's fewest and most calls in a step, and how many more each step makes than the one before: 0 if not
    always as many."""

    calls: tuple[float, float]
    each: float


def where_called(pair: RuleContext, changed: Sequence[tuple[str, Amount]]) -> str:
    """Clause on the few ranks or steps that have the additional calls of all these operators: "all on w1", "all in 4
    of 12 steps of the candidate". "" if most have them, or if operators differ."""
    grown = {amount.more_calls > 0 for _, amount in changed}
    if len(grown) != 1:
        return ""
    side = int(grown == {True})
    places = {_where(pair, side, name, min(amount.calls_a, amount.calls_b)) for name, amount in changed}
    return places.pop() if len(places) == 1 else ""


def _where(pair: RuleContext, side: int, operator: str, usual: float) -> str:
    summary, joined = pair.sides[side], pair.columns("operators", "host_total").joined
    rows = (joined.at_a, joined.at_b)[side][joined.with_part(0, operator)]
    if not len(rows) or rows[0] < 0 or summary.ranks is not None:
        return ""
    more = summary.groups["operators"].calls[rows[0]] > usual + 0.5
    of_captures = job_workers(summary)
    workers = [of_captures[capture] for capture in summary.steps.capture.tolist()]
    every, those = (list(dict.fromkeys(names)) for names in (workers, _workers_with(workers, more)))
    if len(those) < len(every):
        return f"all on {', '.join(those) if len(those) <= _MAX_NAMED else f'{len(those)} of {len(every)} ranks'}"
    on_one = np.array(workers) == every[0]
    steps = int((more & on_one).sum())
    if not 0 < steps <= SOME_STEPS * on_one.sum():
        return ""
    return f"all in {steps} of {many(int(on_one.sum()), 'step')} of the {SIDES[side]}"


def _workers_with(workers: Sequence[str], more: Flags) -> list[str]:
    return [worker for worker, called in zip(workers, more.tolist(), strict=True) if called]


def growing_clause(pair: RuleContext, changed: Mapping[str, Amount], order: Sequence[str]) -> str:
    """Clause on the first operator in `order` whose calls grow from step to step, if such ones make most of the
    additional calls: "calls grow from step to step, e.g. aten::mm 44 → 165 in the candidate, 11 in the baseline; 11
    more in each step". "" if not."""
    more = fsum(amount.more_calls for amount in changed.values())
    side = int(more > 0)
    grown = pair.once(_grown)
    growing = {name: grown[side][name] for name in changed if name in grown[side]}
    if abs(fsum(changed[name].more_calls for name in growing)) <= MAIN_SHARE * abs(more):
        return ""
    name = next((name for name in order if name in growing), "")
    if not name:
        return ""
    one, before = growing[name], grown[1 - side].get(name)
    usual = min(changed[name].calls_a, changed[name].calls_b)
    before_text = number_text(usual) if before is None else numbers_text(*before.calls)
    each = f"; {number_text(one.each)} more in each step" if one.each else ""
    return (
        f"calls grow from step to step, e.g. {short(name)} {numbers_text(*one.calls)} in the {SIDES[side]}, "
        f"{before_text} in the {SIDES[1 - side]}{each}"
    )


def _grown(pair: RuleContext) -> tuple[dict[str, Growth], dict[str, Growth]]:
    return _growing(pair.baseline), _growing(pair.candidate)


def _growing(summary: Summary) -> dict[str, Growth]:
    """Operators whose calls grow in each capture."""
    table, capture = summary.groups.get("operators"), summary.steps.capture
    if table is None:
        return {}
    growing = {}
    for row in _growing_rows(table.calls, capture):
        each = np.concatenate([np.diff(table.calls[row, capture == one]) for one in unique(capture)])
        usual, calls = median(each), table.calls[row]
        same = bool((each == usual).mean() >= GROWING_STEPS)
        growing[table.keys[row][0]] = Growth((float(calls.min()), float(calls.max())), usual if same else 0.0)
    return growing


def growing_inputs(pair: RuleContext) -> str:
    """Clause on the operator with the largest inputs that grow from step to step on one side only: "inputs grow from
    step to step, e.g. aten::cat 1,024 → 15,360 elements in the candidate"; "" if there is none."""
    sides = [_growing_sizes(side) for side in pair.sides]
    found = [
        (sizes[1], name, side) for side, growing in enumerate(sides) for name, sizes in growing.items()
        if name not in sides[1 - side]
    ]  # fmt: skip
    if not found:
        return ""
    _, name, side = max(found)
    sizes = numbers_text(*sides[side][name])
    return f"inputs grow from step to step, e.g. {short(name)} {sizes} elements in the {SIDES[side]}"


def _growing_sizes(summary: Summary) -> dict[str, tuple[float, float]]:
    """Operator -> fewest and most input elements of a call, by step, if they grow in each capture."""
    table, capture = summary.groups.get("operators_by_shape"), summary.steps.capture
    if table is None:
        return {}
    number: dict[str, int] = {}
    of_row = np.array([number.setdefault(key[0], len(number)) for key in table.keys], dtype=np.int64)
    elements = np.array([fsum(input_elements(key[1])) for key in table.keys])
    calls, sizes = np.zeros((2, len(number), len(capture)))
    np.add.at(calls, of_row, table.calls)
    np.add.at(sizes, of_row, elements[:, None] * table.calls)
    sizes = np.divide(sizes, calls, out=np.full_like(sizes, np.nan), where=calls > 0)
    names = list(number)
    return {
        names[row]: (float(np.nanmin(sizes[row])), float(np.nanmax(sizes[row])))
        for row in _growing_rows(sizes, capture)
    }


def _growing_rows(by_step: Ints | Floats, capture: CaptureIndex) -> list[int]:
    """Rows of (rows, steps) whose values grow from step to step in each capture; none if a capture is too short."""
    more = [np.diff(by_step[:, capture == one], axis=1) for one in unique(capture)]
    if any(each.shape[1] + 1 < FEWEST_STEPS for each in more):
        return []
    grow = np.logical_and.reduce([(each > 0).mean(axis=1) >= GROWING_STEPS for each in more])
    return np.flatnonzero(grow).tolist()


def annotations_around(pair: RuleContext, explains: Mapping[Part, float]) -> list[str]:
    """Annotations that contain most of the host's part of this time, innermost first. Recordings do not say which calls
    an annotation contains, but by how much the time inside changed: only what is left of all changes can be elsewhere.
    """
    us = fsum(explains.values())
    sign = 1 if us > 0 else -1
    host = fsum(part for (category, _), part in explains.items() if category in HOST)
    found = []
    for name, own_us, whole in pair.once(_annotations):
        calls = host - explains.get((CPU_EXEC, name), 0.0)
        elsewhere = pair.once(_changes)[sign] - max(sign * own_us, 0.0) - sign * (whole.delta_us - own_us)
        if sign * calls - max(elsewhere, 0.0) >= MAIN_SHARE * abs(us) > 0:
            found.append((max(whole.us_a, whole.us_b), name))
    return [name for _, name in sorted(found)]


def mostly_in(pair: RuleContext, explains: Mapping[Part, float]) -> str:
    """Clause on the innermost annotation of the program that contains most of this time: ", mostly in postprocess"; ""
    if none does. A range of a library says less than the operators in it, and one around all of the step nothing."""
    steps = (pair.ledger.baseline / pair.unit, pair.ledger.candidate / pair.unit)
    whole = {name: (amount.us_a, amount.us_b) for name, _, amount in pair.once(_annotations)}
    for name in annotations_around(pair, explains):
        of_step = all(us >= WHOLE_STEP * step for us, step in zip(whole[name], steps, strict=True))
        if not (of_step or name.startswith(_LIBRARIES) or any(test(name) for test in _OF_LIBRARIES)):
            return f", mostly in {short(name)}"
    return ""


def _annotations(pair: RuleContext) -> list[tuple[str, float, Amount]]:
    """(name, change of its own exposed time, its time with all that runs inside), microseconds per step. Only those
    whose own time is mostly on the critical path: an annotation of another thread contains none of the step's calls.
    """
    rows, whole = pair.entities(CPU_EXEC), pair.own_times(CPU_EXEC)
    number, path = pair.numbers.of(rows.key), pair.columns(CRITICAL_PATH)
    of_path = path.joined.parts[0]
    on_path = np.bincount(of_path, path.us_a + path.us_b, max(number.max(initial=-1), of_path.max(initial=-1)) + 1)
    own = (rows.baseline + rows.candidate).astype(np.float64) / pair.unit
    is_operator = np.isin(number, pair.columns("operators", "host_total").joined.parts[0])
    chosen = np.flatnonzero(~is_operator & (own > 0) & (on_path[number] >= ON_PATH * own))
    return [(row.path[1], row.delta / pair.unit, whole[row.path[1]]) for row in rows.of_rows(chosen)]


def _changes(pair: RuleContext) -> dict[int, float]:
    """Sums of all increases (1) and of all decreases (-1) of the ledger's entities, microseconds per step."""
    delta = [us for category in CATEGORY_LABELS for us in pair.entities(category).delta.tolist()]
    return {sign: fsum(max(sign * us, 0) for us in delta) / pair.unit for sign in (1, -1)}


def after_update(side: Summary, names: Collection[str]) -> str:
    """Clause on the optimizer's step after which all of these operators of one side run: averages of weights, metrics,
    logging. "" if not all do, or if they are not called in the first step, whose order is the call tree's. Of what
    modules call, the tree has no such order."""
    tree = side.call_tree
    if tree is None or not _are_called_at_first(side, names) or (tree.kind == FrameKind.MODULE).any():
        return ""
    shown = [tree.names[name] for name in tree.name.tolist()]
    update = max((at for at, name in enumerate(shown) if name.startswith(OPTIMIZER_STEP)), default=len(shown))
    end = update + 1  # frames in it follow it
    while end < len(shown) and tree.parent[end] >= update:
        end += 1
    computes = any(map(work_kind, shown[:end]))  # else the step begins with the update
    first = min((at for at, name in enumerate(shown) if name in names), default=0)
    return f", all after {short(shown[update])}" if computes and first >= end else ""


def _are_called_at_first(side: Summary, names: Collection[str]) -> bool:
    """Whether the first step of each capture calls all of these operators."""
    table, capture = side.groups["operators"], side.steps.capture
    first = [int(np.flatnonzero(capture == one)[0]) for one in unique(capture)]
    called = {key[0] for key, calls in zip(table.keys, table.calls[:, first].tolist(), strict=True) if all(calls)}
    return called.issuperset(names)


def inside_clause(pair: RuleContext, own: float) -> str:
    """Clause on the Python function that makes most of all additional (fewer) operator calls of the step, if `own`,
    those of a finding, are such calls; "" without one."""
    every = pair.amounts("operators", "host_total").values()
    step = total(every)
    more = step.more_calls
    mixed = abs(more) < MOSTLY * fsum(abs(amount.more_calls) for amount in every)
    if mixed or own * more <= MAIN_CALLS * more * more:
        return ""
    function = function_of_calls(*pair.sides, (step.calls_a, step.calls_b))
    return "" if function is None else f"; {function.clause}"


def modules_clause(pair: RuleContext, more: float) -> str:
    """Clause on the nn.Modules that only the side with more calls has, largest first: "; nn.Modules that only the
    candidate calls: Sequential, 2 Conv2d, ReLU"; or on the largest that it calls more often: "; nn.Module Sequential_0
    1 → 16 calls per step". "" if there are none, or if a side recorded no modules. A module's number depends on those
    before it, so modules are counted by class."""
    word, one, other = ("candidate", pair.candidate, pair.baseline) if more > 0 else (
        "baseline", pair.baseline, pair.candidate)  # fmt: skip
    has, has_not = _modules(one), _modules(other)
    if not has or not has_not:
        return ""
    further = {name: number - has_not.get(name, (0, 0.0))[0] for name, (number, _) in has.items()}
    classes = sorted((name for name in further if further[name] > 0), key=lambda name: (-has[name][1], name))
    named = [f"{further[name]} {name}" if further[name] > 1 else name for name in classes]
    rest = f" and {many(len(named) - _MAX_NAMED, 'other')}" if len(named) > _MAX_NAMED else ""
    if not named:
        return _recalled_module(pair, more)
    return f"; nn.Modules that only the {word} calls: {', '.join(named[:_MAX_NAMED])}{rest}"


def _recalled_module(pair: RuleContext, more: float) -> str:
    recalled = {
        name: amount for (name, *_), amount in pair.amounts("modules", "host_total").items()
        if amount.calls_a and amount.calls_b and amount.more_calls * more > 0
        and call_count_changed(amount.calls_a, amount.calls_b)
    }  # fmt: skip
    if not recalled:
        return ""
    name = max(recalled, key=lambda name: (recalled[name].us_a + recalled[name].us_b, name))
    return f"; nn.Module {name} {numbers_text(recalled[name].calls_a, recalled[name].calls_b)} calls per step"


def _modules(summary: Summary) -> dict[str, tuple[int, float]]:
    """Class of modules -> (how many most steps call, time of the largest)."""
    table = summary.groups.get("modules")
    if table is None:
        return {}
    often = (table.calls > 0).mean(axis=1) >= MOST_STEPS
    time = table.measures_ns["host_total"].sum(axis=1)
    classes: dict[str, tuple[int, float]] = {}
    for key, enough, ns in zip(table.keys, often.tolist(), time.tolist(), strict=True):
        if enough:
            name = module_class(key[0])
            number, largest = classes.get(name, (0, 0.0))
            classes[name] = number + 1, max(largest, ns)
    return classes
