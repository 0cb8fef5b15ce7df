"""Calls whose work counts: which operators did the work themselves, how, and how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from tb_perfcompare.analysis.columns.grouping import number_combinations, recorded_values
from tb_perfcompare.analysis.columns.nesting import with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize, gather, rows_where
from tb_perfcompare.analysis.entities.known_work import NOTHING_KNOWN, KnownWork, recorded_work, records_work
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.work.operator_work import GENERATED, Work, operator_work, reasons_without_model
from tb_perfcompare.analysis.work.tensor_lists import types_of_lists
from tb_perfcompare.model.arrays import Flags, Ints, Ints32, StepIndex, is_of
from tb_perfcompare.model.device import uses_tensor_cores
from tb_perfcompare.model.events import Category
from tb_perfcompare.quick_dataclass import dataclass

ARGUMENTS = ("input_dims", "input_type", "input_strides", "concrete_inputs")
"""Recorded arguments that models use, in the order of operator_work's parameters."""

BELOW = "counted as work of the operators that it calls"
BETWEEN = "copy between host and device"
TOO_MUCH = "sizes are implausible"

_TENSOR, _HOST_COPY = 1, 2
_HOST_COPIES = ("HtoD", "DtoH", "HostToDevice", "DeviceToHost")

_MAX_WORK_OF_CALL = 2**56
_MAX_TOTAL_WORK = 2**60
"""Upper limits of plausible work, of one call and of the whole recording; beyond them sums would overflow."""

_MAX_COMPARED = 2**40
"""Work is clipped to this before sums over nested operators, so that they cannot overflow."""

_ON_TENSOR_CORES = {"fp32": "tf32", "fp64": "fp64_tensor"}
"""Data type of matrix products, and the data type when they run on tensor cores."""

_WorkOrReason = list[Work | str]


@dataclass(frozen=True, slots=True, eq=False)
class CountedCalls:
    """The c calls that took time, of w kinds.

    node, row   (c,) forest row, event row
    kind        (c,) kind of each call
    time        (h,) nanoseconds of each forest row
    name, dims  (w,) string index of the operator's name, string index of the sizes + 1
    arguments   recorded argument -> (w,) string index + 1
    work        (w) work of each kind
    """

    node: Ints32
    row: Ints32
    kind: Ints32
    time: Ints
    name: Ints
    dims: Ints
    arguments: Mapping[str, Ints]
    work: KnownWork


def counted_calls(
    timeline: InterpretedTrace, node_of: Ints32, step: StepIndex, time: Ints, *, nested: bool
) -> CountedCalls:
    """Selects the calls with time and finds their kinds and work.

    With `nested`, work that child operators also do is counted only there.
    """
    forest, events = timeline.host, timeline.events
    rows = rows_where(gather(timeline.is_operator & (step >= 0), forest.row) & ~forest.merged & (time > 0))
    event_rows = gather(forest.row, rows)
    codes: list[tuple[Ints32, int]] = [(gather(events.name, event_rows), len(events.strings))]
    recorded = [argument for argument in ARGUMENTS if argument in events.args]
    for argument in recorded:
        text = np.asarray(recorded_values(events, argument, event_rows, -1), dtype=np.int32)
        codes.append((text + np.int32(1), len(events.strings) + 1))
    zeros = np.zeros(len(forest.row), dtype=np.int32)
    how, of_list, listed = (zeros, zeros, [""]) if nested else _evidence_of_device(timeline, node_of)
    codes += [(gather(how, rows), 1 if nested else 3), (gather(of_list, rows), len(listed))]
    none = (np.zeros(len(event_rows), dtype=np.int32), [None])
    number, stated = recorded_work(events, event_rows) if records_work(events) else none
    signatures, kind = number_combinations([*codes, (number, len(stated))])
    works = _works(timeline, signatures[:-1], listed)
    for at in np.flatnonzero(signatures[-1]).tolist():
        works[at] = _with_stated(works[at], stated[signatures[-1][at]])
    work = NOTHING_KNOWN.followed_by(works)
    name, dims = signatures[:2]
    arguments = dict(zip(recorded, signatures[1:], strict=False))
    if nested:
        below = _is_done_below(timeline, rows, kind, work)
        kind = np.where(below, kind + np.int32(len(works)), kind).astype(np.int32)
        name, dims = np.concatenate([name, name]), np.concatenate([dims, dims])
        arguments = {argument: np.concatenate([code, code]) for argument, code in arguments.items()}
        twice = work.of(np.tile(np.arange(len(works)), 2))
        work = twice.without(np.arange(len(name)) >= len(works), BELOW)
    return CountedCalls(rows, event_rows, kind, time, name, dims, arguments, _countable(work, kind))


def _with_stated(work: Work | str, stated: Work | None) -> Work | str:
    """Prefers stated work if there is no model, or only the arguments of a generated kernel."""
    if stated is None:
        return work
    if isinstance(work, str):
        return stated
    return Work(stated.flops, stated.bytes or work.bytes, "", work.family) if work.family == GENERATED else work


