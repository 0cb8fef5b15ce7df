"""Time between operators by Python function, with the functions that it calls."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations
from tb_perfcompare.analysis.columns.nesting import nest, with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.columns.paths import nearest
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import (
    EventIndex,
    Flags,
    Ints,
    Ints32,
    NameIndex,
    NodeIndex,
    StepIndex,
    chunks,
    is_of,
    min_by_target,
    places_of,
)
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.python_frames import is_of_program
from tb_perfcompare.model.summary.groups import PYTHON_DEPTH, PYTHON_OPERATORS
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import column, keys
from tb_perfcompare.quick_dataclass import dataclass

LEAST_SHARE = 0.01
"""Least share of the time of all Python functions for one to be listed."""


def python_time(timeline: InterpretedTrace, owners: Owners, step: StepIndex, steps: int) -> GroupTable | None:
    """Returns PYTHON_TIME; None without Python functions that take time. A function that calls itself, or that
    another one calls in it, counts once."""
    functions = is_of(timeline.events.category, Category.PYTHON_FUNCTION)
    if not functions.any():
        return None
    calls = _calls(timeline, owners, step, functions)
    keys_of = operator_keys_of(timeline.events.strings)
    none = keys_of.places(("",))[0]
    codes = gather(timeline.events.name, calls.row), calls.caller, calls.within
    parts = [np.where(code >= 0, keys_of.of(np.maximum(code, 0)), none) for code in codes]
    used, group = number_combinations([(part, len(keys_of.pool)) for part in parts])
    groups = Groups(group, len(used[0]), (step, calls.row), steps)
    count, time = groups.matrix(), groups.matrix(calls.total)
    least = min_by_target(calls.depth.astype(np.int64), group, len(used[0]))
    inner = np.bincount(group, calls.operators, len(used[0]))
    whole = np.where(used[2] == none, *calls.whole_ns)
    large = np.flatnonzero(time.sum(axis=1) >= np.maximum(LEAST_SHARE * whole, 1))
    if not len(large):
        return None
    return GroupTable(
        key_columns=("name", "caller", "range"),
        keys=keys(*((part[large], keys_of.pool) for part in used)),
        names=column(used[0][large], keys_of.pool),
        calls=count[large],
        measures_ns={"total": time[large]},
        facts={
            PYTHON_DEPTH: least[large].astype(np.float64),
            PYTHON_OPERATORS: inner[large] / np.bincount(group, minlength=len(inner))[large],
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The c calls of Python functions that start in a step, take time and are not inside themselves.

    row        (c,) event row
    total      (c,) time with what the call contains: its span without operators if it is in an annotated range, else
               the time that it owns
    within     (c,) name of the annotated range around it, -1 without one
    caller     (c,) name of the innermost function of the program around it, -1 without one
    depth      (c,) number of Python functions and operators around it
    operators  (c,) number of operators inside
    whole_ns   time that all functions own, and their time without operators in annotated ranges
    """

    row: EventIndex
    total: Ints
    within: NameIndex
    caller: NameIndex
    depth: Ints32
    operators: Ints
    whole_ns: tuple[int, int]


def _calls(timeline: InterpretedTrace, owners: Owners, step: StepIndex, functions: Flags) -> _Calls:
    """Selects the calls of these functions. Frees columns as early as it can: with stacks, most events are Python
    functions."""
    events, inside = timeline.events, _inside_itself(timeline, functions)
    nesting = nested(timeline, rows_where(functions | timeline.is_operator))
    rows, parent, depth = nesting.order, nesting.parent, nesting.depth
    is_function = gather(functions, rows)
    spent = nesting.end - nesting.inside
    del nesting
    for chunk in chunks(len(rows)):
        spent[chunk] -= gather(events.start_ns, rows[chunk])
    within = _ranges(timeline, rows)
    spent[~is_function | (within < 0)] = 0
    claimed = gather(owners.row, owners.shares.claim)
    claimed[~gather(functions, claimed)] = -1
    own = scatter_add((places_of(rows, len(events)), claimed), len(rows), value=owners.shares.time_ns)[:, 0]
    whole_ns = int(own.sum()), int(spent.sum())
    spent = with_descendants(parent, depth, spent)
    own = with_descendants(parent, depth, own)
    total = np.where(within >= 0, spent, own)
    del spent, own
    counted = is_function & (total > 0) & ~gather(inside, rows) & (gather(step, rows) >= 0)
    total = total[counted]
    caller = _callers(timeline, gather(events.name, rows), is_function, parent)[counted]
    operators = with_descendants(parent, depth, (~is_function).astype(np.int64))[counted]
    return _Calls(rows[counted], total, within[counted], caller, depth[counted], operators, whole_ns)


def _callers(timeline: InterpretedTrace, names: NameIndex, is_function: Flags, parent: NodeIndex) -> NameIndex:
    """(r,) Name of the innermost function of the program around each of these nested events, -1 without one."""
    used, place = factorize(names, len(timeline.events.strings))
    of_program = np.array([is_of_program(timeline.events.strings[code]) for code in used.tolist()])
    is_caller = is_function & gather(of_program, place)
    none = np.int32(-1)
    around = gather(np.append(nearest(parent, is_caller), none), parent)
    return gather(np.append(names, none), around)


def _ranges(timeline: InterpretedTrace, rows: EventIndex) -> NameIndex:
    """(r,) Name of the innermost annotated range around the start of each event, -1 without one. A range starts in the
    Python function that opens it and outlives that, so both are not nested."""
    events = timeline.events
    ranges = nested(timeline, rows_where(is_of(events.category, Category.ANNOTATION) & ~timeline.is_marker))
    around = innermost_around(timeline, ranges, rows)
    return gather(np.append(gather(events.name, ranges.order), np.int32(-1)), around)


def _inside_itself(timeline: InterpretedTrace, functions: Flags) -> Flags:
    """(n,) Functions around which one of the same name is open, whatever others are in between."""
    events = timeline.events
    _, of_name = numbered_pairs(timeline.lane, len(events.lanes), events.name, len(events.strings))
    nesting = nest(of_name, events.start_ns, events.dur_ns, rows=rows_where(functions))
    inside = np.zeros(len(events), dtype=bool)
    inside[nesting.order[nesting.parent >= 0]] = True
    return inside
