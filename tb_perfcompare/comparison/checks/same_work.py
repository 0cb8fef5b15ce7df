"""Gate for traces: whether a step of one side is the same piece of work as a step of the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.alignment.alignment import Alignment
from tb_perfcompare.comparison.alignment.matched_share import matched_share
from tb_perfcompare.comparison.checks.containment import BY_NAME, Containment, containment, more_calls, step_self_times
from tb_perfcompare.comparison.checks.environment_checks import on_cpu_alone
from tb_perfcompare.comparison.checks.outermost import same_around, same_loop
from tb_perfcompare.comparison.checks.same_model import same_arithmetic, same_parameters
from tb_perfcompare.comparison.checks.same_program import MIN_PIECES, Program, program
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_calls, shared_typed_calls
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import number_text, percent_text, ratio_text, short
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.comparison.work.call_arguments import other_arguments, time_by_inputs
from tb_perfcompare.model.input_shapes import input_elements, launched_threads, shown_shape
from tb_perfcompare.model.names.compiled_names import is_compiled
from tb_perfcompare.model.names.work_kinds import VIEWS, reads_a_part, work_kind
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.number_text import many

MIN_CONTAINED_SHARE = 0.98

PART_OF_IT = 0.35
"""Share above which the sides have part of their work in common, unless what they compute differs."""


def same_work_checks(
    baseline: Summary, candidate: Summary, alignment: Alignment | None, numbers: TextNumbers
) -> tuple[Check, ...]:
    """Checks `same_work`, `input_shapes`, `input_types`, `input_arguments` and `input_sizes`.

    `same_work` fails, and withholds the verdict, if nothing shows that a step of one side is the other's work: not
    its time by input shape, nor operators, kernels or device time by operator, nor what it computes; or if both
    compute different things. It only warns about another form of a program or a part in common. `input_shapes` and
    `input_types` warn if the same operators run on other inputs, `input_arguments` if with other arguments.
    `input_sizes` fails, and withholds the verdict, if
    these are of another order of size. If one side recorded only the CPU, operators must have nine tenths in common,
    or compute the same: a rank without a device may call operators of the same names for other work.
    """
    shares: dict[str, float] = {}
    for table, words in (("operators", "operator calls"), ("kernels", "kernel launches")):
        if (shared := shared_calls(table, baseline, candidate, numbers)) is not None:
            shares[words] = shared[0]
    if alignment is not None and shares:  # without names on both sides, copies alone would match
        shares["device time, matched by operator"] = min(matched_share(alignment))
    alone = on_cpu_alone(baseline, candidate)
    held = None if alone else containment(baseline, candidate)
    checks = (
        _same_work(shares, held, baseline, candidate, alone=alone),
        _inputs("shapes", baseline, candidate, numbers),
        _inputs("types", baseline, candidate, numbers),
        _arguments(baseline, candidate),
        _input_sizes(baseline, candidate, shares.get("kernel launches")),
    )
    return tuple(filter(None, checks))


def _same_work(shares: dict[str, float], held: Containment | None, a: Summary, b: Summary, *, alone: bool) -> Check:
    if not shares:
        return Check("same_work", "ok", "cannot be checked: nothing recorded on both sides")
    if held is not None and any(held.contained):
        return Check("same_work", "ok", _contained(held, a, b))
    computed = program(a, b)
    detail = ", ".join(f"{percent_text(share)} of the {words}" for words, share in shares.items())
    most, least = max(shares.values()), SIMILAR_WORK if alone else SOME_WORK
    if most >= least and ((held is not None and held.is_partly) or computed is None or not computed.is_different):
        return Check("same_work", "ok", f"in common: {detail}")
    if computed is not None and computed.same:
        return _warned(f"{computed.how}; in common by name: {detail}")
    related = None if alone else next(_related(computed, held, a, b, most, detail), None)
    if related is not None:
        return related
    lead = "one side recorded the CPU alone, the other a device, and they do" if alone else ""
    reason = f"{lead} different work per step: only {detail} are in common".lstrip()
    if held is not None:
        reason = f"neither step contains the other's work: {_both_ways(held)}; shared by name: {detail}"
    unlike = "" if computed is None else computed.unlike
    return Check("same_work", "fail", "; ".join(filter(None, (reason, unlike))), ("verdict", "cause"))


def _warned(reason: str, *more: str) -> Check:
    return Check("same_work", "warn", reason, ("cause", *more))


def _related(
    computed: Program | None, held: Containment | None, a: Summary, b: Summary, most: float, detail: str
) -> Iterator[Check]:
    """Yields what shows that the steps do related work, although they are not the same, the strongest evidence first.
    `most`: largest share in common, of those in `detail`."""
    by_name = f"in common by name: {detail}"
    if trained := same_parameters(a, b):
        yield _warned(f"other operators, but {trained}; {by_name}")
    if arithmetic := same_arithmetic(a, b):
        yield _warned(f"other pieces, but {arithmetic}; {by_name}")
    if computed is not None and computed.times > 1:
        yield _warned(f"one side makes the same calls {computed.times} times per step; {computed.unlike}; {by_name}")
    if computed is not None and computed.contained:
        yield _warned(f"one side does more of the same work: {computed.unlike}; {by_name}")
    if held is not None and held.is_partly:
        yield _warned(f"partly different work: {_both_ways(held)} by input shape")
    if side := _compiled_side(a, b):
        reason = f"only the {side} runs compiled regions, whose operators are not recorded; in common: {detail}"
        yield _warned(reason, "operators")
    unlike = computed is not None and computed.least >= MIN_PIECES and computed.in_common < SOME_WORK
    if PART_OF_IT <= most < SOME_WORK and not unlike:
        yield _warned(f"partly different work: only {detail} are in common")
    named = containment(a, b, BY_NAME) if computed is not None and computed.same_kinds else None
    if named is not None and named.is_partly:
        yield _warned(f"partly different work: {_both_ways(named)} by operator name")
    if loop := same_loop(a, b):
        yield _warned(f"different operators: {loop}")
    if (computed is None or not computed.is_different) and (around := same_around(a, b)):
        yield _warned(f"partly different work: {around}; in common: {detail}")


def _compiled_side(a: Summary, b: Summary) -> str:
    """The side that alone runs compiled regions, "" if neither or both do."""
    one, two = (
        "operators" in side.groups and any(is_compiled(key[0]) for key in side.groups["operators"].keys)
        for side in (a, b)
    )
    return "" if one == two else "baseline" if one else "candidate"


def _contained(held: Containment, a: Summary, b: Summary) -> str:
    """Result for contained work: "the candidate does all the baseline does, and 120 more operator calls per step
    (...)", "both sides make the same operator calls on the same inputs"."""
    if min(held.baseline, held.candidate) >= MIN_CONTAINED_SHARE and not (more_calls(a, b) or more_calls(b, a)):
        return "both sides make the same operator calls on the same inputs"
    grown = held.contained[0] and (not held.contained[1] or held.baseline >= held.candidate)
    most, less = ("candidate", "baseline") if grown else ("baseline", "candidate")
    share = held.baseline if grown else held.candidate
    does = "all" if share >= MIN_CONTAINED_SHARE else f"{percent_text(share)} by time of what"
    more = more_calls(a, b) if grown else more_calls(b, a)
    return f"the {most} does {does} the {less} does" + (f", and {more}" if more else "")


