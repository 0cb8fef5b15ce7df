"""Check of traces: whether the same operators work on inputs of another order of size."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.checks.containment import step_self_times
from tb_perfcompare.comparison.checks.shared_work import SOME_WORK
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.wording import number_text, ratio_text, short
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.model.input_shapes import input_elements, launched_threads, shown_shape
from tb_perfcompare.model.names.work_kinds import VIEWS, reads_a_part, work_kind
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable

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


def input_sizes(a: Summary, b: Summary, shared_kernels: float | None) -> Check | None:
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