def _countable(work: KnownWork, kind: Ints32) -> KnownWork:
    """Makes the work of kinds unknown that would push the total beyond its limit."""
    calls = np.bincount(kind, minlength=len(work.model))
    if (calls.astype(float) @ work.one < _MAX_TOTAL_WORK / 2).all():
        return work
    sums, too_much = [0, 0], np.zeros(len(calls), dtype=bool)
    for at, (count, of_call) in enumerate(zip(calls.tolist(), work.one.tolist(), strict=True)):
        after = [before + count * each for before, each in zip(sums, of_call, strict=True)]
        if max(after) > _MAX_TOTAL_WORK:
            too_much[at] = True
        else:
            sums = after
    return work.without(too_much, TOO_MUCH)


def _launched(timeline: InterpretedTrace, node_of: Ints32, category: Category) -> tuple[Ints, Ints32, Ints32]:
    """Finds the events of this category that an operator launched.

    Returns (their distinct names, (r,) index of each event's name, (r,) forest row of its operator; for merged
    operators, of the operator around them).
    """
    events = timeline.events
    rows = rows_where(is_of(events.category, category) & (timeline.operator >= 0))
    node = gather(node_of, gather(timeline.operator, rows))
    rows, node = rows[node >= 0], node[node >= 0]
    used, name = factorize(gather(events.name, rows), len(events.strings))
    return used, name, gather(timeline.host.top, node)


def _evidence_of_device(timeline: InterpretedTrace, node_of: Ints32) -> tuple[Ints32, Ints32, list[str]]:
    """Derives from an operator's device work how it did its work, and the types in its tensor lists.

    Returns ((h,) _TENSOR if a kernel's name indicates tensor cores, _HOST_COPY if it copied between host and device,
    else 0; (h,) index of the types of the tensors in its lists, 0 ("") if no kernel shows them or kernels disagree; the
    types in the form that operator_work takes).
    """
    texts, marks = timeline.events.strings.texts, timeline.vendor.tensor_cores or ()
    how, of_list = (np.zeros(len(timeline.host.row), dtype=np.int32) for _ in range(2))
    used, name, node = _launched(timeline, node_of, Category.MEMCPY)
    between = [any(mark in texts[code] for mark in _HOST_COPIES) for code in used.tolist()]
    how[node[np.array(between, dtype=bool)[name]]] = _HOST_COPY
    used, name, node = _launched(timeline, node_of, Category.KERNEL)
    kernels = list(map(texts.__getitem__, used.tolist()))
    how[node[np.array([uses_tensor_cores(kernel, marks) for kernel in kernels], dtype=bool)[name]]] = _TENSOR
    numbers = {"": 0}
    listed = [numbers.setdefault(types_of_lists(kernel), len(numbers)) for kernel in kernels]
    if len(numbers) > 1:
        number = np.array(listed, dtype=np.int32)[name]
        node, number = node[number > 0], number[number > 0]
        of_list[node] = number
        of_list[node[of_list[node] != number]] = 0
    return how, of_list, list(numbers)


def _works(timeline: InterpretedTrace, signatures: list[Ints], listed: list[str]) -> _WorkOrReason:
    """Returns the work of one call for each signature, or the reason why it is unknown."""
    events = timeline.events
    texts = events.strings
    used, name = factorize(signatures[0], len(texts))
    names = [texts[code] for code in used.tolist()]
    why_not = reasons_without_model(names)
    works: list[Work | str | None] = list(map(why_not.__getitem__, name.tolist()))
    rows = np.flatnonzero(np.array([reason is None for reason in why_not], dtype=bool)[name])
    given = iter(signatures[1:-2])
    columns = [
        [texts[code - 1] if code else "" for code in next(given)[rows].tolist()]
        if argument in events.args else [""] * len(rows)
        for argument in ARGUMENTS
    ]  # fmt: skip
    lists = [listed[number] for number in signatures[-1][rows].tolist()]
    for row, at, dims, types, strides, values, how, of_lists in zip(
        rows.tolist(), name[rows].tolist(), *columns, signatures[-2][rows].tolist(), lists, strict=True
    ):
        work = operator_work(names[at], dims, types, strides, values, of_lists)
        if isinstance(work, str):
            works[row] = work
        elif not (0 <= work.flops <= _MAX_WORK_OF_CALL and 0 <= work.bytes <= _MAX_WORK_OF_CALL):
            works[row] = TOO_MUCH
        elif how == _HOST_COPY:
            works[row] = BETWEEN
        elif how == _TENSOR and work.data_type in _ON_TENSOR_CORES:
            works[row] = Work(work.flops, work.bytes, _ON_TENSOR_CORES[work.data_type], work.family)
        else:
            works[row] = work
    return cast("_WorkOrReason", works)


def _is_done_below(timeline: InterpretedTrace, rows: Ints32, kind: Ints32, work: KnownWork) -> Flags:
    """(r,) Whether child operators do at least half of the row's work, so that on the host it would count twice."""
    forest = timeline.host
    is_below = np.zeros(len(rows), dtype=bool)
    in_flops = work.one[:, 0] > 0
    for of_one, counts in zip(np.minimum(work.one, _MAX_COMPARED).T, (in_flops, ~in_flops), strict=True):
        of_each = of_one[kind]
        all_rows = np.zeros(len(forest.row), dtype=np.int64)
        all_rows[rows] = of_each
        below = with_descendants(forest.parent, forest.depth, all_rows)[rows] - of_each
        is_below |= counts[kind] & (of_each > 0) & (2 * below >= of_each)
    return is_below