def _both_ways(held: Containment) -> str:
    a, b = percent_text(held.baseline), percent_text(held.candidate)
    return f"{a} of the baseline's time and {b} of the candidate's in common"


def _inputs(what: str, a: Summary, b: Summary, numbers: TextNumbers) -> Check | None:
    same, by_name = (shared_calls(table, a, b, numbers) for table in (f"operators_by_{what[:-1]}", "operators"))
    if same is None or by_name is None:
        return None
    (shared, _), (named, _) = same, by_name
    if what == "types" and shared < SIMILAR_WORK * named:  # other arguments' types depend on the version of PyTorch
        typed = shared_typed_calls(a, b)
        if typed is None:
            return None
        shared = typed
    detail = f"{percent_text(shared)} of operator calls have the same name and input {what}"
    if shared >= SIMILAR_WORK * named:
        return Check(f"input_{what}", "ok", detail)
    detail += f", {percent_text(named)} have the same name"
    return Check(f"input_{what}", "warn", detail, ("same work", "cause"))


_OTHER_ARGUMENTS = 0.05
"""Share of the operators' time, on either side, in calls with other arguments that makes them another work."""


def _arguments(a: Summary, b: Summary) -> Check | None:
    different = other_arguments(a, b)
    if not different:
        return None
    sides = [time_by_inputs(side) for side in (a, b)]
    shares = {key: max(side.get(key, 0.0) / max(sum(side.values()), 1.0) for side in sides) for key in different}
    share = max(sum(side.get(key, 0.0) for key in different) / max(sum(side.values()), 1.0) for side in sides)
    if share < _OTHER_ARGUMENTS:
        return None
    (name, shapes), changed = max(different.items(), key=lambda item: (shares[item[0]], item[0]))
    others = f", {many(len(different) - 1, 'other operator')} likewise" if len(different) > 1 else ""
    detail = (
        f"{short(name)} on {shown_shape(shapes)} is called {changed.clause}{others}; {percent_text(share)} of the "
        "operators' time"
    )
    return Check("input_arguments", "warn", detail, ("same work", "cause"))


_ANOTHER_ORDER = 64
"""Ratio of input sizes from which the work differs ..."""

_LARGER = 16
"""... and from which it differs if kernels differ too; a ratio of times from which that is suspected."""

_MIN_COMMON_SHARE = 0.1
"""Share of each side's work that must be in names that both sides have."""

_AS_OFTEN = 2.0


class _Sizes(NamedTuple):
    """Sizes of one name: calls per step, share of its side, mean size of each operand, and the text of most calls."""

    calls: float
    share: float
    operands: tuple[float, ...]
    text: str


_NONE = _Sizes(0.0, 0.0, (), "")


def _input_sizes(a: Summary, b: Summary, shared_kernels: float | None) -> Check | None:
    """Fails if the same operators (kernels if no shapes were recorded) work on inputs of another order of size;
    warns if only times suggest that; None otherwise. `shared_kernels` is the share of launches in common. A step that
    decodes one token calls the same operators as one that reads a prompt of thousands."""
    by_shape = _ratio(a, b, "operators_by_shape", input_elements, ("host_self", "device_self"))
    change = by_shape or _ratio(a, b, "kernels_by_launch", launched_threads, ())
    if change is None:
        return _by_times(a, b)
    ratio, name, before, after = change
    factor = max(ratio, 1 / ratio)
    other_kernels = shared_kernels is not None and shared_kernels < SOME_WORK
    if factor < (_LARGER if other_kernels else _ANOTHER_ORDER):
        return None
    side = "candidate" if ratio > 1 else "baseline"
    what, on = ("operators", "elements") if by_shape else ("kernels", "threads")
    detail = (
        f"not the same problem size: {what} of the {side} process {number_text(round(factor))} times as many {on}: "
        f"{short(name)} {shown_shape(before)} → {shown_shape(after)}"
    )
    return Check("input_sizes", "fail", detail, ("verdict", "cause"))


def _ratio(
    a: Summary, b: Summary, table: str, sizes_of: Callable[[str], tuple[int, ...]], weighed_by: tuple[str, ...]
) -> tuple[float, str, str, str] | None:
    """Weighted median over names of the largest ratio of an operand's sizes, candidate over baseline, with an example:
    its name, and the sizes in words; None if too little is known."""
    if table not in a.groups or table not in b.groups:
        return None
    one, two = (_sizes(side.groups[table], len(side.steps), sizes_of, weighed_by) for side in (a, b))
    names, logs, weights = [], [], []
    for name in one.keys() & two.keys():
        here, there = one[name], two[name]
        operands = [*zip(here.operands, there.operands, strict=False)][int(reads_a_part(name)) :]
        pairs = [(x, y) for x, y in operands if x > 0 < y]
        if pairs and max(here.calls, there.calls) <= _AS_OFTEN * min(here.calls, there.calls):
            names.append(name)
            logs.append(max((math.log(y / x) for x, y in pairs), key=abs))
            weights.append(min(here.share, there.share))
    if sum(weights) < _MIN_COMMON_SHARE:
        return None
    center = weighted_median(np.array(logs), np.array(weights))
    _, _, name = min((abs(log - center), -weight, name) for log, weight, name in zip(logs, weights, names, strict=True))
    return math.exp(center), name, one[name].text, two[name].text


def _sizes(
    table: GroupTable, steps: int, sizes_of: Callable[[str], tuple[int, ...]], weighed_by: tuple[str, ...]
) -> dict[str, _Sizes]:
    calls = table.calls.sum(axis=1) / max(steps, 1)
    weight = sum(table.measures_ns[name].sum(axis=1) for name in weighed_by) if weighed_by else calls
    shares = (weight / max(weight.sum(), 1)).tolist()
    by_name: dict[str, _Sizes] = {}
    most: dict[str, float] = {}
    for (name, text), count, share in zip(table.keys, calls.tolist(), shares, strict=True):
        sizes = sizes_of(text) if count else ()
        if not any(sizes):
            continue
        before, share_before, operands, text_before = by_name.get(name, _NONE)
        total = before + count
        means = [(mean * before + size * count) / total for mean, size in zip_longest(operands, sizes, fillvalue=0)]
        if count > most.get(name, 0.0):
            most[name], text_before = count, text
        by_name[name] = _Sizes(total, share_before + share, tuple(means), text_before)
    return by_name


def _by_times(a: Summary, b: Summary) -> Check | None:
    """Warns if operators that compute take many times as long per call, and those that only view tensors do not."""
    if "operators" not in a.groups or "operators" not in b.groups:
        return None
    one, two = _per_call(a), _per_call(b)
    both = [name for name in one if name in two and min(one[name][0], two[name][0]) > 0]
    work, views = ([name for name in both if of(name)] for of in (work_kind, VIEWS.__contains__))
    if not views or sum(min(one[name][1], two[name][1]) for name in work) < _MIN_COMMON_SHARE:
        return None
    logs = {name: math.log(two[name][0] / one[name][0]) for name in both}
    center = weighted_median(
        np.array([logs[name] for name in work]), np.array([min(one[name][1], two[name][1]) for name in work])
    )
    flat = weighted_median(np.array([logs[name] for name in views]), np.ones(len(views)))
    if abs(center - flat) < math.log(_LARGER):
        return None
    detail = (
        f"input sizes may differ: operators that compute take {ratio_text(math.exp(center))} as long per "
        f"call, those that only view tensors {ratio_text(math.exp(flat))}; record with record_shapes=True to be sure"
    )
    return Check("input_sizes", "warn", detail, ("verdict", "cause"))


def _per_call(summary: Summary) -> dict[str, tuple[float, float]]:
    """Operator -> (self time per call, share of a step's self time), for the typical step: one call that another
    program interrupts is not a larger piece of work."""
    table = summary.groups["operators"]
    called = table.calls > 0
    each = np.where(called, step_self_times(table) / np.maximum(table.calls, 1), np.inf)
    each.sort(axis=1)
    # median over the steps that call it
    steps, rows = called.sum(axis=1), np.arange(len(each))
    low, high = np.maximum(steps - 1, 0) // 2, np.minimum(steps // 2, np.maximum(steps - 1, 0))
    times = np.where(steps > 0, (each[rows, low] + each[rows, high]) / 2, 0.0)
    spent = times * table.calls.mean(axis=1)
    shares = spent / max(float(spent.sum()), 1.0)
    return dict(zip((key[0] for key in table.keys), zip(times.tolist(), shares.tolist(), strict=True), strict=True))
